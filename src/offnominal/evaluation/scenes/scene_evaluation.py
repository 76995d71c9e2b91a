"""Evaluation of a detector on driving scenes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from offnominal.core.errors import InvalidParameter
from offnominal.datasets.scenes.held_out import HeldOut
from offnominal.datasets.scenes.reading import DrivingScene
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.evaluation.scenes.elements import Unit
from offnominal.evaluation.scenes.rows import rows_of
from offnominal.evaluation.scenes.scene_metrics import SceneMetrics, measure_row
from offnominal.evaluation.scenes.scene_report import SceneReport
from offnominal.evaluation.scenes.scored_scenes import (
    SceneSettings,
    ScoredFrame,
    ScoreFunction,
    Statistic,
    collect_scores,
)
from offnominal.evaluation.scenes.temporal import measure_temporal, temporal_thresholds


def evaluate_scenes(
    score: ScoreFunction,
    scenes: Iterable[DrivingScene],
    *,
    validation: Iterable[DrivingScene] | None = None,
    settings: SceneSettings | None = None,
    held_out: HeldOut | None = None,
    as_published: bool = False,
    statistic: Statistic = "p99",
    replicates: int = REPLICATES,
    seed: int = 0,
) -> SceneReport:
    """Evaluate the scores of a detector on recorded scenes.

    Args:
        score: Function that yields the scores of each frame of a scene, such as ``detector.iter_scores``.
        scenes: Test scenes.
        validation: Scenes on which the thresholds are chosen: that of F1 on frames with a visible anomaly, those of
            alarms on nominal frames. None for a report without thresholds.
        settings: What is evaluated; None is the default.
        held_out: Towns and weathers that were held out of training.
        as_published: Whether to compute the metrics of the public code of AnoVox as well.
        statistic: Score of a frame, for temporal anomalies: the max, the 99th percentile or the mean of its elements.
        replicates: Bootstrap replicates, over scenarios.
        seed: Seed of the bootstrap.

    Raises:
        InvalidParameter: There are no scenes.
        InvalidScores: A frame has no scores, or they do not match its sensors.
    """
    chosen = SceneSettings() if settings is None else settings
    known = [] if validation is None else collect_scores(score, validation, chosen)
    thresholds = choose_thresholds(known, chosen)
    return evaluate_frames(
        collect_scores(score, scenes, chosen, thresholds=thresholds),
        validation=known,
        thresholds=thresholds,
        settings=chosen,
        held_out=held_out,
        as_published=as_published,
        statistic=statistic,
        replicates=replicates,
        seed=seed,
    )


def evaluate_frames(
    frames: Sequence[ScoredFrame],
    *,
    validation: Sequence[ScoredFrame] = (),
    thresholds: Mapping[Unit, float] | None = None,
    settings: SceneSettings | None = None,
    held_out: HeldOut | None = None,
    as_published: bool = False,
    statistic: Statistic = "p99",
    replicates: int = REPLICATES,
    seed: int = 0,
) -> SceneReport:
    """Evaluate frames that are already scored; see :func:`evaluate_scenes`.

    Args:
        frames: Frames of test scenes.
        validation: Frames of validation scenes, for the thresholds of alarms; empty without them.
        thresholds: Threshold of each unit; see :func:`choose_thresholds`.
        settings: What is evaluated; None is the default.
        held_out: Towns and weathers that were held out of training.
        as_published: Whether to compute the metrics of the public code of AnoVox as well.
        statistic: Score of a frame, for temporal anomalies.
        replicates: Bootstrap replicates, over scenarios.
        seed: Seed of the bootstrap.

    Raises:
        InvalidParameter: There are no frames.
    """
    chosen, limits = SceneSettings() if settings is None else settings, dict(thresholds or {})
    if not frames:
        raise InvalidParameter("there are no frames to evaluate; give at least one scene.")
    rows: list[SceneMetrics] = []
    temporal = {}
    for unit in chosen.units:
        measure = partial(measure_row, unit=unit, threshold=limits.get(unit), as_published=as_published)
        found = rows_of(frames, unit, range_edges=chosen.range_edges, held_out=held_out)
        rows += [measure(row, replicates=replicates, seed=seed) for row in found]
        alarms = temporal_thresholds(validation, unit, statistic=statistic) if validation else None
        motion = measure_temporal(
            frames, unit, thresholds=alarms, statistic=statistic, replicates=replicates, seed=seed
        )
        if motion is not None:
            temporal[unit] = motion
    return SceneReport(tuple(rows), temporal, limits)


def choose_thresholds(frames: Sequence[ScoredFrame], settings: SceneSettings) -> dict[Unit, float]:
    """Return the threshold of each unit with the highest F1 in the frames in which a content anomaly is visible.

    Units without such frames have no threshold.
    """
    found = {}
    for unit in settings.units:
        default = next((row for row in rows_of(frames, unit) if row.name == "default"), None)
        threshold = None if default is None else default.pool(unit).best_threshold()
        if threshold is not None:
            found[unit] = threshold
    return found
