"""A condition of a law."""

from __future__ import annotations

from offnominal.core.errors import LawBroken


def require(condition: bool, problem: str) -> None:
    """Raise :class:`LawBroken` unless the condition holds."""
    if not condition:
        raise LawBroken(problem)
