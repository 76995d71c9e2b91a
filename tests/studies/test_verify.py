"""Some cells of a run are done again, and what differs is named."""

import json
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from offnominal.cli.program import program
from offnominal.core.errors import InvalidParameter, MissingFile
from offnominal.studies import Store, run_study, verify
from offnominal.studies.verify import verify_run

from .cases import NAMES, SPLIT, small_cell, small_cells

pytestmark = pytest.mark.long

LABELS = [cell.label for cell in small_cells()]


@pytest.fixture
def place(tmp_path, in_process, result, sources, monkeypatch):
    """A folder with a run of three cells and its store."""
    monkeypatch.setattr(verify, "Sources", lambda: sources)
    run_study(small_cells(), tmp_path / "store", folder=tmp_path, report=lambda line: None)
    return tmp_path


def key_named(store, name):
    (key,) = (row["key"] for row in store.cells().to_pylist() if row["name"] == name)
    return key


def rewrite(place, name, column, value):
    """Change a number in a result, without a trace."""
    store = Store(place / "store")
    key = key_named(store, name)
    rows = store.rows([key]).replace_schema_metadata(_facts(store, key))
    at = rows.column_names.index(column)
    changed = pa.array([value, *rows[column].to_pylist()[1:]], rows.schema.field(column).type)
    store.path(key).unlink()
    store.write(key, rows.set_column(at, column, changed))


def _facts(store, key):
    return pq.read_schema(store.path(key)).metadata


def test_a_run_that_comes_out_again_has_no_problem(place):
    assert verify_run(place, share=1.0) == [(label, "") for label in LABELS]


def test_the_share_is_drawn_and_at_least_one(place):
    drawn = {tuple(verify_run(place, seed=seed)) for seed in range(8)}
    assert all(len(each) == 1 for each in drawn)
    assert len(drawn) > 1
    assert verify_run(place, seed=3) == verify_run(place, seed=3)
    assert len(verify_run(place, share=0.7)) == 2


def test_a_number_that_was_changed_is_named(place):
    rewrite(place, "Time", "auroc", 0.123)
    problems = dict(verify_run(place, share=1.0))
    assert problems[LABELS[0]] == problems[LABELS[1]] == ""
    assert problems[LABELS[2]].startswith(f"differs when computed again: auroc of {SPLIT} is 1.0, not 0.123")


def test_what_it_cost_may_be_another(place):
    rewrite(place, "Time", "wall_s", 99.0)
    assert not any(problem for _, problem in verify_run(place, share=1.0))


def test_code_that_changed_since_is_told(place, monkeypatch):
    monkeypatch.setattr(sys.modules["offnominal.studies.execution"], "code_of", lambda cell, sources: "other")
    (_, problem) = verify_run(place)[0]
    assert problem == "was computed with other code; run its study again. The numbers are the same."


def test_cells_without_a_result_are_listed(place, package):
    cells = [*small_cells("Time"), small_cell("Bad", f"{package.name}.trouble:Raises")]
    run_study(cells, place / "store", folder=place, report=lambda line: None)
    assert dict(verify_run(place)) == {
        "SAP-Goal0-v0/expert/Bad/0": "has no result: it failed with ZeroDivisionError.",
        "SAP-Goal0-v0/expert/Time/0": "",
    }
    assert [problem[:13] for _, problem in verify_run(place, store=place / "elsewhere")] == ["has no result"] * 2


def test_a_cell_that_cannot_be_done_again_is_told(place, monkeypatch):
    def fail(cell, **options):
        raise OSError("no disk")

    monkeypatch.setattr(sys.modules["offnominal.studies.execution"], "run_cell", fail)
    assert verify_run(place)[0][1] == "cannot be computed again: OSError: no disk"


@pytest.mark.parametrize("share", [0.0, -0.1, 1.5, float("nan")])
def test_the_share_is_checked(place, share):
    with pytest.raises(InvalidParameter, match="share is"):
        verify_run(place, share)


def test_a_folder_without_a_run_is_named(tmp_path):
    with pytest.raises(MissingFile, match="is no run"):
        verify_run(tmp_path)


def test_hashes_of_all_cells_are_checked_and_nothing_is_moved(place, monkeypatch):
    store = Store(place / "store")
    key = key_named(store, "Time")
    content = bytearray(store.path(key).read_bytes())
    content[len(content) // 2] ^= 1
    store.path(key).write_bytes(content)
    problems = dict(verify_run(place, share=1.0))
    assert "does not have the SHA-256" in problems[LABELS[2]]
    assert problems[LABELS[0]] == problems[LABELS[1]] == ""
    monkeypatch.setattr(sys.modules["offnominal.studies.execution"], "run_cell", None)
    assert dict(verify_run(place, quick=True)) == problems
    assert store.path(key).exists()


def test_the_quick_command_checks_hashes(place):
    said = CliRunner().invoke(program, ["verify", str(place), "--quick"])
    assert (said.exit_code, "the hashes of 3 cells match" in " ".join(said.output.split())) == (0, True)
    for path in (place / "store").glob("cells/*/*"):
        path.unlink()
        break
    assert CliRunner().invoke(program, ["verify", str(place), "--quick"]).exit_code == 1


def test_the_command_verifies_runs(place):
    command = ["verify", str(place), "--share", "1"]
    result = CliRunner().invoke(program, command)
    assert (result.exit_code, "3 cells gave the same numbers" in " ".join(result.output.split())) == (0, True)
    rewrite(place, "KNN", "auroc", 0.5)
    result = CliRunner().invoke(program, [*command, "--json"])
    rows = json.loads(result.stdout)
    assert result.exit_code == 1
    assert [row["cell"] for row in rows if row["problem"]] == [LABELS[NAMES.index("KNN")]]
