"""Modules of users: imported by name, with the reason if one cannot be."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from offnominal.core.errors import (
    InvalidParameter,
    MissingDependency,
    ModuleFailed,
    OffnominalError,
    UnknownName,
    did_you_mean,
)

OURS = "offnominal"


def import_modules(names: Iterable[str]) -> None:
    """Import modules, so that the objects that they register can be found by id.

    Args:
        names: Full names of modules.

    Raises:
        UnknownName: There is no such module.
        ModuleFailed: A module raises an error when it is imported.

    Example:
        >>> import_modules(["offnominal_robots"])
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnknownName: there is no module 'offnominal_robots'; is it installed, or in the ...
    """
    for name in names:
        check_module_name(name)
        imported(name)


def check_module_name(name: object) -> str:
    """Return the name of a module, or raise an error if no module can have it."""
    if not isinstance(name, str) or not all(part.isidentifier() for part in name.split(".")):
        raise InvalidParameter(f"{name!r} is not the name of a module; expected 'package' or 'package.module'.")
    return name


def imported(module: str, wanted: str = "") -> ModuleType:
    """Return a module.

    Args:
        module: Full name.
        wanted: What it is imported for, in errors.
    """
    try:
        return importlib.import_module(module)
    except OffnominalError:
        raise
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name and f"{module}.".startswith(f"{error.name}."):
            purpose = f" for {wanted!r}" if wanted else ""
            raise UnknownName(
                f"there is no module {error.name!r}{purpose}; is it installed, or in the working directory?"
            ) from None
        if module.partition(".")[0] == OURS:
            if isinstance(error, ModuleNotFoundError) and error.name == "torch":
                needs = (wanted or module).rpartition(":")[2]
                raise MissingDependency(
                    f"{needs} needs torch; install it with `pip install offnominal[train]`."
                ) from None
            raise
        raise ModuleFailed(f"the module {module!r} cannot be imported: {type(error).__name__}: {error}") from error


def attribute_of(target: str) -> Any:
    """Import and return an attribute of a module.

    Args:
        target: ``"package.module:attribute"``.

    Raises:
        UnknownName: The module or the attribute does not exist.
        ModuleFailed: The module raises an error when it is imported.
    """
    module, _, attribute = target.partition(":")
    found = imported(module, target)
    if not hasattr(found, attribute):
        raise UnknownName(f"{module} has no {attribute!r}.{did_you_mean(attribute, dir(found))}")
    return getattr(found, attribute)
