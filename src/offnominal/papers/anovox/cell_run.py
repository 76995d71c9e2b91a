"""Run a cell of a study of driving scenes: fit, score and evaluate its detector."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.scenes import (
    FrameScores,
    SceneDetector,
    scene_detectors,
    trained_hash,
    trained_names,
    trained_scene_detector,
)
from offnominal.detectors.scenes.scene_detector import Scene
from offnominal.evaluation.scenes import (
    SceneReport,
    SceneSettings,
    ScoredFrame,
    VoxelMapping,
    choose_thresholds,
    collect_scores,
    evaluate_frames,
)
from offnominal.evaluation.scenes.elements import Unit
from offnominal.papers.anovox.cell import SceneCell
from offnominal.papers.anovox.example_frames import choose_examples
from offnominal.papers.anovox.example_sheet import example_table
from offnominal.papers.anovox.scene_rows import scene_rows
from offnominal.papers.anovox.scene_sets import SceneSets
from offnominal.studies.cell_result import CellRows
from offnominal.studies.resource_meter import ResourceMeter
from offnominal.worlds.road.scenes import DrivingFrame

# The simulation does not count: the recorded scenes are the data of a cell.
CODE_TARGETS = ("offnominal.papers.anovox.cell_run:evaluate_cell", "offnominal.papers.anovox.scene_rows:scene_rows")
BOOTSTRAP = 0
"""Seed of the bootstrap of all cells, so that differences between detectors are paired."""


@dataclass(frozen=True, eq=False)
class CellEvaluation:
    """The evaluation of a cell.

    Args:
        report: Metrics.
        detector: The fitted detector.
        frames: Scored test frames.
    """

    report: SceneReport
    detector: SceneDetector
    frames: list[ScoredFrame]


def run_scenes(cell: SceneCell, sets: SceneSets, meter: ResourceMeter) -> CellRows:
    """Fit, score and evaluate the detector of a cell."""
    found = evaluate_cell(cell, sets, meter)
    shown = _examples(cell, sets, found)
    meter.steps = len(found.frames)
    # Frames are scored one by one while they are evaluated.
    meter.cpu["evaluate"] = max(meter.cpu.get("all", 0.0) - meter.cpu.get("score", 0.0), 0.0)
    return CellRows(scene_rows(found.report), shown)


def evaluate_cell(cell: SceneCell, sets: SceneSets, meter: ResourceMeter) -> CellEvaluation:
    """Fit the detector of a cell to the training scenes, and evaluate it on the test scenes.

    Args:
        cell: The cell.
        sets: Its scenes.
        meter: Measures the cost of fitting, of scoring, and of scoring and evaluation together.
    """
    if sets.train is None or sets.test is None:
        raise InvalidParameter("a study of driving scenes needs training scenes and test scenes; set their numbers.")
    with meter("fit"):
        detector = fitted_detector(cell, sets.train)

    def score(frames: Iterable[DrivingFrame]) -> Iterator[FrameScores]:
        scores = detector.iter_scores(frames)
        while True:
            with meter("score"):
                found = next(scores, None)
            if found is None:
                return
            yield found

    settings = SceneSettings(units_of(detector, cell.units), VoxelMapping(reduction=cell.reduction))
    with meter("all"):
        known = collect_scores(score, sets.validation or (), settings)
        thresholds = choose_thresholds(known, settings)
        frames = collect_scores(score, sets.test, settings, thresholds=thresholds)
        report = evaluate_frames(
            frames,
            validation=known,
            thresholds=thresholds,
            settings=settings,
            # The weights of the package are those of a training in all towns and weathers.
            held_out=None if has_weights(cell) else cell.data.held_out,
            as_published=True,
            statistic=cell.statistic,
            replicates=cell.replicates,
            seed=BOOTSTRAP,
        )
    return CellEvaluation(report, detector, frames)


def _examples(cell: SceneCell, sets: SceneSets, found: CellEvaluation) -> Any:
    """Return an image of a hit, a miss and a false alarm for the report; None without a threshold of voxels."""
    threshold = found.report.thresholds.get("voxel")
    if threshold is None or sets.test is None:
        return None
    chosen = choose_examples(found.frames, "voxel", threshold)
    mapping = VoxelMapping(reduction=cell.reduction)
    return example_table(cell.name, cell.seed, found.detector, sets.test, chosen, threshold, mapping)


def units_of(detector: SceneDetector, units: Iterable[Unit]) -> tuple[Unit, ...]:
    """Return the units that a detector scores: pixels of cameras, points of lidars, and voxels of both."""
    needed = {"pixel": "camera", "point": "lidar"}
    return tuple(unit for unit in units if unit not in needed or needed[unit] in detector.sensors)


def has_weights(cell: SceneCell) -> bool:
    """Whether the cell has the weights of the package instead of training its detector."""
    return cell.shipped_weights and cell.detector in trained_names()


def weights_hash(cell: SceneCell) -> str:
    """Return the hash of the weights of the package that a cell has; empty if it trains its detector."""
    return trained_hash(cell.detector) if has_weights(cell) else ""


def fitted_detector(cell: SceneCell, scenes: Sequence[Scene]) -> SceneDetector:
    """Return the detector of a cell, with the weights of the package or fitted to normal scenes.

    Args:
        cell: The cell.
        scenes: Normal scenes for training.
    """
    if has_weights(cell):
        return trained_scene_detector(cell.detector)
    return scene_detectors.build(cell.detector, cell.parameters).fit(scenes, seed=cell.seed)
