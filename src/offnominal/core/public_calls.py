"""Calls of public functions and methods: an error that a wrong argument causes names the argument.

A check of every argument at every call would be slow, and would refuse values that work. So calls are made as they
are. If one raises an error that is not of this package, its arguments are compared with their annotations, and one that
is of another type is named. An error with arguments of the right types stays what it is: a defect of this package.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Generator, Mapping
from dataclasses import is_dataclass
from enum import Enum
from numbers import Integral
from typing import Any, NoReturn

from offnominal.core.annotations import evaluated, is_of_type, unusual
from offnominal.core.checks import shown
from offnominal.core.errors import NotFitted, OffnominalError, WrongArgument

_ROOT = __name__.partition(".")[0]
# Python leaves out files of this name where it counts the `stacklevel` of a warning: it then names the caller's line.
_SKIPPED = "<importlib._bootstrap: offnominal public call>"
_CALLED = ("__init__", "__new__", "__call__")


def name_wrong_arguments(package: str) -> None:
    """Let the public functions and classes of a package name their wrong arguments.

    Args:
        package: Full name of a package that is imported; `__all__` has its public names.
    """
    module = sys.modules[package]
    for name in module.__all__:
        setattr(module, name, public(getattr(module, name), package))


def public(value: Any, package: str) -> Any:
    """Return a public object whose calls name their wrong arguments; anything but functions and classes as it is.

    A class is changed in place, with its base classes in this package. A function is wrapped, and belongs to the
    package from then on, so that it is pickled under its public name; modules of the package call the function itself.
    """
    if inspect.isclass(value):
        for kind in value.__mro__:
            if kind.__module__.startswith(_ROOT):
                _change(kind)
    elif inspect.isfunction(value) and value.__module__.startswith(_ROOT) and not _is_wrapped(value):
        value = _wrapped(value)
        value.__module__ = package
    return value


def _change(kind: type) -> None:
    """Wrap the public methods that a class defines."""
    if getattr(kind, "_is_protocol", False) or issubclass(kind, BaseException):
        return
    for name, method in list(vars(kind).items()):
        function = getattr(method, "__func__", method)
        if not inspect.isfunction(function) or _is_wrapped(function):
            continue
        if not name.startswith("_") or (name in _CALLED and not _only_stores(kind)):
            wrapped = _wrapped(function)
            setattr(kind, name, type(method)(wrapped) if isinstance(method, staticmethod | classmethod) else wrapped)


def _only_stores(kind: type) -> bool:
    """Return whether the constructor of a class cannot fail."""
    return issubclass(kind, tuple | Enum) or (is_dataclass(kind) and not hasattr(kind, "__post_init__"))


def _is_wrapped(function: Callable[..., Any]) -> bool:
    return getattr(function, "__code__", None) in _CODES


def _wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes the same calls and names wrong arguments."""
    wrapped = (_generating if inspect.isgeneratorfunction(function) else _calling)(function)
    wrapped.__code__ = wrapped.__code__.replace(co_filename=_SKIPPED)
    return wrapped


def _calling(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except Exception as error:
            _raise_named(function, arguments, options, error)

    return call


def _generating(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def generate(*arguments: Any, **options: Any) -> Generator[Any, Any, Any]:
        try:
            return (yield from function(*arguments, **options))
        except Exception as error:
            _raise_named(function, arguments, options, error)

    return generate


def _nothing() -> None:
    """Do nothing."""


_CODES = {each(_nothing).__code__.replace(co_filename=_SKIPPED) for each in (_calling, _generating)}


def _raise_named(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any], error: Exception
) -> NoReturn:
    """Raise an error that names the wrong argument of a call; the error of the call if none is wrong."""
    if isinstance(error, OffnominalError) and not isinstance(error, WrongArgument):
        raise error
    if (
        isinstance(error, AttributeError)
        and (error.name or "").endswith("_")
        and arguments
        and error.obj is arguments[0]
    ):
        raise NotFitted(f"{_name(function)} needs {error.name}, which `fit` learns; call fit first.") from error
    problem = _problem(function, arguments, options, error)
    if not problem:
        raise error
    cause = error.__cause__ if isinstance(error, WrongArgument) else error
    raise WrongArgument(problem) from cause


def _problem(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any], error: Exception
) -> str:
    """Return which argument of a call is wrong, and what is expected; an empty text if none is."""
    try:
        signature = inspect.signature(function)
        given = signature.bind(*arguments, **options).arguments
    except TypeError:  # Python's own message says what is missing or unknown.
        return ""
    called = _name(function)
    for name, parameter in signature.parameters.items():
        if name in given and parameter.annotation is not parameter.empty:
            hint = evaluated(parameter.annotation, function.__globals__)
            for value in _values(given[name], parameter):
                if not is_of_type(value, hint):
                    return f"{name} of {called} is {shown(value)}; expected {_text(parameter.annotation)}."
    given.pop("self", None)
    for find in (_missing_attribute, _missing_key, _unusual_value, _wrong_shape):
        for name, value in given.items():
            if how := find(value, error):
                return f"{name} of {called} is {shown(value)}, {how}."
    return ""


def _missing_attribute(value: Any, error: Exception) -> str:
    return f"which has no {error.name}" if isinstance(error, AttributeError) and error.obj is value else ""


def _missing_key(value: Any, error: Exception) -> str:
    """Return which key a table, or another argument by this name, does not have."""
    if not isinstance(error, KeyError) or len(error.args) != 1:
        return ""
    key = error.args[0]
    if isinstance(value, Mapping):
        return "" if key in value else f"which has no {shown(key)}"
    return "which is unknown" if type(value) is type(key) and value == key else ""


def _unusual_value(value: Any, error: Exception) -> str:
    how = unusual(value)
    if not how and isinstance(value, Integral) and isinstance(error, ValueError | ArithmeticError):
        how = "negative" if value < 0 else "zero" if value == 0 else ""
    return f"which is {how}" if how else ""


def _wrong_shape(value: Any, error: Exception) -> str:
    """Return the shape of an array with which NumPy or Numba could not compute."""
    computed = isinstance(error, ValueError | IndexError) or type(error).__module__.startswith("numba.")
    shape = getattr(value, "shape", None)
    if not computed or not isinstance(shape, tuple):
        return ""
    return f"of shape {shape}, with which nothing can be computed ({type(error).__name__}: {_line(error)})"


def _values(value: Any, parameter: inspect.Parameter) -> tuple[Any, ...]:
    if parameter.kind is parameter.VAR_POSITIONAL:
        return tuple(value)
    return tuple(value.values()) if parameter.kind is parameter.VAR_KEYWORD else (value,)


def _name(function: Callable[..., Any]) -> str:
    name: str = function.__qualname__
    return name.removesuffix(".__init__").removesuffix(".__new__")


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _text(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
