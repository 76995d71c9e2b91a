"""At equal cost every score gets the lowest threshold that its budget of false alarms allows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offnominal.core.errors import InvalidParameter
from offnominal.evaluation import measure_equal_cost, measure_operating_curve, measure_timing
from offnominal.evaluation.bootstrap import Resamples

from .cases import ragged, scored


def same_as_timing(found, scores, onsets, nominal, threshold, replicate=None):
    """Compare with an alarm above the threshold; with a replicate's number, its draws."""
    expected = measure_timing(
        [row > threshold for row in scores], onsets, horizon=found.horizon, within=tuple(found.within), replicates=0
    )
    numbers = expected.numbers()
    for name, number in found.numbers().items():
        value = number.value if replicate is None else number.draws[replicate - 1]
        assert value == (None if numbers[name].value is None else pytest.approx(numbers[name].value)), name


@settings(max_examples=50, deadline=None)
@given(scored(), scored(), st.sampled_from([0.0, 50.0, 100.0, 250.0, 500.0, 1000.0]), st.integers(1, 14))
def test_it_is_an_alarm_with_the_lowest_threshold_that_keeps_to_the_budget(case, others, cost, horizon):
    scores, onsets = case
    pooled = np.concatenate(others[0])
    found = measure_equal_cost(scores, onsets, others[0], cost=cost, horizon=horizon, replicates=0)
    allowed = [each for each in (-np.inf, *pooled) if 1000.0 * (pooled > each).sum() <= cost * len(pooled)]
    assert found.threshold.value == min(allowed)
    same_as_timing(found, scores, onsets, others[0], min(allowed))


def test_equal_cost_lies_on_the_operating_curve():
    rng = np.random.default_rng(0)
    (scores, onsets), (nominal, _) = ragged(rng, 40, levels=1000), ragged(rng, 40, levels=1000)
    curve = measure_operating_curve(scores, onsets, nominal)
    for cost in (0.0, 5.0, 30.0, 200.0):
        found, point = measure_equal_cost(scores, onsets, nominal, cost=cost, replicates=0), curve.at(cost)
        assert found.mean_delay.value == pytest.approx(curve.mean_delay[point])
        assert found.miss_rate.value == pytest.approx(curve.miss_rate[point])


def test_every_replicate_chooses_its_own_threshold():
    rng = np.random.default_rng(1)
    (scores, onsets), (nominal, _) = ragged(rng, 8, levels=50), ragged(rng, 6, levels=50)
    found = measure_equal_cost(scores, onsets, nominal, cost=100.0, replicates=30, seed=4)
    counts, others = Resamples.draw(8, 30, seed=4).counts, Resamples.draw_nominal(6, 30, seed=4).counts
    assert len(set(found.threshold.draws)) >= 5
    for replicate in range(1, 31):
        drawn = np.repeat(np.arange(8), counts[:, replicate])
        pooled = np.concatenate([nominal[e] for e in np.repeat(np.arange(6), others[:, replicate])])
        threshold = min(each for each in pooled if 1000.0 * (pooled > each).sum() <= 100.0 * len(pooled))
        assert found.threshold.draws[replicate - 1] == threshold
        same_as_timing(found, [scores[e] for e in drawn], [onsets[e] for e in drawn], nominal, threshold, replicate)


def test_intervals_cover_the_variance_of_the_threshold():
    rng = np.random.default_rng(2)
    truth = measure_equal_cost(
        rng.normal(size=(4000, 30)) + 0.5, [5] * 4000, rng.normal(size=(4000, 30)), cost=10.0, replicates=0
    )
    covered = []
    for seed in range(120):
        scores, nominal = rng.normal(size=(60, 30)) + 0.5, rng.normal(size=(60, 30))
        found = measure_equal_cost(scores, [5] * 60, nominal, cost=10.0, replicates=200, seed=seed).mean_delay
        covered.append(found.low <= truth.mean_delay.value <= found.high)
    assert np.mean(covered) == pytest.approx(0.93, abs=0.06)


def test_a_budget_cannot_be_negative():
    with pytest.raises(InvalidParameter, match="cost"):
        measure_equal_cost([np.zeros(3)], [1], [np.zeros(3)], cost=-1.0)
