"""Detectors learn from one policy and are tested with every policy of their world."""

import pyarrow.compute as pc
import pytest

from offnominal.core.directories import DATA_VARIABLE
from offnominal.core.errors import InvalidParameter
from offnominal.kinds import UnseenPolicyCell, UnseenPolicyStudy
from offnominal.kinds.transfer.cell_run import RECALIBRATED
from offnominal.kinds.unseen_policy.cell import TRAIN_POLICY
from offnominal.kinds.unseen_policy.kind import UnseenPolicyKind
from offnominal.kinds.unseen_policy.report import false_alarm_table, overall_table, world_table
from offnominal.kinds.unseen_policy.results import AGAIN, SAME, UNSEEN, UnseenPolicyResults
from offnominal.reports.report import write_report
from offnominal.studies import DetectorEntry, open_run, run, verify_run
from offnominal.studies.execution import run_cell
from offnominal.studies.kinds import cell_from, study_from

from ...studies.cases import ALARM, DATA, WORLD, small_cell
from .made_unseen_policy import unseen_policy_results

POLICIES = ("expert", "scripted")


def study(**changes):
    given = {"worlds": (WORLD,), "detectors": (DetectorEntry("KNN"),), "policies": POLICIES, **changes}
    return UnseenPolicyStudy("mine", **given)


@pytest.fixture(scope="module")
def rows(data_folder, sources):
    cell = UnseenPolicyCell(
        WORLD, "Mahalanobis", "Mahalanobis", data=DATA, alarms=(ALARM,), replicates=10, test_policies=POLICIES
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DATA_VARIABLE, str(data_folder))
        return run_cell(cell, sources=sources).rows


@pytest.fixture(scope="module")
def found():
    return UnseenPolicyResults.of(unseen_policy_results().table)


def test_each_policy_trains_the_detectors_that_all_policies_test():
    cells = study().cells()
    assert [(cell.policy, cell.test_policies) for cell in cells] == [(policy, POLICIES) for policy in POLICIES]
    assert cells[0].source == cells[1].source


def test_plain_data_give_the_study_and_its_cells_back():
    assert study_from(study().to_dict()) == study()
    (cell, _) = study().cells()
    assert cell_from(cell.to_dict()) == cell


def test_a_world_with_one_policy_is_an_error():
    with pytest.raises(InvalidParameter, match="has the policies expert in study 'mine'; name two"):
        study(policies=("expert",))
    with pytest.raises(InvalidParameter, match="name two"):
        study(world_policies={WORLD: ("scripted", "scripted")})


@pytest.mark.long
def test_rows_name_the_policy_of_the_training_and_the_tested_one(rows):
    assert set(rows[TRAIN_POLICY].to_pylist()) == {"expert"}
    assert [(row["policy"], row["alarm"]) for row in rows.to_pylist()] == [
        ("expert", None),
        ("expert", ALARM.name),
        ("scripted", None),
        ("scripted", ALARM.name),
        ("scripted", ALARM.name + RECALIBRATED),
    ]


@pytest.mark.long
def test_numbers_with_the_policy_of_the_training_are_those_of_an_ordinary_study(rows, sources):
    usual = run_cell(small_cell("Mahalanobis"), sources=sources).rows
    here = rows.filter(pc.equal(rows["policy"], "expert"))
    other = rows.filter(pc.equal(rows["policy"], "scripted"))
    for name in ("matched_auroc", "draws_matched_auroc", "false_alarm_episodes", "mean_delay"):
        assert here[name].to_pylist() == usual[name].to_pylist(), name
    assert other["matched_auroc"].to_pylist()[0] != usual["matched_auroc"].to_pylist()[0]


def test_what_unseen_policies_cost_is_found(found):
    assert found.change("KNN").value == pytest.approx(-0.2)
    assert found.change("Mahalanobis").value == pytest.approx(0.0)
    assert found.estimate("KNN", SAME).value == pytest.approx(0.8)
    assert found.names == ["Mahalanobis", "KNN"]


def test_the_change_is_marked_if_its_interval_excludes_zero(found):
    first, second = overall_table(found).rows
    assert (first["detector"], "*" in first["change"]) == ("Mahalanobis", False)
    assert second["change"].startswith("-0.200")
    assert second["change"].endswith("*")
    assert len(world_table(found).rows) == 4


def test_false_alarms_are_those_of_the_three_cases(found):
    (row, _) = false_alarm_table(found).rows
    assert [row[case].split()[0] for case in (SAME, UNSEEN, AGAIN)] == ["0.05", "0.50", "0.05"]


def test_intervals_of_false_alarms_count_every_test_episode_once(found):
    assert found.rates["KNN", found.alarms[0], SAME].episodes == 2 * 3 * 20


def test_the_leaderboard_is_the_first_table():
    results = unseen_policy_results()
    assert [row["detector"] for row in UnseenPolicyKind().leaderboard(results)] == ["Mahalanobis", "KNN"]


@pytest.mark.long
@pytest.mark.usefixtures("in_process")
def test_a_run_is_stored_verified_and_reported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = study(detectors=(DetectorEntry("Time"),), data=DATA, replicates=0)
    folder, outcome = run(given, report=lambda line: None)
    assert (outcome.computed, outcome.complete) == (2, True)
    assert verify_run(folder, share=1.0) == [(f"{WORLD}/{policy}/Time/0", "") for policy in POLICIES]
    assert "same policy" in write_report(open_run(folder), folder).read_text(encoding="utf-8")
