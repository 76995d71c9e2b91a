"""The scripts of pages: ES modules, and modules as one classic script, because browsers load no modules from disk."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files

from offnominal.core.errors import DamagedFile, UnknownName

_IMPORT = re.compile(r'^import (?:\{([^}]*)\} from )?"\./([a-z_]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function|class|const|let) ([A-Za-z_$][\w$]*))", re.MULTILINE)


def module(name: str, *packages: str) -> str:
    """Return the source of an ES module.

    Args:
        name: Name of the file, such as ``"elements.js"``.
        *packages: Packages that have modules of their own in a folder ``static``; all other modules are those that
            reports and the server share, in ``reports/assets``.

    Raises:
        UnknownName: There is no such module.
    """
    folders = [*(files(package) / "static" for package in packages), files("offnominal.reports") / "assets"]
    if name.endswith(".js") and "/" not in name:
        for path in (folder / name for folder in folders):
            if path.is_file():
                return path.read_text(encoding="utf-8")
    raise UnknownName(f"no script {name!r}.")


def bundle(name: str, read: Callable[[str], str] = module) -> str:
    """Return a module and all that it imports as one classic script.

    Modules import by ``import { a, b } from "./other.js";`` and export declarations; other forms are refused.

    Args:
        name: Name of the module.
        read: Function that returns the source of a module.

    Raises:
        DamagedFile: Modules import each other, or have another form of import or export.

    Example:
        >>> bundle("elements.js").startswith('"use strict";')
        True
    """
    scopes: dict[str, str] = {}
    _add(name, read, scopes, ())
    return '"use strict";\n' + "\n".join(scopes.values())


def _add(name: str, read: Callable[[str], str], scopes: dict[str, str], above: tuple[str, ...]) -> None:
    """Add the scope of a module behind those of the modules that it imports."""
    if name in above:
        raise DamagedFile(f"scripts import each other: {' → '.join((*above, name))}.")
    if name in scopes:
        return
    source = read(name)
    for names, imported in _IMPORT.findall(source):
        _add(imported, read, scopes, (*above, name))
        wanted = [each.partition(" as ")[0].strip() for each in names.split(",") if each.strip()]
        for missing in [each for each in wanted if each not in _exported(read(imported))]:
            raise DamagedFile(f"{name} imports {missing}, which {imported} does not export.")
    body = _IMPORT.sub(_constants, source)
    body = _EXPORT.sub(r"\1", body)
    if re.search(r"^(import|export)\b", body, re.MULTILINE):
        raise DamagedFile(f"{name} has a form of import or export that cannot be bundled.")
    scopes[name] = f"const {_scope(name)} = (() => {{\n{body}return {{ {', '.join(_exported(source))} }};\n}})();"


def _exported(source: str) -> list[str]:
    return [found for _, found in _EXPORT.findall(source)]


def _scope(name: str) -> str:
    return f"module_{name.removesuffix('.js')}"


def _constants(found: re.Match[str]) -> str:
    return f"const {{{found[1].replace(' as ', ': ')}}} = {_scope(found[2])};\n" if found[1] else ""
