"""Checks of the parameters of dataclasses by their declared types and ranges."""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from offnominal.core.checks import boolean, integer_in, number_in, one_of
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown

MOST_UNITS = 1_000_000
"""Largest integer parameter without a declared range."""


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers between two bounds.

    Args:
        low: Lower bound.
        high: Upper bound.
        open_low: Whether the lower bound is excluded.
        open_high: Whether the upper bound is excluded.
    """

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False


POSITIVE = Range(0, open_low=True)
NOT_NEGATIVE = Range(0)
SHARE = Range(0, 1, open_high=True)
LAYERS = Range(1, 1_000)
STEPS = Range(1, 10**12)
STEPS_OR_NONE = Range(0, 10**12)


def check_parameters(owner: Any) -> None:
    """Check the fields of a dataclass by their types, and convert NumPy's numbers to Python's.

    An integer is from 1 to a million and a float is finite, unless the class attribute ``RANGES`` says otherwise. The
    ranges of base classes hold as well.

    Args:
        owner: The dataclass instance.

    Raises:
        InvalidParameter: A field has another type or is outside its range.

    Example:
        >>> @dataclass
        ... class Network:
        ...     RANGES: typing.ClassVar[dict[str, Range]] = {"learning_rate": POSITIVE}
        ...     units: int = 64
        ...     learning_rate: float = 1e-3
        >>> check_parameters(Network(units=0))
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: units is 0; expected an integer from 1 to 1000000.
    """
    hints, ranges = _declared(typing.cast(type, type(owner)))
    for field in dataclasses.fields(owner):
        value = getattr(owner, field.name)
        checked = _checked(field.name, value, hints[field.name], ranges.get(field.name))
        if checked is not value:
            setattr(owner, field.name, checked)


def plain_parameters(owner: Any) -> dict[str, Any]:
    """Return the constructor's arguments of a dataclass as values that JSON can represent."""
    values = {field.name: getattr(owner, field.name) for field in dataclasses.fields(owner)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


@cache
def _declared(kind: type) -> tuple[dict[str, Any], dict[str, Range]]:
    """Return the types and ranges of the fields of a class and of its bases."""
    ranges: dict[str, Range] = {}
    for each in reversed(kind.__mro__):
        ranges |= vars(each).get("RANGES", {})
    return typing.get_type_hints(kind), ranges


def _checked(name: str, value: Any, hint: Any, allowed: Range | None) -> Any:
    origin, options = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _of_union(name, value, options, allowed)
    if origin is typing.Literal:
        return one_of(name, value, options)
    if origin is tuple:
        return _several(name, value, options[0], allowed)
    if hint is bool:
        return boolean(name, value)
    if hint is int:
        bounds = allowed or Range(1, MOST_UNITS)
        return integer_in(name, value, int(bounds.low), int(bounds.high))
    if hint is float:
        bounds = allowed or Range()
        return number_in(name, value, bounds.low, bounds.high, open_low=bounds.open_low, open_high=bounds.open_high)
    if hint is str and not isinstance(value, str):
        raise InvalidParameter(f"{name} is {shown(value)}; expected a string.")
    return value


def _of_union(name: str, value: Any, options: tuple[Any, ...], allowed: Range | None) -> Any:
    if value is None and type(None) in options:
        return None
    errors = []
    for option in options:
        if option is type(None):
            continue
        try:
            return _checked(name, value, option, allowed)
        except InvalidParameter as error:
            errors.append(str(error))
    expected = [error.partition("; expected ")[2].rstrip(".") for error in errors]
    raise InvalidParameter(f"{name} is {shown(value)}; expected {' or '.join(expected)}.")


def _several(name: str, values: Any, hint: Any, allowed: Range | None) -> tuple[Any, ...]:
    if not isinstance(values, list | tuple) and not (isinstance(values, np.ndarray) and values.ndim):
        raise InvalidParameter(f"{name} is {shown(values)}; expected several numbers.")
    given = list(values)
    if not given:
        raise InvalidParameter(f"{name} is empty; give at least one width.")
    integer_in(f"the number of {name}", len(given), 1, int(LAYERS.high))
    checked = tuple(_checked(f"a width of {name}", value, hint, allowed) for value in given)
    if isinstance(values, tuple) and all(old is new for old, new in zip(values, checked, strict=True)):
        return values  # the same object, because scikit-learn's `clone` requires it
    return checked
