"""What is done for a cell is what a user would do by hand."""

import json

import numpy as np
import pytest

import offnominal as off
from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.evaluation.false_alarm_budget import FalseAlarmBudget
from offnominal.evaluation.metrics import LEADERBOARD
from offnominal.kinds.faults.cell_run import build_alarm, build_detector
from offnominal.kinds.faults.data import content_hash, open_data
from offnominal.studies import result_key, run_cell, same_results
from offnominal.studies.execution import code_of
from offnominal.studies.result_rows import LATER_DRAWS
from offnominal.worlds.catalogue import worlds

from ...studies.cases import ALARM, DATA, NAMES, SPLIT, small_cell

pytestmark = pytest.mark.long


def by_hand(cell):
    """The scores' report, with the alarm, from the public functions."""
    data = open_data(cell)
    detector = build_detector(cell).fit(list(data["train"]), seed=cell.seed)
    alarm = build_alarm(ALARM).fit(detector.score(list(data["validation"])))
    return off.evaluate(detector, data, alarm=alarm, replicates=cell.replicates, seed=0)


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_what_evaluate_returns(result, name):
    split = by_hand(small_cell(name))[SPLIT]
    without, with_alarm = result[name].rows.to_pylist()
    assert (without["alarm"], with_alarm["alarm"]) == (None, "largest")
    seen = set()
    for number, estimate in split.numbers.items():
        row = without if without.get(number) is not None else with_alarm
        assert {name: row[name] for name in estimate.columns(number)} == estimate.columns(number)
        seen |= {number} if estimate.value is not None else set()
    assert {"matched_auroc", "median_delay", "miss_rate", "effective_mean_delay", "false_alarms"} <= seen


def test_a_row_says_whose_it_is(result):
    row = result["KNN"].rows.to_pylist()[0]
    wanted = {"world": "SAP-Goal0-v0", "policy": "expert", "name": "KNN", "detector": "KNN", "seed": 0, "split": SPLIT}
    wanted |= {"anomaly": "action/offset", "kind": "action", "level": "strong", "variant": "strong", "episodes": 6}
    assert row | wanted == row
    assert row["key"] == result["KNN"].key
    assert json.loads(row["parameters"]) == {}


def test_draws_are_kept_of_rows_without_an_alarm(result):
    without, with_alarm = result["KNN"].rows.to_pylist()
    for name in LEADERBOARD:
        draws = without[f"draws_{name}"]
        assert draws is None or len(draws) == 10
        assert with_alarm[f"draws_{name}"] is None
    assert len(set(without["draws_auroc"])) > 1


def test_the_file_says_how_it_was_made(result, sources):
    cell, facts = result["Time"].cell, result["Time"].rows.schema.metadata
    data, code = facts[b"data"].decode(), facts[b"code"].decode()
    assert json.loads(facts[b"cell"]) == cell.to_dict()
    assert data == content_hash(open_data(cell))
    assert code == code_of(cell, sources)
    assert result["Time"].key == result_key(cell, data=data, code=code)
    assert "numpy" in json.loads(facts[b"versions"])


def test_examples_are_episodes_that_were_struck(result):
    cell = small_cell("KNN")
    data = open_data(cell)
    detector = build_detector(cell).fit(list(data["train"]), seed=0)
    struck = [episode for episode in data[SPLIT] if episode.onset is not None]
    rows = result["KNN"].examples.to_pylist()
    assert [row["episode_seed"] for row in rows] == [episode.seed for episode in struck[:2]]
    assert [row["onset"] for row in rows] == [episode.onset for episode in struck[:2]]
    for row, scores in zip(rows, detector.score(struck[:2]), strict=True):
        np.testing.assert_array_equal(np.array(row["scores"], np.float32), np.asarray(scores, np.float32))
        limit = json.loads(row["thresholds"])["largest"]
        above = np.flatnonzero(scores > limit)
        assert json.loads(row["alarms"])["largest"] == (int(above[0]) if len(above) else None)


def test_a_cell_done_twice_gives_the_same(result, sources):
    again = run_cell(small_cell("KNN"), sources=sources)
    assert again.key == result["KNN"].key
    assert same_results(again.rows, result["KNN"].rows)
    assert again.rows["wall_s"] != result["KNN"].rows["wall_s"]


def test_other_results_are_not_called_the_same(result):
    rows = result["KNN"].rows
    place = rows.column_names.index("auroc")
    other = rows.set_column(place, "auroc", [[value and value + 1e-15 for value in rows["auroc"].to_pylist()]])
    assert not same_results(rows, other)
    assert not same_results(rows, rows.slice(0, 1))
    assert not same_results(rows, rows.drop_columns(["fpr95"]))


def test_the_seed_of_the_training_reaches_the_detector(sources):
    one, two = (run_cell(small_cell("Random", seed=seed), sources=sources).rows["auroc"].to_pylist() for seed in (0, 1))
    assert one != two


def test_scripted_agents_have_data_of_their_own(result, sources):
    scripted_expert = run_cell(small_cell("Time", policy="scripted"), sources=sources)
    assert scripted_expert.rows["policy"].to_pylist() == ["scripted"] * 2
    assert scripted_expert.rows.schema.metadata[b"data"] != result["Time"].rows.schema.metadata[b"data"]


def test_a_detector_of_somebody_else_needs_no_registration(package, result, sources):
    rows = run_cell(small_cell("Time", f"{package.name}.second:Second"), sources=sources).rows
    assert rows["auroc"].to_pylist() == result["Time"].rows["auroc"].to_pylist()
    assert rows["detector"].to_pylist() == [f"{package.name}.second:Second"] * 2


def test_what_is_no_detector_is_named(package, sources):
    with pytest.raises(InvalidParameter, match="is a function; expected a subclass of Detector"):
        run_cell(small_cell("3", f"{package.name}.trouble:not_a_detector"), sources=sources)
    with pytest.raises(UnknownName, match="Did you mean 'KNN'"):
        run_cell(small_cell("KNNN"), sources=sources)


def test_data_without_faults_are_refused(sources):
    with pytest.raises(InvalidParameter, match="no split with faults"):
        run_cell(small_cell(data=DATA.replace(levels=())), sources=sources)


def test_pooled_metrics_have_their_replicates(result):
    rows = result["KNN"].rows
    for name in ("pooled_auroc", "pooled_average_precision", "pooled_fpr95"):
        columns = (rows[each].to_pylist() for each in (name, "alarm", f"draws_{name}"))
        for number, alarm, draws in zip(*columns, strict=True):
            assert (draws is None) == (alarm is not None)
            assert draws is None or min(draws) <= number <= max(draws)


def test_results_without_pooled_replicates_are_the_same_ones(result):
    rows = result["KNN"].rows
    first, second, *_ = pooled = [name for name in LATER_DRAWS if name in rows.column_names]
    older = rows.drop_columns(pooled)
    assert same_results(rows, older)
    assert same_results(older, rows)
    changed = rows.set_column(rows.column_names.index(first), first, rows[second])
    assert not same_results(rows, changed)


def test_a_budget_per_hour_is_that_of_the_steps_of_the_world(result, sources):
    period = worlds.card("SAP-Goal0-v0").dt
    hourly = small_cell("KNN").replace(budget=FalseAlarmBudget(3600 / (1000 * period) * 50, per="hour"))
    steps = small_cell("KNN").replace(budget=FalseAlarmBudget(50.0))
    found = [run_cell(each, sources=sources).rows.to_pylist() for each in (hourly, steps)]
    at = [
        {name: rows[0][name] for name in ("net_detection", "net_delay", "budget_detected", "budget_mean_delay")}
        for rows in found
    ]
    usual = result["KNN"].rows.to_pylist()[0]
    assert at[0] == at[1] != {name: usual[name] for name in at[0]}
    assert [rows[0]["budget_per_1000_steps"] for rows in found] == pytest.approx([50.0, 50.0])
    assert found[1][0].get("budget_per_hour") is None
    for name in ("budget_area", "net_area"):
        assert usual[name] == found[0][0][name], "the area is over the same budgets"
    assert not {"budget_per_1000_steps", "budget_per_hour"} & set(usual)
