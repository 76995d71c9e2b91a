"""The documents say what is true: their Python runs as printed, and their tables are those of the code.

The blocks of a page run in order in one namespace. A block marked ``python no-run`` is skipped. A ``text`` block that
follows a Python block is what that block prints.
"""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from offnominal.alarms import alarms
from offnominal.anomalies import anomalies
from offnominal.detectors import detectors
from offnominal.worlds import worlds

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(?P<kind>[^\n`]*)\n(?P<body>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def with_python():
    return [page for page in PAGES if "\n```python\n" in page.read_text(encoding="utf-8")]


@pytest.fixture
def namespace(monkeypatch, tmp_path):
    """A module of its own in an empty folder; what it registers is forgotten afterwards."""
    module = ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)
    monkeypatch.chdir(tmp_path)
    for registry in (worlds, anomalies, detectors, alarms):
        registry.ids()
        monkeypatch.setattr(registry, "_specs", dict(registry._specs))
    return vars(module)


@pytest.mark.parametrize("page", with_python(), ids=name_of)
def test_python_blocks_run_as_printed(page, namespace, capsys):
    text = page.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    for number, block in enumerate(blocks):
        if block["kind"].strip() != "python":
            continue
        line = text.count("\n", 0, block.start()) + 1
        code = compile("\n" * line + block["body"], name_of(page), "exec")
        exec(code, namespace)
        printed = capsys.readouterr().out
        shown = blocks[number + 1] if number + 1 < len(blocks) else None
        if shown and shown["kind"].strip() == "text" and not text[block.end() : shown.start()].strip():
            assert printed.rstrip() == shown["body"].rstrip(), f"{name_of(page)}, block at line {line}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_tables_are_those_of_the_code(page):
    spec = importlib.util.spec_from_file_location("tables", ROOT / "docs" / "tables.py")
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    text = page.read_text(encoding="utf-8")
    assert tables.refreshed(text) == text, "stale; run `python docs/tables.py`"
