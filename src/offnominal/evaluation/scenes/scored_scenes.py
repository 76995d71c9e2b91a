"""Scores of many scenes in little memory: what the metrics need of every frame."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from offnominal.core.checks import one_of
from offnominal.core.errors import InvalidParameter, InvalidScores
from offnominal.core.printable import shown
from offnominal.datasets.scenes.reading import DrivingScene, Kind
from offnominal.detectors.scenes.frame_scores import FrameScores
from offnominal.evaluation.scenes.components import (
    ComponentLimits,
    ComponentMatches,
    image_components,
    match_components,
    voxel_components,
)
from offnominal.evaluation.scenes.elements import (
    UNITS,
    Elements,
    Unit,
    VoxelMapping,
    pixel_elements,
    point_elements,
    visible_area,
    voxel_elements,
)
from offnominal.evaluation.scenes.score_checks import check_scores
from offnominal.sensing.voxel_grid import VoxelGrid
from offnominal.sensing.voxels import Voxels
from offnominal.worlds.road.scenes import DrivingFrame

Statistic: TypeAlias = Literal["max", "p99", "mean"]
ScoreFunction: TypeAlias = Callable[[Iterable[DrivingFrame]], Iterable[FrameScores]]
"""Function that yields the scores of each frame of a scene, such as the method `iter_scores` of a scene detector."""
RANGE_EDGES = (10.0, 20.0, 30.0, 50.0)
NO_RANGE = 255
"""Range of the sky, which is part of no row of ranges."""
STATISTICS: tuple[Statistic, ...] = ("max", "p99", "mean")


@dataclass(frozen=True)
class SceneSettings:
    """What is evaluated.

    Args:
        units: Elements that get metrics: ``"pixel"``, ``"point"`` or ``"voxel"``. A pixel takes 5 bytes of memory.
        mapping: How scores are carried into voxels.
        range_edges: Distances between which metrics are computed, m.
        components: Sizes below which components do not count.
    """

    units: tuple[Unit, ...] = ("voxel",)
    mapping: VoxelMapping = field(default_factory=VoxelMapping)
    range_edges: tuple[float, ...] = RANGE_EDGES
    components: ComponentLimits = field(default_factory=ComponentLimits)

    def __post_init__(self) -> None:
        if isinstance(self.units, str) or not self.units:
            raise InvalidParameter(f"units is {shown(self.units)}; expected a tuple such as ('voxel',).")
        for unit in self.units:
            one_of("unit", unit, UNITS)
        if list(self.range_edges) != sorted({float(each) for each in self.range_edges}):
            raise InvalidParameter(f"range_edges is {shown(self.range_edges)}; expected rising distances in metres.")


@dataclass(frozen=True, eq=False)
class ElementScores:
    """Scores of the elements of one frame.

    Args:
        positives: Scores of anomalous elements.
        negatives: Scores of other elements.
        positive_ranges: Number of the range of each anomalous element; see :attr:`SceneSettings.range_edges`.
        negative_ranges: That of each other element.
        statistics: Maximum, 99th percentile and mean of all scores; NaN without elements.
        object_mean: Mean score inside the anomalous instance, also while it is not active; NaN if it is not visible.
        components: Components at the threshold; None without a threshold.
    """

    positives: NDArray[np.float32]
    negatives: NDArray[np.float32]
    positive_ranges: NDArray[np.uint8]
    negative_ranges: NDArray[np.uint8]
    statistics: dict[Statistic, float]
    object_mean: float
    components: ComponentMatches | None = None


@dataclass(frozen=True, eq=False)
class ScoredFrame:
    """A frame with its scores and everything that decides its row of a table.

    Args:
        scenario: Id of the scenario; the nominal twin has the same.
        scene: Id of the scene.
        number: Number of the frame.
        kind: Whether its scene has a content anomaly, a temporal anomaly, or none.
        size: Size of the object, from tiny to huge; None without a content anomaly.
        town: Name of the town.
        weather: Name of the weather.
        active: Whether an anomaly is active.
        area: Visible area of the anomaly, square metres.
        elements: Scores by unit.
    """

    scenario: str
    scene: str
    number: int
    kind: Kind
    size: str | None
    town: str
    weather: str
    active: bool
    area: float
    elements: dict[Unit, ElementScores]


def collect_scores(
    score: ScoreFunction,
    scenes: Iterable[DrivingScene],
    settings: SceneSettings | None = None,
    *,
    thresholds: dict[Unit, float] | None = None,
) -> list[ScoredFrame]:
    """Score all frames of some scenes, one at a time, and keep what the metrics need.

    Args:
        score: Function that yields the scores of each frame of a scene.
        scenes: Recorded scenes.
        settings: What is evaluated; None is the default.
        thresholds: Threshold of each unit for component-level metrics; None without them.

    Raises:
        InvalidScores: A frame has no scores, or they do not match its sensors.
        UnknownName: There are scores of a sensor that the frame does not have.
    """
    chosen = SceneSettings() if settings is None else settings
    found: list[ScoredFrame] = []
    for scene in scenes:
        if not isinstance(scene, Iterable):
            raise InvalidParameter(f"a scene is {shown(scene)}; expected a recorded scene.")
        frames = _pairs(score, scene)
        found += [_scored(scene, frame, scores, chosen, thresholds or {}) for frame, scores in frames]
    return found


def _pairs(score: ScoreFunction, scene: DrivingScene) -> Iterator[tuple[DrivingFrame, FrameScores]]:
    """Yield each frame with its scores; a frame is read once."""
    waiting: deque[DrivingFrame] = deque()

    def read() -> Iterator[DrivingFrame]:
        for frame in scene:
            waiting.append(frame)
            yield frame

    found = score(read())
    if not isinstance(found, Iterable):
        raise InvalidScores(f"the score function returned {shown(found)}; expected the scores of each frame in turn.")
    for scores in found:
        if not waiting:
            raise InvalidScores(f"there are more scores than frames of scene {scene.id}.")
        yield waiting.popleft(), scores
    if waiting:
        raise InvalidScores(f"{len(waiting)} frames of scene {scene.id} have no scores.")


def _scored(
    scene: DrivingScene,
    frame: DrivingFrame,
    scores: FrameScores,
    settings: SceneSettings,
    thresholds: Mapping[Unit, float],
) -> ScoredFrame:
    check_scores(scores, frame)
    elements = {unit: _elements(unit, scene, frame, scores, settings.mapping) for unit in settings.units}
    return scored_frame(scene, frame, elements, scores, settings, thresholds)


def scored_frame(
    scene: DrivingScene,
    frame: DrivingFrame,
    elements: Mapping[Unit, Elements],
    scores: FrameScores,
    settings: SceneSettings,
    thresholds: Mapping[Unit, float],
) -> ScoredFrame:
    """Return what the metrics need of a frame, given its scored elements of each unit."""
    instance = None if scene.truth is None else scene.truth.instance
    kept = {}
    for unit, found in elements.items():
        kept[unit] = _kept(found, settings.range_edges, instance)
        if unit in thresholds:
            matches = _components(unit, frame, scores, found, settings, thresholds[unit])
            kept[unit] = replace(kept[unit], components=matches)
    return ScoredFrame(
        scenario=scene.scenario_id,
        scene=scene.id,
        number=frame.number,
        kind=scene.kind,
        size=scene.size,
        town=scene.town,
        weather=scene.weather,
        active=frame.state.is_anomalous,
        area=visible_area(frame),
        elements=kept,
    )


def _elements(
    unit: Unit, scene: DrivingScene, frame: DrivingFrame, scores: FrameScores, mapping: VoxelMapping
) -> Elements:
    if unit == "pixel":
        return pixel_elements(frame, scores)
    if unit == "point":
        return point_elements(frame, scores)
    return voxel_elements(frame, scores, mapping, _recorded(scene, frame, mapping))


def _recorded(scene: DrivingScene, frame: DrivingFrame, mapping: VoxelMapping) -> Voxels | None:
    """Return the recorded truth of a frame if it is the one that the mapping asks for."""
    settings = scene.voxel_settings
    if settings is None or mapping.truth != "all" or settings.rule != mapping.rule:
        return None
    if settings.grid != (mapping.grid or VoxelGrid()) or (mapping.any_anomaly and not settings.label_sets):
        return None
    return scene.voxels(frame.number)


def _kept(found: Elements, edges: Sequence[float], instance: int | None) -> ElementScores:
    ranges = np.searchsorted(np.asarray(edges, np.float32), found.distance, side="right").astype(np.uint8)
    ranges[np.isinf(found.distance)] = NO_RANGE
    inside = found.scores[found.instance == instance] if instance is not None else found.scores[:0]
    positive = found.positive
    return ElementScores(
        positives=found.scores[positive],
        negatives=found.scores[~positive],
        positive_ranges=ranges[positive],
        negative_ranges=ranges[~positive],
        statistics=_statistics(found.scores),
        object_mean=float(inside.mean(dtype=np.float64)) if len(inside) else np.nan,
    )


def _statistics(scores: NDArray[np.float32]) -> dict[Statistic, float]:
    if not len(scores):
        return dict.fromkeys(STATISTICS, np.nan)
    at = int(0.99 * (len(scores) - 1))
    return {
        "max": float(scores.max()),
        "p99": float(np.partition(scores, at)[at]),
        "mean": float(scores.mean(dtype=np.float64)),
    }


def _components(
    unit: Unit, frame: DrivingFrame, scores: FrameScores, found: Elements, settings: SceneSettings, threshold: float
) -> ComponentMatches | None:
    limits, cut = settings.components, np.float32(threshold)
    if unit == "voxel":
        grid = settings.mapping.grid or VoxelGrid()
        detected, true = (np.zeros(len(found), np.int64) for _ in range(2))
        for numbers, chosen in ((detected, found.scores >= cut), (true, found.positive)):
            numbers[chosen] = voxel_components(found.index[chosen], grid)
        return match_components(
            detected, true, smallest_detected=limits.detected_voxels, smallest_true=limits.true_voxels
        )
    if unit == "point":
        return None
    parts, start = [], 0
    for values in scores.cameras.values():
        own = slice(start, start + values.size)
        start += values.size
        masks = (each[own].reshape(values.shape) for each in (found.scores >= cut, found.positive))
        detected, true = (image_components(mask) for mask in masks)
        parts.append(
            match_components(detected, true, smallest_detected=limits.detected_pixels, smallest_true=limits.true_pixels)
        )
    return (
        ComponentMatches(
            np.concatenate([each.overlap for each in parts]), np.concatenate([each.precision for each in parts])
        )
        if parts
        else None
    )
