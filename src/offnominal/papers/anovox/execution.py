"""Run a cell of a study of driving scenes: record its scenes, fit, score and evaluate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.catalogue import uses_gpu as detector_uses_gpu
from offnominal.detectors.scenes import FrameScores, SceneDetector, scene_detectors
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
from offnominal.papers.anovox.fitted_detector import fitted_detector, has_weights, weights_hash
from offnominal.papers.anovox.scene_rows import scene_rows
from offnominal.papers.anovox.scene_sets import SceneSets, open_scene_sets
from offnominal.studies.cell_result import CellResult, make_result
from offnominal.studies.code import Sources
from offnominal.studies.code_version import Used, code_version
from offnominal.studies.execution import single_threaded
from offnominal.studies.kinds import study_kinds
from offnominal.studies.resource_meter import ResourceMeter, cell_cost
from offnominal.worlds.road.scenes import DrivingFrame

# The simulation does not count: the recorded scenes are the data of a cell.
CODE_TARGETS = ("offnominal.papers.anovox.execution:evaluate_cell", "offnominal.papers.anovox.scene_rows:scene_rows")
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


def run_cell(cell: SceneCell, *, sources: Sources | None = None) -> CellResult:
    """Compute a cell in this process with one thread.

    Args:
        cell: The cell.
        sources: Source code that was read before.
    """
    meter = ResourceMeter()
    code = code_of(cell, sources or Sources())
    sets = open_scene_sets(cell.data)
    with single_threaded():
        found = evaluate_cell(cell, sets, meter)
        shown = _examples(cell, sets, found)
    cost = cell_cost(meter, len(found.frames))
    cost |= {"evaluate_cpu_s": max(meter.cpu.get("all", 0.0) - cost["score_cpu_s"], 0.0)}
    return make_result(cell, scene_rows(found.report), cost, data=sets.content_hash(), code=code, shown=shown)


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


def prepare(cell: SceneCell, *, workers: int = 1) -> str:
    """Record the scenes of a cell that are missing, and return their hash."""
    return open_scene_sets(cell.data, workers=workers).content_hash()


def code_of(cell: SceneCell, sources: Sources) -> str:
    """Return a hash of the versions of study kind, detector and parts, and of weights in the package."""
    used: list[Used] = [(study_kinds, cell.kind, {}), (scene_detectors, cell.detector, cell.parameters)]
    return code_version(sources, used, weights_hash(cell))


def uses_gpu(cell: SceneCell) -> bool:
    """Whether the detector of a cell, or one that it is built from, has a network."""
    return detector_uses_gpu(cell.detector, cell.parameters, scene_detectors)
