"""Vector environments that observe the final state of an episode before the world starts the next one."""

from __future__ import annotations

from typing import Any

from gymnasium.vector import VectorEnv

from offnominal.anomalies.fault import Fault
from offnominal.anomalies.injected_envs import InjectedVectorEnv
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.worlds.vector_env import WorldVectorEnv


class FinalStateVectorEnv(InjectedVectorEnv):
    """Vector environment with faults whose observations need the camera of the world; see :func:`inject`.

    A world resets a row within the step that ends its episode. The image of the final state must be taken before that,
    which the world's environment allows through `on_episode_end`.
    """

    def __init__(
        self,
        env: VectorEnv[Any, Any, Any],
        faults: list[tuple[Fault, ...]],
        *,
        has_images: bool = False,
        runtime_faults: bool = False,
    ) -> None:
        super().__init__(env, faults, has_images=has_images, runtime_faults=runtime_faults)
        inner = env.unwrapped
        assert isinstance(inner, WorldVectorEnv)
        self._world = inner.world
        self._reported: Array | None = None
        self._final: dict[int, Any] = {}
        inner.on_episode_end = self._observe_final

    def step(self, actions: Array) -> tuple[Any, FloatArray, BoolArray, BoolArray, dict[str, Any]]:
        """Advance every row by one transition."""
        self._reported, self._final = None, {}
        return super().step(actions)

    def _observe_final(self, rows: IntArray) -> None:
        self._reported = self.injection.observe(self._world.observations, self._all).copy()
        self._final = self._final_observations(rows, self._reported)

    def _final_observations(self, rows: IntArray, reported: Array) -> dict[int, Any]:
        """Return the last observation of each row whose episode has ended.

        Args:
            rows: Indices of the rows.
            reported: (n, ...): observations of every row, faults applied.
        """
        return {int(row): reported[row].copy() for row in rows}

    def _observe(self, clean: Array, moving: IntArray, ended: IntArray, infos: dict[str, Any]) -> Array:
        if self._reported is None:
            return self.injection.observe(clean, moving)
        for row, observation in self._final.items():
            infos["final_obs"][row] = observation
        self._reported[ended] = clean[ended]
        return self._reported
