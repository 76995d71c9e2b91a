"""Checked reading of a state dict: arrays from a file are checked before compiled code uses them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from offnominal.core.errors import DamagedFile, InvalidParameter, OffnominalError
from offnominal.core.printable import shown
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.detectors.observation_limits import MAX_READING

Dimension = int | str
WRONG = (ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)
"""Errors that wrong arrays can cause."""


class StateArrays:
    """Arrays by name; each is taken once and checked.

    A dimension is a number or a name. The first array with a named dimension defines its size; others must agree.

    Args:
        arrays: By name.
        owner: Class of the detector, for errors.

    Example:
        >>> learned = StateArrays({"points": np.zeros((5, 2)), "reach": np.zeros(4)}, "LOF")
        >>> learned.take("points", ("points", "width")).shape, learned.sizes
        ((5, 2), {'points': 5, 'width': 2})
        >>> learned.take("reach", ("points",))
        Traceback (most recent call last):
            ...
        offnominal.core.errors.DamagedFile: reach has shape (4,); LOF expects (5,) ...
    """

    def __init__(self, arrays: Mapping[str, Array], owner: str) -> None:
        if not isinstance(arrays, Mapping) or not all(isinstance(name, str) for name in arrays):
            raise InvalidParameter(f"the state dict of {owner} is {shown(arrays)}; expected arrays by name.")
        self.owner = owner
        self.sizes: dict[str, int] = {}
        self._left = dict(arrays)

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def names(self, prefix: str = "") -> list[str]:
        """Return the names with this prefix that are not taken yet."""
        return [name for name in self._left if name.startswith(prefix)]

    def dimensions(self, name: str) -> int | None:
        """Return the number of dimensions of an array that is not taken yet; None if there is no such array."""
        return np.ndim(self._left[name]) if name in self._left else None

    def take(
        self,
        name: str,
        shape: tuple[Dimension, ...],
        dtype: DTypeLike = np.float64,
        *,
        low: float | Array | None = None,
        high: float | Array | None = None,
        empty: bool = False,
        finite: bool = True,
    ) -> Array:
        """Return a copy of an array.

        Args:
            name: Name of the array.
            shape: Expected dimensions, each a number or a name.
            dtype: Expected type.
            low: Smallest value, one for all or one for each.
            high: Largest value.
            empty: Whether a named dimension may be zero.
            finite: Whether every number must be finite.

        Raises:
            DamagedFile: The array is missing or not as expected.
        """
        if name not in self._left:
            raise DamagedFile(f"{name} is missing; {self.owner} needs it.")
        values = self._left.pop(name)
        if not isinstance(values, np.ndarray) or values.dtype != np.dtype(dtype):
            given = getattr(values, "dtype", type(values).__name__)
            raise DamagedFile(f"{name} is of type {given}; {self.owner} expects {np.dtype(dtype)}.")
        self._require_shape(name, values.shape, shape, empty)
        if finite and values.dtype.kind == "f" and not np.isfinite(values).all():
            raise DamagedFile(f"{name} has a number that is not finite; {self.owner} expects finite numbers.")
        if (low is not None and (values < low).any()) or (high is not None and (values > high).any()):
            raise DamagedFile(
                f"{name} has values from {values.min()} to {values.max()}; {self.owner} expects them in "
                f"{_bound(low, '-inf')} .. {_bound(high, 'inf')}."
            )
        return np.array(values, order="C")

    def _require_shape(self, name: str, found: tuple[int, ...], shape: tuple[Dimension, ...], empty: bool) -> None:
        expected = tuple(self.sizes.get(each, each) if isinstance(each, str) else each for each in shape)
        alike = len(found) == len(expected)
        for size, wanted in zip(found, expected, strict=False):
            alike &= size == wanted if isinstance(wanted, int) else size > 0 or empty
        if not alike:
            words = ", ".join(map(str, expected)) + ("," if len(expected) == 1 else "")
            raise DamagedFile(f"{name} has shape {found}; {self.owner} expects ({words}) with its parameters.")
        self.sizes |= {each: size for each, size in zip(shape, found, strict=True) if isinstance(each, str)}

    def floats(self, name: str, shape: tuple[Dimension, ...], **bounds: Any) -> FloatArray:
        """Return an array of float64; see :meth:`take`."""
        return self.take(name, shape, np.float64, **bounds)

    def integers(self, name: str, shape: tuple[Dimension, ...], **bounds: Any) -> IntArray:
        """Return an array of int64; see :meth:`take`."""
        return self.take(name, shape, np.int64, **bounds)

    def number(self, name: str, *, low: float | None = None, high: float | None = None) -> float:
        """Return the only number of an array of float64."""
        return float(self.take(name, (1,), np.float64, low=low, high=high)[0])

    def integer(self, name: str, *, low: int, high: int) -> int:
        """Return the only number of an array of int64."""
        return int(self.take(name, (1,), np.int64, low=low, high=high)[0])

    def points(self, least: int) -> FloatArray:
        """Return the nominal rows ``"points"``, (points, width), at least so many."""
        found = self.floats("points", ("points", "width"), low=-MAX_READING, high=MAX_READING)
        if len(found) < least:
            raise DamagedFile(f"there are {len(found)} points; {self.owner} with its parameters needs {least}.")
        return found

    def optional(self, name: str, shape: tuple[int, ...]) -> FloatArray:
        """Return an array of float64 of a shape; an empty one is accepted as well."""
        is_empty = name in self._left and getattr(self._left[name], "shape", None) == (0,)
        return self.take(name, (0,) if is_empty else shape)

    def part(self, prefix: str) -> dict[str, Array]:
        """Take all arrays with a prefix, without it and unchecked, for another owner."""
        return {name.removeprefix(prefix): self._left.pop(name) for name in self.names(prefix)}

    def require_all_taken(self) -> None:
        """Raise :class:`DamagedFile` if there are arrays that were not taken."""
        if self._left:
            raise DamagedFile(f"{shown(sorted(self._left))} are unknown; {self.owner} has no such arrays.")

    @contextmanager
    def damage_named(self) -> Iterator[None]:
        """Turn errors that the arrays cause into :class:`DamagedFile`."""
        try:
            yield
        except WRONG as error:
            if isinstance(error, OffnominalError) and not isinstance(error, InvalidParameter):
                raise
            reason = str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
            raise DamagedFile(f"these arrays do not fit to a {self.owner} with these parameters: {reason}.") from None


@contextmanager
def all_or_nothing(owner: object) -> Iterator[None]:
    """Restore the attributes of an object if the block fails."""
    before = dict(vars(owner))
    try:
        yield
    except BaseException:
        vars(owner).clear()
        vars(owner).update(before)
        raise


def require_within(name: str, values: Array, low: float | Array, high: float | Array) -> None:
    """Raise :class:`DamagedFile` unless all values are between two bounds, both included."""
    if (values < low).any() or (values > high).any():
        raise DamagedFile(f"{name} has values from {values.min()} to {values.max()}, which are out of bounds.")


def require_ascending(low: FloatArray, high: FloatArray) -> None:
    """Raise :class:`DamagedFile` unless the end of every interval is above its beginning."""
    if not (low < high).all():
        first = int(np.argmin(low < high))
        raise DamagedFile(f"interval {first} goes from {low[first]} to {high[first]}; expected a larger end.")


def require_forward(name: str, first: IntArray, last: IntArray, inner: BoolArray) -> None:
    """Raise :class:`DamagedFile` unless the children of every inner node come after it, so that every walk ends.

    Args:
        name: Name of the array, for the error.
        first: (nodes,) index of the first child.
        last: (nodes,) index of the last child.
        inner: (nodes,) whether a node has children.
    """
    numbers = np.arange(len(first))
    wrong = inner & ~((first > numbers) & (last >= first) & (last < len(first)))
    if wrong.any():
        node = int(np.argmax(wrong))
        raise DamagedFile(
            f"{name} leads from node {node} of {len(first)} to nodes {first[node]} .. {last[node]}; children come "
            "after their parent."
        )


def _bound(bound: float | Array | None, otherwise: str) -> str:
    return otherwise if bound is None else f"{bound:g}" if np.ndim(bound) == 0 else "bounds of their own"
