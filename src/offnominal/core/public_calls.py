"""Calls of public functions and methods: an error that a wrong argument causes names the argument.

A check of every argument at every call would be slow, and would refuse values that work. So calls are made as they
are. If one raises an error that is not of this package, an argument is named if it is certainly wrong: of another type
than its annotation, without a needed attribute, an unknown key, not finite, or an empty array. Any other error stays
what it is: a defect of this package, or an error of a function of the user.
"""

from __future__ import annotations

import functools
import inspect
import sysconfig
from collections.abc import Callable, Generator
from dataclasses import is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from offnominal.core.errors import NotFitted, OffnominalError, WrongArgument

_ROOT = __name__.partition(".")[0]
# Python leaves out files of this name where it counts the `stacklevel` of a warning: it then names the caller's line.
_SKIPPED = "<importlib._bootstrap: offnominal public call>"
# Folders of this package, of Python and of installed packages: other code is the user's.
_LIBRARIES = tuple({str(Path(__file__).parents[1]), *sysconfig.get_paths().values()})
_CONSTRUCTORS = ("__init__", "__new__")


def public(value: Any, package: str) -> Any:
    """Return a public object whose calls name their wrong arguments; anything but functions and classes as it is.

    A class is changed in place, with its base classes in this package. A function is wrapped, and belongs to the
    package from then on, so that it is pickled under its public name; modules of the package call the function itself.
    """
    if inspect.isclass(value):
        if any(base.__module__.startswith("sklearn.") for base in value.__mro__):
            return value  # It validates by itself, with the messages that scikit-learn prescribes.
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
        constructed = name in _CONSTRUCTORS and not _only_stores(kind)
        if not name.startswith("_") or name == "__call__" or constructed:
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
            if named := _named(function, arguments, options, error):
                raise named from error
            raise

    return call


def _generating(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def generate(*arguments: Any, **options: Any) -> Generator[Any, Any, Any]:
        try:
            return (yield from function(*arguments, **options))
        except Exception as error:
            if named := _named(function, arguments, options, error):
                raise named from error
            raise

    return generate


def _nothing() -> None:
    """Do nothing."""


_CODES = {each(_nothing).__code__.replace(co_filename=_SKIPPED) for each in (_calling, _generating)}


def _named(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any], error: Exception
) -> OffnominalError | None:
    """Return an error that names the wrong argument of a call; None if no argument is certainly wrong."""
    if isinstance(error, RecursionError):  # No argument can be looked at any more.
        return None
    if isinstance(error, OffnominalError) and not isinstance(error, WrongArgument):
        return None
    if (
        isinstance(error, AttributeError)
        and (error.name or "").endswith("_")
        and arguments
        and error.obj is arguments[0]
    ):
        return NotFitted(f"{_name(function)} needs {error.name}, which `fit` learns; call fit first.")
    problem = _problem(function, arguments, options, error)
    return WrongArgument(problem) if problem else None


def _problem(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any], error: Exception
) -> str:
    """Return which argument of a call is wrong, and what is expected; an empty text if none is certainly wrong."""
    # They import NumPy, which `import offnominal` leaves to those who need it.
    from offnominal.core.annotations import evaluated, is_of_type
    from offnominal.core.printable import shown

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
    for name, value in given.items():
        if how := _missing(value, error) or ("" if _of_user(error) else _unusual(value)):
            return f"{name} of {called} is {shown(value)}, {how}."
    return ""


def _missing(value: Any, error: Exception) -> str:
    """Return what an argument does not have, or that it is a key which nothing has."""
    if isinstance(error, AttributeError):
        return f"which has no {error.name}" if error.obj is value else ""
    looked_up = isinstance(error, KeyError) and len(error.args) == 1 and type(value) is type(error.args[0])
    return "which is unknown" if looked_up and value == error.args[0] else ""


def _unusual(value: Any) -> str:
    """Return why nothing can be computed with a number or an array. Zeros and negative values are never the reason."""
    from offnominal.core.annotations import unusual_numbers

    how = unusual_numbers(value)
    return f"which is {how}" if how else ""


def _of_user(error: Exception) -> bool:
    """Return whether an error comes from code of the user, such as a policy: no argument is the reason then."""
    trace = error.__traceback__
    while trace is not None:
        path = trace.tb_frame.f_code.co_filename
        if not path.startswith(("<", *_LIBRARIES)):
            return True
        trace = trace.tb_next
    return False


def _values(value: Any, parameter: inspect.Parameter) -> tuple[Any, ...]:
    if parameter.kind is parameter.VAR_POSITIONAL:
        return tuple(value)
    return tuple(value.values()) if parameter.kind is parameter.VAR_KEYWORD else (value,)


def _name(function: Callable[..., Any]) -> str:
    name: str = function.__qualname__
    return name.removesuffix(".__init__").removesuffix(".__new__")


def _text(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
