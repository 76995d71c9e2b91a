"""What a client knows about the robot."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.worlds.arm.rtde.commands import ANSWER, RESETS
from offnominal.worlds.arm.rtde.fields import OUTPUTS
from offnominal.worlds.arm.rtde.recipe import FieldValues, Recipe
from offnominal.worlds.arm.rtde.status import STOPPED, RuntimeState, SafetyStatus

STATE_FIELDS = (
    "timestamp",
    "actual_q",
    "actual_qd",
    "actual_TCP_pose",
    "actual_TCP_speed",
    "robot_mode",
    "safety_mode",
    "runtime_state",
    "robot_status_bits",
    "safety_status_bits",
    ANSWER,
    RESETS,
)
"""Fields that a client always reads."""


_STARTS = {name: start for name, (start, _) in Recipe.of(0, STATE_FIELDS, OUTPUTS).spans.items()}
_Q = slice(_STARTS["actual_q"], _STARTS["actual_qd"])
_POSE = slice(_STARTS["actual_TCP_pose"], _STARTS["actual_TCP_speed"])
_VECTORS = slice(_STARTS["actual_q"], _STARTS["robot_mode"])
_ROBOT_MODE, _SAFETY_MODE, _RUNTIME = _STARTS["robot_mode"], _STARTS["safety_mode"], _STARTS["runtime_state"]
_SAFETY, _ANSWER, _RESETS = _STARTS["safety_status_bits"], _STARTS[ANSWER], _STARTS[RESETS]
_STOPPED = int(STOPPED)


@dataclass(frozen=True, slots=True)
class RobotState:
    """State of the robot in one cycle.

    Attributes:
        timestamp: Time since the controller was started, s.
        q: Joint angles, rad.
        qd: Joint velocities, rad/s.
        tcp_pose: Position (m) and rotation vector (rad) of the tool centre point in the frame of the base.
        tcp_speed: Its velocity, m/s and rad/s.
        values: All fields by name, also those that the client added.
    """

    timestamp: float
    q: FloatArray
    qd: FloatArray
    tcp_pose: FloatArray
    tcp_speed: FloatArray
    values: FieldValues

    @classmethod
    def of(cls, values: FieldValues) -> RobotState:
        """Return the state that a data package has; its recipe starts with `STATE_FIELDS`."""
        q, qd, tcp_pose, tcp_speed = np.array(values.elements[_VECTORS], np.float64).reshape(4, 6)
        return cls(values.elements[0], q, qd, tcp_pose, tcp_speed, values)

    @property
    def robot_mode(self) -> int:
        """See :class:`~offnominal.worlds.arm.rtde.status.RobotMode`."""
        return int(self.values.elements[_ROBOT_MODE])

    @property
    def safety_mode(self) -> int:
        """See :class:`~offnominal.worlds.arm.rtde.status.SafetyMode`."""
        return int(self.values.elements[_SAFETY_MODE])

    @property
    def runtime_state(self) -> int:
        """State of the program on the controller."""
        return int(self.values.elements[_RUNTIME])

    @property
    def safety_status(self) -> SafetyStatus:
        """State of the safety system as flags."""
        return SafetyStatus(int(self.values.elements[_SAFETY]))

    @property
    def answer(self) -> int:
        """Answer register of the control program."""
        return int(self.values.elements[_ANSWER])

    @property
    def resets(self) -> int:
        """Number of resets of a virtual controller."""
        return int(self.values.elements[_RESETS])

    @property
    def is_finite(self) -> bool:
        """Whether joint angles and pose are finite."""
        elements = self.values.elements
        return all(map(math.isfinite, elements[_Q])) and all(map(math.isfinite, elements[_POSE]))

    @property
    def program_running(self) -> bool:
        """Whether a program runs on the controller."""
        return self.runtime_state == RuntimeState.PLAYING

    @property
    def safety_stopped(self) -> bool:
        """Whether the safety system forbids motion."""
        return bool(int(self.values.elements[_SAFETY]) & _STOPPED)
