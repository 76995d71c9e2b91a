"""A run of a comparison is done again."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from offnominal.cli.program import program
from offnominal.datasets.tables import Table
from offnominal.papers.comparison import table_search as module
from offnominal.papers.comparison.studies import SearchStudy
from offnominal.studies import Store, run_study, verify
from offnominal.studies.verify import verify_run

pytestmark = pytest.mark.long

STUDY = SearchStudy("mine", tables=("iris", "wine"), methods=("hbos", "knn", "pidf"), seeds=(1,), configurations=3)


@pytest.fixture
def run(tmp_path, parts, in_process, sources, monkeypatch):
    """A folder with a run of six cells and its store."""
    rows = parts.train.points
    tables = {name: Table(name, rows, rows[:20] * 3.0 + place) for place, name in enumerate(STUDY.tables)}
    monkeypatch.setattr(module, "open_table", lambda name, drop_identifiers: tables[name])
    monkeypatch.setattr(verify, "Sources", lambda: sources)
    run_study(STUDY.cells(), tmp_path / "store", folder=tmp_path, report=lambda line: None)
    return tmp_path


def test_a_comparison_comes_out_again(run):
    assert sorted(verify_run(run, share=1.0)) == sorted((cell.label, "") for cell in STUDY.cells())
    details = CliRunner().invoke(program, ["verify", str(run), "--share", "0.5"])
    assert details.exit_code == 0
    assert "3 cells gave the same numbers" in details.output


def test_a_number_that_was_changed_is_named(run):
    store = Store(run / "store")
    (key,) = (row["key"] for row in store.cells().to_pylist() if (row["world"], row["name"]) == ("wine", "knn"))
    rows = pq.read_table(store.path(key))
    place = rows.column_names.index("test_auc")
    changed = pa.array([0.123, *rows["test_auc"].to_pylist()[1:]], rows.schema.field("test_auc").type)
    store.path(key).unlink()
    store.write(key, rows.set_column(place, "test_auc", changed))
    problems = {label: problem for label, problem in verify_run(run, share=1.0) if problem}
    assert list(problems) == ["wine/knn/1"]
    assert problems["wine/knn/1"].startswith("differs when computed again: test_auc of {")
    assert "not 0.123" in problems["wine/knn/1"]
    details = CliRunner().invoke(program, ["verify", str(run), "--share", "1.0"])
    assert details.exit_code == 1
    assert "wine/knn/1" in details.output
