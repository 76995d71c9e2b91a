"""Messages to systemd, if it started the process: ready, alive, stopping."""

from __future__ import annotations

import os
import socket
from contextlib import suppress

SOCKET, WATCHDOG = "NOTIFY_SOCKET", "WATCHDOG_USEC"


def tell_manager(state: str) -> bool:
    """Send a state such as ``"READY=1"`` to the system manager; return whether there is one.

    Example:
        >>> tell_manager("READY=1")
        False
    """
    address = os.environ.get(SOCKET, "")
    if not address:
        return False
    if address.startswith("@"):
        address = "\0" + address[1:]
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as connection:
        connection.connect(address)
        connection.sendall(state.encode())
        return True
    return False


def watchdog_period() -> float | None:
    """Return the seconds between two signs of life that the manager wants, half of its limit; None if it wants none."""
    limit = os.environ.get(WATCHDOG, "")
    return int(limit) / 2e6 if limit.isdecimal() and int(limit) else None
