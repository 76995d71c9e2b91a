"""What is tried: detectors, alarms and windows, the simplest first."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from offnominal.alarms.alarm import Alarm
from offnominal.alarms.catalogue import make_alarm
from offnominal.core.checks import one_of, positive_integer
from offnominal.core.errors import InvalidParameter
from offnominal.detectors.catalogue import make_detector
from offnominal.detectors.detector import Detector

DETECTORS = ("Mahalanobis", "Mahalanobis of 5 steps", "KNN", "IsolationForest")
"""Detectors that are tried by default, the simplest first."""
ALARMS = ("EpisodeMaximum", "WindowMaximum", "EDetector")
"""Alarms that are tried by default; each has a guarantee."""
WINDOWS = (50, 200, 1000)
"""Windows that are tried by default, in steps."""
AIMS = (0.25, 1.0)
"""Rates that alarms are made for, as shares of the allowed one: an alarm with just this rate cannot show it."""
FEWEST_EPISODES = 40
"""Fewest episodes of a log for alarms with a guarantee per episode: few of so many are cut between blocks."""
VIEWED = {"Mahalanobis of 5 steps": ("Mahalanobis", 5)}


@dataclass(frozen=True)
class Wanted:
    """What an alarm is made for.

    Args:
        steps: Mean number of steps from one allowed false alarm to the next.
        period: Seconds per step.
        episode: Mean number of steps of an episode.
        episodes: Number of episodes.
    """

    steps: float
    period: float
    episode: float
    episodes: int

    @property
    def run_length(self) -> int:
        """Steps as an integer, rounded up."""
        return math.ceil(self.steps * (1.0 - 1e-12))


def _episode_maximum(wanted: Wanted, window: int | None) -> Alarm:
    return make_alarm("EpisodeMaximum", alpha=_share_of_episodes(wanted))


def _episode_glr(wanted: Wanted, window: int | None) -> Alarm:
    return make_alarm("EpisodeGlr", alpha=_share_of_episodes(wanted))


def _window_maximum(wanted: Wanted, window: int | None) -> Alarm:
    alpha = _share((window or 0) / wanted.steps, f"a window of {window:,} steps")
    return make_alarm("WindowMaximum", alpha=alpha, window=window, period=wanted.period)


def _e_detector(wanted: Wanted, window: int | None) -> Alarm:
    return make_alarm("EDetector", run_length=wanted.run_length, window=window)


def _pareto_tail(wanted: Wanted, window: int | None) -> Alarm:
    return make_alarm("ParetoTail", run_length=wanted.run_length, window=window)


WINDOWED: Mapping[str, Callable[[Wanted, int | None], Alarm]] = {
    "WindowMaximum": _window_maximum,
    "EDetector": _e_detector,
    "ParetoTail": _pareto_tail,
}
KNOWN: Mapping[str, Callable[[Wanted, int | None], Alarm]] = {
    "EpisodeMaximum": _episode_maximum,
    "EpisodeGlr": _episode_glr,
    **WINDOWED,
}
"""Alarms by name. `ParetoTail` is an assumption about the tail of the scores: it is tried only if it is named."""


@dataclass(frozen=True)
class Candidate:
    """A detector with an alarm.

    Args:
        detector: Name of the detector.
        alarm: Name of the alarm.
        window: Window of the alarm in steps; None if it has none.
        aim: Rate that the alarm is made for, as a share of the allowed one.
    """

    detector: str
    alarm: str
    window: int | None
    aim: float = 1.0

    @property
    def label(self) -> str:
        """Name for people."""
        return f"{self.detector} with {self.alarm_label}"

    @property
    def alarm_label(self) -> str:
        """Name of the alarm for people."""
        return self.alarm + ("" if self.window is None else f" of {self.window:,} steps")

    def make(self, wanted: Wanted) -> Alarm:
        """Return the alarm, not yet fitted.

        Raises:
            InvalidParameter: The alarm cannot be made for the wanted rate.
        """
        return KNOWN[self.alarm](replace(wanted, steps=wanted.steps / self.aim), self.window)


def candidates_of(detectors: Sequence[str], alarms: Sequence[str], windows: Sequence[int]) -> list[Candidate]:
    """Return all combinations, in the order in which ties are decided: the simplest first.

    Of two that differ by the aim only, the lower one is first: it has fewer false alarms.

    Example:
        >>> [(each.label, each.aim) for each in candidates_of(["KNN"], ["EDetector"], [50])]
        [('KNN with EDetector of 50 steps', 0.25), ('KNN with EDetector of 50 steps', 1.0)]
    """
    for name in alarms:
        one_of("alarm to tune", name, tuple(KNOWN))
    sizes = sorted({positive_integer("window", each) for each in windows})
    found = [
        Candidate(detector, alarm, window, aim)
        for detector in detectors
        for alarm in alarms
        for window in (sizes if alarm in WINDOWED else [None])
        for aim in AIMS
    ]
    if not found:
        raise InvalidParameter("there is nothing to try; give detectors, alarms and windows.")
    return found


def named_detectors(given: Sequence[str] | Mapping[str, Detector]) -> dict[str, Detector]:
    """Return detectors that are not yet fitted, by name."""
    if isinstance(given, Mapping):
        return dict(given)
    if isinstance(given, str):
        raise InvalidParameter(f"the detectors are {given!r}; expected a list of ids.")
    return {name: _made(name) for name in given}


def _made(name: str) -> Detector:
    if name in VIEWED:
        id, length = VIEWED[name]
        return make_detector(id, view="window", window_length=length)
    return make_detector(name)


def _share_of_episodes(wanted: Wanted) -> float:
    """Return the allowed share of episodes with a false alarm; parts of long episodes are no episodes."""
    if wanted.episodes < FEWEST_EPISODES:
        raise InvalidParameter(
            f"the log has {wanted.episodes} episodes; a guarantee per episode needs {FEWEST_EPISODES} or more."
        )
    return _share(wanted.episode / wanted.steps, "an episode")


def _share(share: float, of: str) -> float:
    if share >= 1.0:
        raise InvalidParameter(f"the allowed rate is {share:.3g} false alarms in {of}, which is no limit.")
    return share
