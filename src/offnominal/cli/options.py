"""Options that many commands share."""

from __future__ import annotations

from typing import Any

import typer

MOST = 10**9
MOST_AT_ONCE = 1024
LARGEST_SEED = 2**62


def count_option(meaning: str, *, least: int = 1, most: int = MOST) -> Any:
    """Return an option for an integer.

    Args:
        meaning: Help text.
        least: Smallest allowed value.
        most: Largest allowed value; a computation beyond it would not end.
    """
    return typer.Option(min=least, max=most, help=meaning)


def seed_option(meaning: str) -> Any:
    """Return an option for a seed: a 64-bit integer, with room for the seeds of the episodes that follow."""
    return typer.Option(min=0, max=LARGEST_SEED, help=meaning)


def file_option(meaning: str) -> Any:
    """Return the option ``--out`` for a file; a folder is refused before anything is computed."""
    return typer.Option("--out", dir_okay=False, help=meaning)


def folder_option(meaning: str) -> Any:
    """Return the option ``--out`` for a folder; a file is refused before anything is computed."""
    return typer.Option("--out", file_okay=False, help=meaning)
