"""Options that many commands share."""

from __future__ import annotations

from typing import Any

import typer

MOST = 10**9
MOST_AT_ONCE = 1024
LARGEST_SEED = 2**62


def count_option(meaning: str, *, least: int = 1, most: int = MOST) -> Any:
    """Return an option for a whole number of things.

    Args:
        meaning: What is counted, for the help.
        least: The smallest value.
        most: The largest value; a computation could not end beyond it.
    """
    return typer.Option(min=least, max=most, help=meaning)


def seed_option(meaning: str) -> Any:
    """Return an option for a seed: a 64-bit integer, with room for the seeds of the episodes that follow."""
    return typer.Option(min=0, max=LARGEST_SEED, help=meaning)
