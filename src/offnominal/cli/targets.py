"""Classes that a user names on the command line, as ``package.module:Class``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from offnominal.core.errors import InvalidParameter
from offnominal.core.registry import Registry

T = TypeVar("T")
NAMES = "Ids or package.module:Class, with commas between them, or 'all'."


def search_working_directory() -> None:
    """Let modules be imported from the working directory, as ``python -m`` does."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)


def chosen_names(registry: Registry[Any], given: str) -> list[str]:
    """Return the names in a list with commas between them, all ids for ``all``, or raise for the first unknown one."""
    if given == "all":
        return registry.ids()
    names = [name.strip() for name in given.split(",")]
    for name in names:
        registry.find(name)
    return names


def load_named(registry: Registry[T], name: str) -> Callable[..., T]:
    """Import what an id stands for, or a class, also from the working directory; it can be called without arguments.

    Raises:
        InvalidParameter: It is not a class of this kind, or its constructor needs arguments.
    """
    if name not in registry:
        search_working_directory()
    found = registry.load(name)
    try:
        inspect.signature(found).bind(**registry.find(name).options)
    except TypeError as error:
        raise InvalidParameter(f"{name} cannot be made without arguments ({error}); give each one a default.") from None
    return found


def allowed_modules(given: list[str] | None) -> tuple[str, ...]:
    """Return the packages that a file may name; they are found in the working directory too."""
    if given:
        search_working_directory()
    return tuple(given or ())
