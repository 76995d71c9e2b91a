"""A study kind of another package runs, is stored, verified and reported like those of this package."""

import json

import pytest
from typer.testing import CliRunner

import offnominal as off
from offnominal.cli.program import program
from offnominal.core.errors import InvalidParameter, ModuleNotAllowed, UnknownName
from offnominal.core.registry import Spec
from offnominal.studies import open_run, run, study_kinds, verify_run
from offnominal.studies.catalogue import load_study
from offnominal.studies.kinds import study_kind

from . import dice_study
from .dice_study import KIND, DiceStudy

PACKAGE = dice_study.__name__.partition(".")[0]
TEXT = f'kind = "{KIND}"\nname = "mine"\nsides = [6, 20]\n'


@pytest.fixture
def dice(monkeypatch):
    """The kind is registered for one test."""
    assert "dice" not in study_kinds.ids()
    monkeypatch.setattr(study_kinds, "_specs", {**study_kinds._specs})
    study_kinds.register(Spec("dice", KIND, "means of dice"))


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("dice", "in_process")
def test_a_registered_kind_runs_and_is_reported(here):
    folder, outcome = run(DiceStudy("mine", title="Dice", sides=(6, 20)), report=lambda line: None)
    assert (outcome.computed, outcome.complete) == (2, True)
    found = open_run(folder)
    assert found.kind == "dice"
    assert found.table["mean_throw"].null_count == 0
    page = off.write_report(found)
    assert page == folder / "page.html"
    assert "<h1>Dice</h1>" in page.read_text(encoding="utf-8")
    assert (folder / "tables" / "dice.csv").exists()
    assert verify_run(folder, share=1.0) == [("d6/0", ""), ("d20/0", "")]


@pytest.mark.long
def test_a_kind_in_a_file_runs_in_worker_processes(here):
    (here / "mine.toml").write_text(TEXT, encoding="utf-8")
    done = CliRunner().invoke(program, ["run", "mine.toml", "--allow-module", PACKAGE, "--workers", "1", "--json"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["computed"] == 2
    assert [row["table_name"] for row in said["leaderboard"]] == ["d20", "d6"]
    assert CliRunner().invoke(program, ["report", "runs/mine-full"]).exit_code == 0


def test_a_file_cannot_name_a_kind_of_a_package_that_is_not_allowed(here):
    (here / "mine.toml").write_text(TEXT, encoding="utf-8")
    with pytest.raises(ModuleNotAllowed, match="--allow-module"):
        load_study("mine.toml")


@pytest.mark.parametrize("name", ["serach", 3])
def test_an_unknown_kind_in_a_file_is_an_error(here, name):
    (here / "mine.toml").write_text(f"name = 'mine'\nkind = {name!r}\n", encoding="utf-8")
    with pytest.raises(
        InvalidParameter, match="Choose from diagnosis, domain-gap, image-search, novelty, ood-rl, scenes"
    ):
        load_study("mine.toml")


def test_a_report_of_an_unknown_kind_names_the_nearest():
    with pytest.raises(UnknownName, match="Did you mean 'search'"):
        study_kind("serach")
