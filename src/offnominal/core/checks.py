"""Checks of plain values that users hand over."""

from __future__ import annotations

from typing import Any

from offnominal.core.errors import InvalidParameter


def positive_integer(name: str, value: Any) -> int:
    """Return the value if it is a whole number of at least one, or raise :class:`InvalidParameter`.

    Example:
        >>> positive_integer("threads", 0)
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: threads is 0; expected a positive integer.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidParameter(f"{name} is {value!r}; expected a positive integer.")
    return value
