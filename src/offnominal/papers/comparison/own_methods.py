"""Methods of the user in a search on tables: classes named ``package.module:Class``, which state their search space."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.registry import Registry
from offnominal.detectors.rows.row_detector import RowDetector, parameter_names

own_methods: Registry[RowDetector] = Registry("search method", RowDetector)
"""Loads the classes, and checks whether a file may name them. Nothing is registered here."""
SPACE = "SEARCH_SPACE"
Target = tuple[Registry[Any], str]


def is_own_method(name: str) -> bool:
    """Whether a method of a search is a class of the user.

    Example:
        >>> is_own_method("knn"), is_own_method("my_package.mine:Mine")
        (False, True)
    """
    return ":" in name


def own_targets(names: Iterable[str]) -> Iterator[Target]:
    """Yield the classes among the methods of a search, with the registry that checks them."""
    yield from ((own_methods, name) for name in names if is_own_method(name))


def own_title(name: str) -> str:
    """Return the name of the class.

    Example:
        >>> own_title("my_package.mine:Mine"), own_title("knn")
        ('Mine', 'knn')
    """
    return name.rpartition(":")[2]


@cache
def own_grid(name: str) -> dict[str, tuple[Any, ...]]:
    """Return the search space of a class, its attribute ``SEARCH_SPACE``; empty if it has none.

    Args:
        name: ``"package.module:Class"``; the module is imported.

    Raises:
        InvalidParameter: The class is no row detector, or its space is not one of its parameters.

    Example:
        >>> own_grid("offnominal.detectors.rows.mahalanobis:Mahalanobis")
        {}
    """
    found: Any = own_methods.load(name)
    space = getattr(found, SPACE, {})
    if not isinstance(space, Mapping):
        raise InvalidParameter(f"{SPACE} of {name} is {shown(space)}; expected a dict of lists by parameter.")
    for parameter, values in space.items():
        if parameter not in parameter_names(found):
            known = ", ".join(parameter_names(found)) or "none"
            raise InvalidParameter(f"{SPACE} of {name} has {parameter!r}, which is no parameter of it; it has {known}.")
        if not isinstance(values, list | tuple) or not all(isinstance(each, str | int | float) for each in values):
            raise InvalidParameter(
                f"{SPACE} of {name} has {shown(values)} for {parameter!r}; expected a list of numbers or strings."
            )
    return {parameter: tuple(values) for parameter, values in space.items()}
