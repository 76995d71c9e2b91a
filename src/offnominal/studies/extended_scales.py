"""Scales of a study file that extend another one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean

EXTENDS = "extends"


def extended_scales(scales: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of all scales, each with what it takes from the scale that it extends.

    Args:
        scales: Tables by name. One with ``extends = "NAME"`` has the values of that scale where it has none of its own,
            in tables within it too. It has its own summary.

    Raises:
        UnknownName: There is no scale of that name.
        InvalidParameter: Scales extend each other.

    Example:
        >>> laptop = {"seeds": [0], "data": {"episodes": 20}}
        >>> extended_scales({"laptop": laptop, "long": {"extends": "laptop", "data": {"episodes": 50}}})["long"]
        {'seeds': [0], 'data': {'episodes': 50}}
    """
    return {name: _extended(scales, [name]) for name in scales}


def _extended(scales: Mapping[str, Any], names: list[str]) -> Any:
    """Return the last scale of a chain in which each extends the next one."""
    table = scales[names[-1]]
    if not isinstance(table, Mapping) or EXTENDS not in table:
        return table
    base = table[EXTENDS]
    if not isinstance(base, str) or base not in scales:
        raise UnknownName(
            f"scale {names[-1]!r} extends {base!r}, which is no scale.{did_you_mean(str(base), scales)} "
            f"There are: {', '.join(scales)}."
        )
    if base in names:
        raise InvalidParameter(f"scales extend each other: {', '.join([*names, base])}; one must not have {EXTENDS!r}.")
    own = {name: value for name, value in table.items() if name != EXTENDS}
    whole = _extended(scales, [*names, base])
    # A scale that is no table is an error that is reported when the study is made.
    taken = {name: value for name, value in whole.items() if name != "summary"} if isinstance(whole, Mapping) else {}
    return _merged(taken, own)


def _merged(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table with the values of two; of tables in both, with the values of both."""
    both = {
        name: _merged(base[name], value)
        for name, value in own.items()
        if isinstance(value, Mapping) and isinstance(base.get(name), Mapping)
    }
    return {**base, **own, **both}
