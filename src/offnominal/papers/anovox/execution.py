"""Run a cell of a study of driving scenes: record its scenes, fit, score and evaluate."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from offnominal.core.errors import InvalidParameter
from offnominal.core.files import sha256_of
from offnominal.core.registry import Spec
from offnominal.detectors.scenes import FrameScores, SceneDetector, scene_detectors
from offnominal.evaluation.scenes import SceneReport, SceneSettings, VoxelMapping, evaluate_scenes
from offnominal.evaluation.scenes.elements import Unit
from offnominal.papers.anovox.cell import SceneCell
from offnominal.papers.anovox.fitted_detector import fitted_detector, weights_hash
from offnominal.papers.anovox.scene_rows import scene_rows
from offnominal.papers.anovox.scene_sets import SceneSets, open_scene_sets
from offnominal.studies.cell_result import CellResult, make_result
from offnominal.studies.code import Sources
from offnominal.studies.execution import single_threaded
from offnominal.studies.resource_meter import ResourceMeter
from offnominal.worlds.road.scenes import DrivingFrame

# The simulation does not count: the recorded scenes are the data of a cell.
CODE_TARGETS = ("offnominal.papers.anovox.execution:evaluate_cell", "offnominal.papers.anovox.scene_rows:scene_rows")
NETWORK = "offnominal.detectors.scenes.scene_network:"
"""Beginning of the names of the code of networks."""
BOOTSTRAP = 0
"""Seed of the bootstrap of all cells, so that differences between detectors are paired."""


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
        report = evaluate_cell(cell, sets, meter)
    frames = sum(row.frames for row in report.rows if row.name == "+norm" and row.unit == "voxel")
    cost = {f"{purpose}_cpu_s": meter.cpu.get(purpose, 0.0) for purpose in ("fit", "score")}
    cost |= {"evaluate_cpu_s": max(meter.cpu.get("all", 0.0) - cost["score_cpu_s"], 0.0)}
    cost |= {"wall_s": meter.wall, "peak_mb": meter.peak_mb(), "steps_scored": frames}
    return make_result(cell, scene_rows(report), cost, data=sets.content_hash(), code=code)


def evaluate_cell(cell: SceneCell, sets: SceneSets, meter: ResourceMeter) -> SceneReport:
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

    with meter("all"):
        return evaluate_scenes(
            score,
            sets.test,
            validation=sets.validation,
            settings=SceneSettings(units_of(detector, cell.units), VoxelMapping(reduction=cell.reduction)),
            held_out=cell.data.held_out,
            as_published=True,
            statistic=cell.statistic,
            replicates=cell.replicates,
            seed=BOOTSTRAP,
        )


def units_of(detector: SceneDetector, units: Iterable[Unit]) -> tuple[Unit, ...]:
    """Return the units that a detector scores: pixels of cameras, points of lidars, and voxels of both."""
    needed = {"pixel": "camera", "point": "lidar"}
    return tuple(unit for unit in units if unit not in needed or needed[unit] in detector.sensors)


def prepare(cell: SceneCell, *, workers: int = 1) -> str:
    """Record the scenes of a cell that are missing, and return their hash."""
    return open_scene_sets(cell.data, workers=workers).content_hash()


def code_of(cell: SceneCell, sources: Sources) -> str:
    """Return a hash of the code of the detector, of its parts and of the evaluation, and of weights in the package."""
    specs = detector_specs(cell)
    code = [
        sources.version(*CODE_TARGETS, *(spec.target for spec in specs)),
        *([spec.target, spec.options] for spec in specs),
        weights_hash(cell),
    ]
    return sha256_of(json.dumps(code, sort_keys=True, default=str))


def uses_gpu(cell: SceneCell, sources: Sources) -> bool:
    """Whether the detector of a cell, or one that it is built from, has a network."""
    return any(NETWORK in name for spec in detector_specs(cell) for name in sources.used(spec.target))


def detector_specs(cell: SceneCell) -> list[Spec]:
    """Return the registry entries of the detector of a cell and of the detectors that it is built from."""
    known = cell.detector in scene_detectors
    parts = scene_detectors.parts(cell.detector, cell.parameters) if known else []
    return [scene_detectors.find(cell.detector), *parts]
