"""Find stubs that are out of date: `python tools/check_stubs.py`; with `--write` they are written.

The public names of a package are listed in its ``__init__.py`` and in catalogues; see `offnominal.core.lazy_imports`.
Type checkers and the code version of results read them in ``__init__.pyi``.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import offnominal
from offnominal.core.lazy_imports import PublicNames

ROOT = Path(offnominal.__path__[0])
HEADER = "# Written by `python tools/check_stubs.py --write` from the public names of the package.\n"


def main(arguments: list[str] | None = None) -> int:
    """Print or write every stub that is out of date, and return the exit status."""
    parser = argparse.ArgumentParser(description="Find stubs of packages that are out of date.")
    parser.add_argument("--write", action="store_true", help="write them")
    write = parser.parse_args(arguments).write
    wanted = stubs()
    present = {path: path.read_text(encoding="utf-8") for path in ROOT.rglob("__init__.pyi")}
    outdated = sorted(path for path in {*wanted, *present} if wanted.get(path) != present.get(path))
    for path in outdated:
        print(f"{path.relative_to(ROOT.parent)}: {'written' if write else 'out of date; run this with --write'}")
        if write and path in wanted:
            path.write_text(wanted[path], encoding="utf-8")
        elif write:
            path.unlink()
    return int(bool(outdated) and not write)


def stubs() -> dict[Path, str]:
    """Return the text of every stub by its path."""
    return {
        ROOT.joinpath(*names.package.split(".")[1:], "__init__.pyi"): stub(names.homes, below(names.package))
        for names in packages()
    }


def packages() -> Iterator[PublicNames]:
    """Yield the public names of all packages that import them on first use."""
    found = (info.name for info in pkgutil.walk_packages(offnominal.__path__, "offnominal.") if info.ispkg)
    for name in ("offnominal", *found):
        names = getattr(vars(importlib.import_module(name)).get("__getattr__"), "__self__", None)
        if isinstance(names, PublicNames):
            yield names


def below(package: str) -> dict[str, str]:
    """Return the packages below a package, by name, with the package itself as the module to import them from."""
    found = pkgutil.iter_modules(importlib.import_module(package).__path__)
    return {info.name: package for info in found if info.ispkg}


def stub(homes: Mapping[str, str], folders: Mapping[str, str]) -> str:
    """Return the text of a stub: one import per public name, in the order of the linter, and the list of all.

    Args:
        homes: Modules by the names that they define.
        folders: The same of packages below this one.

    Example:
        >>> print(stub({"b": "json.two", "A": "json.two", "c": "json.one"}, {"d": "json"}), end="")
        # Written by `python tools/check_stubs.py --write` from the public names of the package.
        from json import d as d
        from json.one import c as c
        from json.two import A as A
        from json.two import b as b
        <BLANKLINE>
        __all__ = [
            "A",
            "b",
            "c",
        ]
    """
    lines = sorted((home.split("."), _kind(name), name) for name, home in {**folders, **homes}.items())
    imports = "".join(f"from {'.'.join(home)} import {name} as {name}\n" for home, _, name in lines)
    names = "".join(f'    "{name}",\n' for name in sorted(homes))
    return f"{HEADER}{imports}\n__all__ = [\n{names}]\n"


def _kind(name: str) -> int:
    """Return the place of a name among those of its module: constants, classes, others."""
    return 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2


if __name__ == "__main__":
    sys.exit(main())
