"""The numeric fields of a message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

LONGEST_ARRAY = 64
SKIPPED = ("header", "stamp")


def numbers_of(message: Any) -> Iterator[tuple[str, float]]:
    """Yield the numeric fields of a message by their path; headers, long arrays and text are left out.

    Args:
        message: A mapping, a dataclass, an object with slots, or a number.

    Example:
        >>> dict(numbers_of({"header": {"seq": 1}, "position": [0.5, 2], "name": "arm"}))
        {'position.0': 0.5, 'position.1': 2.0}
    """
    yield from _named("", message)


def _named(name: str, value: Any) -> Iterator[tuple[str, float]]:
    """Yield the numeric fields of a message by their path."""
    if isinstance(value, bool | int | float | np.number | np.bool_):
        yield name or "value", float(value)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _field(name, str(key), part)
    elif isinstance(value, list | tuple | np.ndarray):
        if len(value) <= LONGEST_ARRAY:
            for index, part in enumerate(value):
                yield from _field(name, str(index), part)
    elif is_dataclass(value):
        for each in fields(value):
            yield from _field(name, each.name, getattr(value, each.name))
    elif not isinstance(value, str | bytes | bytearray | memoryview) and hasattr(value, "__slots__"):
        for key in value.__slots__:
            yield from _field(name, key, getattr(value, key))


def _field(name: str, key: str, part: Any) -> Iterator[tuple[str, float]]:
    if key not in SKIPPED:
        yield from _named(f"{name}.{key}" if name else key, part)
