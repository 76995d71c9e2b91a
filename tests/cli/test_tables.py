"""Public tables and image sets from the command line."""

import json

import pytest
from typer.testing import CliRunner

from offnominal.cli.tables import tables
from offnominal.core.errors import MissingFile
from offnominal.datasets.tables import table_entry

runner = CliRunner()


def test_every_set_is_listed_with_its_presence():
    rows = json.loads(runner.invoke(tables, ["--json"]).output)
    assert len(rows) == 44
    states = {row["name"]: row["files"] for row in rows}
    assert states["iris"] == "download"
    assert {row["name"] for row in rows if row["kind"] == "images"} == {"cifar10", "fashion_mnist", "mnist", "svhn2"}


def test_the_list_is_printed_as_a_table():
    result = runner.invoke(tables, [])
    assert result.exit_code == 0
    assert "wall-following-robot" in result.output


def test_no_tables_have_no_findings():
    assert "No findings in 0 tables" in runner.invoke(tables, ["check"]).output


def test_findings_are_listed(public_data):
    if table_entry("glass").presence != "present":
        pytest.skip("glass is not in the data home")
    rows = json.loads(runner.invoke(tables, ["check", "glass", "--json"]).output)
    assert [row["kind"] for row in rows] == ["identifier"]
    assert "3 files verified" in runner.invoke(tables, ["fetch", "glass"]).output


def test_a_table_that_cannot_be_downloaded_is_requested(monkeypatch):
    from offnominal.datasets import sources

    def unreachable(*_, **__):
        raise MissingFile("no network")

    monkeypatch.setattr(sources, "fetch_file", unreachable)
    result = runner.invoke(tables, ["fetch", "har"])
    assert isinstance(result.exception, MissingFile)
    assert "place the file UCI_HAR_Dataset.zip" in str(result.exception)
