"""The MuJoCo models of the arm."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import Literal

import mujoco

from offnominal.worlds.arm.card import CLOSED_TRAVEL

Task = Literal["reach", "pick_and_place"]
FINGERS = ("right finger", "left finger")


def load_model(task: Task) -> mujoco.MjModel:
    """Compile the model of a task.

    The fingers of the reaching arm are closed and have no joints. That saves their constraint in every time step.

    Args:
        task: Name of a file in ``models``.
    """
    with as_file(files("offnominal.worlds.arm") / "models") as folder:
        spec = mujoco.MjSpec.from_file(str(folder / f"{task}.xml"))
    if task == "reach":
        _close_fingers(spec)
    return spec.compile()


def _close_fingers(spec: mujoco.MjSpec) -> None:
    spec.delete(spec.equality("fingers"))
    for finger in FINGERS:
        joint = spec.joint(finger)
        spec.body(finger).pos += CLOSED_TRAVEL * joint.axis
        for actuator in [actuator for actuator in spec.actuators if actuator.target == finger]:
            spec.delete(actuator)
        spec.delete(joint)
