"""Compilation with Numba, with the same settings for all functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast
from uuid import uuid4

try:
    import numba
except ModuleNotFoundError:
    # `offnominal watch` can be installed without it; see deploy/watch-requirements.txt.
    numba = cast(Any, None)

F = TypeVar("F", bound=Callable[..., object])
_PROCESS = uuid4().hex[:8]


def compiled(function: F) -> F:
    """Compile a function on its first call and cache the machine code on disk if possible.

    Fast-math and contraction are off, so that the same arithmetic gives the same bits on every CPU.
    """
    return _compiled(function)


def compiled_internal(function: F) -> F:
    """Compile a function that is called only by compiled functions: like :func:`compiled`, but without Python wrappers.

    The wrappers unpack all arrays of all arguments. For functions that take whole scenes they are a quarter of the
    compile time.
    """
    return _compiled(function, no_cpython_wrapper=True)


def compiled_inline(function: F) -> F:
    """Compile a small function into the compiled functions that call it: like :func:`compiled_internal`.

    A call passes every array as seven numbers. For functions that run for every pixel, that costs more than their work.
    """
    return _compiled(function, no_cpython_wrapper=True, forceinline=True)


def _compiled(function: F, **options: Any) -> F:
    """Compile with a cache on disk, or without one if there is no writable folder for it.

    Without Numba the function runs as it is. Nothing calls these functions from C, so none gets a wrapper for that.
    """
    if numba is None:
        return function
    options |= {"error_model": "numpy", "nogil": True, "no_cfunc_wrapper": True}
    try:
        made = numba.njit(cache=True, **options)(function)
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
        return cast(F, numba.njit(**options)(function))
    _name_files_of_this_process(made)
    return cast(F, made)


def _name_files_of_this_process(function: Any) -> None:
    """Let no other process write to a file of machine code that this process writes.

    Numba numbers the files of a function without a lock. Two processes that compile it for two signatures at the same
    time would write to one file, and a later process would load the code of the wrong signature.
    """
    cache = getattr(function, "_cache", None)
    if cache is None:  # NUMBA_DISABLE_JIT is set
        return
    file = cache._cache_file
    file._data_name_pattern = file._data_name_pattern.replace("{number:d}", f"{{number:d}}-{_PROCESS}")


def cache_folder(function: Any) -> str | None:
    """Return the folder with the machine code of a compiled function; None if it is not cached.

    Nothing is compiled, and so nothing is cached, if NUMBA_DISABLE_JIT is set.
    """
    stats = getattr(function, "stats", None)
    path: str | None = None if stats is None else stats.cache_path
    return path


class RepeatedCall(Generic[F]):
    """Calls a compiled function again and again with arguments of the same types.

    A compiled function looks up the types of all its arguments at every call. For a function that takes whole tables
    as named tuples and steps one row, that is a tenth of the time of the call. This calls the machine code of the first
    call's types directly, without any check: **arguments of other types or layouts would be misread**,
    so the caller must check whatever comes from outside, and call `function` for it if in doubt.

    Args:
        function: A function of :func:`compiled`; one that is not compiled is called as it is.

    Example:
        >>> @compiled
        ... def product(factor, value):
        ...     return factor * value
        >>> multiply = RepeatedCall(product)
        >>> multiply(2, 1.5), multiply(3, 0.5)
        (3.0, 1.5)
    """

    def __init__(self, function: F) -> None:
        self.function = function
        self._code: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Call the function with arguments of the types and layouts of the first call."""
        if self._code is None:
            self._code = _machine_code(self.function, arguments)
        return self._code(*arguments)


def _machine_code(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """Return the machine code of a compiled function for some arguments; the function itself if it is not compiled."""
    if not hasattr(function, "typeof_pyval"):
        return function
    types = tuple(function.typeof_pyval(argument) for argument in arguments)
    function.compile(types)  # type: ignore[attr-defined]
    return cast(Callable[..., Any], function.overloads[types].entry_point)  # type: ignore[attr-defined]
