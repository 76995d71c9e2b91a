"""Physics parameters of environments of other packages, if they run a MuJoCo model."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from offnominal.worlds.mujoco.model_physics import MujocoPhysics

VIEW = "_offnominal_physics"


def physics_of(environments: Sequence[Any]) -> MujocoPhysics | None:
    """Return the physics of environments with a MuJoCo model, or None.

    MuJoCo is not imported for environments without a model.

    Args:
        environments: Environments without wrappers. Gymnasium's robots have ``model`` and ``data``; environments of
            dm_control, also through shimmy, have ``physics``.
    """
    simulations = [_simulation(environment) for environment in environments]
    if not simulations or any(simulation is None for simulation in simulations):
        return None
    from offnominal.worlds.mujoco.model_physics import find_physics

    return find_physics(simulations)


def _simulation(environment: Any) -> Any:
    """Return an object with a model and its data, the same one for every call; None if there is none."""
    if hasattr(environment, "model"):
        return environment
    physics = getattr(environment, "physics", None)
    if physics is None or not hasattr(physics, "model"):
        return None
    pair = [getattr(part, "ptr", part) for part in (physics.model, getattr(physics, "data", None))]
    kept = environment.__dict__.get(VIEW)
    if kept is None or kept.model is not pair[0]:
        kept = environment.__dict__[VIEW] = SimpleNamespace(model=pair[0], data=pair[1])
    return kept
