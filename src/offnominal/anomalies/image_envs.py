"""Worlds with faults and image observations."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv

from offnominal.anomalies.fault import Fault
from offnominal.anomalies.final_state_env import FinalStateVectorEnv
from offnominal.anomalies.injected_envs import InjectedEnv
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.worlds.pixel_observations import FrameTransform, ObservationBuilder

_ROW = np.zeros(1, np.int64)


def observe_images(
    builder: ObservationBuilder, rows: IntArray, reported: Array, clean: Array, transform: FrameTransform
) -> tuple[Any, Any]:
    """Return the observations of some rows with faults, and without.

    Args:
        builder: Builds the observations.
        rows: Indices of the rows.
        reported: (n, ...): vectors with faults applied.
        clean: (n, ...): true vectors.
        transform: Applies the camera faults to frames.
    """
    frames = builder.frames(rows, reported)
    clean_frames = frames
    if builder.camera == "affected":
        differs = np.flatnonzero((reported[rows] != clean[rows]).reshape(len(rows), -1).any(axis=1))
        if differs.size:
            clean_frames = frames.copy()
            clean_frames[differs] = builder.frames(rows[differs], clean)
    return builder.build(reported[rows], transform(frames, rows)), builder.build(clean[rows], clean_frames)


class ImageEnv(InjectedEnv):
    """Environment of one world with faults and image observations; see :func:`inject`."""

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        faults: tuple[Fault, ...],
        observation_builder: ObservationBuilder,
        *,
        runtime_faults: bool = False,
    ) -> None:
        self._observation_builder = observation_builder
        super().__init__(env, faults, has_images=True, runtime_faults=runtime_faults)
        self._view = observation_builder.observation, observation_builder.camera

    def _use_space(self, space: gymnasium.Space[Any]) -> None:
        super()._use_space(self._observation_builder.space(space))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode."""
        return self._with_images(*super().reset(seed=seed, options=options))

    def step(self, action: Array) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Advance by one transition."""
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


class ImageVectorEnv(FinalStateVectorEnv):
    """Vector environment of a world with faults and image observations; see :func:`inject`."""

    def __init__(
        self,
        env: VectorEnv[Any, Any, Any],
        faults: list[tuple[Fault, ...]],
        observation_builder: ObservationBuilder,
        *,
        runtime_faults: bool = False,
    ) -> None:
        self._observation_builder = observation_builder
        super().__init__(env, faults, has_images=True, runtime_faults=runtime_faults)
        self._view = observation_builder.observation, observation_builder.camera
        self._latest: Any = None

    def _use_space(self, space: gymnasium.Space[Any]) -> None:
        super()._use_space(self._observation_builder.space(space))

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start episodes in all rows, or in those of ``options["reset_mask"]``."""
        vectors, infos = super().reset(seed=seed, options=options)
        mask = self._everyone if self._latest is None else (options or {}).get("reset_mask", self._everyone)
        return self._with_images(np.flatnonzero(mask), vectors, infos)

    def step(self, actions: Array) -> tuple[Any, FloatArray, BoolArray, BoolArray, dict[str, Any]]:
        """Advance every row by one transition."""
        vectors, rewards, terminated, truncated, infos = super().step(actions)
        observations, infos = self._with_images(self._all, vectors, infos)
        return observations, rewards, terminated, truncated, infos

    def _final_observations(self, rows: IntArray, reported: Array) -> dict[int, Any]:
        true = self._world.observations
        final, _ = observe_images(self._observation_builder, rows, reported, true, self.injection.apply_camera_faults)
        return {int(row): self._observation_builder.row(final, k) for k, row in enumerate(rows)}

    def _with_images(self, rows: IntArray, vectors: Array, infos: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Build new observations of some rows; the others keep their latest one."""
        new = observe_images(
            self._observation_builder, rows, vectors, infos["clean_observation"], self.injection.apply_camera_faults
        )
        if len(rows) < self.num_envs:
            new = tuple(_merged(old, part, rows) for old, part in zip(self._latest, new, strict=True))
        self._latest = new
        return new[0], {**infos, "clean_observation": new[1]}


def _merged(old: Any, new: Any, rows: IntArray) -> Any:
    """Return the observations of all rows, with the new ones of some."""
    if isinstance(old, dict):
        return {name: _merged(old[name], new[name], rows) for name in old}
    merged = old.copy()
    merged[rows] = new
    return merged
