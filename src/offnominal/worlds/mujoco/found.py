"""Knobs found in the MuJoCo model of an environment that another package wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mujoco
import numpy as np

from offnominal.core.types import FloatArray, IntArray
from offnominal.worlds.world import Knob

_FIELDS = {
    "mass": ("body_mass", "body_inertia"),
    "friction": ("geom_friction", "pair_friction"),
    "damping": ("dof_damping",),
    "gravity": ("gravity",),
    "gain": ("actuator_gainprm", "actuator_biasprm"),
}
_SUMMARIES = {
    "mass": "factor on the mass and the inertia of every body",
    "friction": "factor on the contact friction of every geom",
    "damping": "factor on the damping of every joint",
    "gravity": "factor on gravity",
    "gain": "factor on the strength of every actuator",
}


class MujocoPhysics:
    """The knobs of one or several environments that run MuJoCo models.

    Args:
        simulations: One environment per row, each with attributes ``model`` and ``data``.
    """

    def __init__(self, simulations: Sequence[Any]) -> None:
        self._simulations = list(simulations)
        model = self._simulations[0].model
        self._nominal = {field: _field(model, field).copy() for fields in _FIELDS.values() for field in fields}
        self._pushed = _first_moving_body(model)
        self.knobs: Mapping[str, Knob] = {
            **{
                name: Knob(name, 1.0, summary, "1", minimum=1e-6 if name == "mass" else 0.0, combine="multiply")
                for name, summary in _SUMMARIES.items()
                if any(self._nominal[field].any() for field in _FIELDS[name])
            },
            "force": Knob("force", 0.0, f"constant force along x on the body {model.body(self._pushed).name!r}", "N"),
        }
        self._settings = {name: np.full(len(self._simulations), knob.neutral) for name, knob in self.knobs.items()}

    def turn(self, name: str, rows: IntArray, values: FloatArray) -> None:
        """Set a knob of some rows; constants derived from the mass follow."""
        for row, value in zip(rows, values, strict=True):
            simulation = self._simulations[row]
            if name == "force":
                simulation.data.xfrc_applied[self._pushed, 0] = value
            elif self._settings[name][row] != value:
                for field in _FIELDS[name]:
                    _field(simulation.model, field)[:] = self._nominal[field] * value
                if name == "mass":
                    _refresh_constants(simulation.model)
            self._settings[name][row] = value


def find_physics(environments: Sequence[Any]) -> MujocoPhysics | None:
    """Return the physics of environments that hold a MuJoCo model and its data, or None."""
    for environment in environments:
        if not isinstance(getattr(environment, "model", None), mujoco.MjModel):
            return None
        if not isinstance(getattr(environment, "data", None), mujoco.MjData):
            return None
    return MujocoPhysics(environments) if environments else None


def _field(model: mujoco.MjModel, name: str) -> Any:
    return model.opt.gravity if name == "gravity" else getattr(model, name)


def _first_moving_body(model: mujoco.MjModel) -> int:
    """Return the body a push is applied to: the first that hangs on the world by a joint."""
    for body in range(1, model.nbody):
        if model.body_jntnum[body] > 0:
            return body
    return int(model.nbody) - 1


def _refresh_constants(model: mujoco.MjModel) -> None:
    mujoco.mj_setConst(model, mujoco.MjData(model))
