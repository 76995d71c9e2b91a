"""What a client knows about the robot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.worlds.arm.rtde.commands import ANSWER, RESETS
from offnominal.worlds.arm.rtde.recipe import FieldValues
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
        robot_mode: See :class:`~offnominal.worlds.arm.rtde.status.RobotMode`.
        safety_mode: See :class:`~offnominal.worlds.arm.rtde.status.SafetyMode`.
        safety_bits: Bits of :class:`~offnominal.worlds.arm.rtde.status.SafetyStatus`.
        runtime_state: State of the program on the controller.
        answer: Answer register of the control program.
        resets: Number of resets of a virtual controller.
        values: All fields by name, also those that the client added.
    """

    timestamp: float
    q: FloatArray
    qd: FloatArray
    tcp_pose: FloatArray
    tcp_speed: FloatArray
    robot_mode: int
    safety_mode: int
    safety_bits: int
    runtime_state: int
    answer: int
    resets: int
    values: FieldValues

    @classmethod
    def of(cls, values: FieldValues) -> RobotState:
        """Return the state that a data package has; its recipe starts with `STATE_FIELDS`."""
        elements = values.elements
        q, qd, tcp_pose, tcp_speed = np.array(elements[1:25], np.float64).reshape(4, 6)
        robot_mode, safety_mode, runtime_state, _, safety_bits, answer, resets = elements[25:32]
        return cls(
            timestamp=elements[0],
            q=q,
            qd=qd,
            tcp_pose=tcp_pose,
            tcp_speed=tcp_speed,
            robot_mode=int(robot_mode),
            safety_mode=int(safety_mode),
            safety_bits=int(safety_bits),
            runtime_state=int(runtime_state),
            answer=int(answer),
            resets=int(resets),
            values=values,
        )

    @property
    def safety_status(self) -> SafetyStatus:
        """State of the safety system as flags."""
        return SafetyStatus(self.safety_bits)

    @property
    def program_running(self) -> bool:
        """Whether a program runs on the controller."""
        return self.runtime_state == RuntimeState.PLAYING

    @property
    def safety_stopped(self) -> bool:
        """Whether the safety system forbids motion."""
        return bool(self.safety_bits & _STOPPED)
