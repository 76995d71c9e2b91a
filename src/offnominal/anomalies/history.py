"""Length of the history that faults which start at run time can use."""

from __future__ import annotations

LONGEST = 64
"""Largest number of transitions."""

MEMORY = 1 << 24
"""Largest memory of a history, in bytes."""


def history_length(size: int) -> int:
    """Return how many transitions to keep, given the bytes of one.

    Example:
        >>> history_length(26 * 8), history_length(64 * 210 * 160 * 3)
        (64, 2)
    """
    return max(1, min(LONGEST, MEMORY // max(size, 1)))
