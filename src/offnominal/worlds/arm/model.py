"""The MuJoCo models of the arm."""

from __future__ import annotations

from copy import copy
from functools import cache
from importlib.resources import as_file, files
from typing import Literal

import mujoco

from offnominal.worlds.arm.card import CLOSED_TRAVEL

Task = Literal["reach", "pick_and_place"]
FINGERS = ("right finger", "left finger")


def load_model(task: Task, *, visual: bool = False) -> mujoco.MjModel:
    """Return a model of a task of its own, which may be changed.

    The fingers of the reaching arm are closed and have no joints. That saves their constraint in every time step.

    Args:
        task: Name of a file in ``models``.
        visual: Whether to keep what is only seen. The physics is the same and faster without it.
    """
    return copy(_compiled_model(task, visual=visual))


@cache
def _compiled_model(task: Task, *, visual: bool) -> mujoco.MjModel:
    """Compile the model of a task; no caller changes it."""
    with as_file(files("offnominal.worlds.arm") / "models") as folder:
        spec = mujoco.MjSpec.from_file(str(folder / f"{task}.xml"))
    if task == "reach":
        _close_fingers(spec)
    if not visual:
        _reduce(spec)
    return spec.compile()


def _close_fingers(spec: mujoco.MjSpec) -> None:
    spec.delete(spec.equality("fingers"))
    for finger in FINGERS:
        joint = spec.joint(finger)
        spec.body(finger).pos += CLOSED_TRAVEL * joint.axis
        for actuator in [actuator for actuator in spec.actuators if actuator.target == finger]:
            spec.delete(actuator)
        spec.delete(joint)


def _reduce(spec: mujoco.MjSpec) -> None:
    """Delete the goal and geoms without mass and contacts, and merge bodies that are fixed to each other."""
    spec.delete(spec.body("goal"))
    for geom in [geom for geom in spec.geoms if geom.mass == 0.0 and not (geom.contype or geom.conaffinity)]:
        spec.delete(geom)
    spec.compiler.fusestatic = True
    # Bodies that something refers to are not merged; the payload has a mass of its own.
    spec.add_exclude(bodyname1="payload", bodyname2="wrist 3")
