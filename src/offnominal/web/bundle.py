"""ES modules as one classic script: browsers load no modules from disk."""

from __future__ import annotations

import re
from importlib.resources import files

from offnominal.core.errors import DamagedFile, UnknownName
from offnominal.reports.templates import asset

SHARED = ("rounding.js",)
"""Modules that report pages have, too."""
_IMPORT = re.compile(r'^import (?:\{([^}]*)\} from )?"\./([a-z_]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function|class|const|let) ([A-Za-z_$][\w$]*))", re.MULTILINE)


def module(name: str) -> str:
    """Return the source of an ES module of the server.

    Raises:
        UnknownName: There is no such module.
    """
    if name in SHARED:
        return str(asset(name))
    path = files("offnominal.web") / "static" / name
    if not name.endswith(".js") or "/" in name or not path.is_file():
        raise UnknownName(f"no script {name!r}.")
    return path.read_text(encoding="utf-8")


def bundle(name: str) -> str:
    """Return a module and all that it imports as one classic script.

    Modules import by ``import { a, b } from "./other.js";`` and export declarations; other forms are refused.

    Example:
        >>> bundle("page.js").startswith('"use strict";')
        True
    """
    scopes: dict[str, str] = {}
    _add(name, scopes, ())
    return '"use strict";\n' + "\n".join(scopes.values())


def _add(name: str, scopes: dict[str, str], above: tuple[str, ...]) -> None:
    """Add the scope of a module behind those of the modules that it imports."""
    if name in above:
        raise DamagedFile(f"scripts import each other: {' → '.join((*above, name))}.")
    if name in scopes:
        return
    source = module(name)
    for _, imported in _IMPORT.findall(source):
        _add(imported, scopes, (*above, name))
    exported = [found for _, found in _EXPORT.findall(source)]
    body = _IMPORT.sub(_constants, source)
    body = _EXPORT.sub(r"\1", body)
    if re.search(r"^(import|export)\b", body, re.MULTILINE):
        raise DamagedFile(f"{name} has a form of import or export that cannot be bundled.")
    scopes[name] = f"const {_scope(name)} = (() => {{\n{body}return {{ {', '.join(exported)} }};\n}})();"


def _scope(name: str) -> str:
    return f"module_{name.removesuffix('.js')}"


def _constants(found: re.Match[str]) -> str:
    return f"const {{{found[1].replace(' as ', ': ')}}} = {_scope(found[2])};\n" if found[1] else ""
