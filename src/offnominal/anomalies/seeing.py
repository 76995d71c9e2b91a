"""Vector environments with faults whose agents see through cameras."""

from __future__ import annotations

from typing import Any

from gymnasium.vector import VectorEnv

from offnominal.anomalies.fault import Fault
from offnominal.anomalies.injected import InjectedVectorEnv
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.worlds.vector import VectorWorld


class SeeingVectorEnv(InjectedVectorEnv):
    """Many rows, with faults, of a world that `sees`; see :func:`inject`.

    The last picture of an episode is looked at before the world starts the next one.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any], faults: list[tuple[Fault, ...]]) -> None:
        super().__init__(env, faults)
        inner = env.unwrapped
        assert isinstance(inner, VectorWorld)
        self._world = inner.world
        self._last: Array | None = None
        inner.at_end = self._look_last

    def step(self, actions: Array) -> tuple[Array, FloatArray, BoolArray, BoolArray, dict[str, Any]]:
        """Advance every row by one transition under its faults of this moment."""
        self._last = None
        return super().step(actions)

    def _look_last(self, rows: IntArray) -> None:
        self._last = self.injection.observe(self._world.observations, self._all).copy()

    def _observe(self, clean: Array, moving: IntArray, ended: IntArray, infos: dict[str, Any]) -> Array:
        if self._last is None:
            return self.injection.observe(clean, moving)
        for row in ended:
            infos["final_obs"][row] = self._last[row].copy()
        self._last[ended] = clean[ended]
        return self._last
