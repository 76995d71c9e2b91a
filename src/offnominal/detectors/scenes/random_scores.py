"""The random baseline of scene detectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.streams import MAX_SEED, Stream
from offnominal.core.types import Array
from offnominal.detectors.content_hash import content_keys
from offnominal.detectors.scenes.frame_scores import FrameScores
from offnominal.detectors.scenes.observation import SceneObservation
from offnominal.detectors.scenes.scene_detector import NormalScenes, SceneDetector
from offnominal.detectors.state_arrays import StateArrays


@dataclass(kw_only=True, eq=False)
class RandomScores(SceneDetector):
    """Random baseline: a uniform score for every pixel and every point.

    Scores are a function of the seed of `fit`, and of the time and the pose of the ego vehicle. So they are the same
    online and in a batch.
    """

    def _fit(self, scenes: NormalScenes, seed: int) -> None:
        for _ in scenes.observations():
            pass
        self.seed_ = seed

    def _update(self, state: None, observation: SceneObservation) -> tuple[None, FrameScores]:
        pose = np.array([[observation.seconds, *observation.position, observation.yaw, observation.speed]])
        stream = Stream(content_keys(pose, self.seed_, "scene detector")[0])
        cameras = {
            name: stream.uniform(camera.depth.size, step=number).reshape(camera.depth.shape).astype(np.float32)
            for number, (name, camera) in enumerate(observation.cameras.items())
        }
        lidars = {
            name: stream.uniform(len(lidar.points), step=number, lane=1).astype(np.float32)
            for number, (name, lidar) in enumerate(observation.lidars.items())
        }
        return None, FrameScores(cameras, lidars)

    def _state_dict(self) -> dict[str, Array]:
        return {"seed": np.array([self.seed_], np.int64)}

    def _load_state_dict(self, state: StateArrays) -> None:
        self.seed_ = state.integer("seed", low=0, high=MAX_SEED)
