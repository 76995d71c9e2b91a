"""TCP ports of a robot's controller."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.core.checks import integer_in


@dataclass(frozen=True, slots=True)
class Ports:
    """TCP ports of a controller; 0 lets the system choose a free one.

    Attributes:
        rtde: Real-time data exchange.
        script: Upload of scripts (real-time client interface).
        secondary: Upload of scripts (secondary client interface).
        dashboard: Commands as lines of text.
    """

    rtde: int = 30004
    script: int = 30003
    secondary: int = 30002
    dashboard: int = 29999

    def __post_init__(self) -> None:
        for name in self.__slots__:
            integer_in(name, getattr(self, name), 0, 65535)


FREE_PORTS = Ports(0, 0, 0, 0)
"""Ports that the system chooses, so that several controllers run on one machine."""
