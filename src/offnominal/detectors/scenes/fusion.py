"""Fusion of cameras and lidars: scores of several scene detectors, combined by rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from offnominal.core.checks import number_in
from offnominal.core.streams import Stream
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.fused_parts import HELD_OUT, PartKind, learned_arrays
from offnominal.detectors.nominal_scores import MAX_NOMINAL, NominalScores
from offnominal.detectors.registered_id import registered_id
from offnominal.detectors.scenes.catalogue import make_scene_detector, scene_detectors
from offnominal.detectors.scenes.frame_scores import FrameScores, Scores
from offnominal.detectors.scenes.nominal_rows import RowSample
from offnominal.detectors.scenes.observation import SceneObservation
from offnominal.detectors.scenes.scene_detector import NormalScenes, SceneDetector
from offnominal.detectors.state_arrays import StateArrays

Part = str | tuple[str, Mapping[str, Any]] | list[Any] | SceneDetector
"""A scene detector, its id, or its id and its parameters."""
PARTS: PartKind[SceneDetector] = PartKind(
    SceneDetector,  # type: ignore[type-abstract]
    make_scene_detector,
    partial(registered_id, scene_detectors),
    ("a scene detector", "an id"),
)
SENSORS = ("cameras", "lidars")
SAMPLES = 16
"""Number of nominal scores that are sampled for each one that is kept."""


@dataclass(kw_only=True, eq=False)
class SceneFusion(SceneDetector):
    """Mean rank of the scores of several scene detectors among their scores of normal scenes.

    Ranks make scores of different units comparable. The ranks of all detectors of the same sensor are averaged. Cameras
    and lidars then exchange their ranks: the score of a pixel or a point is the mean of its own rank and the mean rank
    of the points of the other kind of sensor in the same cell of space, if there are any.

    The nominal scores are those of every fifth scene, to which the detectors are not fitted: scores of training scenes
    would be too small. A single scene is used for both.

    Args:
        detectors: Scene detectors, ids, or pairs of an id and parameters.
        cell: Side of the cells in which cameras and lidars exchange ranks, m.
    """

    detectors: Sequence[Part] = ("HeightAboveRoad", "LidarKNN", "PatchKNN")
    cell: float = 0.5

    sensors: ClassVar = ("camera", "lidar")

    def __post_init__(self) -> None:
        number_in("cell", self.cell, 0.0, 100.0, open_low=True)
        PARTS.check(self.detectors)

    def _fit(self, scenes: NormalScenes, seed: int) -> None:
        numbers = range(len(scenes))
        held_out = [number for number in numbers if number % HELD_OUT == 0]
        training = [number for number in numbers if number % HELD_OUT] or held_out
        self.detectors_ = PARTS.all_made(self.detectors)
        for detector in self.detectors_:
            detector.fit([scenes.scene(number) for number in training], seed=seed)
        draw = Stream.named(seed, 0, "fusion").generator()
        samples = [{sensor: RowSample(SAMPLES * MAX_NOMINAL, draw) for sensor in SENSORS} for _ in self.detectors_]
        n_frames = 0
        for number in held_out:
            states = [detector.start() for detector in self.detectors_]
            for _, observation in scenes.frames(number):
                n_frames += 1
                states, found = self._parts(states, observation)
                for sample, scores in zip(samples, found, strict=True):
                    for sensor in SENSORS:
                        for values in getattr(scores, sensor).values():
                            sample[sensor].add(values.reshape(-1, 1).astype(np.float64))
        self.nominal_ = [{sensor: _nominal(each[sensor]) for sensor in SENSORS} for each in samples]
        scenes.n_frames = n_frames if training == held_out else n_frames + self.detectors_[0].n_frames_

    def _parts(self, states: Sequence[Any], observation: SceneObservation) -> tuple[list[Any], list[FrameScores]]:
        pairs = zip(self.detectors_, states, strict=True)
        updated = [detector.score_observation(state, observation) for detector, state in pairs]
        return [state for state, _ in updated], [scores for _, scores in updated]

    def _start(self) -> tuple[Any, ...]:
        return tuple(detector.start() for detector in self.detectors_)

    def _update(self, state: Any, observation: SceneObservation) -> tuple[Any, FrameScores]:
        states, found = self._parts(state, observation)
        cameras, lidars = (self._ranks(found, sensor) for sensor in SENSORS)
        for name, values in lidars.items():
            lidars[name] = values[observation.lidars[name].valid]
        return tuple(states), self._exchanged(observation, cameras, lidars)

    def _ranks(self, found: Sequence[FrameScores], sensor: str) -> dict[str, FloatArray]:
        """Return the mean rank of the detectors of one kind of sensor, by its name."""
        collected: dict[str, list[FloatArray]] = {}
        for scores, nominal in zip(found, self.nominal_, strict=True):
            for name, values in getattr(scores, sensor).items():
                if len(nominal[sensor]):
                    collected.setdefault(name, []).append(nominal[sensor].ranks(values.astype(np.float64)))
        return {name: np.mean(parts, axis=0) for name, parts in collected.items()}

    def _exchanged(
        self, observation: SceneObservation, cameras: Mapping[str, FloatArray], lidars: Mapping[str, FloatArray]
    ) -> FrameScores:
        """Return the ranks of cameras and lidars, each averaged with those of the other in the same cell."""
        seen = {name: observation.cameras[name].points().reshape(-1, 3) for name in cameras}
        cells_by_camera = {name: self._cells(points, observation.position) for name, points in seen.items()}
        cells_by_lidar = {name: self._cells(observation.lidars[name].points, observation.position) for name in lidars}
        by_camera = _cell_means(cells_by_camera, cameras)
        by_lidar = _cell_means(cells_by_lidar, lidars)
        images = {name: _joined(values, cells_by_camera[name], by_lidar) for name, values in cameras.items()}
        clouds = {name: _joined(values, cells_by_lidar[name], by_camera) for name, values in lidars.items()}
        return FrameScores(images, clouds)

    def _cells(self, points: FloatArray, origin: FloatArray) -> IntArray:
        """Return the number of the cell of each point; -1 for points that are not finite or far away."""
        place = np.floor((points - origin) / self.cell)
        near = np.asarray((np.abs(place) < 2**20).all(axis=1))
        x, y, z = np.where(near[:, None], place, 0.0).astype(np.int64).T + 2**20
        return np.where(near, (x << 42) | (y << 21) | z, -1)

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments as values that JSON can represent."""
        return {"detectors": PARTS.params(self.detectors), "cell": self.cell}

    def _state_dict(self) -> dict[str, Array]:
        arrays: dict[str, Array] = {}
        for number, nominal in enumerate(self.nominal_):
            arrays |= {f"{number}.{sensor}": nominal[sensor].values for sensor in SENSORS}
        return arrays | learned_arrays(self.detectors_)

    def _load_state_dict(self, state: StateArrays) -> None:
        self.detectors_ = PARTS.restored(self.detectors, state)
        self.nominal_ = [
            {sensor: NominalScores.restored(state, f"{number}.{sensor}", empty=True) for sensor in SENSORS}
            for number in range(len(self.detectors))
        ]


def _nominal(sample: RowSample) -> NominalScores:
    """Return the nominal scores of one kind of sensor; none if there are none."""
    return NominalScores.of(np.empty(0) if sample.empty else sample.rows()[:, 0])


def _cell_means(cells: Mapping[str, IntArray], values: Mapping[str, FloatArray]) -> tuple[IntArray, FloatArray]:
    """Return the occupied cells, sorted, and the mean value in each."""
    cell = np.concatenate([np.empty(0, np.int64), *cells.values()])
    flat = np.concatenate([np.empty(0), *(each.reshape(-1) for each in values.values())])
    occupied, where = np.unique(cell[cell >= 0], return_inverse=True)
    return occupied, np.bincount(where, flat[cell >= 0], len(occupied)) / np.bincount(where, minlength=len(occupied))


def _joined(own: FloatArray, cell: IntArray, other: tuple[IntArray, FloatArray]) -> NDArray[np.float32]:
    """Return values, each averaged with that of another kind of sensor in its cell, if there is one."""
    occupied, means = other
    if not len(occupied):
        return own.astype(np.float32)
    where = np.minimum(np.searchsorted(occupied, cell), len(occupied) - 1)
    found = (occupied[where] == cell).reshape(own.shape)
    both: Scores = np.where(found, 0.5 * (own + means[where].reshape(own.shape)), own).astype(np.float32)
    return both
