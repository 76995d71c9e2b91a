"""Height above the road: how rare a height is at its place relative to the ego vehicle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.detectors.parameters import POSITIVE, Range
from offnominal.detectors.scenes.frame_scores import FrameScores, Scores
from offnominal.detectors.scenes.ground_grid import crowding
from offnominal.detectors.scenes.observation import SceneObservation
from offnominal.detectors.scenes.scene_detector import NormalScenes, SceneDetector, Sensor
from offnominal.detectors.state_arrays import StateArrays

LATERAL = np.array([-20.0, -12.0, -8.0, -5.0, -3.0, -1.5, 1.5, 3.0, 5.0, 8.0, 12.0, 20.0])
"""Limits of the bins to the left of the ego vehicle, m."""
RANGES = np.array([6.0, 10.0, 15.0, 22.0, 30.0, 45.0, 65.0])
"""Limits of the bins of distance, m."""
CROWDED = np.array([0.5, 3.5, 8.5, 16.5])
"""Limits of the bins of the number of occupied cells around a point."""
SENSORS: tuple[Sensor, ...] = ("camera", "lidar")


@dataclass(kw_only=True, eq=False)
class HeightAboveRoad(SceneDetector):
    """Rarity of a height above the road, given where the point is and how crowded its surroundings are.

    Histograms of normal scenes count heights and crowding for each lateral offset and distance, separately for depth
    images and lidars. The score is the negative logarithm of the smoothed share. An object on the lane is rare, a
    facade beside the road is not. The road is the plane on which the ego vehicle stands. The sky has the score 0.

    Args:
        n_bins: Number of bins of height between 0.2 m and `max_height`, on a logarithmic scale.
        max_height: Height of the last limit, m.
        smoothing: Number of points that are added to every place, distributed like the points of all places.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {"smoothing": POSITIVE, "max_height": Range(1.0, 100.0)}

    n_bins: int = 8
    max_height: float = 6.0
    smoothing: float = 200.0

    def _fit(self, scenes: NormalScenes, seed: int) -> None:
        self.counts_ = {sensor: np.zeros(self._shape()) for sensor in SENSORS}
        for observation in scenes.observations():
            for sensor, _, points in _clouds(observation):
                bins, _ = self._bins(points)
                np.add.at(self.counts_[sensor].reshape(-1), bins, 1.0)
        self._settle()

    def _settle(self) -> None:
        """Prepare the scores of all bins."""
        self.surprise_ = {}
        for sensor, counts in self.counts_.items():
            everywhere = counts.sum(axis=(0, 1)) + 1.0
            share = counts + self.smoothing * everywhere / everywhere.sum()
            self.surprise_[sensor] = -np.log(share / share.sum(axis=(2, 3), keepdims=True)).reshape(-1)

    def _shape(self) -> tuple[int, int, int, int]:
        return len(LATERAL) + 1, len(RANGES) + 1, self.n_bins + 1, len(CROWDED) + 1

    def _bins(self, points: FloatArray) -> tuple[IntArray, BoolArray]:
        """Return the bins of the finite ones of points (n, 3) relative to the ego vehicle, and which those are."""
        finite = np.asarray(np.isfinite(points).all(axis=1))
        ahead, left, height = points[finite].T
        heights = np.geomspace(0.2, self.max_height, self.n_bins)
        parts = (
            np.searchsorted(LATERAL, left),
            np.searchsorted(RANGES, np.hypot(ahead, left)),
            np.searchsorted(heights, height),
            np.searchsorted(CROWDED, crowding(ahead, left, height)),
        )
        return np.asarray(np.ravel_multi_index(parts, self._shape()), np.int64), finite

    def _update(self, state: None, observation: SceneObservation) -> tuple[None, FrameScores]:
        scores: dict[Sensor, dict[str, Scores]] = {"camera": {}, "lidar": {}}
        for sensor, name, points in _clouds(observation):
            bins, finite = self._bins(points)
            found = np.zeros(len(points), np.float32)
            found[finite] = self.surprise_[sensor][bins]
            scores[sensor][name] = found
        cameras = {
            name: values.reshape(observation.cameras[name].depth.shape) for name, values in scores["camera"].items()
        }
        return None, FrameScores(cameras, scores["lidar"])

    def _state_dict(self) -> dict[str, Array]:
        return {sensor: counts.copy() for sensor, counts in self.counts_.items()}

    def _load_state_dict(self, state: StateArrays) -> None:
        self.counts_ = {sensor: state.floats(sensor, self._shape(), low=0.0, high=1e15) for sensor in SENSORS}
        self._settle()


def _clouds(observation: SceneObservation) -> Iterator[tuple[Sensor, str, FloatArray]]:
    """Yield kind, name and points (n, 3) relative to the ego vehicle of every sensor."""
    for name, camera in observation.cameras.items():
        yield "camera", name, observation.from_ego(camera.points().reshape(-1, 3))
    for name, lidar in observation.lidars.items():
        yield "lidar", name, observation.from_ego(lidar.points)
