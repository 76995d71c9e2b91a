"""Resolves ids and ``package.module:Class`` names on the command line to classes."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from offnominal.core.errors import InvalidParameter
from offnominal.core.registry import Registry

T = TypeVar("T")
NAMES = "Comma-separated ids or package.module:Class names, or 'all'."


def search_working_directory() -> None:
    """Allow imports from the working directory, as ``python -m`` does."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)


def chosen_names(registry: Registry[Any], given: str) -> list[str]:
    """Return the names of a comma-separated list, or all ids for ``all``; raise for the first unknown name."""
    if given == "all":
        return registry.ids()
    names = [name.strip() for name in given.split(",")]
    for name in names:
        registry.find(name)
    return names


def load_named(registry: Registry[T], name: str) -> Callable[..., T]:
    """Import the class of an id, or a class by name, also from the working directory.

    Raises:
        InvalidParameter: The class is of another kind, or its constructor has arguments without a default.
    """
    if name not in registry:
        search_working_directory()
    found = registry.load(name)
    try:
        inspect.signature(found).bind(**registry.find(name).options)
    except TypeError as error:
        raise InvalidParameter(
            f"{name} cannot be created without arguments ({error}); give every argument a default."
        ) from None
    return found


def allowed_modules(given: list[str] | None) -> tuple[str, ...]:
    """Return the packages whose classes a file may name; the working directory is searched too."""
    if given:
        search_working_directory()
    return tuple(given or ())
