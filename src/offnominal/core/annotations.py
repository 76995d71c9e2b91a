"""Whether a value is of an annotated type."""

from __future__ import annotations

import builtins
import math
import sys
import types
import typing
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

LARGEST_INTEGER = 2**63 - 1
NUMERIC = "biuf"
UNKNOWN = Any
"""What an annotation means that cannot be evaluated: every value is of it."""


ALIASES = {"pa": "pyarrow", "Tensor": "torch.Tensor"}
"""What annotations call objects of packages that are imported for type checkers only."""


class _Names(dict[str, Any]):
    """Names of a module, and behind them the packages that are loaded and what modules of this package define.

    Annotations may name what a module imports only for type checkers.
    """

    def __missing__(self, name: str) -> Any:
        package, _, attribute = ALIASES.get(name, name).partition(".")
        if package in sys.modules:
            return getattr(sys.modules[package], attribute) if attribute else sys.modules[package]
        if hasattr(builtins, name):
            raise KeyError(name)
        for module in list(sys.modules.values()):
            if getattr(module, "__name__", "").startswith("offnominal.") and name in vars(module):
                return vars(module)[name]
        raise KeyError(name)


def evaluated(annotation: Any, names: Mapping[str, Any]) -> Any:
    """Return what an annotation means, or :data:`UNKNOWN`.

    Args:
        annotation: A type, or its text.
        names: Names of the module that has the annotation.

    Example:
        >>> evaluated("int | None", {})
        int | None
    """
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, {}, _Names(names))
    except Exception:
        return UNKNOWN


def expanded(hint: Any) -> Any:
    """Return what an alias stands for (``type Numbers[T] = list[T]``); any other type as it is.

    NumPy's `NDArray` is such an alias from version 2.5.

    Example:
        >>> expanded(list[int])
        list[int]
    """
    while True:
        origin = typing.get_origin(hint)  # It comes first: an alias with arguments passes attributes on.
        if hasattr(origin, "__value__"):
            hint = origin.__value__[typing.get_args(hint)]
        elif hasattr(hint, "__value__"):
            hint = hint.__value__
        else:
            return hint


def is_of_type(value: Any, hint: Any) -> bool:
    """Return whether a value is of an annotated type; True if that cannot be decided.

    Numbers of NumPy are numbers, and arrays are sequences.

    Example:
        >>> is_of_type(3, float), is_of_type("3", int | None), is_of_type([1, "a"], list[int])
        (True, False, False)
    """
    try:
        return _is_of_type(value, hint)
    except RecursionError:  # No calls are left to look at the value.
        return True
    except Exception:  # The value itself is broken.
        return False


def _is_of_type(value: Any, hint: Any) -> bool:
    if isinstance(hint, typing.TypeVar):
        options = hint.__constraints__ or (hint.__bound__ or Any,)
        return any(is_of_type(value, option) for option in options)
    if hint is Any or hint is object or isinstance(hint, str | typing.ForwardRef):
        return True
    if hint is None or hint is type(None):
        return value is None
    if hint == ArrayLike:
        return _is_array(value)
    hint = expanded(hint)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return any(is_of_type(value, option) for option in arguments)
    if origin is typing.Literal:
        return any(type(value) is type(option) and value == option for option in arguments)
    if origin is typing.Annotated:
        return is_of_type(value, arguments[0])
    if origin is np.ndarray or hint is np.ndarray:
        return isinstance(value, np.ndarray) and _is_array(value, _kinds(str(hint)))
    if origin is type:
        return isinstance(value, type)
    if isinstance(origin, type):
        return _is_generic(value, origin, arguments)
    return _is_instance(value, hint) if isinstance(hint, type) else True


def _is_instance(value: Any, kind: type) -> bool:
    if kind in (bool, int, float):
        truth = isinstance(value, bool | np.bool_)
        number = Integral if kind is int else int | float | np.integer | np.floating
        return truth if kind is bool else isinstance(value, number) and not truth
    if kind is Path:
        return isinstance(value, PathLike)
    if getattr(kind, "_is_protocol", False):
        return callable(value) if "__call__" in vars(kind) else all(hasattr(value, name) for name in _members(kind))
    return isinstance(value, kind)


def _members(protocol: type) -> set[str]:
    """Return the public attributes that a protocol asks for."""
    parts = [part for part in protocol.__mro__ if getattr(part, "_is_protocol", False)]
    names = {name for part in parts for name in (*vars(part), *getattr(part, "__annotations__", {}))}
    return {name for name in names if not name.startswith("_")}


def _is_array(value: Any, kinds: str = NUMERIC) -> bool:
    """Return whether NumPy converts a value to an array of some kinds of entries."""
    return not isinstance(value, Mapping | Set | str | bytes) and np.asarray(value).dtype.kind in kinds


def _kinds(array: str) -> str:
    """Return the kinds of entries that fit an annotated array. Masks may be given as numbers."""
    if "str_" in array:
        return "U"
    return "iuf" if "float" in array else "biu" if "int" in array else NUMERIC


def _is_generic(value: Any, origin: type, arguments: tuple[Any, ...]) -> bool:
    if origin.__name__ == "Callable":
        return callable(value)
    if issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            is_of_type(key, arguments[0]) and is_of_type(item, arguments[1]) for key, item in value.items()
        )
    if not issubclass(origin, Iterable):
        return _is_instance(value, origin)
    if isinstance(value, str | bytes | Mapping) or (isinstance(value, Set) and issubclass(origin, Sequence)):
        return False
    if origin is tuple and not isinstance(value, tuple | list):
        return False
    if origin is tuple and arguments and Ellipsis not in arguments:
        return len(value) == len(arguments) and all(map(is_of_type, value, arguments))
    if issubclass(origin, Collection) and not (isinstance(value, Collection) or hasattr(value, "__getitem__")):
        return False
    if isinstance(value, Iterator):  # Its items can be seen once only.
        return True
    return all(is_of_type(item, arguments[0]) for item in value) if arguments else isinstance(value, Iterable)


def unusual_numbers(value: Any) -> str:
    """Return why nothing can be computed with a number or an array of the right type, or an empty text.

    Example:
        >>> unusual_numbers(float("nan")), unusual_numbers(np.zeros(0)), unusual_numbers(0)
        ('not finite', 'empty', '')
    """
    if isinstance(value, Integral):
        return "" if abs(int(value)) <= LARGEST_INTEGER else "too large"
    if isinstance(value, Real):
        return "" if math.isfinite(float(value)) else "not finite"
    if not isinstance(value, np.ndarray):
        return ""
    if value.dtype.kind not in NUMERIC + "U":
        return "not of numbers"
    if value.size == 0:
        return "empty"
    return "not finite" if value.dtype.kind == "f" and not np.isfinite(value).all() else ""
