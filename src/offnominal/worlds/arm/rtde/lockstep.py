"""A virtual controller in lockstep with its clients, and a way to it without a network."""

from __future__ import annotations

import math
from typing import Literal

from offnominal.core.checks import instance_of, number_in
from offnominal.worlds.arm.errors import InvalidPackage, RobotConnectionLost, RobotTimeout
from offnominal.worlds.arm.rtde.controller import VirtualController
from offnominal.worlds.arm.rtde.dashboard_session import GREETING, DashboardSession
from offnominal.worlds.arm.rtde.script_session import ScriptSession
from offnominal.worlds.arm.rtde.sessions import InputClaims, RtdeSession

LONGEST_MOTION = 120.0
"""Longest motion in lockstep, simulated seconds."""
LONGEST_PERIOD = 10.0
"""Longest duration of a servo command, s."""


def execute_command(controller: VirtualController, period: float | None) -> None:
    """Simulate until the command in the registers is done; a servo command lasts one period.

    Args:
        controller: Controller whose command register was written.
        period: Duration of a servo command, s; the `time` of the command if None.
    """
    controller.update()
    rate = controller.model.rate
    if controller.streaming:
        seconds = controller.registers.arguments(9)[8] if period is None else period
        seconds = min(max(seconds, 0.0), LONGEST_PERIOD) if math.isfinite(seconds) else 0.0
        controller.run(max(1, round(seconds * rate)))
    else:
        for _ in range(round(LONGEST_MOTION * rate)):
            if not controller.moving:
                break
            controller.cycle()
    controller.update()


class LockstepGroup:
    """Virtual controllers that execute their commands together, as soon as a client of one of them reads.

    The results are those of one controller after the other. It is faster, because each part of the program runs for
    all robots in a row.
    """

    def __init__(self) -> None:
        self._waiting: dict[LocalRobot, None] = {}

    def __contains__(self, robot: LocalRobot) -> bool:
        return robot in self._waiting

    def add(self, robot: LocalRobot) -> None:
        """Note that a robot has a command to execute."""
        self._waiting[robot] = None

    def execute(self) -> None:
        """Execute the commands of all robots that wait, and give their clients the states."""
        robots, self._waiting = self._waiting, {}
        for robot in robots:
            execute_command(robot.controller, robot.period)
        for robot in robots:
            robot.broadcast()


class LocalRobot:
    """A virtual controller in this process. Clients exchange the same bytes as over a network, without sockets.

    Args:
        controller: The controller.
        period: Duration of a servo command, s; the `time` of the command if None.
        group: Robots that execute their commands together; if None, a command is executed at once.

    Example:
        >>> from offnominal.worlds.arm.rtde import RobotClient
        >>> with RobotClient(LocalRobot(VirtualController(), period=0.04)) as robot:
        ...     robot.servo_l(robot.state.tcp_pose).timestamp
        0.04
    """

    def __init__(
        self, controller: VirtualController, *, period: float | None = None, group: LockstepGroup | None = None
    ) -> None:
        self.controller = instance_of("controller", controller, VirtualController)
        self.period = None if period is None else number_in("period", period, 0.0, LONGEST_PERIOD, open_low=True)
        self.group = group
        self.claims = InputClaims()
        self._channels: list[LocalChannel] = []
        controller.speed = math.inf

    def connect(self, port: Literal["rtde", "script", "dashboard"]) -> LocalChannel:
        """Return a connection to one of the ports."""
        channel = LocalChannel(self, port)
        self._channels.append(channel)
        return channel

    def on_input(self, has_command: bool) -> None:
        """Execute the command that a client has written, now or with those of the group."""
        if has_command and self.group is not None:
            self.group.add(self)
        elif has_command:
            execute_command(self.controller, self.period)
            self.broadcast()

    def catch_up(self) -> None:
        """Execute the command that waits, if there is one."""
        if self.group is not None and self in self.group:
            self.group.execute()

    def broadcast(self) -> None:
        """Give a data package to every client that has started them."""
        self.controller.messages.clear()
        for channel in self._channels:
            channel.give_state()

    def disconnect(self, channel: LocalChannel) -> None:
        """Forget a connection."""
        if channel in self._channels:
            self._channels.remove(channel)


class LocalChannel:
    """A connection to a :class:`LocalRobot`; it never waits."""

    timeout = 1.0

    def __init__(self, robot: LocalRobot, port: Literal["rtde", "script", "dashboard"]) -> None:
        self.name = f"local {port}"
        self._robot = robot
        self._received = bytearray()
        self._open = True
        self._session: RtdeSession | ScriptSession | DashboardSession
        if port == "rtde":
            self._session = RtdeSession(robot.controller, robot.claims, robot.on_input)
        elif port == "script":
            self._session = ScriptSession(robot.controller)
        else:
            self._session = DashboardSession(robot.controller)
            self._received += f"{GREETING}\n".encode()

    def send(self, data: bytes) -> None:
        """Send bytes; the controller answers at once, or when the group executes its commands."""
        self._require_open()
        self._robot.catch_up()
        try:
            if isinstance(self._session, RtdeSession):
                self._session.receive(data, self._received.extend)
                return
            if isinstance(self._session, DashboardSession):
                self._received += self._session.receive(data)
            else:
                self._session.receive(data)
            self._robot.broadcast()
        except InvalidPackage:
            self.close()

    def receive(self, timeout: float) -> bytes:
        """Return the bytes that have arrived, or raise :class:`RobotTimeout`."""
        data = self.poll()
        if not data:
            raise RobotTimeout(f"{self.name} sends nothing more.")
        return data

    def poll(self) -> bytes:
        """Return the bytes that have arrived, if any."""
        self._require_open()
        self._robot.catch_up()
        data = bytes(self._received)
        self._received.clear()
        return data

    def close(self) -> None:
        """Close the connection."""
        self._robot.catch_up()
        self._open = False
        if isinstance(self._session, RtdeSession):
            self._session.close()
        self._robot.disconnect(self)

    def give_state(self) -> None:
        """Receive a data package, if the client has started them."""
        if isinstance(self._session, RtdeSession) and (data := self._session.data_package()) is not None:
            self._received += data

    def _require_open(self) -> None:
        if not self._open:
            raise RobotConnectionLost(f"the connection to {self.name} is closed.")
