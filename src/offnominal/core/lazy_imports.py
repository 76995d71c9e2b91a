"""Packages whose names are imported on first use, so that importing the package stays light."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from offnominal.core.errors import MissingDependency


def lazy_attributes(
    package: str, names: Mapping[str, Sequence[str]], *, modules: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package.

    Args:
        package: Its full name.
        names: Names that the package offers, by the module below it that defines them.
        modules: Modules below it that are attributes of the package as well.

    Raises:
        MissingDependency: A name needs torch, which is not installed.

    Example:
        >>> load, listed = lazy_attributes("json", {"decoder": ["JSONDecoder"]}, modules=["encoder"])
        >>> load("JSONDecoder").__name__, load("encoder").__name__, listed()
        ('JSONDecoder', 'json.encoder', ['JSONDecoder', 'encoder'])
    """
    home_of = {name: home for home, defined in names.items() for name in defined}

    def load(name: str) -> Any:
        if name in modules:
            return importlib.import_module(f"{package}.{name}")
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            value = getattr(importlib.import_module(f"{package}.{home_of[name]}"), name)
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            raise MissingDependency(f"{name} needs torch; install it with `pip install offnominal[train]`.") from None
        from offnominal.core.public_calls import public

        vars(sys.modules[package])[name] = value = public(value, package)
        return value

    def listed() -> list[str]:
        return sorted({*home_of, *modules})

    return load, listed
