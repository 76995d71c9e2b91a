"""Checks of studies and of their scales."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from offnominal.core.checks import LARGEST_INTEGER, file_name, integer_in
from offnominal.core.errors import UnknownName, did_you_mean

S = TypeVar("S")
MOST = 10**9
"""Largest number of anything in a study."""


def check_names(study: str, scales: Iterable[str]) -> None:
    """Raise an error if the name of a study or of a scale cannot be part of a file name."""
    file_name("the name of a study", study)
    for scale in scales:
        file_name(f"the name of a scale of study {study!r}", scale)


def check_integers(study: object, least: int, *names: str) -> None:
    """Raise an error if an integer field, or an entry of a tuple or dictionary, is out of range; None is allowed.

    Args:
        study: The study, or a part of it.
        least: Smallest allowed value.
        *names: Names of the fields.
    """
    for name in names:
        given = getattr(study, name)
        entries = tuple(given.values()) if isinstance(given, dict) else given
        for each in entries if isinstance(entries, tuple) else (entries,):
            if each is not None:
                integer_in(name, each, least, LARGEST_INTEGER if "seed" in name or name == "search" else MOST)


def scale_of(study: str, scales: Mapping[str, S], scale: str) -> S:
    """Return a scale of a study by name.

    Example:
        >>> scale_of("mine", {"smoke": 1, "laptop": 2}, "laptop")
        2
    """
    if scale not in scales:
        raise UnknownName(
            f"study {study!r} has no scale {scale!r}.{did_you_mean(scale, scales)} "
            f"It has: {', '.join(scales) or 'none'}."
        )
    return scales[scale]


def changes_of(scale: object, *but: str) -> dict[str, Any]:
    """Return the fields that a scale changes: all that are set, without the summary and the excluded ones."""
    return {name: value for name, value in vars(scale).items() if name not in ("summary", *but) and value is not None}
