"""Lines of text from a client, in time linear in their length."""

from __future__ import annotations

import re
from collections.abc import Iterator

from offnominal.worlds.arm.errors import InvalidPackage

_WEB_REQUEST = re.compile(rb"\S+ \S+ HTTP/\d")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")


class LineReader:
    r"""Splits a stream of bytes into lines; no byte is looked at twice.

    A web page can send requests to every port of this machine, and a line in the body of a request could be a command.
    Such a request begins with a line of HTTP, or with the binary data of TLS, and is refused there.

    After an :class:`InvalidPackage` error the connection must be closed.

    Args:
        what: Name of a line in error messages.
        longest: Largest length of a line in bytes.

    Example:
        >>> reader = LineReader("a line", longest=100)
        >>> list(reader.feed(b"stop\r\nrun")), list(reader.feed(b"ning\n")), reader.incomplete
        (['stop'], ['running'], 0)
    """

    def __init__(self, what: str, longest: int) -> None:
        self.what, self.longest = what, longest
        self._part = bytearray()

    @property
    def incomplete(self) -> int:
        """Number of bytes received of a line that has not ended."""
        return len(self._part)

    def feed(self, data: bytes) -> Iterator[str]:
        """Add received bytes and yield the lines that are now complete, without their ends.

        Raises:
            InvalidPackage: If a line is too long, or belongs to another protocol.
        """
        first, *others = data.split(b"\n")
        self._part += first
        for rest in others:
            yield self._checked(bytes(self._part))
            self._part = bytearray(rest)
        self._check_length(len(self._part))

    def _checked(self, line: bytes) -> str:
        self._check_length(len(line))
        if _WEB_REQUEST.match(line):
            raise InvalidPackage(f"{self.what} is a request of HTTP: {line[:60]!r}; web pages command no robot.")
        if _CONTROL.search(line):
            raise InvalidPackage(f"{self.what} has control characters: {line[:60]!r}; expected text.")
        return line.removesuffix(b"\r").decode(errors="replace")

    def _check_length(self, length: int) -> None:
        if length > self.longest:
            raise InvalidPackage(f"{self.what} is longer than {self.longest} bytes.")
