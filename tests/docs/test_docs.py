"""The documentation is correct: its code and commands run as printed, and its tables are generated from the code.

The blocks of a page run in order, in one empty folder and in one Python namespace:

- A block with a title (```` ```toml title="mine.toml" ````) is a file of that name.
- A Python block is executed. One marked ``python no-run`` is skipped.
- The commands of a ``console`` block that call `offnominal` are executed, unless a comment ``<!-- not run: reason -->``
  stands above the block; even then their options must exist.
- A ``text`` block that follows a Python block is what that block prints. Lines below a command are what it prints;
  ``...`` stands for anything.

``pytest tests/docs/test_docs.py --renew-printed`` writes what is printed now into the pages. Read what it changes:
sentences around a block may speak of its numbers. Output with ``...`` cannot be renewed: a test fails if it differs.
"""

import importlib.util
import re
import shlex
import sys
import textwrap
from dataclasses import dataclass
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest
import typer

from offnominal.alarms import alarms
from offnominal.anomalies import anomalies
from offnominal.cli.failures import exit_code_of
from offnominal.cli.program import program
from offnominal.core.directories import DATA_VARIABLE
from offnominal.core.errors import MissingDependency
from offnominal.detectors import detectors
from offnominal.studies import LocalPool, runner
from offnominal.studies.code import Sources
from offnominal.worlds import worlds

from ..studies.cases import PoolHere

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(
    r"^(?P<indent> *)(?:<!-- not run: (?P<reason>[^\n]+) -->\n(?P=indent))?"
    r"```(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=indent)```[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
COMMAND = typer.main.get_command(program)
PROGRAM = "offnominal"
AS_PRINTED = ELLIPSIS | NORMALIZE_WHITESPACE
STARTS_WORKERS = "docs/guide/submit.md"
"""The page whose studies run in a process of their own, as for users; those of other pages run in this process."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    kind: str
    title: str
    body: str
    runs: bool
    line: int
    adjacent: bool
    indent: str
    span: tuple[int, int]


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def blocks_of(page):
    text = page.read_text(encoding="utf-8")
    end = 0
    for found in BLOCK.finditer(text):
        kind, _, options = found["info"].strip().partition(" ")
        title = re.search(r'title="([^"]+)"', options)
        yield Block(
            kind=kind,
            title=title[1] if title else "",
            body=textwrap.dedent(found["body"]),
            runs=found["reason"] is None and "no-run" not in options,
            line=text.count("\n", 0, found.start("info")) + 1,
            adjacent=not text[end : found.start()].strip(),
            indent=found["indent"],
            span=found.span("body"),
        )
        end = found.end()


def commands_of(block):
    """Return the commands of a console block that call our program, each with the lines below it."""
    for part in re.split(r"^\$ ", block.body, flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        words = shlex.split(line, comments=True)
        if words and words[0] == PROGRAM:
            yield words[1:], shown


def having(*kinds):
    return [page for page in PAGES if any(block.kind in kinds for block in blocks_of(page))]


@pytest.fixture
def namespace(monkeypatch, tmp_path):
    """A module of its own in an empty folder; what it registers, imports and generates is forgotten afterwards."""
    module = ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "data-home"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for registry in (worlds, anomalies, detectors, alarms):
        registry.ids()
        monkeypatch.setattr(registry, "_specs", dict(registry._specs))
    before = set(sys.modules)
    yield vars(module)
    for name in set(sys.modules) - before:
        loaded = sys.modules[name]
        # A folder without `__init__.py` is a module without a file.
        if str(tmp_path) in str(getattr(loaded, "__file__", None) or list(getattr(loaded, "__path__", ()))):
            del sys.modules[name]


@pytest.mark.parametrize("page", having("python", "console"), ids=name_of)
def test_blocks_run_as_printed(page, namespace, capsys, monkeypatch, request):
    printed = ""
    if "savefig" not in page.read_text(encoding="utf-8"):  # only reports are drawn, and nobody looks at them
        request.getfixturevalue("blank_figures")
    printed_now = Printed(request.config.getoption("renew_printed"))
    starts_workers = name_of(page) == STARTS_WORKERS
    monkeypatch.setattr(
        runner,
        "LocalPool",
        lambda workers, peak_mb: LocalPool(1, peak_mb=peak_mb) if starts_workers else PoolHere(Sources()),
    )
    for block in blocks_of(page):
        where = f"{name_of(page)}, block at line {block.line}"
        if block.title:
            Path(block.title).parent.mkdir(parents=True, exist_ok=True)
            Path(block.title).write_text(block.body, encoding="utf-8")
        elif block.kind == "python" and block.runs:
            execute(block, namespace, name_of(page))
            printed = capsys.readouterr().out
        elif block.kind == "console" and block.runs:
            for words, shown in commands_of(block):
                printed_now.compare(block, shown, run(words, capsys, where), where, flags=AS_PRINTED)
            printed = ""
        elif block.kind == "text" and block.adjacent and printed:
            printed_now.compare(block, block.body, printed, where)
    printed_now.write(page)


class Printed:
    """Compares what examples print with what stands on a page, or renews the page.

    Args:
        renew: Whether another output is written to the page instead of failing the test.
    """

    def __init__(self, renew):
        self.renew = renew
        self.bodies = {}

    def compare(self, block, shown, printed, where, *, flags=0):
        """Compare the output of an example with the part of a block that shows it."""
        unsaid = flags and not shown.strip()
        if unsaid or OutputChecker().check_output(shown.rstrip() + "\n", printed.rstrip() + "\n", flags):
            return
        renewed = self.renew and not (flags and "..." in shown)
        assert renewed, f"{where}:\n{printed}"
        body = self.bodies.get(block, block.body)
        self.bodies[block] = body.replace(shown, printed.rstrip() + shown[len(shown.rstrip()) :], 1)

    def write(self, page):
        """Replace the blocks whose examples print something else."""
        text = page.read_text(encoding="utf-8")
        for block in sorted(self.bodies, key=lambda block: block.line, reverse=True):
            body = textwrap.indent(self.bodies[block].rstrip() + "\n", block.indent)
            text = text[: block.span[0]] + body + text[block.span[1] :]
        if self.bodies:
            page.write_text(text, encoding="utf-8")


def execute(block, namespace, name):
    try:
        exec(compile("\n" * block.line + block.body, name, "exec"), namespace)
    except MissingDependency as error:
        pytest.skip(str(error))


def run(words, capsys, where):
    """Run a command and return what it prints."""
    code = exit_code_of(partial(COMMAND, words, prog_name=PROGRAM))
    said = capsys.readouterr()
    if "MissingDependency" in said.err:
        pytest.skip(said.err)
    assert code == 0, f"{where}: {shlex.join(words)} exits with {code}: {said.out}{said.err}"
    return said.out


@pytest.mark.parametrize("page", having("console"), ids=name_of)
def test_commands_and_their_options_exist(page):
    for block in blocks_of(page):
        for words, _ in commands_of(block) if block.kind == "console" else ():
            understand(words)


def understand(words):
    """Parse the arguments of a command without running it; a wrong one raises what the program would print."""
    command, name, context = COMMAND, PROGRAM, None
    while words and hasattr(command, "commands"):
        context = command.make_context(name, list(words), parent=context, resilient_parsing=True)
        name, command, words = command.resolve_command(context, list(words))  # type: ignore[attr-defined]
    command.make_context(name, list(words), parent=context)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_tables_are_those_of_the_code(page):
    text = page.read_text(encoding="utf-8")
    assert tables().refreshed(text) == text, "stale; run `python docs/tables.py`"


@cache
def tables():
    """Return the script that writes tables, which keeps what several pages show."""
    return script("tables")


def test_the_reference_of_the_command_line_is_that_of_the_program():
    made = script("command_line")
    assert made.PAGE.read_text(encoding="utf-8") == made.reference(), "stale; run `python docs/command_line.py`"


def script(name):
    """Import a script of the documentation."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    with patch.object(sys, "path", [str(ROOT / "docs"), *sys.path]):
        spec.loader.exec_module(module)
    return module


def test_printed_blocks_are_renewed_where_they_stand(tmp_path):
    page = tmp_path / "page.md"
    text = "- item\n\n  ```text\n  1\n  ```\n\n```console\n$ offnominal a\n4\n$ offnominal b\n5 ...\n```\n"
    page.write_text(text)
    printed, (first, second) = Printed(renew=True), blocks_of(page)
    printed.compare(first, first.body, "2\n3\n", "here")
    (_, shown), (_, open_ended) = commands_of(second)
    printed.compare(second, shown, "6\n", "here", flags=AS_PRINTED)
    with pytest.raises(AssertionError, match="here"):
        printed.compare(second, open_ended, "7\n", "here", flags=AS_PRINTED)
    printed.write(page)
    assert page.read_text() == text.replace("  1\n", "  2\n  3\n").replace("4\n", "6\n")


def test_another_output_than_the_printed_one_fails():
    block = Block("text", "", "1\n", True, 1, True, "", (0, 2))
    Printed(renew=False).compare(block, "1\n", "1\n", "here")
    with pytest.raises(AssertionError, match="here"):
        Printed(renew=False).compare(block, "1\n", "2\n", "here")
