"""Stored steps of outcomes give the cumulative incidence that they were stored from."""

import numpy as np
import pytest

from offnominal.core.episode import Episode
from offnominal.evaluation import evaluate_split
from offnominal.evaluation.cumulative_incidence import estimate_cumulative_incidence
from offnominal.evaluation.evaluation_report import EvaluationReport
from offnominal.evaluation.evaluation_rows import evaluation_rows
from offnominal.evaluation.outcome_steps import OUTCOME_STEPS, incidence_of_steps, outcome_steps


def random_curve(seed):
    rng = np.random.default_rng(seed)
    exposures = rng.integers(1, 30, 40)
    delays = np.where(rng.random(40) < 0.6, rng.integers(0, exposures), -1)
    return estimate_cumulative_incidence(delays, exposures, rng.random(40) < 0.4)


@pytest.mark.parametrize("seed", range(5))
def test_a_curve_is_the_one_of_its_steps(seed):
    curve = random_curve(seed)
    again = incidence_of_steps(outcome_steps(curve))
    for outcome in ("detected", "failed", "ended"):
        for end in ("share", "low", "high"):
            assert getattr(getattr(again, outcome), end) == pytest.approx(getattr(getattr(curve, outcome), end))
    assert again.at_risk.tolist() == curve.at_risk.tolist()


def test_without_episodes_there_is_no_curve():
    assert len(incidence_of_steps({name: [] for name in OUTCOME_STEPS}).at_risk) == 0


def test_rows_of_an_alarm_have_the_step_of_each_outcome():
    def episode(length, onset, *, failed=False):
        active = np.arange(length) >= onset
        return Episode(np.zeros((length + 1, 1)), np.zeros((length, 1)), np.zeros(length), active, terminated=failed)

    episodes = [episode(20, 5), episode(20, 5), episode(9, 5, failed=True), episode(20, 5)]
    raised = [np.arange(len(each.rewards)) == 7 for each in episodes]
    raised[1][:] = raised[2][:] = False
    split = evaluate_split([np.zeros(len(row)) for row in raised], episodes, name="x@y", alarms=raised, replicates=0)
    report = EvaluationReport.of("Toy-v0", [split])
    plain, alarmed = evaluation_rows({"": report, "3 sigma": report})
    assert not set(OUTCOME_STEPS) & plain.keys()
    assert [alarmed[name] for name in OUTCOME_STEPS] == [[2, 2], [3], [14]]
