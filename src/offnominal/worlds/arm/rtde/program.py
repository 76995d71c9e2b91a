"""Emulation of the program that clients upload: commands in, motions out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.worlds.arm.kinematics import all_finite, forward
from offnominal.worlds.arm.rtde.commands import STREAMED, Answer, Command
from offnominal.worlds.arm.rtde.motion import (
    JointMotion,
    LinearMotion,
    Motion,
    ServoTracker,
    StopMotion,
    Unreachable,
    reach,
)
from offnominal.worlds.arm.rtde.registers import Registers

SMALLEST = 1e-6
"""Smallest speed and acceleration, so that every motion ends."""
SETTLED = 1e-3
"""Distance of every joint from the end of a motion at which it is done, rad."""
SETTLE_TIME = 1.0
"""Longest time to settle, s."""


@dataclass(slots=True)
class ControllerFaults:
    """Faults of a controller.

    Attributes:
        control_latency: Pure delay of servo commands, s, instead of the `time` of the command; None if nominal.
        control_smoothing: Lookahead time of servo commands, s, instead of that of the command; None if nominal.
    """

    control_latency: float | None = None
    control_smoothing: float | None = None


class RegisterProgram:
    """The program on a virtual controller: it reads commands from registers and moves the target of the arm.

    Args:
        registers: Registers of the controller.
        faults: Faults of the controller.
        tool: Distance from the flange to the TCP, m.
        target: Joint angles that the arm holds now.
    """

    def __init__(self, registers: Registers, faults: ControllerFaults, tool: float, target: FloatArray) -> None:
        self.registers, self.faults, self.tool = registers, faults, tool
        self.target = self._before = target.copy()
        self._dt = 1.0
        self.warning = ""
        self.watchdog_request: float | None = None
        self._motion: Motion | None = None
        self._time = 0.0
        self._tracker: ServoTracker | None = None
        self._last: tuple[float, ...] = ()
        self._streamed = -1
        self._waits = False
        self._answer(Answer.READY)

    @property
    def moving(self) -> bool:
        """Whether a motion with an end runs that the client waits for."""
        return self._waits and self._motion is not None and self.registers.answer != Answer.DONE

    @property
    def servoing(self) -> bool:
        """Whether the target follows servo commands."""
        return self._tracker is not None

    @property
    def ended(self) -> bool:
        """Whether the client ended the program."""
        return self.registers.command == Command.STOP_SCRIPT

    def update(self) -> bool:
        """Read the command register and answer; no time passes. Return whether there may be something new.

        Raises:
            Unreachable: If a target cannot be reached.
        """
        if self._tracker is not None and self._streamed == self.registers.writes:
            return False
        command = self.registers.command
        if self._waits:
            if self.registers.answer == Answer.DONE and command == Command.NONE:
                self._waits = False
                self._answer(Answer.READY)
        elif command in STREAMED:
            self._stream(command)
            self._answer(Answer.READY)
        elif command not in (Command.NONE, Command.STOP_SCRIPT):
            self._begin(command)
        return True

    def step(self, dt: float, actual: FloatArray) -> None:
        """Move the target for one cycle.

        Args:
            dt: Duration of the cycle, s.
            actual: Joint angles of the arm; a motion ends when they are near its end.

        Raises:
            Unreachable: If no joint angles reach the next pose of a straight line.
        """
        if self._tracker is not None:
            self.servo(dt, 1)
            return
        self._before, self._dt = self.target, dt
        if self._motion is not None:
            self._time += dt
            self.target = self._motion.joints(self._time)
            late = self._time - self._motion.duration
            if late >= 0.0 and (late >= SETTLE_TIME or np.abs(actual - self.target).max() < SETTLED):
                self._end_motion()

    def servo(self, dt: float, cycles: int) -> FloatArray:
        """Move the target for some cycles of servo motion and return its joint angles, (cycles, 6)."""
        assert self._tracker is not None
        targets = self._tracker.steps(dt, cycles)
        self._before, self._dt = targets[-2] if cycles > 1 else self.target, dt
        self.target = targets[-1]
        return targets

    def _stream(self, command: int) -> None:
        """Take a servo command whose registers changed."""
        if command not in (Command.SERVO_L, Command.SERVO_J):
            self._warn_unknown(command)
            return
        self._streamed = self.registers.writes
        arguments = (command, *self.registers.arguments(11))
        if self._tracker is None:
            self._motion, self._waits = None, False
            self._tracker = ServoTracker(self.target)
        elif arguments == self._last:
            return
        self._last = arguments
        numbers = np.array(arguments[1:])
        if not all_finite(numbers):
            raise Unreachable("a servo command has values that are not finite")
        joints = numbers[:6] if command == Command.SERVO_J else reach(numbers[:6], self.target, self.tool)
        latency, smoothing = self.faults.control_latency, self.faults.control_smoothing
        delay = numbers[8] if latency is None else latency
        lookahead = numbers[9] if smoothing is None else smoothing
        self._tracker.command(joints, min(max(delay, 0.0), 10.0), min(max(lookahead, 0.0), 10.0))

    def _begin(self, command: int) -> None:
        """Start a command that is executed once."""
        numbers = np.array(self.registers.arguments(8))
        if not np.isfinite(numbers).all():
            raise Unreachable("a command has values that are not finite")
        speed, acceleration = max(numbers[6], SMALLEST), max(numbers[7], SMALLEST)
        motion: Motion | None = None
        if command == Command.MOVE_J:
            motion = JointMotion(self.target, numbers[:6], speed, acceleration)
        elif command == Command.MOVE_J_POSE:
            joints = reach(numbers[:6], self.target, self.tool)
            motion = JointMotion(self.target, joints, speed, acceleration)
        elif command == Command.MOVE_L:
            start = forward(self.target, self.tool)
            motion = LinearMotion(self.target, start, numbers[:6], self.tool, speed, acceleration)
        elif command in (Command.SERVO_STOP, Command.SPEED_STOP, Command.STOP_L, Command.STOP_J):
            velocity = (self.target - self._before) / self._dt
            motion = StopMotion(self.target, velocity, max(numbers[0], 0.1))
        elif command == Command.PROTECTIVE_STOP:
            raise Unreachable("the client asked for a protective stop")
        elif command == Command.SET_WATCHDOG:
            self.watchdog_request = float(numbers[0])
        else:
            self._warn_unknown(command)
        self._tracker, self._motion, self._time, self._waits = None, motion, 0.0, True
        if motion is not None and self.registers.asynchronous and command in (Command.MOVE_J, Command.MOVE_L):
            self.registers.progress = 0
            self._answer(Answer.DONE)
        elif motion is None:
            self._answer(Answer.DONE)

    def _end_motion(self) -> None:
        self._motion = None
        self.registers.progress = -1
        if self._waits:
            self._answer(Answer.DONE)

    def _warn_unknown(self, command: int) -> None:
        self.warning = f"command {command} is not part of the virtual controller; it was ignored"

    def _answer(self, answer: Answer) -> None:
        self.registers.answer = answer
