"""Client of a UR robot: reads its state and moves it within hard limits."""

from __future__ import annotations

import time as clock
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from offnominal.core.checks import number_in, text
from offnominal.core.streams import check_seed
from offnominal.core.types import FloatArray
from offnominal.worlds.arm.errors import MotionRefused, RobotError, RobotTimeout, TargetOutOfLimits
from offnominal.worlds.arm.kinematics import forward
from offnominal.worlds.arm.rtde.commands import Answer, Command
from offnominal.worlds.arm.rtde.link import RobotLink
from offnominal.worlds.arm.rtde.state import RobotState

LOOKAHEAD = (0.03, 0.2)
"""Lookahead times that controllers accept, s."""
GAIN = (100.0, 2000.0)
"""Gains that controllers accept."""
MODEL_TOLERANCE = 0.01
"""Largest distance between the TCP that the controller reports and the one of the kinematics here, m."""


class RobotClient(RobotLink):
    """Reads and moves a UR robot, or a virtual one, over its network interfaces.

    This class was never used with a robot of metal. Read the guide "Drive a UR robot" before you do.

    Every motion is checked against `limits` before anything is sent. After an error the client stops the program on the
    controller, closes its connections and sends no motion until :meth:`reconnect` is called. No call waits longer than
    its timeout. The controller stops the arm by itself if it gets no heartbeat for `watchdog` seconds; every call that
    reads or moves sends one.

    Args:
        host: Address of the controller, or a virtual controller in this process.
        ports: Ports of the controller.
        limits: Limits of the motions.
        frequency: Data packages per second; those of the controller's own cycle if omitted.
        fields: More output fields to read, see `RobotState.values`.
        tool: Distance from the flange to the tool centre point that is configured on the controller, m.
        timeout: Longest time to wait for an answer, s.
        watchdog: Longest time without a heartbeat, s.
        dry_run: Whether to check motions and record them in `planned` instead of sending them.
        i_am_at_the_emergency_stop: Whether a person stands at the emergency stop. Only then does the client move a
            robot that is not a virtual one.

    Example:
        >>> from offnominal.worlds.arm.rtde import FREE_PORTS, RobotServer, VirtualController
        >>> with RobotServer(VirtualController(), ports=FREE_PORTS, speed="lockstep") as server:
        ...     with RobotClient(ports=server.ports) as robot:
        ...         state = robot.move_l(robot.state.tcp_pose + [0.0, 0.0, -0.05, 0.0, 0.0, 0.0])
        >>> state.tcp_pose[:3].round(3).tolist()
        [0.112, -0.299, 0.264]
    """

    def servo_l(
        self,
        pose: ArrayLike,
        *,
        period: float = 0.04,
        time: float = 0.005,
        lookahead: float = 0.06,
        gain: float = 100.0,
        velocity: float = 1.5,
        acceleration: float = 2.5,
        wait: bool = True,
    ) -> RobotState:
        """Send one servo target for the TCP and return the state one period later.

        The defaults are those of Anomaly-Gym's robot, with one target every 0.04 s.

        Args:
            pose: Position and rotation vector.
            period: Time until the next target, s of the controller's clock.
            time: Of servoL: how long the command controls the arm, s.
            lookahead: Of servoL: smoothing, s, 0.03 to 0.2.
            gain: Of servoL: 100 to 2000.
            velocity: Of servoL, m/s; controllers ignore it.
            acceleration: Of servoL, m/s²; controllers ignore it.
            wait: Whether to wait for the state one period later. If not, the result is the state before, and
                :meth:`finish_servo` waits.

        Raises:
            TargetOutOfLimits: If the target is not allowed; nothing was sent and the client can go on.
        """
        state = self._ready()
        period = number_in("period", period, 0.001, 1.0)
        arguments = (
            number_in("velocity", velocity, 0.0, 10.0),
            number_in("acceleration", acceleration, 0.0, 50.0),
            number_in("time", time, 0.0, 1.0, open_low=True),
            number_in("lookahead", lookahead, *LOOKAHEAD),
            number_in("gain", gain, *GAIN),
        )
        last = state.tcp_pose if self._last is None else self._last
        target = self.limits.check_servo(pose, last, state.tcp_pose, period)
        self._last = target
        self._until = state.timestamp + period
        if self._plan("servo_l", target):
            return state
        try:
            self._connected().write_elements(self._streamed, (int(Command.SERVO_L), *target.tolist(), *arguments))
        except RobotError as error:
            self._fail(error)
        return self.finish_servo() if wait else state

    def finish_servo(self) -> RobotState:
        """Wait until the period of the last servo target is over and return the state then."""
        if self.dry_run:
            return self.state
        until = self._until - 1e-6
        try:
            return self._wait(Command.SERVO_L, self.timeout, lambda state: state.timestamp >= until)
        except RobotError as error:
            self._fail(error)

    def servo_stop(self, deceleration: float = 10.0) -> RobotState:
        """End the servo motion and wait until the arm is told to hold."""
        return self._stop_command(Command.SERVO_STOP, number_in("deceleration", deceleration, 0.1, 100.0))

    def move_l(
        self, pose: ArrayLike, speed: float = 0.1, acceleration: float = 0.5, *, timeout: float = 60.0
    ) -> RobotState:
        """Move the TCP on a straight line and return the state at its end.

        Args:
            pose: Position and rotation vector.
            speed: Of the TCP, m/s.
            acceleration: Of the TCP, m/s².
            timeout: Longest time of the motion, s of wall time.
        """
        state = self._ready()
        target = self.limits.check_linear(pose, state.tcp_pose, speed, acceleration)
        if self._plan("move_l", target):
            return state
        return self._send(Command.MOVE_L, (*target.tolist(), speed, acceleration), timeout=timeout)

    def move_j(
        self, q: ArrayLike, speed: float = 0.5, acceleration: float = 0.5, *, timeout: float = 60.0
    ) -> RobotState:
        """Move the joints to some angles and return the state at the end.

        Args:
            q: Joint angles, rad.
            speed: Of the fastest joint, rad/s.
            acceleration: Of the fastest joint, rad/s².
            timeout: Longest time of the motion, s of wall time.
        """
        state = self._ready()
        offset = float(np.linalg.norm(forward(state.q, self.tool)[:3, 3] - state.tcp_pose[:3]))
        if offset > MODEL_TOLERANCE:
            raise TargetOutOfLimits(
                f"the controller reports a TCP that is {offset:.3f} m from the one of a UR3 with a tool of "
                f"{self.tool:g} m; set `tool` to the TCP offset that is configured on the controller."
            )
        target = self.limits.check_joints(q, state.q, speed, acceleration, self.tool)
        if self._plan("move_j", target):
            return state
        return self._send(Command.MOVE_J, (*target.tolist(), speed, acceleration), timeout=timeout)

    def reset_virtual(self, seed: int = 0) -> RobotState:
        """Return a virtual controller to its start: arm, time, faults; return the state.

        Raises:
            MotionRefused: If this is not a virtual controller.
        """
        self._require_virtual("reset without a motion")
        before = self.state.resets
        reply = self.dashboard(f"offnominal reset {check_seed(seed)}")
        if reply != "offnominal: done":
            raise MotionRefused(f"the virtual controller answers {reply!r} to a reset.")
        self._last = None
        deadline = clock.monotonic() + self.timeout
        while (state := self.read()).resets == before:
            if clock.monotonic() > deadline:
                self._fail(RobotTimeout(f"no state after the reset within {self.timeout:g} s."))
        return state

    def set_fault(self, name: str, seconds: float | None) -> None:
        """Switch a fault of a virtual controller on, or off with None.

        Args:
            name: ``"control_latency"`` or ``"control_smoothing"``.
            seconds: Latency or lookahead time, s.
        """
        self._require_virtual("faults in the controller")
        value = "off" if seconds is None else repr(float(number_in("seconds", seconds, 0.0)))
        reply = self.dashboard(f"offnominal {text('name', name)} {value}")
        if reply != "offnominal: done":
            raise MotionRefused(f"the virtual controller answers {reply!r} to the fault {name}.")

    def _send(self, command: Command, numbers: tuple[float, ...], *, timeout: float | None = None) -> RobotState:
        """Send a motion and wait until the program answers that it is done."""
        rtde = self._connected()
        limit = self.timeout if timeout is None else number_in("timeout", timeout, 0.01, 3600.0)
        try:
            rtde.write(self._once, self._arguments(command, numbers))
            self._wait(command, limit, lambda state: state.answer == Answer.DONE)
            self._last = None
            return self._finish()
        except RobotError as error:
            self._fail(error)

    def _wait(self, command: Command, limit: float, is_end: Callable[[RobotState], bool]) -> RobotState:
        """Return the first state at the end of a motion."""
        rtde = self._connected()
        deadline = clock.monotonic() + limit
        while True:
            state = self._take(rtde.read(self.timeout))
            self._beat()
            self._guard()
            if is_end(state):
                return state
            if clock.monotonic() > deadline:
                raise RobotTimeout(f"{command.name} is not done within {limit:g} s.")

    def _finish(self) -> RobotState:
        """Clear the command and wait until the program is ready again."""
        rtde = self._connected()
        rtde.write(self._once, self._arguments(Command.NONE, ()))
        deadline = clock.monotonic() + self.timeout
        while (state := self._take(rtde.read(self.timeout))).answer != Answer.READY:
            self._beat()
            self._guard()
            if clock.monotonic() > deadline:
                raise RobotTimeout(f"the control program is not ready within {self.timeout:g} s after a motion.")
        return state

    def _stop_command(self, command: Command, deceleration: float) -> RobotState:
        state = self._ready()
        return state if self.dry_run else self._send(command, (deceleration,))

    def _plan(self, name: str, target: FloatArray) -> bool:
        if self.dry_run:
            self.planned.append((name, target))
        return self.dry_run

    def _require_virtual(self, what: str) -> None:
        self._connected()
        if not self.is_virtual:
            raise MotionRefused(f"{self.host} is not a virtual controller; {what} is possible with one only.")
