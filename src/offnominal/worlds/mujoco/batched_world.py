"""Base class of all worlds that run on MuJoCo: a batch of simulations, each with its own physics parameters."""

from __future__ import annotations

import os
from abc import abstractmethod
from typing import ClassVar

import mujoco
import numpy as np
from gymnasium.spaces import Box
from mujoco.batch import Batch, SimulationError

from offnominal.core.checks import positive_integer
from offnominal.core.errors import SimulationDiverged
from offnominal.core.types import FloatArray, IntArray
from offnominal.worlds.world import World, box

FATAL = [
    int(kind)
    for kind in (
        mujoco.mjtWarning.mjWARN_BADQPOS,
        mujoco.mjtWarning.mjWARN_BADQVEL,
        mujoco.mjtWarning.mjWARN_BADQACC,
        mujoco.mjtWarning.mjWARN_BADCTRL,
    )
]
ROWS_PER_THREAD = 8


class BatchedMujocoWorld(World):
    """N simulations of one model.

    A subclass sets its `card`, then calls this constructor.

    Args:
        model: Compiled model.
        n: Number of rows.
        action_limit: Largest absolute value of an action.
        threads: Number of worker threads; None for a number that suits the processors and rows. Results do not depend
            on it.
    """

    action_space: Box
    frame_skip: ClassVar[int]

    def __init__(self, model: mujoco.MjModel, n: int, *, action_limit: float, threads: int | None) -> None:
        self.model = model
        self.observation_space = box(self.card.observation)
        self.action_space = box(self.card.action, limit=action_limit)
        self._allocate(n)
        self._batch = Batch(model, n, nthread=thread_count(n, threads))
        self._qpos, self._qvel = self._batch.bind("qpos"), self._batch.bind("qvel")
        self._ctrl = self._batch.bind("ctrl")
        self._settings = {parameter.name: np.full(n, parameter.neutral) for parameter in self.card.physics_parameters}
        self._seeds = np.zeros(n, np.int64)
        self._ticks = np.zeros(n, np.int64)
        self._all = np.arange(n)

    @abstractmethod
    def _apply(self, name: str, rows: IntArray, values: FloatArray) -> None:
        """Change the models or forces of some rows to new values of a physics parameter."""

    def set_physics_parameter(self, name: str, rows: IntArray, values: FloatArray) -> None:
        """Set a physics parameter of some rows; constants that depend on it follow."""
        setting = self._settings[self.physics_parameter(name).name]
        changed = setting[rows] != values
        if not changed.any():
            return
        rows, values = rows[changed], values[changed]
        setting[rows] = values
        self._apply(name, rows, values)

    def _reset_simulations(self, rows: IntArray, seeds: IntArray) -> None:
        """Reset some rows to nominal physics and to outcomes of zero."""
        for parameter in self.card.physics_parameters:
            self.set_physics_parameter(parameter.name, rows, np.full(len(rows), parameter.neutral))
        self._batch.reset(rows, stage=mujoco.mjtStage.mjSTAGE_NONE.value)
        self._seeds[rows] = seeds
        self._ticks[rows] = 0
        self._clear_outcomes(rows)

    def _simulate(self, rows: IntArray | None) -> None:
        """Simulate one control period of some rows, or of all if None.

        Raises:
            SimulationDiverged: The state of a row is not finite.
        """
        try:
            self._batch.step(rows, nstep=self.frame_skip)
        except SimulationError as error:
            self._report(int(error.ids[0]), str(error))
        stepped = self._all if rows is None else rows
        bad = self._batch.warning[stepped][:, FATAL, 1].any(axis=1)
        if bad.any():
            self._report(int(stepped[np.argmax(bad)]), "position, velocity or acceleration is not finite")

    def _report(self, row: int, problem: str) -> None:
        faults = {name: float(values[row]) for name, values in self._settings.items()}
        raise SimulationDiverged(
            f"{self.card.id}: {problem} in row {row} (seed {self._seeds[row]}) at step {self._ticks[row]}, "
            f"with {faults}; use a weaker fault."
        )


def thread_count(n: int, threads: int | None) -> int:
    """Return the number of threads for n simulations."""
    if threads is None:
        return max(1, min(len(os.sched_getaffinity(0)), n // ROWS_PER_THREAD))
    return positive_integer("threads", threads)
