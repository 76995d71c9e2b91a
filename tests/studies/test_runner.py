"""Runs: what is there is skipped, what failed is told, and a run goes on where it was."""

import json
import shutil
import sys

import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.studies import Store, run_cell, run_study, runner, same_results
from offnominal.studies.run_manifest import read_run
from offnominal.studies.runner import CostHistory
from offnominal.studies.store import LostExamples

from .cases import DATA, NAMES, Killing, PoolHere, small_cell, small_cells

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("in_process", "result")]


@pytest.fixture
def go(tmp_path):
    """Run cells into a store; return what came of it and the lines that people saw."""

    def run(cells, **options):
        lines = []
        outcome = run_study(cells, tmp_path / "store", report=lines.append, **options)
        return outcome, [line for line in lines if "episodes of" not in line]

    return run


@pytest.fixture
def killed(monkeypatch, sources):
    """Kill the workers of some tasks a few times; what is left of each is what is returned."""

    def kill(**kills):
        left = {f"SAP-Goal0-v0/expert/{name}/0": times for name, times in kills.items() if name != "data"}
        left["episodes of SAP-Goal0-v0/expert"] = kills.get("data", 0)
        monkeypatch.setattr(runner, "LocalPool", lambda workers, peak_mb: Killing(PoolHere(sources), left))

    return kill


def test_what_has_a_result_is_skipped(go):
    first, _ = go(small_cells("KNN", "Time"))
    assert (first.computed, first.reused, first.complete) == (2, 0, True)
    second, lines = go(small_cells())
    assert (second.computed, second.reused) == (1, 2)
    assert len(lines) == 1
    assert "Mahalanobis" in lines[0]
    assert second.keys[0] == first.keys[0]


def cut(path):
    path.write_bytes(path.read_bytes()[:-9])


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)


def of_another_cell(path):
    other = next(each for each in path.parents[1].glob("*/*.parquet") if each != path)
    path.write_bytes(other.read_bytes())


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), cut, flip, of_another_cell])
def test_lost_examples_are_computed_again_and_the_run_says_so(go, tmp_path, damage):
    first, _ = go(small_cells("KNN", "Time"))
    store, key = Store(tmp_path / "store"), first.keys[0]
    before, rows = store.examples(first.keys), store.path(key).read_bytes()
    damage(tmp_path / "store" / "examples" / key[:2] / f"{key}.parquet")
    with pytest.warns(LostExamples, match="the examples of 1 result in"):
        assert store.examples(first.keys).num_rows < before.num_rows
    again, lines = go(small_cells("KNN", "Time"))
    assert (again.computed, again.reused, again.complete) == (1, 1, True)
    assert lines[0] == "1 result has lost or damaged examples in the store; its cell is computed again."
    assert "KNN" in lines[1]
    assert store.examples(first.keys).equals(before)
    assert store.path(key).read_bytes() == rows
    last, lines = go(small_cells("KNN", "Time"))
    assert (last.reused, lines) == (2, [])


def test_a_result_stays_when_its_examples_cannot_be_computed_again(go, killed, tmp_path):
    first, _ = go(small_cells("KNN"))
    shutil.rmtree(tmp_path / "store" / "examples")
    killed(KNN=3)
    again, lines = go(small_cells("KNN"))
    assert any("FAILED" in line for line in lines)
    assert again.complete
    assert Store(tmp_path / "store").failures() == []
    assert Store(tmp_path / "store").has(first.keys[0])


def test_a_cell_that_is_named_twice_is_done_once(go):
    outcome, _ = go([small_cell("Time"), small_cell("Time")])
    assert outcome.computed == 1
    assert len(outcome.keys) == 2


def test_a_failure_is_tried_again_only_if_asked(go, package, tmp_path):
    cell = small_cell("Once", f"{package.name}.trouble:Once", parameters={"mark": str(tmp_path / "mark")})
    outcome, lines = go([cell, small_cell("Time")])
    assert (outcome.computed, [failure.error for failure in outcome.failures]) == (1, ["RuntimeError"])
    assert any("FAILED: RuntimeError: the first time fails" in line for line in lines)
    outcome, lines = go([cell, small_cell("Time")])
    assert (outcome.computed, outcome.reused, len(outcome.failures), lines) == (0, 1, 1, [])
    outcome, _ = go([cell, small_cell("Time")], retry=True)
    assert (outcome.computed, outcome.reused, outcome.failures) == (1, 1, ())


@pytest.mark.parametrize("times", [1, 2])
def test_a_cell_whose_worker_is_killed_is_tried_again(go, killed, times):
    killed(KNN=times)
    outcome, lines = go(small_cells("KNN", "Time"))
    assert (outcome.computed, outcome.complete) == (2, True)
    assert sum("it is tried again" in line for line in lines) == times
    assert not any("FAILED" in line for line in lines)


def test_a_cell_that_is_killed_three_times_is_noted_and_the_next_run_tries_it_again(go, killed):
    killed(KNN=3)
    outcome, _ = go(small_cells("KNN", "Time"))
    assert outcome.computed == 1
    assert [(failure.error, failure.final) for failure in outcome.failures] == [("WorkerKilled", False)]
    outcome, _ = go(small_cells("KNN", "Time"))
    assert (outcome.computed, outcome.reused, outcome.complete) == (1, 1, True)


def test_a_worker_killed_while_it_makes_data_fails_no_cell(go, killed):
    killed(data=2)
    outcome, _ = go(small_cells())
    assert (outcome.computed, outcome.complete) == (3, True)
    killed(data=3)
    outcome, _ = go(small_cells())
    assert {failure.error for failure in outcome.failures} == {"WorkerKilled"}
    assert go(small_cells())[0].complete


def test_a_cell_that_runs_out_of_memory_says_so_and_the_next_run_tries_it_again(go, package):
    cell = small_cell("Hungry", f"{package.name}.trouble:Hungry")
    (failure,) = go([cell])[0].failures
    assert (failure.error, failure.final) == ("OutOfMemory", False)
    assert failure.message.startswith("out of memory (MemoryError: Unable to allocate 8 PiB); the process held ")
    assert "fewer workers" in failure.message
    _, lines = go([cell])
    assert any("OutOfMemory" in line for line in lines)


def test_results_that_are_gone_after_the_run_are_missing(go, tmp_path, monkeypatch):
    def do(cell, **options):
        found = done(cell, **options)
        if cell.name == "Time":
            shutil.rmtree(tmp_path / "store")
        return found

    home = sys.modules["offnominal.studies.execution"]
    done = home.run_cell
    monkeypatch.setattr(home, "run_cell", do)
    outcome, _ = go(small_cells("KNN", "Mahalanobis", "Time"), folder=tmp_path / "run")
    assert outcome.missing == ("SAP-Goal0-v0/expert/KNN/0", "SAP-Goal0-v0/expert/Mahalanobis/0")
    assert not outcome.complete
    assert read_run(tmp_path / "run")["missing_cells"] == 2


def test_only_some_cells_are_run_and_the_manifest_keeps_the_others(go, tmp_path):
    folder = tmp_path / "run"
    first, _ = go(small_cells(), only="*/KNN/*", folder=folder)
    second, _ = go(small_cells(), only=["*/T*"], folder=folder)
    assert (first.computed, second.computed) == (1, 1)
    assert read_run(folder)["keys"] == [*first.keys, *second.keys]
    with pytest.raises(InvalidParameter, match="no cell to run"):
        go(small_cells(), only="nothing*")


def test_the_manifest_says_what_was_run_and_what_it_cost(go, tmp_path):
    folder = tmp_path / "run"
    outcome, _ = go(small_cells("Time"), folder=folder, about={"study": "mine", "scale": "tiny"})
    found = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert list(found)[:3] == ["checksum", "study", "scale"]
    assert found["keys"] == list(outcome.keys)
    assert found["store"] == str(tmp_path / "store")
    assert (found["computed"], found["failed"], found["interrupted"], found["seeds"]) == (1, 0, False, [0])
    assert found["finished"] >= found["started"]
    assert found["cpu_s"] == outcome.cpu_s > 0
    assert found["hardware"]["processors"] >= 1


def test_an_interrupted_run_keeps_what_it_has(go, tmp_path, monkeypatch):
    def interrupt(cell, **options):
        if cell.name == "Time":
            raise KeyboardInterrupt
        return done(cell, **options)

    home = sys.modules["offnominal.studies.execution"]
    done = home.run_cell
    monkeypatch.setattr(home, "run_cell", interrupt)
    with pytest.raises(KeyboardInterrupt):
        go(small_cells("KNN", "Time"), folder=tmp_path / "run")
    found = read_run(tmp_path / "run")
    assert (found["computed"], found["interrupted"]) == (1, True)
    monkeypatch.undo()


def test_data_that_cannot_be_made_fails_its_cells_and_no_others(go):
    bad = small_cell("KNN", data=DATA.replace(anomalies=("action/nonsense",)))
    outcome, _ = go([bad, small_cell("Time")])
    assert outcome.computed == 1
    (failure,) = outcome.failures
    assert "action/nonsense" in failure.message


def test_code_that_changed_during_the_run_fails_its_cells(go, monkeypatch):
    home = sys.modules["offnominal.studies.execution"]
    monkeypatch.setattr(home, "run_cell", lambda cell, **options: run_cell(cell.replace(seed=1), **options))
    outcome, _ = go(small_cells("Time"))
    assert [failure.error for failure in outcome.failures] == ["InputsChanged"]


def test_a_name_that_nobody_knows_stops_the_run_before_it_begins(go, tmp_path):
    with pytest.raises(UnknownName, match="Did you mean 'Time'"):
        go([small_cell("KNN"), small_cell("Tim")])
    assert not (tmp_path / "store" / "cells").exists()


def test_results_are_those_of_the_cells_alone(go, result, tmp_path):
    outcome, _ = go(small_cells())
    for key, name in zip(outcome.keys, NAMES, strict=True):
        assert same_results(Store(tmp_path / "store").rows([key]), result[name].rows)


def test_the_dearest_cells_go_first_once_costs_are_known(go, tmp_path):
    go(small_cells())
    cost_history = CostHistory.of(Store(tmp_path / "store"))
    costs = {name: cost_history.cost(small_cell(name)) for name in NAMES}
    assert cost_history.cost(small_cell("Unknown")) is None
    assert cost_history.peak_mb > 1
    _, lines = go([small_cell(name, seed=7) for name in NAMES])
    order = [next(name for name in NAMES if f"/{name}/" in line) for line in lines]
    assert order == sorted(NAMES, key=lambda name: -costs[name])
