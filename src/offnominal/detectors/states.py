"""States of detectors: arrays with a row per episode, alone or in tuples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from offnominal.core.checks import numeric_array
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.types import Array

MOST_EPISODES = 1_000_000
"""Largest number of episodes that run at the same time."""


def with_rows(state: Any, fresh: Any, rows: Array) -> Any:
    """Return a state with some rows replaced by those of a fresh state."""

    def mixed(old: Any, new: Any) -> Any:
        if old is None:
            return None
        if isinstance(old, tuple):
            parts = [mixed(one, other) for one, other in zip(old, new, strict=True)]
            return type(old)(*parts) if hasattr(old, "_fields") else tuple(parts)
        kept = old.copy() if isinstance(old, np.ndarray) else old.clone()
        kept[rows] = new[rows]
        return kept

    return mixed(state, fresh)


def leaves(state: Any) -> list[Any]:
    """Return the arrays of a state in a list.

    Example:
        >>> [len(part) for part in leaves((np.zeros(3), None, (np.zeros(2),)))]
        [3, 2]
    """
    if isinstance(state, tuple):
        return [leaf for part in state for leaf in leaves(part)]
    return [] if state is None else [state]


def rebuilt(example: Any, arrays: Iterator[Any]) -> Any:
    """Return a state with the structure of another one and other arrays, as :func:`leaves` orders them."""
    if example is None:
        return None
    if isinstance(example, tuple):
        parts = [rebuilt(part, arrays) for part in example]
        return type(example)(*parts) if hasattr(example, "_fields") else tuple(parts)
    return next(arrays)


def rows_of(state: Any) -> int | None:
    """Return the number of episodes of a state; None for a detector without memory."""
    if isinstance(state, tuple):
        sizes = [n for n in map(rows_of, state) if n is not None]
        return sizes[0] if sizes else None
    shape = getattr(state, "shape", None)
    return None if state is None else shape[0] if isinstance(shape, tuple) and shape else 1


def alike(state: Any, fresh: Any) -> bool:
    """Return whether two states have the same types and shapes."""
    if type(state) is not type(fresh):
        return False
    if isinstance(fresh, tuple):
        return len(state) == len(fresh) and all(map(alike, state, fresh))
    return not hasattr(fresh, "shape") or (state.shape == fresh.shape and state.dtype == fresh.dtype)


def described(state: Any) -> str:
    """Return the description of a state for an error message."""
    if isinstance(state, tuple):
        return f"({', '.join(map(described, state))})"
    if hasattr(state, "shape") and hasattr(state, "dtype"):
        return f"{state.dtype} of shape {state.shape}"
    return shown(state)


def chosen_rows(rows: Any, n: int) -> Array:
    """Return the indices of rows that are given as indices or as a boolean mask."""
    given = numeric_array("rows", rows)
    if given.dtype == np.bool_ and given.shape == (n,):
        return np.flatnonzero(given)
    whole = given.size == 0 or (given.dtype.kind in "iu" and given.min() >= 0 and given.max() < n)
    if given.ndim != 1 or not whole:
        raise InvalidParameter(f"the rows are {shown(rows)}; expected indices from 0 to {n - 1}, or a mask of {n}.")
    return given.astype(np.int64)
