"""What worlds with a compiled kernel share: physics parameters as a table, seeds, and the number of the step."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Discrete

from offnominal.core.compilation import RepeatedCall, compiled
from offnominal.core.errors import SimulationDiverged
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.worlds.world import Outcomes, World


@compiled
def clear_outcomes(outcomes: Outcomes, r: int) -> None:
    """Set the results of a row to those of a new episode; its observation is the caller's."""
    outcomes.rewards[r] = outcomes.cost[r] = 0.0
    outcomes.terminated[r] = outcomes.success[r] = outcomes.critical[r] = False


class CompiledWorld(World):
    """N rows whose physics parameters are the columns of a table, which a compiled function reads.

    A subclass sets its card and spaces, calls `_allocate`, and begins its `reset` with `_begin`.
    """

    def _allocate(self, n: int) -> None:
        super()._allocate(n)
        self._neutral = np.array([parameter.neutral for parameter in self.card.physics_parameters])
        self._column = {parameter.name: k for k, parameter in enumerate(self.card.physics_parameters)}
        self._physics_parameters = np.tile(self._neutral, (n, 1))
        self._ticks = np.zeros(n, np.int64)
        self._seeds = np.zeros(n, np.int64)
        self._all = np.arange(n)
        shape = self.action_space.shape or ()
        self._actions_shape = (n, *shape)
        self._actions_type = np.dtype(np.int64 if isinstance(self.action_space, Discrete) else np.float64)

    def _begin(self, rows: IntArray, seeds: IntArray) -> None:
        """Remember the seeds of new episodes, and set their physics parameters to the neutral values."""
        self._seeds[rows] = seeds
        self._physics_parameters[rows] = self._neutral

    def set_physics_parameter(self, name: str, rows: IntArray, values: FloatArray) -> None:
        """Set a physics parameter of some rows."""
        self._physics_parameters[rows, self._column[self.physics_parameter(name).name]] = values

    def current_physics(self, row: int) -> dict[str, Any]:
        """Return the current values of the physics parameters."""
        return {name: float(self._physics_parameters[row, column]) for name, column in self._column.items()}

    def _step(self, kernel: RepeatedCall[Any], rows: IntArray | None, actions: Array, *state: Any) -> None:
        """Step rows with a compiled function ``(rows, actions, *state)`` that returns a row that diverged, or -1.

        Only actions of the layout that every step has are given to its machine code directly. Those of another layout
        are copied: machine code for it would take seconds to compile.

        Raises:
            SimulationDiverged: The state of a row is not finite.
        """
        if not actions.flags.carray:
            actions = np.require(actions, requirements=("C", "A", "W"))
        usual = actions.dtype is self._actions_type and actions.shape == self._actions_shape
        if rows is None and usual:
            diverged = kernel(self._all, actions, *state)
        else:
            diverged = kernel.function(self._all if rows is None else rows, actions, *state)
        if diverged >= 0:
            raise SimulationDiverged(
                f"{self.card.id}: the state is not finite in row {diverged} (seed {self._seeds[diverged]}) at step "
                f"{self._ticks[diverged]}, with {self.current_physics(diverged)}; use a weaker fault."
            )
