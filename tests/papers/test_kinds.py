"""Every kind of study has its report, from Python as from the command line."""

import json

import pytest
from typer.testing import CliRunner

import offnominal as off
from offnominal.cli.program import program
from offnominal.core.directories import DATA_VARIABLE
from offnominal.core.errors import UnknownName
from offnominal.reports.report import leading_rows
from offnominal.studies import runs
from offnominal.studies.kinds import study_kinds
from offnominal.studies.results import RunResults

from .comparison.made_comparison import comparison_results
from .made_runs import RUNS

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def _no_agents_and_no_pixels(monkeypatch, tmp_path, blank_figures):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "nothing"))


def test_every_kind_of_study_has_a_report():
    assert set(study_kinds.ids()) == set(RUNS)


@pytest.mark.parametrize("kind", RUNS)
def test_the_report_of_every_kind_is_written_from_python(kind, tmp_path):
    run = RUNS[kind]()
    assert run.kind == kind
    page = off.write_report(run, str(tmp_path))
    assert page == tmp_path / "page.html"
    assert f"<h1>{run.title}</h1>" in page.read_text(encoding="utf-8")
    for pattern in ("tables/*.md", "tables/*.tex", "tables/*.csv", "figures/*.png", "figures/*.svg"):
        assert list(tmp_path.glob(pattern)), pattern
    assert leading_rows(run)


@pytest.mark.parametrize("kind", RUNS)
def test_the_command_line_writes_the_same_report_and_prints_the_same_leaderboard(kind, tmp_path, monkeypatch):
    run, written = RUNS[kind](), []
    monkeypatch.setattr(runs, "open_run", lambda *_: run)
    monkeypatch.setattr(
        "offnominal.reports.report.write_report",
        lambda results, folder: written.append((results, folder)) or folder / "page.html",
    )
    done = CliRunner().invoke(program, ["report", str(tmp_path), "--json"], catch_exceptions=False)
    assert written == [(run, tmp_path)]
    assert json.loads(done.stdout)["leaderboard"] == json.loads(json.dumps(leading_rows(run)))


def test_a_kind_without_a_report_is_named(tmp_path):
    run = comparison_results()
    other = RunResults("x", "X", "", "", {"config": {"kind": "image_search"}}, run.table, run.examples)
    with pytest.raises(UnknownName, match=r"'image_search'\. Did you mean 'image-search'"):
        off.write_report(other, tmp_path)
    assert not list(tmp_path.iterdir())
