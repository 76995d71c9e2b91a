"""Temporal anomalies: does the score rise while a road user behaves anomalously, and how soon?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from offnominal.core.checks import number_in
from offnominal.core.types import BoolArray, FloatArray
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.evaluation.discrimination import Discrimination, measure_discrimination
from offnominal.evaluation.scenes.elements import Unit
from offnominal.evaluation.scenes.scored_scenes import ScoredFrame, Statistic
from offnominal.evaluation.timing import Timing, measure_timing

LEVEL = 0.95
Series: TypeAlias = list[tuple[FloatArray, BoolArray]]
ValueOf: TypeAlias = Callable[[ScoredFrame], float]


@dataclass(frozen=True, slots=True)
class TemporalThresholds:
    """Thresholds for alarms, chosen on validation scenes.

    Args:
        frame: Of the score of a frame; None without nominal frames.
        object: Of the score inside the road user; None if it is never visible before its anomaly.
    """

    frame: float | None
    object: float | None


@dataclass(frozen=True, slots=True)
class TemporalMetrics:
    """Metrics of scenes with temporal anomalies. Steps are frames.

    Args:
        scenes: Number of scenes with a temporal anomaly.
        frame: Frames while the anomaly is active against all other frames; `local` within each scene.
        object: The same for the mean score inside the anomalous road user, in frames where it is visible; None if it is
            never visible.
        frame_timing: Delays of alarms of frames; None without a threshold.
        object_timing: Delays of alarms of the road user; None without a threshold.
    """

    scenes: int
    frame: Discrimination
    object: Discrimination | None
    frame_timing: Timing | None = None
    object_timing: Timing | None = None


def temporal_thresholds(
    frames: Sequence[ScoredFrame], unit: Unit, *, statistic: Statistic = "p99", level: float = LEVEL
) -> TemporalThresholds:
    """Return thresholds that a share of the nominal frames of validation scenes does not exceed.

    Args:
        frames: Frames of validation scenes.
        unit: Unit of the scores.
        statistic: Score of a frame.
        level: Share of nominal frames at or below the threshold.
    """
    number_in("level", level, 0.0, 1.0)
    quiet = [frame.elements[unit] for frame in frames if not frame.active]
    before = [f.elements[unit].object_mean for f in frames if f.kind == "temporal" and not f.active]
    return TemporalThresholds(
        _quantile([each.statistics[statistic] for each in quiet], level), _quantile(before, level)
    )


def _quantile(values: Sequence[float], level: float) -> float | None:
    known = np.sort([each for each in values if not np.isnan(each)])
    return float(known[max(int(np.ceil(level * len(known))) - 1, 0)]) if len(known) else None


def measure_temporal(
    frames: Sequence[ScoredFrame],
    unit: Unit,
    *,
    thresholds: TemporalThresholds | None = None,
    statistic: Statistic = "p99",
    replicates: int = REPLICATES,
    seed: int = 0,
) -> TemporalMetrics | None:
    """Return the metrics of temporal anomalies, or None if there are none.

    Args:
        frames: Scored frames of all scenes.
        unit: Unit of the scores.
        thresholds: Thresholds for alarms; an alarm is a score above them. None without delays.
        statistic: Score of a frame.
        replicates: Bootstrap replicates, over scenes.
        seed: Seed of the bootstrap.
    """
    whole = _series(frames, "temporal", lambda frame: frame.elements[unit].statistics[statistic])
    if not whole:
        return None
    inside = _series(frames, "temporal", lambda frame: frame.elements[unit].object_mean)
    normal = _series(frames, "normal", lambda frame: frame.elements[unit].statistics[statistic])
    limits = TemporalThresholds(None, None) if thresholds is None else thresholds
    return TemporalMetrics(
        scenes=len(whole),
        frame=_discrimination(whole, replicates, seed),
        object=_discrimination(inside, replicates, seed) if inside else None,
        frame_timing=_timing(whole, normal, limits.frame, replicates, seed),
        object_timing=_timing(inside, [], limits.object, replicates, seed),
    )


def _series(frames: Sequence[ScoredFrame], kind: str, value: ValueOf) -> Series:
    """Return scores and activity of the frames of each scene in which the score is defined."""
    scenes: dict[str, list[ScoredFrame]] = {}
    for frame in frames:
        if frame.kind == kind:
            scenes.setdefault(frame.scene, []).append(frame)
    found = []
    for each in scenes.values():
        ordered = sorted(each, key=lambda frame: frame.number)
        scores = np.array([value(frame) for frame in ordered], np.float64)
        active = np.array([frame.active for frame in ordered], np.bool_)
        known = ~np.isnan(scores)
        if known.any():
            found.append((scores[known], active[known]))
    return found


def _discrimination(series: Series, replicates: int, seed: int) -> Discrimination:
    scores, active = zip(*series, strict=True)
    return measure_discrimination(scores, active, replicates=replicates, seed=seed)


def _timing(series: Series, normal: Series, threshold: float | None, replicates: int, seed: int) -> Timing | None:
    if threshold is None or not series:
        return None
    onsets = [int(np.argmax(active)) if active.any() else None for _, active in series]
    return measure_timing(
        [scores > threshold for scores, _ in series],
        onsets,
        nominal=[scores > threshold for scores, _ in normal] or None,
        replicates=replicates,
        seed=seed,
    )
