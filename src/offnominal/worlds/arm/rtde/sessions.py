"""The conversation of a virtual controller with a client on its RTDE port, without sockets: bytes in, bytes out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from offnominal.worlds.arm.errors import InvalidPackage
from offnominal.worlds.arm.rtde import packages
from offnominal.worlds.arm.rtde.commands import COMMAND
from offnominal.worlds.arm.rtde.controller import Reader, VirtualController
from offnominal.worlds.arm.rtde.fields import INPUTS, NEEDS_E_SERIES, OUTPUTS, FieldType
from offnominal.worlds.arm.rtde.packages import MessageLevel, Package, PackageReader, PackageType, TextMessage
from offnominal.worlds.arm.rtde.recipe import Recipe

MAX_RECIPES = 255
MAX_PACKAGE = 4096
"""Longest package of a client in bytes. Two letters of a text, such as a request of HTTP, are a size above it."""
MAX_NAMES = 2048
"""Longest list of field names in bytes, as documented for the protocol."""


@dataclass(slots=True)
class InputClaims:
    """Which client writes which input field; a field has one writer."""

    writers: dict[str, object] = field(default_factory=dict)

    def claim(self, names: tuple[str, ...], client: object) -> tuple[str, ...]:
        """Reserve fields for a client and return those that another one has; then nothing is reserved."""
        taken = tuple(name for name in names if self.writers.get(name, client) is not client)
        if not taken:
            self.writers |= dict.fromkeys(names, client)
        return taken

    def release(self, client: object) -> None:
        """Free the fields of a client."""
        self.writers = {name: writer for name, writer in self.writers.items() if writer is not client}


class RtdeSession:
    """One client on the RTDE port.

    Args:
        controller: Controller that the client reads and writes.
        claims: Fields that clients write, shared by all of them.
        on_input: Called after each data package with whether it contained the command register.
    """

    def __init__(
        self, controller: VirtualController, claims: InputClaims, on_input: Callable[[bool], None] = lambda _: None
    ) -> None:
        self.controller, self.claims, self.on_input = controller, claims, on_input
        self.started = False
        self.divisor = 1
        self._reader = PackageReader(MAX_PACKAGE)
        self._outputs: Recipe | None = None
        self._readers: list[Reader] = []
        self._inputs: dict[int, Recipe] = {}

    def receive(self, data: bytes, send: Callable[[bytes], None]) -> None:
        """Answer received bytes. After an :class:`InvalidPackage` error the connection must be closed."""
        for package in self._reader.feed(data):
            try:
                reply = self._reply(package)
            except InvalidPackage as error:
                reply = text_package(str(error), MessageLevel.WARNING)
            if reply is not None:
                send(reply.encode())
            if package.type is PackageType.START and (first := self.data_package()) is not None:
                send(first)
            if package.type is PackageType.DATA and reply is None:
                self.on_input(COMMAND in self._inputs[package.payload[0]].names)

    def data_package(self) -> bytes | None:
        """Return a data package with the present outputs, or None if the client has not started them."""
        if not self.started or self._outputs is None:
            return None
        elements: list[int | float] = []
        for read in self._readers:
            elements += read()
        return Package(PackageType.DATA, self._outputs.pack_elements(elements)).encode()

    def close(self) -> None:
        """Free the fields that this client writes."""
        self.claims.release(self)

    def _reply(self, package: Package) -> Package | None:
        kind, payload = package.type, package.payload
        if kind is PackageType.DATA:
            self._write(payload)
            return None
        if kind is PackageType.REQUEST_PROTOCOL_VERSION:
            supported = packages.requested_protocol(payload) == packages.PROTOCOL_VERSION
            return Package(kind, bytes([supported]))
        if kind is PackageType.GET_CONTROLLER_VERSION:
            return Package(kind, self.controller.model.version.encode())
        if kind is PackageType.SETUP_OUTPUTS:
            return Package(kind, self._setup_outputs(payload))
        if kind is PackageType.SETUP_INPUTS:
            return Package(kind, self._setup_inputs(payload))
        if kind is PackageType.START:
            self.started = self._outputs is not None
            return Package(kind, bytes([self.started]))
        if kind is PackageType.PAUSE:
            self.started = False
            return Package(kind, b"\x01")
        return None

    def _setup_outputs(self, payload: bytes) -> bytes:
        frequency, names = packages.requested_outputs(payload)
        rate = self.controller.model.rate
        if not (math.isfinite(frequency) and 0.0 < frequency <= rate):
            raise InvalidPackage(f"the frequency is {frequency}; expected a number in (0, {rate}].")
        types = self._types(names, OUTPUTS)
        self.started = False
        if packages.NOT_FOUND in types or not names:
            self._outputs = None
            return packages.recipe_reply(0, types)
        self.divisor = max(1, round(rate / frequency))
        self._outputs = Recipe.of(1, names, OUTPUTS)
        self._readers = [self.controller.reader(name) for name in names]
        return packages.recipe_reply(1, types)

    def _setup_inputs(self, payload: bytes) -> bytes:
        names = packages.split_names(payload)
        types = self._types(names, INPUTS)
        if packages.NOT_FOUND in types or not names:
            return packages.recipe_reply(0, types)
        if len(self._inputs) == MAX_RECIPES:
            raise InvalidPackage(f"a client has at most {MAX_RECIPES} input recipes.")
        taken = self.claims.claim(names, self)
        if taken:
            marked = tuple(packages.IN_USE if name in taken else kind for name, kind in zip(names, types, strict=True))
            return packages.recipe_reply(0, marked)
        recipe = Recipe.of(len(self._inputs) + 1, names, INPUTS)
        self._inputs[recipe.id] = recipe
        return packages.recipe_reply(recipe.id, types)

    def _types(self, names: tuple[str, ...], known: Mapping[str, FieldType]) -> tuple[str, ...]:
        if sum(len(name) + 1 for name in names) > MAX_NAMES:
            raise InvalidPackage(f"a list of names is longer than {MAX_NAMES} bytes.")
        old = self.controller.model.name == "cb3"
        missing = {name for name in names if name not in known or (old and name in NEEDS_E_SERIES)}
        return tuple(packages.NOT_FOUND if name in missing else known[name].wire_name for name in names)

    def _write(self, payload: bytes) -> None:
        recipe = self._inputs.get(payload[0]) if payload else None
        if recipe is None:
            raise InvalidPackage(f"a data package belongs to recipe {payload[:1].hex()}, which is not set up.")
        self.controller.write(recipe.unpack(payload).as_dict())


def text_package(text: str, level: MessageLevel = MessageLevel.INFO) -> Package:
    """Return the package of a text message."""
    return Package(PackageType.TEXT_MESSAGE, TextMessage(text, "offnominal", level).encode())
