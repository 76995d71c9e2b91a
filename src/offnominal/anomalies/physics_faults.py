"""Faults of the dynamics: changes of physics parameters."""

from __future__ import annotations

import numpy as np

from offnominal.anomalies.environment_info import AdjustablePhysics
from offnominal.anomalies.fault_table import FaultTable
from offnominal.anomalies.kernel import combine_physics_parameters
from offnominal.core.types import FloatArray, IntArray


class PhysicsFaults:
    """Sets the physics parameters of every row to the values that its faults give.

    Args:
        table: The faults of every row.
        physics: Physics of the environment; None if no fault changes it.
    """

    def __init__(self, table: FaultTable, physics: AdjustablePhysics | None) -> None:
        self._table = table
        self._physics = physics
        self._values: FloatArray = np.zeros((len(table.faults), 0))
        self.follow_table()

    def follow_table(self) -> None:
        """Take over new physics parameters of the table; the others keep their values."""
        added = [parameter.neutral for parameter in self._table.physics_parameters[self._values.shape[1] :]]
        self._values = np.hstack([self._values, np.tile(added, (len(self._values), 1))])
        self._changed = np.zeros(self._values.shape, np.bool_)

    def update(self, rows: IntArray) -> None:
        """Set every physics parameter of some rows whose value has changed."""
        table = self._table
        if not table.physics_parameters:
            return
        if combine_physics_parameters(rows, table.slots, table.applied, table.on, self._values, self._changed):
            assert self._physics is not None
            for k, parameter in enumerate(table.physics_parameters):
                changed = rows[self._changed[rows, k]]
                if changed.size:
                    self._physics.set_physics_parameter(parameter.name, changed, self._values[changed, k])
