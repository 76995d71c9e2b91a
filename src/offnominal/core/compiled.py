"""The one way in which functions are compiled to machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """Compile a function on its first call and keep the result on disk.

    Neither fast-math nor contraction is allowed, so that the same arithmetic gives the same bits on every CPU.
    """
    return cast(F, numba.njit(cache=True, error_model="numpy", nogil=True)(function))
