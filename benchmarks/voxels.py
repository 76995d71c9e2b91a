"""Voxels of driving scenes: points to voxels beside NumPy, and the evaluation of 200 frames beside scikit-learn."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from benchmarks.measure import rates
from offnominal.core.types import Array, IntArray
from offnominal.datasets.scenes import DrivingScene
from offnominal.detectors.scenes import FrameScores
from offnominal.evaluation.scenes import SceneSettings, collect_scores, evaluate_scenes
from offnominal.sensing import VoxelGrid, voxelise, voxelise_scores
from offnominal.worlds.road.scenarios import Scenario, make_scenarios
from offnominal.worlds.road.scenes import AnomalyTruth, DrivingFrame, ScenarioRun, ego_points, voxel_grid
from offnominal.worlds.road.scenes.labelled_voxels import ANOMALIES

Row = dict[str, Any]
POINTS = 224_000
DIFFERENT, FRAMES, SCENES = 5, 20, 10


def points() -> list[Row]:
    """Labels of 224,000 points of a camera and a lidar in voxels of 0.5 m; NumPy sorts them by voxel and distance."""
    run = ScenarioRun(make_scenarios("smoke", seed=5)[2], rig="mono")
    cloud = ego_points(next(run.frames(start=10)))
    chosen = np.linspace(0, len(cloud) - 1, POINTS).astype(np.int64)
    place, label, instance = (each[chosen] for each in (cloud.points, cloud.label, cloud.instance))
    wide = voxel_grid("public-code")
    scores = place[:, 0].copy()
    ours = voxelise(place, label, instance, first=ANOMALIES)
    index, nearest = numpy_voxels(place)
    assert (index == ours.index).all()
    assert (label[nearest] == ours.label).mean() > 0.999
    contenders = {
        "label and instance, 100 x 100 x 64 m": lambda: len([voxelise(place, label, instance, first=ANOMALIES)]),
        "with all labels of a voxel": lambda: len([voxelise(place, label, instance, label_sets=True)]),
        "label and instance, 500 x 500 x 32 m": lambda: len([voxelise(place, label, instance, grid=wide)]),
        "highest score": lambda: len([voxelise_scores(place, scores)]),
        "peer: NumPy, lexsort of voxel and distance": lambda: len([numpy_voxels(place)]),
    }
    return [
        {"task": name, "CPU-ms": 1e3 / rate.per_cpu_second, "bar": "<= 6" if name.endswith("64 m") else ""}
        for name, rate in rates(contenders).items()
    ]


def numpy_voxels(place: Array) -> tuple[IntArray, IntArray]:
    """Return the numbers of the voxels, and the point nearest to the centre of each."""
    grid = VoxelGrid()
    shares = (place.astype(np.float64) - grid.low) / grid.voxel_size
    inside = np.flatnonzero(((shares >= 0.0) & (shares < grid.shape)).all(axis=1))
    cells = np.floor(shares[inside])
    numbers = (cells @ np.array([1.0, grid.shape[0], grid.shape[0] * grid.shape[1]])).astype(np.int64)
    away = ((shares[inside] - cells - 0.5) ** 2).sum(axis=1)
    order = np.lexsort((away, numbers))
    index, first = np.unique(numbers[order], return_index=True)
    return index, inside[order[first]]


@dataclass
class FramesInMemory:
    """A scene whose frames are in memory, so that reading them is not measured."""

    scenario: Scenario
    frames: list[DrivingFrame]
    truth: AnomalyTruth | None
    twin: bool = False
    voxel_settings: None = None

    def __post_init__(self) -> None:
        self.id, self.town, self.weather = self.scenario.id, self.scenario.town, self.scenario.weather

    def __iter__(self) -> Any:
        return iter(self.frames)


def evaluation() -> list[Row]:
    """Truth, scores to voxels, all rows and 1,000 replicates of 200 frames (768 x 512 and 64 x 1024) in memory."""
    rng = np.random.default_rng(0)
    scenes = []
    for number in range(SCENES):
        scenario = make_scenarios("smoke", seed=5)[1 + number % 2]
        run = ScenarioRun(scenario, rig="mono")
        frames = list(islice(run.frames(start=9), DIFFERENT)) * (FRAMES // DIFFERENT)
        named = scenario.replace(id=f"{scenario.id}-{number}")
        scenes.append(cast(DrivingScene, FramesInMemory(named, frames, run.anomaly_truth())))
    drawn = {id(frame): random_scores(frame, rng) for scene in scenes for frame in scene}

    def score(frames: Any) -> Any:
        return (drawn[id(frame)] for frame in frames)

    settings = SceneSettings()
    start = time.process_time()
    report = evaluate_scenes(score, scenes, settings=settings)
    spent = time.process_time() - start
    start = time.process_time()
    kept = [frame.elements["voxel"] for frame in collect_scores(score, scenes, settings)]
    collected = time.process_time() - start
    values = np.concatenate([part for each in kept for part in (each.positives, each.negatives)])
    truth = np.concatenate([np.repeat((True, False), (len(each.positives), len(each.negatives))) for each in kept])
    start = time.process_time()
    roc_auc_score(truth, values)
    average_precision_score(truth, values)
    peer = time.process_time() - start
    tasks = {
        f"evaluate_scenes, {len(report.rows)} rows": (spent, "<= 10"),
        "of which truth and scores in voxels": (collected, ""),
        "peer: scikit-learn, AUROC and AUPR of one row without interval": (peer, ""),
    }
    return [
        {"task": task, "frames": SCENES * FRAMES, "voxels": len(values), "CPU-s": seconds, "bar": bar}
        for task, (seconds, bar) in tasks.items()
    ]


def random_scores(frame: DrivingFrame, rng: np.random.Generator) -> FrameScores:
    cameras = {
        name: rng.random((each.camera.height, each.camera.width), dtype=np.float32)
        for name, each in frame.sensors.cameras.items()
    }
    lidars = {
        name: rng.random(int(each.measured.returned.sum()), dtype=np.float32)
        for name, each in frame.sensors.lidars.items()
    }
    return FrameScores(cameras, lidars)


SECTIONS = {"Voxels: points": points, "Voxels: evaluation": evaluation}
