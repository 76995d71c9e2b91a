"""Link of a client to a robot: connections, state, heartbeat, and what happens after an error."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Literal, NoReturn, Self

from offnominal.core.checks import boolean, instance_of, number_in, text
from offnominal.core.types import FloatArray
from offnominal.worlds.arm.errors import MotionRefused, ProgramStopped, RobotError, RobotTimeout, SafetyStop
from offnominal.worlds.arm.rtde.commands import (
    ARGUMENTS,
    ASYNCHRONOUS,
    COMMAND,
    HEARTBEAT,
    Answer,
    Command,
    control_script,
)
from offnominal.worlds.arm.rtde.connection import Channel, Connection, DashboardConnection, RtdeConnection
from offnominal.worlds.arm.rtde.dashboard_session import VIRTUAL
from offnominal.worlds.arm.rtde.fields import Value
from offnominal.worlds.arm.rtde.limits import MotionLimits, compile_checks
from offnominal.worlds.arm.rtde.lockstep import LocalRobot
from offnominal.worlds.arm.rtde.ports import Ports
from offnominal.worlds.arm.rtde.recipe import FieldValues, Recipe
from offnominal.worlds.arm.rtde.state import STATE_FIELDS, RobotState

OLDEST_STATE, OLDEST_VIRTUAL_STATE = 0.1, 1.0
"""Age of a state, s, above which the client waits for a new one before it moves; a virtual controller may be idle."""
STOP_TIMEOUT = 0.5
"""Longest time to stop the program after an error, s."""
_NO_RECIPE = Recipe(0, (), ())


class RobotLink:
    """What a client needs besides its motions; see :class:`~offnominal.worlds.arm.rtde.client.RobotClient`."""

    def __init__(
        self,
        host: str | LocalRobot = "127.0.0.1",
        *,
        ports: Ports | None = None,
        limits: MotionLimits | None = None,
        frequency: float | None = None,
        fields: tuple[str, ...] = (),
        tool: float = 0.0,
        timeout: float = 2.0,
        watchdog: float = 0.5,
        dry_run: bool = False,
        i_am_at_the_emergency_stop: bool = False,
    ) -> None:
        self.local = host if isinstance(host, LocalRobot) else None
        self.host = "local" if isinstance(host, LocalRobot) else text("host", host)
        self.ports = Ports() if ports is None else instance_of("ports", ports, Ports)
        self.limits = MotionLimits() if limits is None else instance_of("limits", limits, MotionLimits)
        self.frequency = None if frequency is None else number_in("frequency", frequency, 1.0, 500.0)
        self.fields = tuple(text("fields", name) for name in instance_of("fields", fields, tuple))
        self.tool = number_in("tool", tool, 0.0, 1.0)
        self.timeout = number_in("timeout", timeout, 0.01, 60.0)
        self.watchdog = number_in("watchdog", watchdog, 0.05, 5.0)
        self.dry_run = boolean("dry_run", dry_run)
        self.i_am_at_the_emergency_stop = boolean("i_am_at_the_emergency_stop", i_am_at_the_emergency_stop)
        self.is_virtual = False
        self.planned: list[tuple[str, FloatArray]] = []
        self.error: RobotError | None = None
        self._rtde: RtdeConnection | None = None
        self._dashboard: DashboardConnection | None = None
        self._state: RobotState | None = None
        self._last: FloatArray | None = None
        self._state_time = self._until = 0.0
        self._beats, self._beat_time = 0, 0.0
        self._streamed, self._once, self._heartbeat = _NO_RECIPE, _NO_RECIPE, _NO_RECIPE

    def __enter__(self) -> Self:
        return self.connect()

    def __exit__(self, *_: object) -> None:
        self.close()

    def connect(self) -> Self:
        """Connect, read the first state and, unless this is a dry run, start the control program.

        Raises:
            RobotUnreachable: If nothing accepts the connection.
            RobotTimeout: If the controller does not answer in time.
            InvalidPackage: If the answer is not RTDE, for example at the wrong port.
            SafetyStop: If the safety system has stopped the robot.
            MotionRefused: If this is not a virtual controller and `i_am_at_the_emergency_stop` is false.
        """
        self.close()
        self.error = None
        compile_checks()
        try:
            self._open()
        except RobotError as error:
            self._fail(error)
        return self

    @property
    def connected(self) -> bool:
        """Whether there is a connection without an error."""
        return self._rtde is not None and self.error is None

    def reconnect(self) -> Self:
        """Close what is left of the connections, connect again and forget the error."""
        return self.connect()

    def restart_program(self) -> None:
        """Start the control program again if its watchdog ended it while this client was silent.

        After an error this does nothing: only :meth:`reconnect` ends the refusal of motions.
        """
        if self.error is not None or self.dry_run or time.monotonic() - self._beat_time < self.watchdog:
            return
        if self.state.program_running and self.read().program_running:
            return
        self.reconnect()

    def close(self) -> None:
        """Stop the control program and close the connections."""
        if self._rtde is not None and not self.dry_run and self.error is None:
            with suppress(RobotError):
                self._rtde.write(self._once, self._arguments(Command.STOP_SCRIPT, ()))
        self._close_connections()

    @property
    def state(self) -> RobotState:
        """Newest state that has arrived; does not wait."""
        rtde = self._connected()
        try:
            values = rtde.newest()
            if values is not None:
                self._take(values)
            self._beat()
        except RobotError as error:
            self._fail(error)
        assert self._state is not None
        return self._state

    def read(self) -> RobotState:
        """Wait for the next state and return it."""
        rtde = self._connected()
        try:
            self._beat()
            return self._take(rtde.read(self.timeout))
        except RobotError as error:
            self._fail(error)

    def wait(self, seconds: float) -> RobotState:
        """Read states for some seconds of wall time; the arm holds its position."""
        end = time.monotonic() + number_in("seconds", seconds, 0.0, 3600.0)
        state = self.state
        while time.monotonic() < end:
            state = self.read()
        return state

    def stop(self) -> None:
        """Stop the arm and the control program, through registers and dashboard. Allowed at any time."""
        if self._rtde is not None and not self.dry_run:
            with suppress(RobotError):
                self._rtde.write(self._once, self._arguments(Command.STOP_SCRIPT, ()))
        self._stop_program()
        if self.error is None:
            self.error = MotionRefused("the robot was stopped; call reconnect() to move it again.")
        self._close_connections()

    def dashboard(self, command: str) -> str:
        """Send a command to the dashboard and return the answer."""
        self._connected()
        assert self._dashboard is not None
        try:
            return self._dashboard.ask(command)
        except RobotError as error:
            self._fail(error)

    def _open(self) -> None:
        self._rtde = RtdeConnection(self._channel("rtde", self.timeout))
        self._dashboard = DashboardConnection(self._channel("dashboard", self.timeout))
        self.is_virtual = self._dashboard.ask("offnominal") == VIRTUAL
        rtde = self._rtde
        own = 125.0 if rtde.version.major <= 3 else 500.0
        rtde.setup_outputs((*STATE_FIELDS, *self.fields), own if self.frequency is None else self.frequency)
        if not self.dry_run:
            if not (self.is_virtual or self.i_am_at_the_emergency_stop):
                raise MotionRefused(
                    f"{self.host} is not a virtual controller. Nothing moves it unless a person stands at the "
                    f"emergency stop: pass i_am_at_the_emergency_stop=True, or dry_run=True to read only."
                )
            self._streamed = rtde.setup_inputs((COMMAND, *ARGUMENTS))
            self._once = rtde.setup_inputs((COMMAND, *ARGUMENTS[:8], ASYNCHRONOUS))
            self._heartbeat = rtde.setup_inputs((HEARTBEAT,))
        rtde.start()
        self._take(rtde.read(self.timeout))
        if not self.dry_run:
            self._check_safety()
            self._upload()

    def _channel(self, port: Literal["rtde", "script", "dashboard"], timeout: float) -> Channel:
        if self.local is not None:
            return self.local.connect(port)
        return Connection(self.host, getattr(self.ports, port), timeout)

    def _upload(self) -> None:
        """Upload the control program and wait until it is ready."""
        assert self._rtde is not None
        self._rtde.write(self._once, self._arguments(Command.NONE, ()))
        script = self._channel("script", self.timeout)
        try:
            script.send(control_script(self.watchdog).encode())
            deadline = time.monotonic() + self.timeout
            while True:
                self._beat()
                state = self._take(self._rtde.read(self.timeout))
                self._check_safety()
                if state.program_running and state.answer == Answer.READY:
                    return
                if time.monotonic() > deadline:
                    raise RobotTimeout(f"the control program does not run within {self.timeout:g} s of its upload.")
        finally:
            script.close()

    def _ready(self) -> RobotState:
        """Return the newest state if a motion may be sent now."""
        if self.error is not None:
            raise MotionRefused(f"no motion after an error; call reconnect() first. The error was: {self.error}")
        age = time.monotonic() - self._state_time
        state = self.state
        # What arrived since the last look may have waited for as long as that: only a package from now on is new.
        if self.local is None and age > (OLDEST_VIRTUAL_STATE if self.is_virtual else OLDEST_STATE):
            state = self.read()
        if not self.dry_run:
            self._guard()
        return state

    def _guard(self) -> None:
        """Fail if the safety system or the end of the program forbids motion."""
        try:
            self._check_safety()
            if self._state is not None and not self._state.program_running:
                raise ProgramStopped(
                    f"the control program has stopped: no heartbeat for {self.watchdog:g} s, or someone stopped it."
                )
        except RobotError as error:
            self._fail(error)

    def _arguments(self, command: Command, numbers: tuple[float, ...]) -> Mapping[str, Value]:
        padded = (*numbers, *[0.0] * (len(ARGUMENTS) - len(numbers)))
        return {COMMAND: int(command), ASYNCHRONOUS: 0, **dict(zip(ARGUMENTS, padded, strict=True))}

    def _take(self, values: FieldValues) -> RobotState:
        state = RobotState.of(values)
        self._state, self._state_time = state, time.monotonic()
        if not state.is_finite:
            raise SafetyStop("the controller reports joint angles or a pose that are not finite.")
        return state

    def _beat(self) -> None:
        """Send a heartbeat if the last one is a quarter of the watchdog's time old."""
        now = time.monotonic()
        if self._rtde is None or self.dry_run or now - self._beat_time < 0.25 * self.watchdog:
            return
        self._beats = (self._beats + 1) & 0x7FFFFFFF
        self._rtde.write(self._heartbeat, {HEARTBEAT: self._beats})
        self._beat_time = now

    def _check_safety(self) -> None:
        state = self._state
        if state is not None and state.safety_stopped:
            raise SafetyStop(
                f"the safety system has stopped the robot ({state.safety_status!r}). Find the cause at the robot, "
                f"unlock it there, then call reconnect()."
            )

    def _connected(self) -> RtdeConnection:
        if self.error is not None:
            raise MotionRefused(f"the connection ended with an error; call reconnect() first. It was: {self.error}")
        if self._rtde is None:
            raise MotionRefused("the client is not connected; call connect() first.")
        return self._rtde

    def _fail(self, error: RobotError) -> NoReturn:
        """Stop the program, close the connections and raise the error."""
        first = self.error is None
        self.error = error
        if first and not self.dry_run and self._streamed is not _NO_RECIPE:
            self._stop_program()
        self._close_connections()
        raise error

    def _stop_program(self) -> None:
        """Stop the program on the controller through the dashboard, on a new connection if need be."""
        if self.dry_run:
            return
        with suppress(RobotError):
            fresh = DashboardConnection(self._channel("dashboard", STOP_TIMEOUT))
            try:
                fresh.ask("stop")
            finally:
                fresh.close()

    def _close_connections(self) -> None:
        for connection in (self._rtde, self._dashboard):
            if connection is not None:
                connection.close()
        self._rtde = self._dashboard = self._state = self._last = None
        self._streamed = self._once = self._heartbeat = _NO_RECIPE
