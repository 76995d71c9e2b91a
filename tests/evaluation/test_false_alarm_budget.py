"""Budgets of false alarms: their texts, their rate in a world, and what results say about them."""

import numpy as np
import pyarrow as pa
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.evaluation.false_alarm_budget import DEFAULT, FalseAlarmBudget, budget_of
from offnominal.evaluation.ground_truth import GroundTruth
from offnominal.evaluation.split_evaluation import evaluate_split


@pytest.mark.parametrize(
    ("text", "budget", "said"),
    [
        ("12/hour", FalseAlarmBudget(12, "hour"), "12 false alarms per hour"),
        (" 1 / hour ", FalseAlarmBudget(1, "hour"), "1 false alarm per hour"),
        ("1/1000 steps", DEFAULT, "1 false alarm in 1,000 steps"),
        ("2.5e-1/1000-steps", FalseAlarmBudget(0.25), "0.25 false alarms in 1,000 steps"),
    ],
)
def test_a_text_is_a_budget(text, budget, said):
    assert (FalseAlarmBudget.parse(text), str(budget)) == (budget, said)


@pytest.mark.parametrize("text", ["12", "12/day", "/hour", "many/hour", "-1/hour", "1e/hour", "nan/hour", "12/hour/2"])
def test_another_text_is_named(text):
    with pytest.raises(InvalidParameter, match="budget"):
        FalseAlarmBudget.parse(text)


def test_a_budget_is_checked_and_goes_to_plain_data_and_back():
    budget = FalseAlarmBudget(12, "hour")
    assert FalseAlarmBudget.from_dict(budget.to_dict()) == budget
    for wrong in ({"false_alarms": -1.0}, {"per": "day"}, {"false_alarms": float("inf")}):
        with pytest.raises(InvalidParameter):
            FalseAlarmBudget.from_dict(wrong)


def test_a_budget_per_hour_needs_the_length_of_a_step():
    assert FalseAlarmBudget(12, "hour").rate(0.1) == pytest.approx(1000 * 12 * 0.1 / 3600)
    assert FalseAlarmBudget(12).rate(None) == 12
    with pytest.raises(InvalidParameter, match="length of a step is not known"):
        FalseAlarmBudget(12, "hour").rate(None)


def evaluated(budget, period=None):
    rng = np.random.default_rng(0)
    truths = [GroundTruth(np.arange(50) >= 20)] * 10
    scores = [rng.normal(size=50) + 2.0 * (np.arange(50) >= 20) for _ in range(10)]
    nominal = [rng.normal(size=50) for _ in range(20)]
    return evaluate_split(scores, truths, nominal=nominal, replicates=20, budget=budget, period=period)


def test_a_budget_per_hour_is_that_of_its_steps():
    hourly, steps = evaluated(FalseAlarmBudget(360, "hour"), period=0.1), evaluated(10.0)
    assert hourly.net.detected.value == steps.net.detected.value != evaluated(1.0).net.detected.value
    assert hourly.budget.threshold.value == steps.budget.threshold.value
    assert hourly.numbers().keys() == steps.numbers().keys() == evaluated(DEFAULT).numbers().keys()


def test_results_say_which_budget_it_is_unless_it_is_the_default():
    given = {"budget_per_1000_steps": 10.0, "budget_per_hour": 360.0}
    assert given.items() <= evaluated(FalseAlarmBudget(360, "hour"), period=0.1).counts().items()
    assert not given.keys() & evaluated(1.0).counts().keys()
    assert evaluated(0.5).counts()["budget_per_1000_steps"] == 0.5


def rows(**columns):
    return pa.table({"budget_detected": [0.5] * len(next(iter(columns.values()))), **columns})


def test_the_budget_of_a_run_is_read_from_its_rows():
    hourly = rows(budget_per_1000_steps=[0.3, 0.6], budget_per_hour=[12.0, 12.0])
    assert budget_of(hourly) == FalseAlarmBudget(12, "hour")
    assert budget_of(rows(budget_per_1000_steps=[0.5, 0.5])) == FalseAlarmBudget(0.5)
    assert budget_of(rows(name=["KNN"])) == budget_of(pa.table({"auroc": [0.5]})) == DEFAULT


def test_results_of_different_budgets_are_not_mixed():
    with pytest.raises(InvalidParameter, match=r"0\.5 false alarms in 1,000 steps, 12 false alarms per hour"):
        budget_of(rows(budget_per_1000_steps=[0.5, 0.3], budget_per_hour=[None, 12.0]))
