"""Packages whose public names are listed once and imported on first use, so that importing the package stays light."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any


def lazy_attributes(
    package: str,
    names: Mapping[str, Sequence[str]],
    *,
    catalogue: str = "",
    below: str = "",
    packages: Sequence[str] = (),
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package, the only list of its public names.

    Type checkers read the same names in the stub ``__init__.pyi``; ``python tools/check_stubs.py --write`` writes it.

    Args:
        package: Its full name.
        names: Names that the package offers, by the module below it, or of this package, that defines them.
        catalogue: ``"package.module:name"`` of a registry, or of a function that returns entries; classes of entries
            that are defined below a package are public names, too.
        below: That package; this one if empty.
        packages: Packages below it whose public names are also names of this one.

    Raises:
        MissingDependency: A name needs torch, which is not installed.

    Example:
        >>> load, listed = lazy_attributes("json", {"decoder": ["JSONDecoder"]})
        >>> load("JSONDecoder").__name__, load("encoder").__name__, listed()
        ('JSONDecoder', 'json.encoder', ['JSONDecoder'])
    """
    public_names = PublicNames(package, names, catalogue, below or package, packages)
    return public_names.load, public_names.listed


class PublicNames:
    """The public names of a package, and the modules that define them; see :func:`lazy_attributes`."""

    def __init__(
        self, package: str, names: Mapping[str, Sequence[str]], catalogue: str, below: str, packages: Sequence[str]
    ) -> None:
        self.package, self.catalogue, self.below, self.packages = package, catalogue, below, packages
        top = package.partition(".")[0]
        self.listed_homes = {
            name: module if module.startswith(f"{top}.") else f"{package}.{module}"
            for module, defined in names.items()
            for name in defined
        }

    @cached_property
    def homes(self) -> dict[str, str]:
        """Full names of modules by the public names that they define."""
        passed_on = {
            name: f"{self.package}.{below}"
            for below in self.packages
            for name in importlib.import_module(f"{self.package}.{below}").__all__
        }
        return {**passed_on, **dict(self._of_catalogue()), **self.listed_homes}

    def _of_catalogue(self) -> Iterator[tuple[str, str]]:
        if not self.catalogue:
            return
        from offnominal.core.imported_modules import attribute_of

        found = attribute_of(self.catalogue)
        for spec in found() if callable(found) else found:
            module, _, name = spec.implementation.partition(":")
            if module.startswith(f"{self.below}."):
                yield name, module

    def load(self, name: str) -> Any:
        """Return a public name or a module below the package."""
        if name == "__all__":
            return sorted(self.homes)
        home = self.listed_homes.get(name)
        if home is None and not name.startswith("_"):
            if find_spec(f"{self.package}.{name}") is not None:
                return importlib.import_module(f"{self.package}.{name}")
            home = self.homes.get(name)
        if home is None:
            raise AttributeError(f"module {self.package!r} has no attribute {name!r}")
        return self._imported(home, name)[name]

    def _imported(self, home: str, name: str) -> dict[str, Any]:
        """Import a name and those that its module also defines, because calls of one often return another."""
        from offnominal.core.imported_modules import imported
        from offnominal.core.public_calls import public

        module = imported(home, f"{home}:{name}")
        known = self.listed_homes | vars(self).get("homes", {})
        # A package imports its names one by one.
        alone = hasattr(module, "__path__")
        here = [name] if alone else [each for each, other in known.items() if other == home]
        values = {each: public(getattr(module, each), self.package) for each in here}
        vars(sys.modules[self.package]).update(values)
        return values

    def listed(self) -> list[str]:
        """Return all public names and the packages below this one, sorted, for `dir`."""
        below = pkgutil.iter_modules(sys.modules[self.package].__path__)
        return sorted({*self.homes, *(module.name for module in below if module.ispkg)})
