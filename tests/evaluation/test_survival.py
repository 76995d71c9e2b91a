"""Kaplan and Meier, by hand and by simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offnominal.evaluation import estimate_detection_curve
from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.survival import restricted_means


def test_a_curve_computed_by_hand():
    # Delays 1, 1, 3, 4; misses after watching 3, 4 and 6 steps.
    curve = estimate_detection_curve(np.array([1, 1, 3, 4, -1, -1, -1]), np.array([9, 9, 9, 9, 3, 4, 6]))
    assert curve.at_risk.tolist() == [7, 7, 5, 4, 2, 1]
    silent = np.array([1, 5 / 7, 5 / 7, 5 / 7 * 3 / 4, 5 / 7 * 3 / 4 / 2, 5 / 7 * 3 / 4 / 2])
    np.testing.assert_allclose(curve.detected, 1 - silent)
    assert curve.delays.tolist() == [0, 1, 2, 3, 4, 5]
    # Greenwood at d = 3: 2 / (7 * 5) + 1 / (4 * 3).
    spread = 1.959964 * np.sqrt(2 / 35 + 1 / 12) / abs(np.log(silent[3]))
    assert 1 - curve.low[3] == pytest.approx(silent[3] ** np.exp(-spread))
    assert 1 - curve.high[3] == pytest.approx(silent[3] ** np.exp(spread))
    assert curve.low[0] == curve.high[0] == 0.0


def test_without_misses_the_curve_is_the_detected_fraction():
    delays = np.array([0, 0, 2, 5, 5, 5, 9])
    curve = estimate_detection_curve(delays, np.full(7, 10))
    np.testing.assert_allclose(curve.detected, [(delays <= d).mean() for d in range(10)])
    assert curve.detected[-1] == curve.high[-1] == 1.0
    assert curve.low[-1] == curve.low[-2] < 1.0
    assert (curve.low <= curve.detected).all()
    assert (curve.detected <= curve.high).all()


def test_all_detected_at_once():
    curve = estimate_detection_curve(np.zeros(4, np.int64), np.full(4, 3))
    assert (curve.detected[0], curve.low[0], curve.high[0]) == (1.0, 0.0, 1.0)


def test_nothing_ever_detected():
    curve = estimate_detection_curve(np.full(3, -1), np.array([2, 3, 5]))
    assert (curve.detected == 0.0).all()
    assert (curve.high == 0.0).all()
    assert len(curve.delays) == 5


def test_no_episodes_give_no_curve():
    empty = np.empty(0, np.int64)
    curve = estimate_detection_curve(empty, empty)
    assert len(curve.detected) == len(curve.at_risk) == 0


WATCHED = st.lists(st.tuples(st.integers(1, 12), st.integers(-1, 11)), min_size=1, max_size=12).map(
    lambda pairs: ([delay if delay < length else -1 for length, delay in pairs], [length for length, _ in pairs])
)


def product_limit(delays, exposures, d):
    """Return how many are still unnoticed after d steps, factor by factor."""
    silent = 1.0
    for k in range(d + 1):
        outcomes = [
            delay for delay, length in zip(delays, exposures, strict=True) if length > k and (delay < 0 or delay >= k)
        ]
        if outcomes:
            silent *= 1.0 - outcomes.count(k) / len(outcomes)
    return silent


@settings(max_examples=80, deadline=None)
@given(WATCHED, st.integers(1, 15))
def test_curve_and_mean_are_those_of_the_product_formula(case, horizon):
    delays, exposures = (np.array(part, np.int64) for part in case)
    curve = estimate_detection_curve(delays, exposures)
    expected = [product_limit(*case, d) for d in range(max(len(curve.delays), horizon))]  # type: ignore[call-arg]
    np.testing.assert_allclose(1 - curve.detected, expected[: len(curve.delays)], atol=1e-12)
    area = restricted_means(delays[:, None], exposures, horizon, np.ones((len(delays), 1), np.int32))
    assert area[0] == pytest.approx(sum(expected[:horizon]))


def test_every_replicate_is_the_mean_of_its_episodes_written_out():
    rng = np.random.default_rng(0)
    exposures = rng.integers(1, 25, 9)
    delays = rng.integers(0, 25, 9)
    delays[delays >= exposures] = -1
    counts = Resamples.draw(9, 30, seed=1).counts
    areas = restricted_means(delays[:, None], exposures, 10, counts)
    for replicate in range(31):
        drawn = np.repeat(np.arange(9), counts[:, replicate])
        alone = restricted_means(delays[drawn, None], exposures[drawn], 10, np.ones((9, 1), np.int32))
        assert areas[replicate] == pytest.approx(alone[0])


def test_the_mean_does_not_depend_on_when_episodes_end_and_the_naive_one_does():
    rng = np.random.default_rng(2)
    truth = rng.geometric(0.1, 20_000) - 1
    means, naive = [], []
    for shortest in (5, 40):
        exposures = rng.integers(shortest, 60, 20_000)
        seen = np.where(truth < exposures, truth, -1)
        means.append(restricted_means(seen[:, None], exposures, 20, np.ones((20_000, 1), np.int32))[0])
        naive.append(np.minimum(np.where(seen < 0, exposures, seen), 20).mean())
    expected = sum(0.9 ** (d + 1) for d in range(20))
    assert means == pytest.approx([expected, expected], abs=0.15)
    assert abs(naive[0] - naive[1]) > 0.3


def test_the_band_covers_the_truth():
    rng = np.random.default_rng(3)
    inside = []
    for _ in range(400):
        truth, exposures = rng.geometric(0.1, 60) - 1, rng.integers(3, 40, 60)
        curve = estimate_detection_curve(np.where(truth < exposures, truth, -1), exposures)
        inside.append(curve.low[8] <= 1 - 0.9**9 <= curve.high[8])
    assert np.mean(inside) == pytest.approx(0.95, abs=0.03)
