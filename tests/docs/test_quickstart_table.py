"""The leaderboard of the README is what the quickstart computes."""

import csv

import pytest
from typer.testing import CliRunner

from offnominal.cli.program import program

from .test_docs import script

pytestmark = pytest.mark.slow


def test_the_table_of_the_readme_is_what_the_quickstart_computes(tmp_path, monkeypatch):
    made = script("leaderboard")
    with (made.MEASURED / "quickstart.csv").open(encoding="utf-8") as file:
        known = list(csv.DictReader(file))
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(program, ["quickstart"]).exit_code == 0
    monkeypatch.setattr(made, "MEASURED", tmp_path)
    made.main("runs/quickstart")
    with (tmp_path / "quickstart.csv").open(encoding="utf-8") as file:
        assert list(csv.DictReader(file)) == known
