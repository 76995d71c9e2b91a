"""Names and titles that are markup, formulas or control codes are text in a report."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import random
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import takewhile
from pathlib import Path
from xml.etree import ElementTree

import pyarrow as pa
import pytest
from rich.console import Console
from typer import Exit
from typer.testing import CliRunner

import offnominal as off
from offnominal.cli.laws import print_reports
from offnominal.cli.output import print_text
from offnominal.cli.program import program
from offnominal.core.printable import one_line, printable
from offnominal.core.progress_bar import progress
from offnominal.evaluation.estimate import Estimate
from offnominal.laws.report import Finding, LawReport
from offnominal.reports.comparison_terminal import comparison_terminal
from offnominal.reports.escape import csv_cell, markdown_text
from offnominal.reports.latex import escaped, latex
from offnominal.reports.published_comparison import comparison_html, comparison_markdown
from offnominal.reports.tables import markdown, terminal_table, write_csv
from offnominal.reports.templates import render
from offnominal.studies import display, runs
from offnominal.studies.published_comparison import PublishedComparison, Rule

from ..blank_figures import blank_figures

pytestmark = pytest.mark.long

NASTY = (
    "=cmd|'/C calc'!A0",
    "@SUM(A1)",
    "+1+2|`x`",
    "-2+3",
    "<img src=x onerror=alert(1)>",
    "[/] [bold]x[/italic]",
    r"$\frac{ \end{table} \input{/etc/passwd}",
    "nul\x00esc\x1b[31m\x9b",
    "two\nlines\r\n| a | b |",
    "</script><script>alert(1)</script>&lt;",
    "[a](javascript:alert(1)) *b* _c_ \u202egnp.exe",
)
TITLE = " ".join(NASTY)
ALPHABET = "=+-@|`<>&[]()\\{}$%#_^~*'\"!\t\r\n\x00\x07\x1b\x7f\x85\u202e\u2028aé中0 :/"
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


def made_up(replicates):
    path = Path(__file__).parents[1] / "reports" / "synthetic.py"
    spec = importlib.util.spec_from_file_location("synthetic", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.run_results(replicates=replicates, seeds=1, worlds=module.WORLDS[:1])


@pytest.fixture(scope="module")
def run():
    """A run whose every name, and whatever else its author chose, is an attack."""
    found = made_up(20)
    names = dict(zip(dict.fromkeys(found.table["name"].to_pylist()), NASTY, strict=True))
    alarms = dict(zip(dict.fromkeys(filter(None, found.table["alarm"].to_pylist())), NASTY[2:], strict=False))
    table = found.table
    for column, told in (("name", names), ("detector", names), ("alarm", alarms), ("world", {})):
        texts = [told.get(text, text if column == "alarm" else NASTY[7]) for text in table[column].to_pylist()]
        table = table.set_column(table.column_names.index(column), column, pa.array(texts, pa.string()))
    failure = dict.fromkeys(("label", "error", "message", "traceback"), TITLE)
    manifest = {"commit": TITLE, "versions": {TITLE: TITLE}, TITLE: [TITLE], "config": {"title": TITLE}}
    return replace(
        found, name=TITLE, title=TITLE, summary=TITLE, scale=TITLE, manifest=manifest, table=table, failures=[failure]
    )


@pytest.fixture(scope="module")
def folder(run, tmp_path_factory):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    place = tmp_path_factory.mktemp("report")
    with blank_figures(vectors=True):
        off.write_report(run, place)
    return place


def files_of(folder, pattern):
    found = sorted(folder.rglob(pattern))
    assert found
    return [(path.name, path.read_bytes().decode()) for path in found]


def test_no_file_of_a_report_holds_a_control_code(folder):
    for pattern in ("*.html", "*.md", "*.tex", "*.csv", "*.svg"):
        for name, text in files_of(folder, pattern):
            assert not CONTROL.search(text), name


def test_no_cell_of_a_spreadsheet_is_a_formula(folder):
    for name, text in files_of(folder, "*.csv"):
        for row in csv.reader(io.StringIO(text)):
            for cell in row:
                number = re.fullmatch(r"-?[\d.]+(e-?\d+)?", cell)
                assert number or not cell.lstrip().startswith(("=", "+", "-", "@")), (name, cell)
    (board,) = (text for name, text in files_of(folder, "*.csv") if name == "leaderboard.csv")
    known = {row["detector"].removeprefix("'") for row in csv.DictReader(io.StringIO(board))}
    assert known == {printable(name) for name in NASTY}


def test_tables_in_markdown_keep_their_columns_and_hold_no_markup(folder):
    for name, text in files_of(folder, "*.md"):
        heading, _, *lines = text.splitlines()
        assert heading.startswith("## ")
        table = [*takewhile(bool, lines)]  # A note may follow.
        assert len({line.count("|") for line in table}) == 1, name
        assert not re.search(r"[<`*\\]|\]\(", text), name


def test_tables_in_latex_hold_no_commands_but_ours(folder):
    ours = (
        "begin|end|centering|caption|toprule|midrule|bottomrule|textbackslash|textless|textgreater|textbar|times|mu|pm"
        "|textasciitilde|textasciicircum|textasciigrave|leq"
    )
    for name, text in files_of(folder, "*.tex"):
        assert not set(re.findall(r"\\([a-z]+)", text)) - set(ours.split("|")), name
        assert text.count(r"\end{table}") == 1
        bare = re.sub(r"\\[{}\\$&%#_]", "", text)
        assert bare.count("{") == bare.count("}")
        assert not re.search(r"^\s*[\[*]", text, re.MULTILINE), name


def test_figures_are_well_formed_and_show_the_names_as_they_are(folder):
    drawn = dict(files_of(folder, "*.svg"))
    shown = ["".join(ElementTree.fromstring(text).itertext()) for text in drawn.values()]
    for name in NASTY:
        assert any(printable(name).splitlines()[0].replace(" ", "") in text.replace(" ", "") for text in shown), name


class Elements(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found, self.handlers = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.add(tag)
        self.handlers |= {name for name, _ in attributes if name.startswith("on")}


def test_a_page_has_no_elements_but_its_own(folder):
    text = (folder / "page.html").read_text(encoding="utf-8")
    elements = Elements(text)
    assert "img" not in elements.found
    assert not elements.handlers
    assert text.count("<script") == 3
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])
    assert set(data["names"]) == {printable(name) for name in NASTY}


def shown(*renderables):
    out = io.StringIO()
    console = Console(file=out, width=4000)
    for each in renderables:
        console.print(each)
    assert not CONTROL.search(out.getvalue())
    return out.getvalue()


def test_a_terminal_shows_markup_as_text(run):
    line = PublishedComparison(
        {name: name for name in NASTY}, Estimate(0.5), 0.5, Rule("measured", margin=0.05), note=TITLE
    )
    out = shown(terminal_table(TITLE, [{name: name} for name in NASTY[:1]]), comparison_terminal(TITLE, [line]))
    # Two titles, a note, the names of the columns and their only row.
    assert re.sub(r"\s+", "", out).count(one_line(TITLE).replace(" ", "")) == 5
    assert "<img" not in comparison_html(TITLE, [line])
    assert "<img" not in comparison_markdown([line])


def test_what_is_shown_while_a_study_runs_is_text(capsys):
    live = display.Display(TITLE, {}, report=lambda line: None)
    live.running = {name: (name, 0.0) for name in NASTY}
    assert one_line(TITLE).replace(" ", "") in re.sub(r"\s+", "", shown(live.view(width=4000, height=40)))
    with progress(NASTY[5], total=1, enabled=True) as tick:
        tick(note=NASTY[5])
    assert capsys.readouterr().err.count(NASTY[5]) == 2


def test_the_command_line_prints_the_leaderboard_of_such_a_run(run, folder, monkeypatch):
    monkeypatch.setattr(runs, "open_run", lambda *_: run)
    monkeypatch.setattr("offnominal.reports.report.write_report", lambda *_: folder / "[/]" / "page.html")
    done = CliRunner().invoke(program, ["report", str(folder)], catch_exceptions=False)
    assert done.exit_code == 0
    assert "[/]" in done.stdout


def test_findings_of_laws_and_lines_of_training_are_text(capsys):
    broken = LawReport(NASTY[5], (Finding(NASTY[5], NASTY[5]),))
    with pytest.raises(Exit):
        print_reports([broken], as_json=False)
    print_text(NASTY[5])
    assert "".join(capsys.readouterr().out.split()).count(NASTY[5].replace(" ", "")) == 4


def texts(count):
    rng = random.Random(17)
    return ["".join(rng.choices(ALPHABET, k=rng.randrange(12))) for _ in range(count)]


def html_text(text):
    """Return a text as templates show it."""
    figure = render("figure.html.j2", source="data:,", caption=text)
    return re.search(r"<figcaption>(.*)</figcaption>", str(figure), re.DOTALL)[1]


def check_text(text, folder):
    """Every format gives the text back, or a visible sign in place of what it cannot hold."""
    cells = markdown([{"a": text, "b": 1}]).splitlines()
    assert [line.count("|") for line in cells] == [3, 3, 3]
    assert not re.search(r"[<`\\\n]", markdown_text(text))
    assert not re.search(r'[<>"]', html_text(text))
    assert "\n" not in escaped(text)
    assert latex([{"a": text}], f"x{text}").count("\n") == 10
    assert not CONTROL.search(html_text(text) + markdown_text(text) + escaped(text) + str(csv_cell(text)))
    path = folder / "t.csv"
    write_csv(path, [{"a": text}])
    (row,) = csv.DictReader(io.StringIO(path.read_bytes().decode(), newline=""))
    assert row["a"].removeprefix("'") == printable(text).removeprefix("'")
    assert terminal_table(text, [{text: text}])  # type: ignore[truthy-bool]


def test_any_text_survives_every_format(tmp_path):
    for text in (*NASTY, TITLE, "\ud800", *texts(150)):
        check_text(text, tmp_path)


@pytest.mark.hostile
def test_very_many_texts_survive_every_format(tmp_path, count_cases):
    count_cases(5_000, 1)
    for text in texts(5_000):
        check_text(text, tmp_path)
