"""Vector environments with faults whose agents see through cameras."""

from __future__ import annotations

from typing import Any

from gymnasium.vector import VectorEnv

from offnominal.anomalies.fault import Fault
from offnominal.anomalies.injected_envs import InjectedVectorEnv
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.worlds.vector_env import WorldVectorEnv


class PixelVectorEnv(InjectedVectorEnv):
    """Many rows, with faults, of a world that `pixel_observations`; see :func:`inject`.

    The last picture of an episode is looked at before the world starts the next one.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any], faults: list[tuple[Fault, ...]]) -> None:
        super().__init__(env, faults)
        inner = env.unwrapped
        assert isinstance(inner, WorldVectorEnv)
        self._world = inner.world
        self._last: Array | None = None
        inner.on_episode_end = self._observe_final

    def step(self, actions: Array) -> tuple[Array, FloatArray, BoolArray, BoolArray, dict[str, Any]]:
        """Advance every row by one transition under its faults of this moment."""
        self._last = None
        return super().step(actions)

    def _observe_final(self, rows: IntArray) -> None:
        self._last = self.injection.observe(self._world.observations, self._all).copy()

    def _observe(self, clean: Array, moving: IntArray, ended: IntArray, infos: dict[str, Any]) -> Array:
        if self._last is None:
            return self.injection.observe(clean, moving)
        for row in ended:
            infos["final_obs"][row] = self._last[row].copy()
        self._last[ended] = clean[ended]
        return self._last
