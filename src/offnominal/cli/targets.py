"""Resolves ids and ``package.module:Class`` names on the command line to classes."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from offnominal.core.errors import InvalidParameter
from offnominal.core.imported_modules import import_modules
from offnominal.core.registry import Registry

if TYPE_CHECKING:
    from offnominal.studies.base import BaseStudy

T = TypeVar("T")
NAMES = "Comma-separated ids or package.module:Class names, or 'all'."


_imported: list[str] = []


def import_first(modules: Sequence[str]) -> None:
    """Make the working directory importable, and import modules, so that what they register can be named.

    Every command calls it before anything else. The working directory is searched last: a file in it hides no
    installed package.

    Args:
        modules: Names of modules.
    """
    with suppress(OSError):
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.append(here)
    import_modules(modules)
    _imported[:] = modules


def with_imported(study: BaseStudy) -> BaseStudy:
    """Return a study whose workers import the modules that were named on the command line, too."""
    return study.replace(modules=tuple(dict.fromkeys((*study.modules, *_imported)))) if _imported else study


def chosen_names(registry: Registry[Any], given: str) -> list[str]:
    """Return the names of a comma-separated list, or all ids for ``all``; raise for the first unknown name."""
    if given == "all":
        return registry.ids()
    names = [name.strip() for name in given.split(",")]
    for name in names:
        registry.find(name)
    return names


def load_named(registry: Registry[T], name: str) -> Callable[..., T]:
    """Import the class of an id, or a class by name.

    Raises:
        InvalidParameter: The class is of another kind, or its constructor has arguments without a default.
    """
    found = registry.load(name)
    try:
        inspect.signature(found).bind(**registry.find(name).options)
    except TypeError as error:
        raise InvalidParameter(
            f"{name} cannot be created without arguments ({error}); give every argument a default."
        ) from None
    return found


def allowed_modules(given: list[str] | None) -> tuple[str, ...]:
    """Return the packages whose classes a file may name: those that were allowed or imported."""
    return (*(given or ()), *_imported)
