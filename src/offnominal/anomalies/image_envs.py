"""Worlds with faults, seen through their pictures."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space

from offnominal.anomalies.fault import Fault
from offnominal.anomalies.injected_envs import InjectedEnv, InjectedVectorEnv
from offnominal.core.types import Array, BoolArray, FloatArray, Frames, IntArray
from offnominal.worlds.pixel_observations import FrameTransform, ObservationBuilder, channels_first
from offnominal.worlds.vector_env import WorldVectorEnv

_ROW = np.zeros(1, np.int64)


def observe_images(
    observation_builder: ObservationBuilder, rows: IntArray, seen: Array, clean: Array, transform: FrameTransform
) -> tuple[Any, Any]:
    """Return what the agents of some rows observe, and what they would if their sensors and cameras were sound.

    Args:
        observation_builder: Who draws.
        rows: Which rows of the world.
        seen: (n, ...) the vectors as faults pass them on.
        clean: (n, ...) the true ones.
        transform: What faults make of a picture.
    """
    frames = _frames(observation_builder, rows, seen)
    sound = frames
    if observation_builder.camera == "affected":
        deceived = np.flatnonzero((seen[rows] != clean[rows]).reshape(len(rows), -1).any(axis=1))
        if deceived.size:
            sound = frames.copy()
            sound[deceived] = _frames(observation_builder, rows[deceived], clean)
    return _together(observation_builder, seen[rows], transform(frames, rows)), _together(
        observation_builder, clean[rows], sound
    )


def _frames(observation_builder: ObservationBuilder, rows: IntArray, vectors: Array) -> Frames:
    reported = vectors if observation_builder.camera == "affected" else None
    return observation_builder.world.frames(rows, observations=reported, size=observation_builder.size)


def _together(observation_builder: ObservationBuilder, vectors: Array, frames: Frames) -> Any:
    image = channels_first(frames)
    return image if observation_builder.observation == "image" else {"vector": vectors, "image": image}


class ImageEnv(InjectedEnv):
    """A world of one row with faults, of which the picture is seen; see :func:`inject`."""

    def __init__(
        self, env: gymnasium.Env[Any, Array], faults: tuple[Fault, ...], observation_builder: ObservationBuilder
    ) -> None:
        super().__init__(env, faults, has_images=True)
        self._observation_builder = observation_builder
        self.observation_space = observation_builder.space(self.observation_space)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode without faults; they strike as scheduled."""
        return self._with_images(*super().reset(seed=seed, options=options))

    def step(self, action: Array) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Advance by one transition under the faults of this moment."""
        vector, reward, terminated, truncated, info = super().step(action)
        observation, info = self._with_images(vector, info)
        return observation, reward, terminated, truncated, info

    def _with_images(self, vector: Array, info: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        clean = info["clean_observation"]
        pair = observe_images(
            self._observation_builder, _ROW, vector[None], clean[None], self.injection.apply_camera_faults
        )
        observation, info["clean_observation"] = (self._observation_builder.row(each, 0) for each in pair)
        return observation, info


class ImageVectorEnv(InjectedVectorEnv):
    """Many rows of a world with faults, of which pictures are seen; see :func:`inject`."""

    def __init__(
        self, env: VectorEnv[Any, Any, Any], faults: list[tuple[Fault, ...]], observation_builder: ObservationBuilder
    ) -> None:
        super().__init__(env, faults, has_images=True)
        self._observation_builder = observation_builder
        self.single_observation_space = observation_builder.space(self.single_observation_space)
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)
        self._shown: Any = None
        self._reported: Array | None = None
        self._last: dict[int, Any] = {}
        inner = env.unwrapped
        assert isinstance(inner, WorldVectorEnv)
        inner.on_episode_end = self._observe_final

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start episodes without faults in all rows, or in those of ``options["reset_mask"]``."""
        vectors, infos = super().reset(seed=seed, options=options)
        mask = self._everyone if self._shown is None else (options or {}).get("reset_mask", self._everyone)
        return self._with_images(np.flatnonzero(mask), vectors, infos)

    def step(self, actions: Array) -> tuple[Any, FloatArray, BoolArray, BoolArray, dict[str, Any]]:
        """Advance every row by one transition under its faults of this moment."""
        self._reported, self._last = None, {}
        vectors, rewards, terminated, truncated, infos = super().step(actions)
        for row, observation in self._last.items():
            infos["final_obs"][row] = observation
        observations, infos = self._with_images(self._all, vectors, infos)
        return observations, rewards, terminated, truncated, infos

    def _observe_final(self, rows: IntArray) -> None:
        """Look at rows whose episode has ended, before the world starts them anew."""
        true = self._observation_builder.world.observations
        self._reported = self.injection.observe(true, self._all).copy()
        last, _ = observe_images(
            self._observation_builder, rows, self._reported, true, self.injection.apply_camera_faults
        )
        self._last = {int(row): self._observation_builder.row(last, k) for k, row in enumerate(rows)}

    def _observe(self, clean: Array, moving: IntArray, ended: IntArray, infos: dict[str, Any]) -> Array:
        if self._reported is None:
            return self.injection.observe(clean, moving)
        self._reported[ended] = clean[ended]
        return self._reported

    def _with_images(self, rows: IntArray, vectors: Array, infos: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Draw some rows; of the others the latest picture is kept."""
        fresh = observe_images(
            self._observation_builder, rows, vectors, infos["clean_observation"], self.injection.apply_camera_faults
        )
        if len(rows) < self.num_envs:
            fresh = tuple(_merged(old, new, rows) for old, new in zip(self._shown, fresh, strict=True))
        self._shown = fresh
        return fresh[0], {**infos, "clean_observation": fresh[1]}


def _merged(old: Any, new: Any, rows: IntArray) -> Any:
    """Return earlier observations of all rows with the new ones of some."""
    if isinstance(old, dict):
        return {name: _merged(old[name], new[name], rows) for name in old}
    merged = old.copy()
    merged[rows] = new
    return merged
