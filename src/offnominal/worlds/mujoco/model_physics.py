"""Physics parameters of the MuJoCo model in another package's environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mujoco

from offnominal.core.types import FloatArray, IntArray
from offnominal.worlds.world_card import PhysicsParameter

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
    """The physics parameters of one or several environments that run MuJoCo models.

    Args:
        simulations: One environment per row, each with attributes ``model`` and ``data``.
    """

    def __init__(self, simulations: Sequence[Any]) -> None:
        self._rows = [_Simulation.of(simulation) for simulation in simulations]
        model = simulations[0].model
        body = model.body(self._rows[0].pushed).name
        self.physics_parameters: Mapping[str, PhysicsParameter] = {
            **{
                name: PhysicsParameter(
                    name, 1.0, summary, "1", minimum=1e-6 if name == "mass" else 0.0, combine="multiply"
                )
                for name, summary in _SUMMARIES.items()
                if any(row.nominal[field].any() for row in self._rows for field in _FIELDS[name])
            },
            "force": PhysicsParameter("force", 0.0, f"constant force along x on the body {body!r}", "N"),
        }

    def set_physics_parameter(self, name: str, rows: IntArray, values: FloatArray) -> None:
        """Set a physics parameter of some rows and update constants that depend on the mass."""
        for row, value in zip(rows, values, strict=True):
            self._rows[row].set_physics_parameter(name, float(value))


class _Simulation:
    """One model with its nominal values and the current values of its physics parameters.

    It is stored on the environment, so that a new injection first undoes the changes of an earlier one.
    """

    def __init__(self, environment: Any) -> None:
        self.environment = environment
        self.pushed = _first_moving_body(environment.model)
        self.physics_values: set[str] = set()
        self.nominal: dict[str, Any] = {}

    @classmethod
    def of(cls, environment: Any) -> _Simulation:
        """Return the record of an environment, with every physics parameter at its neutral value."""
        kept: _Simulation = environment.__dict__.setdefault("_offnominal_simulation", cls(environment))
        for name in tuple(kept.physics_values):
            kept.set_physics_parameter(name, 0.0 if name == "force" else 1.0)
        model = environment.model
        kept.nominal = {field: _field(model, field).copy() for fields in _FIELDS.values() for field in fields}
        return kept

    def set_physics_parameter(self, name: str, value: float) -> None:
        """Set one physics parameter."""
        model, data = self.environment.model, self.environment.data
        if name == "force":
            data.xfrc_applied[self.pushed, 0] = value
        else:
            for field in _FIELDS[name]:
                _field(model, field)[:] = self.nominal[field] * value
            if name == "mass":
                mujoco.mj_setConst(model, mujoco.MjData(model))
        self.physics_values.add(name)


def find_physics(environments: Sequence[Any]) -> MujocoPhysics | None:
    """Return the physics of environments with a MuJoCo model and its data, or None."""
    for environment in environments:
        if not isinstance(getattr(environment, "model", None), mujoco.MjModel):
            return None
        if not isinstance(getattr(environment, "data", None), mujoco.MjData):
            return None
    return MujocoPhysics(environments) if environments else None


def _field(model: mujoco.MjModel, name: str) -> Any:
    return model.opt.gravity if name == "gravity" else getattr(model, name)


def _first_moving_body(model: mujoco.MjModel) -> int:
    """Return the body that external forces act on: the first with a joint."""
    for body in range(1, model.nbody):
        if model.body_jntnum[body] > 0:
            return body
    return int(model.nbody) - 1
