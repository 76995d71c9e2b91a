"""A search study over a table of the user: it runs, resumes, is reported, and follows the file."""

from pathlib import Path

import numpy as np
import pytest

from offnominal.core.errors import MissingFile
from offnominal.papers.comparison.studies import SearchStudy
from offnominal.reports.report import leading_rows
from offnominal.studies import open_run, run, runner, verify_run
from offnominal.studies.code import Sources

from ...studies.cases import PoolHere

pytestmark = pytest.mark.long


def write(shift):
    random = np.random.default_rng(0)
    rows = random.normal(size=(60, 2)) + shift * (np.arange(60) >= 50)[:, None]
    lines = ["a,b,label", *(f"{a},{b},{int(k >= 50)}" for k, (a, b) in enumerate(rows))]
    Path("mine.csv").write_text("\n".join(lines), encoding="utf-8")


def test_a_study_over_a_csv_file_resumes_and_follows_its_content(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sources = Sources()
    monkeypatch.setattr(runner, "Sources", lambda: sources)
    monkeypatch.setattr(runner, "LocalPool", lambda workers, peak_mb: PoolHere(sources))
    write(4.0)
    study = SearchStudy("mine", tables=("mine.csv:label",), methods=("knn",), seeds=(1,), configurations=3)
    places = {"folder": tmp_path / "run", "store": tmp_path / "store", "report": lambda line: None}
    folder, outcome = run(study, **places)
    assert (outcome.computed, outcome.complete) == (1, True)
    found = open_run(folder)
    assert set(found.table["table"].to_pylist()) == {"mine.csv:label"}
    assert [row["method"] for row in leading_rows(found)] == ["knn"]
    assert run(study, **places)[1].reused == 1
    assert verify_run(folder, 1.0) == [("mine.csv:label/knn/1", "")]
    write(1.0)
    assert all("was computed with other data" in problem for _, problem in verify_run(folder, 1.0))
    assert run(study, **places)[1].computed == 1


def test_a_file_that_does_not_exist_is_named_when_the_study_is_read():
    with pytest.raises(MissingFile, match=r"needs the file none\.csv, which does not exist"):
        SearchStudy("mine", tables=("none.csv:label",), methods=("knn",))
