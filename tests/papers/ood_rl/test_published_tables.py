"""Ours beside print."""

import pyarrow as pa
import pytest

from offnominal.core.errors import UnknownName
from offnominal.papers.catalogue import figures_of, tables_of
from offnominal.papers.ood_rl.published import published_columns
from offnominal.papers.ood_rl.settings import CARTPOLE, settings
from offnominal.studies.results import RunResults

from .test_results import row

pytestmark = pytest.mark.long


def compared(number, rows):
    (table,) = tables_of("ood-rl", [number])
    return table.compare(RunResults("ood-rl", "", "", "", {}, pa.Table.from_pylist(rows), pa.table({})))


def test_every_table_has_its_published_columns():
    counts = {table.number: len(table.compare(RunResults.none())) for table in tables_of("ood-rl") if table.number > 2}
    assert sum(count for number, count in counts.items() if number > 5) == 39
    assert {number: counts[number] for number in (3, 4, 5)} == {3: 9, 4: 8, 5: 22}


def test_all_150_settings_of_table_1_are_those_of_the_study():
    table, returns = tables_of("ood-rl", [1])
    lines = table.compare(RunResults.none())
    assert (table.study, len(lines), {line.outcome for line in lines}) == ("", 155, {"reproduced"})
    assert returns.compare(RunResults.none()) == []


def test_one_agent_has_no_interval():
    rows = [
        row(CARTPOLE, 0, trial, anomaly="dynamics/pole_length", value=2.0, auc=auc)
        for trial, auc in enumerate((0.85, 0.95))
    ]
    lines = {line.labels["setting"]: line for line in compared(8, rows)}
    known = lines["length of the pole 2"]
    assert (known.ours.value, known.published, known.verdict) == (pytest.approx(0.9), 0.883, "no interval")
    assert (known.labels["± trials"], known.labels["± published"], known.labels["± agents"]) == ("0.071", "0.064", "–")
    assert (lines["gravity 98"].ours.value, lines["gravity 98"].note) == (None, "not in this run")


def four_agents(*aucs, returns=100.0):
    rows = [row(CARTPOLE, agent, 0, value=98.0, auc=auc, returns=returns) for agent, auc in enumerate(aucs)]
    return compared(8, rows)[0]


def test_the_interval_is_that_of_one_more_agent_and_of_the_published_trials():
    line = four_agents(0.60, 0.70, 0.70, 0.72)
    assert (line.published, line.labels["first agent"], line.labels["± agents"]) == (0.772, "0.600", "0.054")
    assert line.ours.high - line.ours.low == pytest.approx(2 * 3.182 * 0.054 * 1.25**0.5, abs=0.003)
    assert line.reach == pytest.approx(2.776 * 0.045 / 5**0.5, abs=0.001)
    assert line.verdict == "inconclusive"
    assert four_agents(0.10, 0.11, 0.10, 0.11).verdict == "differs"
    assert four_agents(0.60, 0.61).verdict == "no interval"


def test_that_our_agents_do_not_fail_is_a_remark():
    aucs = (0.10, 0.11, 0.10, 0.11)
    assert four_agents(*aucs).note == ""
    line = four_agents(*aucs, returns=200.0)
    assert (line.outcome, line.note) == ("differs", "published because the agent fails; ours do not")


def test_tables_of_pong_are_made_from_a_run_of_pong():
    scales = {table.number: table.scale for table in tables_of("ood-rl")}
    assert {number for number, scale in scales.items() if scale == "pong-agents"} == {5, *range(12, 20)}
    assert set(scales.values()) == {"pong-agents", "laptop"}


def test_a_world_that_was_not_run_is_said_to_be_missing():
    lines = compared(18, [row(CARTPOLE, 0, 0, value=98.0)])
    assert [(line.published, line.ours.value) for line in lines] == [(0.897, None), (0.859, None), (0.834, None)]
    assert "not in this run" in lines[0].note


def test_every_published_setting_is_one_of_the_study():
    for column in published_columns():
        assert (column.anomaly, column.parameter) in {(each.anomaly, each.parameter) for each in settings(column.world)}


def test_the_reason_of_a_table_without_numbers_and_of_an_unknown_figure_is_given():
    assert [table.not_computed for table in tables_of("ood-rl", [2])] == ["It lists methods and has no numbers."]
    with pytest.raises(UnknownName, match="corrupted frames"):
        figures_of("ood-rl", [6])
    assert [figure.file for figure in figures_of("ood-rl", [4, 5])] == ["q_values", "actions"]
