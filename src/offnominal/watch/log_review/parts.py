"""The parts of a recording in the order of time: training, calibration, and what is reviewed, with labelled steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.checks import positive_number, require_shape
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray, IntArray
from offnominal.evaluation.step_scores import intervals
from offnominal.watch.tuning.time_blocks import BLOCKS, LAST, LEAST_STEPS, piece

TIME = "time"


@dataclass(frozen=True, slots=True, eq=False)
class LogParts:
    """Parts of a recording.

    Args:
        training: Nominal pieces at the beginning.
        calibration: Nominal pieces after them.
        reviewed: Everything after that, with labelled steps.
        times: Seconds at the end of each reviewed step.
        period: Seconds per step.
    """

    training: list[Episode]
    calibration: list[Episode]
    reviewed: list[Episode]
    times: FloatArray
    period: float

    def __post_init__(self) -> None:
        positive_number("period", self.period)
        require_shape("times", self.times, sum(map(len, self.reviewed)))

    @classmethod
    def of(cls, log: Sequence[Episode], period: float | None = None) -> LogParts:
        """Divide a recording by its nominal steps: three eighths for training, as many for calibration, the rest.

        Args:
            log: Episodes in the order of time.
            period: Seconds per step; that of the times of the recording if None.

        Example:
            >>> active = np.isin(np.arange(4000), range(3500, 3600))
            >>> log = [Episode(np.zeros((4001, 1)), np.zeros((4000, 0)), np.zeros(4000), active)]
            >>> parts = LogParts.of(log, period=0.1)
            >>> [sum(map(len, each)) for each in (parts.training, parts.calibration, parts.reviewed)]
            [1462, 1463, 1075]
            >>> parts.times[:2].round(1).tolist()
            [292.6, 292.7]
        """
        episodes = list(log)
        nominal = sum(int((~episode.active).sum()) for episode in episodes)
        if nominal < LEAST_STEPS:
            raise InvalidParameter(f"the log has {nominal:,} nominal transitions; give {LEAST_STEPS:,} or more.")
        chosen = _period(episodes, period)
        bounds = np.array([nominal * last // BLOCKS for _, last in LAST[:2]])
        parts: list[list[Episode]] = [[], [], []]
        times: list[FloatArray] = []
        seen, before = 0, 0
        for episode in episodes:
            count = seen + np.cumsum(~episode.active)
            before_step = count - ~episode.active
            where = np.searchsorted(bounds, before_step, side="right")
            for part in range(3):
                begin, end = (int(np.searchsorted(where, edge)) for edge in (part, part + 1))
                parts[part] += _pieces(episode, begin, end, nominal=part < 2)
            reviewed = int(np.searchsorted(where, 2))
            times.append(_seconds(episode, before, chosen)[reviewed:])
            seen, before = int(count[-1]) if len(count) else seen, before + len(episode)
        return cls(parts[0], parts[1], parts[2], np.concatenate(times), chosen)

    @property
    def bounds(self) -> IntArray:
        """First step of each reviewed piece, and the end of the last."""
        found: IntArray = np.concatenate([[0], np.cumsum([len(each) for each in self.reviewed])]).astype(np.int64)
        return found

    def hours(self, part: Sequence[Episode]) -> float:
        """Return the hours of some pieces."""
        return sum(map(len, part)) * self.period / 3600.0


def _pieces(episode: Episode, begin: int, end: int, *, nominal: bool) -> list[Episode]:
    """Return the steps from `begin` to `end`, without labelled ones if they must be nominal."""
    if begin >= end:
        return []
    if not nominal:
        return [piece(episode, begin, end)]
    fine = ~episode.active[begin:end]
    spans = zip(*intervals(fine, np.array([0, len(fine)])), strict=True)
    return [piece(episode, begin + int(first), begin + int(last)) for first, last in spans]


def _period(episodes: Sequence[Episode], period: float | None) -> float:
    if period is not None:
        return positive_number("period", period)
    steps = [np.diff(episode.extras[TIME]) for episode in episodes if TIME in episode.extras and len(episode)]
    if not steps:
        raise InvalidParameter("the log has no times, so that no rate per day is known; give the seconds per step.")
    return positive_number("the median time step of the log", float(np.median(np.concatenate(steps))))


def _seconds(episode: Episode, before: int, period: float) -> FloatArray:
    """Return the times of the steps of an episode; without recorded ones, those since the begin of the log."""
    if TIME in episode.extras:
        return np.asarray(episode.extras[TIME][-len(episode) :], np.float64)
    return (before + 1.0 + np.arange(len(episode), dtype=np.float64)) * np.float64(period)
