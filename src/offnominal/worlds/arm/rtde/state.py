"""What a client knows about the robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.worlds.arm.rtde.commands import ANSWER, RESETS
from offnominal.worlds.arm.rtde.fields import Value
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
        safety_status: Safety bits.
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
    safety_status: SafetyStatus
    runtime_state: int
    answer: int
    resets: int
    values: Mapping[str, Value]

    @classmethod
    def of(cls, values: Mapping[str, Value]) -> RobotState:
        """Return the state that a data package has."""
        return cls(
            timestamp=_number(values["timestamp"]),
            q=np.array(values["actual_q"]),
            qd=np.array(values["actual_qd"]),
            tcp_pose=np.array(values["actual_TCP_pose"]),
            tcp_speed=np.array(values["actual_TCP_speed"]),
            robot_mode=int(_number(values["robot_mode"])),
            safety_mode=int(_number(values["safety_mode"])),
            safety_status=SafetyStatus(int(_number(values["safety_status_bits"]))),
            runtime_state=int(_number(values["runtime_state"])),
            answer=int(_number(values[ANSWER])),
            resets=int(_number(values[RESETS])),
            values=values,
        )

    @property
    def program_running(self) -> bool:
        """Whether a program runs on the controller."""
        return self.runtime_state == RuntimeState.PLAYING

    @property
    def safety_stopped(self) -> bool:
        """Whether the safety system forbids motion."""
        return bool(self.safety_status & STOPPED)


def _number(value: Value) -> float:
    assert not isinstance(value, tuple)
    return value
