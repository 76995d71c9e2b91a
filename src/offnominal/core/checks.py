"""Checks of arguments."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Collection, Iterable, Iterator
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np

from offnominal.core.errors import InvalidParameter, did_you_mean
from offnominal.core.printable import shown
from offnominal.core.types import Array

T = TypeVar("T")

LARGEST_INTEGER = 2**63 - 1
NUMERIC = "biuf"
_FILE_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")


def integer_in(name: str, value: Any, low: int, high: int = LARGEST_INTEGER) -> int:
    """Return the value as int if it is an integer within bounds, both included, or raise :class:`InvalidParameter`.

    NumPy integers are accepted.

    Example:
        >>> integer_in("layers", 0, 1, 100)
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: layers is 0; expected an integer from 1 to 100.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or not low <= int(value) <= high:
        expected = f"an integer from {low} to {high}" if high != LARGEST_INTEGER else _at_least(low)
        raise InvalidParameter(f"{name} is {shown(value)}; expected {expected}.")
    return int(value)


def positive_integer(name: str, value: Any) -> int:
    """Return the value if it is a positive integer, or raise :class:`InvalidParameter`.

    Example:
        >>> positive_integer("threads", 0)
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: threads is 0; expected a positive integer.
    """
    return integer_in(name, value, 1)


def number_in(
    name: str,
    value: Any,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    open_low: bool = False,
    open_high: bool = False,
) -> float:
    """Return a finite number between two bounds, or raise :class:`InvalidParameter`.

    Args:
        name: Name of the parameter, for the error message.
        value: Value to check; NumPy numbers are accepted.
        low: Lower bound.
        high: Upper bound.
        open_low: Whether the lower bound itself is excluded.
        open_high: Whether the upper bound itself is excluded.

    Example:
        >>> number_in("nu", 1.5, 0.0, 1.0, open_low=True)
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: nu is 1.5; expected a number in (0, 1].
    """
    # Most values are floats, and the checks of abstract types are ten times slower than this one.
    if type(value) is float or (isinstance(value, Real) and not isinstance(value, bool | np.bool_)):
        number = value if type(value) is float else int(value) if isinstance(value, Integral) else float(value)
        above = number > low if open_low else number >= low
        below = number < high if open_high else number <= high
        if above and below and abs(number) <= sys.float_info.max:
            return number
    raise InvalidParameter(f"{name} is {shown(value)}; expected {_range(low, high, open_low, open_high)}.")


def positive_number(name: str, value: Any) -> float:
    """Return a finite number above zero, or raise :class:`InvalidParameter`.

    Example:
        >>> positive_number("rate", float("nan"))
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: rate is nan; expected a positive number.
    """
    return number_in(name, value, 0.0, open_low=True)


def one_of(name: str, value: T, options: Collection[T]) -> T:
    """Return the value if it is one of some options, or raise :class:`InvalidParameter`.

    Example:
        >>> one_of("kernel", "linear", ("rbf", "poly"))
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: kernel is 'linear'; expected one of 'rbf', 'poly'.
    """
    for option in options:
        if type(value) is type(option) and value == option:
            return value
    hint = (
        did_you_mean(value, [option for option in options if isinstance(option, str)]) if isinstance(value, str) else ""
    )
    raise InvalidParameter(f"{name} is {shown(value)}; expected one of {', '.join(map(repr, options))}.{hint}")


def boolean(name: str, value: Any) -> bool:
    """Return a truth value, or raise :class:`InvalidParameter`.

    Example:
        >>> boolean("bootstrap", "no")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: bootstrap is 'no'; expected True or False.
    """
    if not isinstance(value, bool | np.bool_):
        raise InvalidParameter(f"{name} is {shown(value)}; expected True or False.")
    return bool(value)


def numeric_array(name: str, values: Any, error: type[InvalidParameter] = InvalidParameter) -> Array:
    """Return values as an array of real numbers, or raise an error.

    Lists, data frames with numeric columns and tensors are accepted. Masked entries become NaN.

    Args:
        name: Plural noun for the values, for the error message.
        values: Numbers of any shape.
        error: Class of the error.

    Example:
        >>> numeric_array("scores", [1, 2.5])
        array([1. , 2.5])
        >>> numeric_array("scores", ["high", "low"])
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: the scores are of type <U4; expected numbers.
    """
    if type(values) is np.ndarray and values.dtype.kind in NUMERIC:
        return values
    try:
        missing = isinstance(values, np.ma.MaskedArray) and values.dtype.kind in NUMERIC
        array = np.ma.filled(values.astype(np.float64), np.nan) if missing else np.asarray(values)
    except Exception:
        raise error(f"the {name} are a {type(values).__name__} that is no array; expected numbers.") from None
    if array.dtype.kind not in NUMERIC:
        given = str(array.dtype) if array.dtype.kind != "O" else f"object (such as {shown(values)})"
        raise error(f"the {name} are of type {given}; expected numbers.")
    return array


def require_shape(name: str, array: Array, *sides: int | str) -> None:
    """Raise :class:`InvalidParameter` unless an array has a shape. It is fast enough for calls at every step.

    Args:
        name: Name of the array, for the error message.
        array: Array to check.
        sides: Length of each side, or a name for a length that may vary; the name "..." at the end stands for any
            further sides.

    Example:
        >>> require_shape("frame", np.zeros((8, 8)), "height", "width", 3)
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: frame has shape (8, 8); expected (height, width, 3).
    """
    shape = array.shape
    if sides and sides[-1] == "...":
        shape = shape[: len(sides) - 1] if len(shape) >= len(sides) - 1 else ()
        fixed = sides[:-1]
    else:
        fixed = sides
    if len(shape) == len(fixed):
        for given, side in zip(shape, fixed, strict=True):
            if given != side and not isinstance(side, str):
                break
        else:
            return
    expected = f"({', '.join(map(str, sides))}{',' if len(sides) == 1 else ''})"
    raise InvalidParameter(f"{name} has shape {array.shape}; expected {expected}.")


def require_integers(name: str, array: Array, n: int | str) -> None:
    """Raise :class:`InvalidParameter` unless an array is a vector of integers. It is fast enough for every step.

    Args:
        name: Name of the array, for the error message.
        array: Array to check.
        n: Length of the vector, or a name for a length that may vary.

    Example:
        >>> require_integers("rows", np.array([0.0, 1.0]), "rows")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: rows is of type float64; expected integers.
    """
    if array.ndim != 1 or (array.size != n and not isinstance(n, str)):
        require_shape(name, array, n)
    if array.dtype.kind not in "iu":
        raise InvalidParameter(f"{name} is of type {array.dtype}; expected integers.")


def instance_of(name: str, value: Any, kind: type[T]) -> T:
    """Return the value if it is an instance of a class, or raise :class:`InvalidParameter`.

    Example:
        >>> instance_of("message", 3, str)
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: message is 3; expected an instance of str.
    """
    if not isinstance(value, kind):
        raise InvalidParameter(f"{name} is {shown(value)}; expected an instance of {kind.__name__}.")
    return value


def instances_of(name: str, values: Iterable[T], kind: type[T]) -> Iterator[T]:
    """Yield values that are instances of a class; raise :class:`InvalidParameter` at the first other one.

    The items of a generator can be checked only while they are used.

    Example:
        >>> list(instances_of("levels", iter(["weak", 3]), str))
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: an entry of levels is 3; expected an instance of str.
    """
    for value in values:
        yield instance_of(f"an entry of {name}", value, kind)


def text(name: str, value: Any) -> str:
    """Return the value if it is a valid name, one line of printable text, or raise :class:`InvalidParameter`.

    Example:
        >>> text("the name of a detector", "")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: the name of a detector is ''; expected 1 to 200 printable characters.
    """
    if not isinstance(value, str) or not 1 <= len(value) <= 200 or not value.isprintable():
        raise InvalidParameter(f"{name} is {shown(value)}; expected 1 to 200 printable characters.")
    return value


def file_name(name: str, value: Any) -> str:
    """Return the value if it is a portable file name, or raise :class:`InvalidParameter`.

    Example:
        >>> file_name("study", "anomaly-gym")
        'anomaly-gym'
        >>> file_name("study", "../elsewhere")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: study is '../elsewhere'; expected 1 to 100 letters (a ...
    """
    if not isinstance(value, str) or not _FILE_NAME.fullmatch(value):
        raise InvalidParameter(
            f"{name} is {shown(value)}; expected 1 to 100 letters (a to z, A to Z), digits, '-', '_' or '.', not "
            "beginning with a dot, because files are named after it."
        )
    return value


def _at_least(low: int) -> str:
    return "a positive integer" if low == 1 else f"an integer of at least {low}"


def _range(low: float, high: float, open_low: bool, open_high: bool) -> str:
    if high == math.inf:
        if low == -math.inf:
            return "a finite number"
        if open_low:
            return "a positive number" if low == 0 else f"a number above {low:g}"
        return f"a number of at least {low:g}"
    return f"a number in {'(' if open_low else '['}{low:g}, {high:g}{')' if open_high else ']'}"
