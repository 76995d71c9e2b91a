"""The conversation of a virtual controller with a client on a port for scripts."""

from __future__ import annotations

import re

from offnominal.worlds.arm.errors import InvalidPackage
from offnominal.worlds.arm.rtde.controller import VirtualController
from offnominal.worlds.arm.rtde.lines import LineReader

MAX_SCRIPT = 1_000_000
"""Longest script in bytes; a client that sends more is disconnected."""
MAX_MESSAGES = 16
"""Messages that wait for the clients; further lines that are not interpreted are not reported."""

_HEADER = re.compile(r"(?:def|sec)\s+\w+\s*\(")


class ScriptSession:
    """One client on a port for scripts: complete programs start, single lines are only stops.

    A program begins with a line ``def NAME(...):`` or ``sec NAME(...):``, and ends with the first line that is ``end``
    without indentation. Each line is read once, when it is complete.

    Args:
        controller: Controller that the client commands.
    """

    def __init__(self, controller: VirtualController) -> None:
        self.controller = controller
        self._reader = LineReader("a line of a script", MAX_SCRIPT)
        self._program: list[str] = []
        self._size = 0

    def receive(self, data: bytes) -> None:
        """Take received bytes; raise :class:`InvalidPackage` if a script is too long."""
        for line in self._reader.feed(data):
            if self._program:
                self._continue(line)
            elif _is_header(line.strip()):
                self._program, self._size = [line], len(line)
            else:
                self._command(line.strip())
        self._check_size()

    def _continue(self, line: str) -> None:
        """Take a line of a program; its last one starts it."""
        self._program.append(line)
        self._size += len(line) + 1
        self._check_size()
        if line.rstrip() == "end":
            program, self._program, self._size = "\n".join(self._program), [], 0
            self.controller.start_program(program)

    def _check_size(self) -> None:
        if self._size + self._reader.incomplete > MAX_SCRIPT:
            raise InvalidPackage(f"a script is longer than {MAX_SCRIPT} bytes.")

    def _command(self, line: str) -> None:
        if _is_stop(line):
            self.controller.stop_program()
        elif line and not line.startswith("#") and len(self.controller.messages) < MAX_MESSAGES:
            self.controller.messages.append(f"not interpreted: {line[:80]}")


def _is_header(line: str) -> bool:
    found = _HEADER.match(line)
    return found is not None and "):" in line[found.end() - 1 :]


def _is_stop(line: str) -> bool:
    if line == "halt":
        return True
    return line.startswith(("stopl", "stopj")) and line[5:].lstrip().startswith("(") and line.endswith(")")
