"""The scripts of reports and of the server: one set of modules, each with one place for one thing."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import offnominal
from offnominal.core.errors import DamagedFile, UnknownName
from offnominal.reports.modules import bundle, module

PACKAGE = Path(offnominal.__file__).parent
PAGES = ("start.js", "start_faults.js"), ("page", "tables", "leaderboard", "compare", "fault", "live", "replay")
PATHS = sorted([*(PACKAGE / "reports" / "assets").glob("*.js"), *(PACKAGE / "web" / "static").glob("*.js")])
SOURCES = {path.name: path.read_text() for path in PATHS}
IMPORT = re.compile(r'^import (?:\{ (.*) \} from )?"\./(.*)";$', re.MULTILINE)
BLOCK = 5
"""Equal lines of code in two modules that are one thing in two places."""


def served(name):
    return module(name, "offnominal.web")


def needed(name):
    """Return the names of a module and of all that it imports."""
    return {name}.union(*(needed(other) for _, other in IMPORT.findall(SOURCES[name])))


def test_every_module_is_in_one_place():
    assert [name for name, count in Counter(path.name for path in PATHS).items() if count > 1] == []


def test_every_page_is_one_script_and_every_module_is_in_a_page():
    reports, server = PAGES
    for name in reports:
        assert len(bundle(name)) > 10_000
    for name in server:
        assert "module_elements = " in bundle(f"{name}.js", served)
    used = set().union(*(needed(name) for name in (*reports, *(f"{name}.js" for name in server))))
    assert sorted(SOURCES.keys() - used) == []


def test_modules_import_what_they_use():
    unused = [
        (name, imported)
        for name, source in SOURCES.items()
        for names, _ in IMPORT.findall(source)
        for imported in filter(None, names.split(", "))
        if len(re.findall(rf"(?<![\w$]){re.escape(imported)}(?![\w$])", source)) < 2
    ]
    assert unused == []


def test_no_block_of_code_is_in_two_modules():
    places: dict[tuple[str, ...], set[str]] = {}
    for name, source in SOURCES.items():
        lines = [line.strip() for line in IMPORT.sub("", source).splitlines()]
        code = [line for line in lines if line and not line.startswith(("//", "/*", "*"))]
        for start in range(len(code) - BLOCK + 1):
            places.setdefault(tuple(code[start : start + BLOCK]), set()).add(name)
    assert [(sorted(found), block[0]) for block, found in places.items() if len(found) > 1] == []


def test_a_report_has_no_module_of_the_server():
    with pytest.raises(UnknownName, match=r"page\.js"):
        module("page.js")


def test_an_import_of_what_a_module_does_not_export_is_refused():
    sources = {"a.js": 'import { put, gone } from "./b.js";\nput(gone);\n', "b.js": "export const put = 1;\n"}
    with pytest.raises(DamagedFile, match=r"a\.js imports gone, which b\.js does not export"):
        bundle("a.js", sources.__getitem__)
