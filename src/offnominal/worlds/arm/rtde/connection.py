"""Connections of a client: sockets with timeouts, the handshake of RTDE, and the dashboard."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Protocol

from offnominal.worlds.arm.errors import (
    InvalidPackage,
    RobotConnectionLost,
    RobotError,
    RobotTimeout,
    RobotUnreachable,
)
from offnominal.worlds.arm.rtde import packages
from offnominal.worlds.arm.rtde.fields import INPUTS, OUTPUTS, Value
from offnominal.worlds.arm.rtde.packages import ControllerVersion, Package, PackageReader, PackageType, TextMessage
from offnominal.worlds.arm.rtde.recipe import FieldValues, Recipe

MAX_MESSAGES = 100


class Channel(Protocol):
    """A connection of which no call waits longer than its timeout; the errors are those of :class:`Connection`."""

    name: str
    timeout: float

    def send(self, data: bytes) -> None:
        """Send bytes."""

    def receive(self, timeout: float) -> bytes:
        """Return the bytes that have arrived, after at most some seconds."""

    def poll(self) -> bytes:
        """Return the bytes that have arrived, if any; does not wait."""

    def close(self) -> None:
        """Close the connection."""


class Connection:
    """A TCP connection on which no call waits longer than its timeout.

    Args:
        host: Address of the controller.
        port: Port.
        timeout: Longest time of a call, s.

    Raises:
        RobotUnreachable: If nothing accepts the connection.
        RobotTimeout: If there is no answer in time.
    """

    def __init__(self, host: str, port: int, timeout: float) -> None:
        self.name, self.timeout = f"{host}:{port}", timeout
        try:
            self.socket = socket.create_connection((host, port), timeout)
        except TimeoutError:
            raise RobotTimeout(f"{self.name} does not answer within {timeout:g} s; is the controller on?") from None
        except (OSError, UnicodeError, OverflowError) as error:
            raise RobotUnreachable(f"cannot connect to {self.name} ({error}); check host, port and network.") from None
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data: bytes) -> None:
        """Send bytes."""
        try:
            self.socket.settimeout(self.timeout)
            self.socket.sendall(data)
        except TimeoutError:
            raise RobotTimeout(f"{self.name} takes no data within {self.timeout:g} s.") from None
        except OSError as error:
            raise self._lost(error) from None

    def receive(self, timeout: float) -> bytes:
        """Return the bytes that have arrived, after at most some seconds.

        Raises:
            RobotTimeout: If nothing arrives.
            RobotConnectionLost: If the connection ends.
        """
        data = self._receive(timeout)
        if data is None:
            raise RobotTimeout(f"{self.name} sends nothing within {timeout:.3g} s.")
        return data

    def poll(self) -> bytes:
        """Return the bytes that have arrived, if any; does not wait. Errors as in :meth:`receive`."""
        return self._receive(0.0) or b""

    def close(self) -> None:
        """Close the connection."""
        with suppress(OSError):
            self.socket.close()

    def _receive(self, timeout: float) -> bytes | None:
        """Return the bytes that have arrived, or None if there are none in time."""
        try:
            self.socket.settimeout(max(timeout, 0.0))
            data = self.socket.recv(1 << 16)
        except (BlockingIOError, TimeoutError):
            return None
        except OSError as error:
            raise self._lost(error) from None
        if not data:
            raise self._lost("the other side closed it")
        return data

    def _lost(self, reason: object) -> RobotConnectionLost:
        return RobotConnectionLost(f"the connection to {self.name} is lost ({reason}).")


class RtdeConnection:
    """A connection to the RTDE port: version, recipes, data in both directions.

    Args:
        connection: Open connection to the port.
    """

    def __init__(self, connection: Channel) -> None:
        self.connection = connection
        self.messages: list[TextMessage] = []
        self._reader = PackageReader()
        self._packages: list[Package] = []
        self._outputs: Recipe | None = None
        try:
            if not packages.accepted(self.request(PackageType.REQUEST_PROTOCOL_VERSION, packages.protocol_request())):
                raise InvalidPackage(f"{self.connection.name} does not speak version 2 of RTDE.")
            self.version = ControllerVersion.decode(self.request(PackageType.GET_CONTROLLER_VERSION))
        except RobotError:
            self.close()
            raise

    def request(self, kind: PackageType, payload: bytes = b"") -> bytes:
        """Send a request and return the payload of its answer; data packages in between are dropped."""
        self.connection.send(Package(kind, payload).encode())
        deadline = time.monotonic() + self.connection.timeout
        while True:
            package = self._next(deadline)
            if package.type is kind:
                return package.payload
            if package.type is not PackageType.DATA:
                raise InvalidPackage(f"{self.connection.name} answers {kind.name} with {package.type.name}.")

    def setup_outputs(self, names: tuple[str, ...], frequency: float) -> None:
        """Ask for fields at a frequency, Hz.

        Raises:
            InvalidPackage: If the controller does not have a field, or its type is another one.
        """
        number, types = packages.replied_recipe(
            self.request(PackageType.SETUP_OUTPUTS, packages.outputs_request(names, frequency))
        )
        recipe = Recipe.of(number, names, OUTPUTS)
        self._check_types(recipe, types)
        self._outputs = recipe

    def setup_inputs(self, names: tuple[str, ...]) -> Recipe:
        """Return the recipe of fields that this client writes.

        Raises:
            InvalidPackage: If the controller does not have a field, or another client writes it.
        """
        number, types = packages.replied_recipe(self.request(PackageType.SETUP_INPUTS, ",".join(names).encode()))
        recipe = Recipe.of(number, names, INPUTS)
        self._check_types(recipe, types)
        return recipe

    def start(self) -> None:
        """Start the data packages."""
        if not packages.accepted(self.request(PackageType.START)):
            raise InvalidPackage(f"{self.connection.name} does not start its data; set up the outputs first.")

    def pause(self) -> None:
        """Pause the data packages."""
        if not packages.accepted(self.request(PackageType.PAUSE)):
            raise InvalidPackage(f"{self.connection.name} does not pause its data.")

    def write(self, recipe: Recipe, values: Mapping[str, Value]) -> None:
        """Send a data package."""
        self.connection.send(Package(PackageType.DATA, recipe.pack(values)).encode())

    def write_elements(self, recipe: Recipe, elements: tuple[int | float, ...]) -> None:
        """Send a data package with the elements of all fields, in their order."""
        self.connection.send(Package(PackageType.DATA, recipe.pack_elements(elements)).encode())

    def read(self, timeout: float) -> FieldValues:
        """Return the values of the next data package."""
        deadline = time.monotonic() + timeout
        while True:
            package = self._next(deadline)
            if package.type is PackageType.DATA:
                return self._unpack(package)

    def newest(self) -> FieldValues | None:
        """Return the values of the newest data package that has arrived, or None; does not wait."""
        while self._feed(0.0):
            pass
        if not self._packages:
            return None
        data = [package for package in self._packages if package.type is PackageType.DATA]
        self._packages.clear()
        return self._unpack(data[-1]) if data else None

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def _unpack(self, package: Package) -> FieldValues:
        if self._outputs is None:
            raise InvalidPackage(f"{self.connection.name} sends data that was not asked for.")
        return self._outputs.unpack(package.payload)

    def _next(self, deadline: float) -> Package:
        """Return the next package that is not a text message."""
        while not self._packages:
            left = deadline - time.monotonic()
            if left <= 0.0:
                raise RobotTimeout(
                    f"{self.connection.name} does not answer within {self.connection.timeout:g} s"
                    f"{'; a package is incomplete' if self._reader.incomplete else ''}."
                )
            self._feed(left)
        return self._packages.pop(0)

    def _feed(self, timeout: float) -> bool:
        """Take the bytes that arrive in time and return whether there are any."""
        try:
            data = self.connection.receive(timeout) if timeout > 0.0 else self.connection.poll()
            received = self._reader.feed(data) if data else []
        except RobotConnectionLost:
            if self._reader.incomplete:
                raise InvalidPackage(
                    f"{self.connection.name} closed the connection within a package; {self._reader.incomplete} "
                    f"bytes of it had arrived."
                ) from None
            raise
        for package in received:
            if package.type is PackageType.TEXT_MESSAGE:
                self.messages = [*self.messages[1 - MAX_MESSAGES :], TextMessage.decode(package.payload)]
            else:
                self._packages.append(package)
        return bool(data)

    def _check_types(self, recipe: Recipe, types: tuple[str, ...]) -> None:
        expected = tuple(kind.wire_name for kind in recipe.types)
        if len(types) != len(expected):
            raise InvalidPackage(f"{self.connection.name} answers {len(expected)} fields with {len(types)} types.")
        for name, kind, given in zip(recipe.names, expected, types, strict=True):
            if given == packages.NOT_FOUND:
                raise InvalidPackage(f"the controller {self.version} has no field {name}.")
            if given == packages.IN_USE:
                raise InvalidPackage(f"another client writes {name}; stop it, or disable the fieldbus that does.")
            if given != kind:
                raise InvalidPackage(f"the controller says that {name} is {given}; expected {kind}.")
        if recipe.id == 0:
            raise InvalidPackage(f"{self.connection.name} rejects the recipe {', '.join(recipe.names)}.")


class DashboardConnection:
    """A connection to the dashboard: one line in, one line out.

    Args:
        connection: Open connection to the port.
    """

    def __init__(self, connection: Channel) -> None:
        self.connection = connection
        self._received = b""
        try:
            greeting = self._line()
            if "dashboard" not in greeting.lower():
                raise InvalidPackage(f"{self.connection.name} greets with {greeting[:60]!r}; is this the dashboard?")
        except RobotError:
            self.close()
            raise

    def ask(self, command: str) -> str:
        """Send a command and return the answer."""
        if not isinstance(command, str) or not command.isprintable():
            raise InvalidPackage("a command of the dashboard is one line of text.")
        self.connection.send(command.encode() + b"\n")
        return self._line()

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def _line(self) -> str:
        deadline = time.monotonic() + self.connection.timeout
        while b"\n" not in self._received:
            left = deadline - time.monotonic()
            if left <= 0.0 or len(self._received) > 1 << 16:
                raise RobotTimeout(f"{self.connection.name} sends no line within {self.connection.timeout:g} s.")
            self._received += self.connection.receive(left)
        line, _, self._received = self._received.partition(b"\n")
        return line.decode(errors="replace").strip()
