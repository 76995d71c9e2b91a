"""What one detector and one alarm do in a recording, in the units of its operation: seconds, hours and days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.alarms.conformal import TooFewEpisodes
from offnominal.alarms.exchangeability import ExchangeabilityCheck, check_exchangeability
from offnominal.alarms.ranks import episodes_needed
from offnominal.alarms.window_maximum import WindowMaximum
from offnominal.core.checks import positive_integer, require_shape
from offnominal.core.episode import Episode
from offnominal.core.types import BoolArray, FloatArray
from offnominal.detectors.catalogue import make_detector
from offnominal.detectors.detector import Detector
from offnominal.evaluation.step_scores import intervals
from offnominal.watch.log_review.parts import LogParts
from offnominal.watch.tuning.allowed_rate import SECONDS, AllowedRate, time_text
from offnominal.watch.tuning.measured_rate import MeasuredRate
from offnominal.watch.tuning.time_blocks import BLOCKS, LAST, piece

WINDOW, SHOWN, MOST_ALPHA = 100, 3, 0.5
"""Steps of a window, channels of an event that are told, and largest false-alarm rate per window."""
ALPHA = 0.05
"""False-alarm rate per window that the test of the order of time is about."""
CALIBRATED = (LAST[1][1] - LAST[1][0]) / BLOCKS
"""Share of the nominal steps of a log that calibrate the alarm."""


@dataclass(frozen=True, slots=True)
class LogEvent:
    """A labelled interval of a recording.

    Args:
        begin: Seconds at its first step.
        length: Its length in seconds.
        delay: Seconds from its begin to the first alarm in it; None if there is none.
        channels: The channels that contribute most to its scores, the most important first, with their shares.
    """

    begin: float
    length: float
    delay: float | None
    channels: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, eq=False)
class LogReview:
    """Alarms of one detector in the last part of a recording.

    Args:
        name: Name of the recording.
        detector: Name of the detector.
        allowed: Rate of false alarms that was asked for.
        promised: Promised rate per hour: the allowed one, or the lowest that the calibration can promise.
        guarantee: The promise in words.
        window: Steps of the windows that the promise is about.
        parts: Parts of the recording.
        scores: (steps,) scores of the reviewed part.
        threshold: Threshold of the alarm.
        raised: (steps,) whether the alarm is raised.
        events: Labelled intervals of the reviewed part.
        order: Test whether the scores of nominal steps change with time; None if there are too few.
    """

    name: str
    detector: str
    allowed: AllowedRate
    promised: float
    guarantee: str
    window: int
    parts: LogParts
    scores: FloatArray
    threshold: float
    raised: BoolArray
    events: tuple[LogEvent, ...]
    order: ExchangeabilityCheck | None

    def __post_init__(self) -> None:
        for name in ("scores", "raised"):
            require_shape(name, getattr(self, name), len(self.parts.times))

    @property
    def active(self) -> BoolArray:
        """(steps,): labelled steps of the reviewed part."""
        return np.concatenate([episode.active for episode in self.parts.reviewed])

    @property
    def false_alarms(self) -> FloatArray:
        """Seconds at which false alarms begin: alarms that begin at a nominal step; a longer one counts once."""
        starts, _ = intervals(self.raised, self.parts.bounds)
        found: FloatArray = self.parts.times[starts[~self.active[starts]]]
        return found

    @property
    def rate(self) -> MeasuredRate:
        """Measured rate of windows with a false alarm, which the promise is about; windows without labels count."""
        alarms = windows = 0
        raised = np.split(self.raised, self.parts.bounds[1:-1])
        for flags, episode in zip(raised, self.parts.reviewed, strict=True):
            steps = len(flags) // self.window * self.window
            hit, labelled = (each[:steps].reshape(-1, self.window).any(axis=1) for each in (flags, episode.active))
            alarms, windows = alarms + int((hit & ~labelled).sum()), windows + int((~labelled).sum())
        return MeasuredRate(alarms, windows * self.window * self.parts.period / SECONDS)

    @property
    def missing_hours(self) -> float:
        """Further nominal hours of recording with which the allowed rate could be promised."""
        if self.promised <= self.allowed.per_hour:
            return 0.0
        given = sum(self.parts.hours(part) for part in (self.parts.training, self.parts.calibration)) / (2 * CALIBRATED)
        return self.parts.hours(self.parts.calibration) * self.promised / self.allowed.per_hour / CALIBRATED - given

    @property
    def recommendation(self) -> str:
        """The one thing to do next."""
        missed = sum(event.delay is None for event in self.events)
        if self.order is not None and self.order.rejected:
            return (
                "The scores of nominal steps change with time, so that no fixed threshold keeps a promise. Find out "
                "what changed; then calibrate again with what came after it, or use an adaptive alarm."
            )
        if self.rate.lower > self.promised:
            return (
                "There are more false alarms than promised. Look at them below: label those that were faults, and "
                "calibrate with the others."
            )
        if self.missing_hours > 0.0:
            return (
                f"Record {time_text(self.missing_hours)} more of nominal operation: {self.allowed} can be promised "
                f"then, and {self.allowed.shown(self.promised)} now."
            )
        if 2 * missed > len(self.events):
            return "Most events are missed: compare detectors with `offnominal tune`, and look at the channels."
        return f"Choose a monitor with `offnominal tune --false-alarms {self.allowed}`, and run it: `offnominal watch`."


def review_log(
    log: Sequence[Episode],
    false_alarms: str | AllowedRate = "1/day",
    *,
    name: str = "log",
    detector: str | Detector = "Mahalanobis",
    window: int = WINDOW,
    period: float | None = None,
    channels: Sequence[str] | None = None,
    seed: int = 0,
) -> LogReview:
    """Train a detector and an alarm on the earlier part of a recording, and look at the later part.

    The first three eighths of the nominal steps train the detector, the next three eighths calibrate
    :class:`~offnominal.alarms.WindowMaximum`, and everything after them is reviewed. If the calibration is too short
    for the allowed rate, the lowest rate that it can promise is taken.

    Args:
        log: Episodes in the order of time, such as a :class:`~offnominal.datasets.logs.log_episodes.LogEpisodes`.
        false_alarms: Allowed rate of false alarms.
        name: Name of the recording.
        detector: Id or object, not fitted.
        window: Steps of the windows of the alarm; longer than the correlations of the scores.
        period: Seconds per step, if the recording has no times.
        channels: Names of the channels: observations, then actions.
        seed: Seed of the training.

    Raises:
        InvalidParameter: There are too few nominal steps, or no times and no period.
        TooFewEpisodes: The calibration has no whole window.

    Example:
        >>> random, active = np.random.default_rng(0), np.isin(np.arange(40_000), range(38_000, 38_500))
        >>> values = random.normal(size=(40_001, 2)) + 6.0 * np.append(active[:1], active)[:, None] * [1.0, 0.0]
        >>> log = [Episode(values, np.zeros((40_000, 0)), np.zeros(40_000), active)]
        >>> found = review_log(log, "1/hour", period=1.0, channels=["flow", "heat"])
        >>> found.rate, found.events[0].delay, found.events[0].channels[0][0]
        (MeasuredRate(alarms=1, hours=2.694...), 0.0, 'flow')
    """
    allowed, size = AllowedRate.of(false_alarms), positive_integer("window", window)
    parts = LogParts.of(log, period)
    fitted = (make_detector(detector) if isinstance(detector, str) else detector).fit(parts.training, seed=seed)
    calibration = fitted.score(parts.calibration)
    alarm = _alarm(calibration, allowed, size, parts.period).fit(calibration)
    scores = fitted.score(parts.reviewed)
    raised = alarm.alarm(scores)
    nominal = [values[~episode.active] for values, episode in zip(scores, parts.reviewed, strict=True)]
    return LogReview(
        name,
        fitted.name,
        allowed,
        alarm.guarantee.per_hour or 0.0,
        str(alarm.guarantee),
        size,
        parts,
        np.concatenate(scores),
        alarm.threshold_,
        np.concatenate(raised),
        tuple(_events(fitted, parts, raised, channels)),
        _order([*calibration, *nominal], size, seed),
    )


def _alarm(calibration: Sequence[FloatArray], allowed: AllowedRate, window: int, period: float) -> WindowMaximum:
    """Return an alarm for the allowed rate, or for the lowest one that the windows of the calibration can promise."""
    windows = sum(len(scores) // window for scores in calibration)
    alpha = min(allowed.per_hour * window * period / SECONDS, MOST_ALPHA)
    if not windows:
        raise TooFewEpisodes(f"the calibration has no whole window of {window:,} steps; choose a shorter window.")
    if episodes_needed(alpha) > windows:
        alpha = (1.0 + 1e-9) / (windows + 1)
    return WindowMaximum(alpha, window=window, period=period)


def _order(scores: Sequence[FloatArray], window: int, seed: int) -> ExchangeabilityCheck | None:
    try:
        return check_exchangeability(scores, alpha=ALPHA, window=window, seed=seed)
    except TooFewEpisodes:
        return None


def _events(
    detector: Detector, parts: LogParts, raised: Sequence[BoolArray], channels: Sequence[str] | None
) -> list[LogEvent]:
    """Return the labelled intervals, with their delays and their most important channels."""
    found = []
    for number, episode in enumerate(parts.reviewed):
        first = int(parts.bounds[number])
        spans = zip(*intervals(episode.active, np.array([0, len(episode)])), strict=True)
        for begin, end in ((int(each[0]), int(each[1])) for each in spans):
            alarms = np.flatnonzero(raised[number][begin:end])
            delay = float(parts.times[first + begin + alarms[0]] - parts.times[first + begin]) if len(alarms) else None
            explained = detector.explain(piece(episode, begin, end), names=channels)
            top = tuple((each.channel, each.share) for each in explained.top(SHOWN))
            length = float(parts.times[first + end - 1] - parts.times[first + begin]) + parts.period
            found.append(LogEvent(float(parts.times[first + begin]), length, delay, top))
    return found
