"""The one way in which functions are compiled to machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """Compile a function on its first call and keep the result on disk, where there is a place for it.

    Neither fast-math nor contraction is allowed, so that the same arithmetic gives the same bits on every CPU.
    """
    return _compiled(function)


def compiled_internal(function: F) -> F:
    """Compile a function that only compiled functions call: as :func:`compiled`, but without a door from Python.

    A door unpacks every array of every argument; for functions that take whole scenes it is a quarter of all the time
    it takes to compile them.
    """
    # Numba's own types do not know the last two.
    return _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def _compiled(function: F, **options: Any) -> F:
    """Compile with the cache on disk; without it if neither the package nor the user has a folder to write to."""
    options |= {"error_model": "numpy", "nogil": True}
    try:
        return cast(F, numba.njit(cache=True, **options)(function))
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
        return cast(F, numba.njit(**options)(function))


def cache_folder(function: Any) -> str | None:
    """Return where the machine code of a compiled function is kept; None if there is no place for it."""
    path: str | None = function.stats.cache_path
    return path
