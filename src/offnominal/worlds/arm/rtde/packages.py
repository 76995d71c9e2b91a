"""Packages of the Real-Time Data Exchange (RTDE) protocol, version 2.

A package is a big-endian header (total size as 16 bits, type as 8 bits) and a payload. Both sides use the same framing;
the payload of a type differs between request and reply.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from offnominal.worlds.arm.errors import InvalidPackage

HEADER = struct.Struct(">HB")
LARGEST = 0xFFFF
PROTOCOL_VERSION = 2
NOT_FOUND = "NOT_FOUND"
"""Type that the controller reports for an unknown field."""
IN_USE = "IN_USE"
"""Type that the controller reports for an input field that another client has reserved."""
_SETUP_FREQUENCY = struct.Struct(">d")
_VERSION = struct.Struct(">H")
_CONTROLLER_VERSION = struct.Struct(">4I")


class PackageType(IntEnum):
    """Type of a package; the value is the ASCII code that is sent."""

    REQUEST_PROTOCOL_VERSION = ord("V")
    GET_CONTROLLER_VERSION = ord("v")
    TEXT_MESSAGE = ord("M")
    DATA = ord("U")
    SETUP_OUTPUTS = ord("O")
    SETUP_INPUTS = ord("I")
    START = ord("S")
    PAUSE = ord("P")


_TYPES = {int(kind): kind for kind in PackageType}


class MessageLevel(IntEnum):
    """Severity of a text message."""

    EXCEPTION = 0
    ERROR = 1
    WARNING = 2
    INFO = 3


class Package(NamedTuple):
    """One package: its type and its payload.

    Example:
        >>> Package(PackageType.REQUEST_PROTOCOL_VERSION, protocol_request()).encode().hex(" ")
        '00 05 56 00 02'
    """

    type: PackageType
    payload: bytes = b""

    def encode(self) -> bytes:
        """Return the bytes to send, or raise :class:`InvalidPackage` if the payload is too long."""
        size = HEADER.size + len(self.payload)
        if size > LARGEST:
            raise InvalidPackage(f"a package of {size} bytes is too long; the protocol allows {LARGEST}.")
        return HEADER.pack(size, self.type) + self.payload


class PackageReader:
    r"""Splits a stream of bytes into packages.

    After an :class:`InvalidPackage` error the position in the stream is lost: close the connection.

    Args:
        longest: Largest size of a package in bytes.

    Example:
        >>> reader = PackageReader()
        >>> reader.feed(bytes.fromhex("0004 53 01 0003"))
        [Package(type=<PackageType.START: 83>, payload=b'\x01')]
        >>> reader.incomplete
        2
    """

    def __init__(self, longest: int = LARGEST) -> None:
        self.longest = longest
        self._buffer = b""

    @property
    def incomplete(self) -> int:
        """Number of bytes received of a package that is not complete."""
        return len(self._buffer)

    def feed(self, data: bytes) -> list[Package]:
        """Add received bytes and return the packages that are now complete.

        Raises:
            InvalidPackage: If the header is not one of the protocol.
        """
        self._buffer = buffer = self._buffer + data
        packages, start = [], 0
        while len(buffer) - start >= HEADER.size:
            size, code = HEADER.unpack_from(buffer, start)
            if size < HEADER.size:
                raise InvalidPackage(f"a header gives a size of {size} bytes; the header alone has {HEADER.size}.")
            if size > self.longest:
                raise InvalidPackage(f"a header gives a size of {size} bytes; expected at most {self.longest}.")
            kind = _TYPES.get(code)
            if kind is None:
                raise InvalidPackage(
                    f"a header gives the type {code}, which RTDE does not have. Is this the port of RTDE (30004)?"
                )
            if len(buffer) - start < size:
                break
            packages.append(Package(kind, buffer[start + HEADER.size : start + size]))
            start += size
        self._buffer = buffer[start:]
        return packages


@dataclass(frozen=True, slots=True)
class TextMessage:
    """A message of the controller for people."""

    text: str
    source: str = ""
    level: MessageLevel = MessageLevel.INFO

    def encode(self) -> bytes:
        """Return the payload: length and text, length and source, level. Long texts are cut at 255 bytes."""
        text, source = self.text.encode()[:255], self.source.encode()[:255]
        return bytes([len(text)]) + text + bytes([len(source)]) + source + bytes([self.level])

    @classmethod
    def decode(cls, payload: bytes) -> TextMessage:
        """Return the message of a payload, or raise :class:`InvalidPackage`."""
        text, rest = _counted(payload)
        source, rest = _counted(rest)
        if len(rest) != 1 or rest[0] > max(MessageLevel):
            raise InvalidPackage(f"a text message ends in {rest[:8]!r}; expected one byte from 0 to 3.")
        return cls(text.decode(errors="replace"), source.decode(errors="replace"), MessageLevel(rest[0]))


@dataclass(frozen=True, order=True, slots=True)
class ControllerVersion:
    """Version of the controller's software.

    Example:
        >>> ControllerVersion(3, 15, 8, 106339) > ControllerVersion(3, 2)
        True
    """

    major: int
    minor: int
    bugfix: int = 0
    build: int = 0

    def encode(self) -> bytes:
        """Return the payload: four 32-bit numbers."""
        return _CONTROLLER_VERSION.pack(self.major, self.minor, self.bugfix, self.build)

    @classmethod
    def decode(cls, payload: bytes) -> ControllerVersion:
        """Return the version of a payload, or raise :class:`InvalidPackage`."""
        return cls(*_unpack(_CONTROLLER_VERSION, payload, "controller version"))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.bugfix}.{self.build}"


def protocol_request(version: int = PROTOCOL_VERSION) -> bytes:
    """Return the payload that asks for a version of the protocol."""
    return _VERSION.pack(version)


def requested_protocol(payload: bytes) -> int:
    """Return the version of the protocol that a payload asks for, or raise :class:`InvalidPackage`."""
    return int(_unpack(_VERSION, payload, "protocol version")[0])


def accepted(payload: bytes) -> bool:
    """Return whether a reply of one byte accepts the request, or raise :class:`InvalidPackage`."""
    if len(payload) != 1:
        raise InvalidPackage(f"an answer has {len(payload)} bytes; expected one, which says whether it is accepted.")
    return payload[0] != 0


def outputs_request(names: tuple[str, ...], frequency: float) -> bytes:
    """Return the payload that asks for output fields at a frequency in Hz."""
    return _SETUP_FREQUENCY.pack(frequency) + ",".join(names).encode()


def requested_outputs(payload: bytes) -> tuple[float, tuple[str, ...]]:
    """Return the frequency and the names of an output request, or raise :class:`InvalidPackage`."""
    if len(payload) < _SETUP_FREQUENCY.size:
        raise InvalidPackage(f"an output request has {len(payload)} bytes; expected a frequency of 8 and names.")
    frequency = float(_SETUP_FREQUENCY.unpack_from(payload)[0])
    return frequency, split_names(payload[_SETUP_FREQUENCY.size :])


def split_names(data: bytes) -> tuple[str, ...]:
    """Return names separated by commas; a last comma is ignored. Raise :class:`InvalidPackage` if they are not ASCII.

    Example:
        >>> split_names(b"actual_q,actual_qd,")
        ('actual_q', 'actual_qd')
    """
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        raise InvalidPackage(f"a list of names is not ASCII: {data[:40]!r}.") from None
    return tuple(name.strip() for name in text.rstrip(",").split(",")) if text else ()


def recipe_reply(recipe_id: int, types: tuple[str, ...]) -> bytes:
    """Return the payload that answers a recipe: its number, zero if it is invalid, and the types of its fields."""
    return bytes([recipe_id]) + ",".join(types).encode()


def replied_recipe(payload: bytes) -> tuple[int, tuple[str, ...]]:
    """Return the number and the types of a recipe's answer, or raise :class:`InvalidPackage`."""
    if not payload:
        raise InvalidPackage("the answer to a recipe is empty; expected its number and the types of its fields.")
    return payload[0], split_names(payload[1:])


def _counted(payload: bytes) -> tuple[bytes, bytes]:
    """Split a payload into the text that its first byte counts and the rest."""
    if not payload or len(payload) < 1 + payload[0]:
        raise InvalidPackage(f"a text message is cut: {payload[:40]!r}.")
    return payload[1 : 1 + payload[0]], payload[1 + payload[0] :]


def _unpack(layout: struct.Struct, payload: bytes, what: str) -> tuple[int, ...]:
    if len(payload) != layout.size:
        raise InvalidPackage(f"a {what} has {len(payload)} bytes; expected {layout.size}.")
    return layout.unpack(payload)
