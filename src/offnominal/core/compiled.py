"""The one way in which functions are compiled to machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """Compile a function on its first call and keep the result on disk.

    Neither fast-math nor contraction is allowed, so that the same arithmetic gives the same bits on every CPU.
    """
    return cast(F, numba.njit(cache=True, error_model="numpy", nogil=True)(function))


def inner(function: F) -> F:
    """Compile a function that only compiled functions call: as :func:`compiled`, but without a door from Python.

    A door unpacks every array of every argument; for functions that take whole scenes it is a quarter of all the time
    it takes to compile them.
    """
    # Numba's own types do not know the last two.
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast(F, numba.njit(cache=True, error_model="numpy", nogil=True, **options)(function))
