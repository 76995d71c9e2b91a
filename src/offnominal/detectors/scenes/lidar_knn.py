"""Local geometry of lidar points: distance to the nearest neighbourhoods of normal scenes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from offnominal.core.streams import Stream
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.parameters import POSITIVE, STEPS, Range
from offnominal.detectors.scenes.frame_scores import FrameScores
from offnominal.detectors.scenes.ground_grid import crowding
from offnominal.detectors.scenes.nominal_rows import CANDIDATES, NominalRows, RowSample
from offnominal.detectors.scenes.observation import LidarObservation, SceneObservation
from offnominal.detectors.scenes.scene_detector import NormalScenes, SceneDetector, Sensor
from offnominal.detectors.state_arrays import StateArrays


@dataclass(kw_only=True, eq=False)
class LidarKNN(SceneDetector):
    """Mean distance of the local geometry around a point to that of the nearest normal neighbourhoods.

    Points in the same cell of a grid share their features: height above the road, extent of the column above the cell,
    number of points relative to what the distance allows, intensity and its spread, occupied cells in the surroundings,
    distance and lateral offset. The memory is a greedy k-centre subset of the cells of normal scenes.

    Args:
        cell: Side of a cell, m.
        memory_size: Largest number of normal cells in the memory.
        n_neighbors: Number of neighbours.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {"cell": POSITIVE, "memory_size": STEPS, "n_neighbors": STEPS}
    sensors: ClassVar[tuple[Sensor, ...]] = ("lidar",)

    cell: float = 0.5
    memory_size: int = 2048
    n_neighbors: int = 3

    def _fit(self, scenes: NormalScenes, seed: int) -> None:
        draw = Stream.named(seed, 0, "lidar-cells").generator()
        sample = RowSample(CANDIDATES * self.memory_size, draw)
        for observation in scenes.observations():
            for lidar in observation.lidars.values():
                sample.add(self._features(observation, lidar)[0])
        self.memory_ = NominalRows.of(sample.rows(), self.memory_size, draw)

    def _features(self, observation: SceneObservation, lidar: LidarObservation) -> tuple[FloatArray, IntArray]:
        """Return the features of each cell, and the cell of each point."""
        points = observation.from_ego(lidar.points)
        return cell_features(points, lidar.intensity, self.cell)

    def _update(self, state: None, observation: SceneObservation) -> tuple[None, FrameScores]:
        scores = {}
        for name, lidar in observation.lidars.items():
            features, cell = self._features(observation, lidar)
            scores[name] = self.memory_.distances(features, self.n_neighbors)[cell].astype(np.float32)
        return None, FrameScores(lidars=scores)

    def _state_dict(self) -> dict[str, Array]:
        return self.memory_.arrays()

    def _load_state_dict(self, state: StateArrays) -> None:
        self.memory_ = NominalRows.restored(state, 1)


def cell_features(points: FloatArray, intensity: FloatArray, side: float) -> tuple[FloatArray, IntArray]:
    """Return the features (cells, 10) of the cells of a grid, and the cell of each point.

    Args:
        points: (n, 3): points relative to the ego vehicle, m.
        intensity: (n,): their intensities.
        side: Side of a cell, m.
    """
    if not len(points):
        return np.zeros((0, 10)), np.zeros(0, np.int64)
    place = np.floor(np.clip(points, -1e6, 1e6) / side).astype(np.int64)
    place -= place.min(axis=0)
    _, rows, layers = (place.max(axis=0) + 1).tolist()
    ground = place[:, 0] * rows + place[:, 1]
    _, column = np.unique(ground, return_inverse=True)
    _, cell = np.unique(ground * layers + place[:, 2], return_inverse=True)
    count = np.bincount(cell).astype(np.float64)

    def mean(values: FloatArray) -> FloatArray:
        return np.bincount(cell, values) / count

    ahead, left, height = points.T
    low, high = np.full(column.max() + 1, np.inf), np.full(column.max() + 1, -np.inf)
    np.minimum.at(low, column, height)
    np.maximum.at(high, column, height)
    distance = mean(np.hypot(ahead, left))
    bright = mean(intensity)
    features = (
        _compressed(mean(height)),
        _compressed(mean(low[column])),
        _compressed(mean(high[column] - low[column])),
        np.sqrt(np.maximum(mean(height**2) - mean(height) ** 2, 0.0)),
        np.log(count * np.maximum(distance, 1.0) ** 2),
        bright,
        np.sqrt(np.maximum(mean(intensity**2) - bright**2, 0.0)),
        np.log1p(mean(crowding(ahead, left, height))),
        np.log(np.maximum(distance, 1.0)),
        np.sign(mean(left)) * np.log1p(np.abs(mean(left))),
    )
    return np.stack(features, axis=1), np.asarray(cell, np.int64).reshape(-1)


def _compressed(height: FloatArray) -> FloatArray:
    """Return heights on a scale that distinguishes low objects well and high ones little."""
    return np.sign(height) * np.log1p(2.0 * np.abs(height))
