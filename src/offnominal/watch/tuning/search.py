"""The search: candidates on earlier blocks of a log, the choice by a fixed rule, and its measurement on the last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np

from offnominal.alarms.conformal import TooFewEpisodes
from offnominal.alarms.exchangeability import ExchangeabilityCheck, check_exchangeability
from offnominal.core.checks import positive_number
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.detectors.detector import Detector
from offnominal.watch.channel_checks import TIME
from offnominal.watch.tuning.alarm_count import count_false_alarms
from offnominal.watch.tuning.allowed_rate import SECONDS, AllowedRate
from offnominal.watch.tuning.candidates import (
    ALARMS,
    DETECTORS,
    WINDOWS,
    Candidate,
    Wanted,
    candidates_of,
    named_detectors,
)
from offnominal.watch.tuning.injected_pieces import InjectedPieces
from offnominal.watch.tuning.measured_rate import MeasuredRate
from offnominal.watch.tuning.result import Tried, TuningResult
from offnominal.watch.tuning.time_blocks import FOLDS, LAST, TimeBlocks

TESTED = 40
"""Windows, or else at least so many episodes, whose order in time is tested."""
IMPOSSIBLE = (TooFewEpisodes, InvalidParameter)


def tune(
    log: Sequence[Episode],
    false_alarms: str | AllowedRate,
    *,
    period: float | None = None,
    detectors: Sequence[str] | Mapping[str, Detector] = DETECTORS,
    alarms: Sequence[str] = ALARMS,
    windows: Sequence[int] = WINDOWS,
    seed: int = 0,
) -> TuningResult:
    """Choose detector, alarm and window for a nominal log, and measure the rate of false alarms of the choice.

    An alarm is made for the allowed rate, and for a quarter of it: one with just the allowed rate can never show it.
    The log is divided in the order of time into eight blocks. Candidates are trained on the first two blocks,
    calibrated on the next ones, and validated on the fifth and the sixth, each after all blocks of its calibration.
    The choice is trained on three blocks and calibrated on the next three; its rate is that on the last two, which no
    choice saw.

    The rule is the same for all logs: of the candidates whose upper bound keeps the allowed rate on the validation
    blocks, the one that detects the most faults which are injected into these blocks. If there is none, the one with
    the fewest false alarms per hour, and of several the one that detects the most. Ties are decided by the order of
    detectors and alarms, for the shorter window, and for the alarm that is made for the lower rate.

    Guaranteed:
        With a confidence of 95 %, the rate on hours like those of the last two blocks is at most ``final.upper``, if
        alarms come independently of each other.

    Not guaranteed:
        Anything after the nominal conditions have changed. Detection: the injected faults are those of
        :data:`~offnominal.watch.tuning.injected_pieces.FAULTS`, not those that will happen.

    Args:
        log: Nominal episodes, the earliest first; a log of days may be one episode.
        false_alarms: Allowed rate of false alarms, such as ``"1/day"``.
        period: Seconds per step; the median step of the extra ``time`` of the episodes if None.
        detectors: Ids, or detectors by name; the simplest first. They must have an ONNX form.
        alarms: Names of alarms. ``"ParetoTail"`` extrapolates the tail of the scores, which is an assumption.
        windows: Windows of the alarms in steps.
        seed: Seed of the training.

    Raises:
        InvalidParameter: The time of a step is unknown, an episode has active labels, or the log is too short.
        TooFewEpisodes: No candidate can be fitted with so few steps.

    Example:
        >>> random = np.random.default_rng(0)
        >>> values = random.normal(size=(30_001, 2))
        >>> log = [Episode(values, np.zeros((30_000, 0)), np.zeros(30_000), np.zeros(30_000, bool))]
        >>> found = tune(log, "1/hour", period=2.0, detectors=["Mahalanobis"], windows=[100])
        >>> found.verdict, round(found.hours, 1)
        ('shown', 16.7)
    """
    allowed, episodes = AllowedRate.of(false_alarms), list(log)
    blocks = TimeBlocks.of(episodes)
    step_s = _period(episodes, period)
    made = named_detectors(detectors)
    mean_length = float(np.mean([len(each) for each in episodes]))
    wanted = Wanted(allowed.steps_between(step_s), step_s, mean_length, len(episodes))
    candidates = candidates_of(list(made), alarms, windows)
    tried = _validated(blocks, candidates, made, wanted, seed)
    if all(each.rate is None for each in tried):
        raise TooFewEpisodes(f"no alarm can be fitted to this log for {allowed}: {tried[0].reason}")
    choice = _chosen(tried, allowed)
    training, calibration, last = (blocks.part(each) for each in LAST)
    detector = made[choice.detector].fit(training, seed=seed)
    calibrated, measured = (detector.score(each) for each in (calibration, last))
    alarm = choice.make(wanted).fit(calibrated)
    return TuningResult(
        allowed=allowed,
        period=step_s,
        hours=sum(map(len, episodes)) * step_s / SECONDS,
        tried=tuple(tried),
        chosen=choice,
        final=count_false_alarms(alarm.alarm(measured), step_s),
        order=_order([*calibrated, *measured], seed),
        detector=detector,
        alarm=alarm,
        calibration=tuple(calibration),
        channels={name: tuple(each) for name, each in getattr(log, "channels", {}).items()},
    )


def _validated(
    blocks: TimeBlocks, candidates: Sequence[Candidate], made: Mapping[str, Detector], wanted: Wanted, seed: int
) -> list[Tried]:
    """Return every candidate with its false alarms and detections on the validation blocks."""
    training = blocks.part(FOLDS[0][0])
    parts = [(blocks.part(calibration), blocks.part(validation)) for _, calibration, validation in FOLDS]
    pieces = [InjectedPieces.of(validation, training) for _, validation in parts]
    found: list[Tried] = []
    for name, detector in made.items():
        fitted = deepcopy(detector).fit(training, seed=seed)
        folds = [
            _Fold(fitted.score(calibration), fitted.score(validation), fitted.score(injected.episodes), injected)
            for (calibration, validation), injected in zip(parts, pieces, strict=True)
        ]
        found += [_tried(each, wanted, folds) for each in candidates if each.detector == name]
    return found


@dataclass(frozen=True)
class _Fold:
    """Scores of a detector on the blocks of a fold, and on the pieces of its validation block with faults."""

    calibration: list[FloatArray]
    validation: list[FloatArray]
    injected: list[FloatArray]
    pieces: InjectedPieces


def _tried(candidate: Candidate, wanted: Wanted, folds: Sequence[_Fold]) -> Tried:
    rate, detected = MeasuredRate(0, 0.0), []
    for fold in folds:
        try:
            alarm = candidate.make(wanted).fit(fold.calibration)
        except IMPOSSIBLE as error:
            return Tried(candidate, reason=str(error))
        rate += count_false_alarms(alarm.alarm(fold.validation), wanted.period)
        detected.append(fold.pieces.detected(alarm.alarm(fold.injected)))
    return Tried(candidate, rate, float(np.mean(np.concatenate(detected))))


def _chosen(tried: Sequence[Tried], allowed: AllowedRate) -> Candidate:
    """Return the choice by the rule of :func:`tune`; `max` and `min` take the first, the simplest, of equal ones."""
    possible = [(each, each.rate, each.detected or 0.0) for each in tried if each.rate is not None]
    kept = [each for each in possible if each[1].upper <= allowed.per_hour]
    if kept:
        return max(kept, key=lambda each: each[2])[0].candidate
    return min(possible, key=lambda each: (each[1].rate, -each[2]))[0].candidate


def _order(scores: Sequence[FloatArray], seed: int) -> ExchangeabilityCheck | None:
    """Test whether the scores after the training change with time: of episodes, or of windows if these are few."""
    if len(scores) >= TESTED:
        return check_exchangeability(scores, seed=seed)
    window = max(sum(map(len, scores)) // TESTED, 1)
    try:
        return check_exchangeability(scores, window=window, seed=seed)
    except TooFewEpisodes:
        return None


def _period(episodes: Sequence[Episode], given: float | None) -> float:
    """Return the seconds per step."""
    if given is not None:
        return positive_number("period", given)
    steps = [np.diff(np.asarray(each.extras[TIME], np.float64)) for each in episodes if TIME in each.extras]
    if not steps or not sum(map(len, steps)):
        raise InvalidParameter(
            "the time of a step is not known: the episodes have no extra 'time'. Name the time column of the log, or "
            "give `period`, the seconds per step."
        )
    return float(np.median(np.concatenate(steps)))
