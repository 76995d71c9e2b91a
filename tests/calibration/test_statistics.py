"""The statistics of a calibration, against closed forms and simulation."""

import numpy as np
import pytest

from offnominal.calibration.statistics import Measurement, adjusted, crossing, falling, first_crossing, mean, parabola

pytestmark = pytest.mark.long


def draws(n, k=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, k))


def test_an_interval_is_two_standard_errors_wide_on_each_side():
    low, high = Measurement(0.5, 0.1).interval
    assert low == pytest.approx(0.5 - 0.1959964)
    assert high == pytest.approx(0.5 + 0.1959964)


def test_luck_is_taken_away_without_moving_the_expectation():
    rng = np.random.default_rng(1)
    values, errors = [], []
    for seed in range(300):
        control_variates = draws(200, seed=seed)
        scores = 0.7 + control_variates @ np.array([0.3, -0.2, 0.0]) + rng.normal(0.0, 0.05, 200)
        estimate = mean(scores, control_variates)
        values.append(estimate.value)
        errors.append(estimate.error)
    assert np.mean(values) == pytest.approx(0.7, abs=0.001)
    assert np.std(values) == pytest.approx(np.mean(errors), rel=0.15)
    assert np.mean(errors) < 0.05 / np.sqrt(200) * 1.1


def test_few_episodes_use_the_first_column_only():
    control_variates = draws(12)
    scores = 0.5 + 0.4 * control_variates[:, 0] + 0.4 * control_variates[:, 1]
    np.testing.assert_allclose(adjusted(scores, control_variates), adjusted(scores, control_variates[:, :1]))
    more = draws(60)
    scores = 0.5 + 0.4 * more[:, 0] + 0.4 * more[:, 1]
    np.testing.assert_allclose(adjusted(scores, more), 0.5, atol=1e-12)


def test_one_episode_has_no_known_error():
    assert mean(np.array([0.3]), np.zeros((1, 1))) == Measurement(0.3, np.inf)


def test_a_parabola_is_found_exactly_and_its_error_is_honest():
    x = np.linspace(-1.0, 1.0, 400)
    exact = parabola(x, 0.8 - 0.3 * x + 0.1 * x**2)
    assert exact.at(0.5).value == pytest.approx(0.675)
    assert exact.crossing(0.8) == pytest.approx(0.0, abs=1e-9)
    rng, found, errors = np.random.default_rng(2), [], []
    for _ in range(400):
        curve = parabola(x, 0.8 - 0.3 * x + 0.1 * x**2 + rng.normal(0.0, 0.1 + 0.1 * (x > 0), 400))
        found.append(curve.at(0.1).value)
        errors.append(curve.at(0.1).error)
    assert np.mean(found) == pytest.approx(0.771, abs=0.002)
    assert np.std(found) == pytest.approx(np.mean(errors), rel=0.15)


def test_a_parabola_that_never_reaches_the_level_points_along_its_tangent():
    x = np.linspace(-1.0, 1.0, 50)
    curve = parabola(x, 0.9 - 0.1 * x + 0.2 * x**2)
    assert curve.crossing(0.5) == pytest.approx(4.0)


@pytest.mark.parametrize("seed", range(5))
def test_falling_is_the_least_squares_fit_that_never_rises(seed):
    rng = np.random.default_rng(seed)
    heights, weights = rng.normal(size=12), rng.uniform(0.5, 2.0, 12)
    fitted = falling(heights, weights)
    assert (np.diff(fitted) <= 1e-12).all()
    loss = np.sum(weights * (fitted - heights) ** 2)
    for _ in range(300):
        other = np.sort(fitted + rng.normal(0.0, 0.2, 12))[::-1]
        assert np.sum(weights * (other - heights) ** 2) >= loss - 1e-12


def test_the_first_crossing_ignores_what_comes_after_the_lowest_point():
    x, heights = np.arange(5.0), np.array([1.0, 0.9, 0.4, 0.8, 1.0])
    assert first_crossing(x, heights, np.ones(5), 0.65) == pytest.approx(1.5)
    assert first_crossing(x, heights, np.ones(5), 0.3) is None


def test_a_curve_wholly_below_or_above_crosses_at_its_end():
    x = np.arange(3.0)
    assert crossing(x, np.array([0.4, 0.3, 0.2]), 0.5) == 0.0
    assert crossing(x, np.array([0.9, 0.8, 0.7]), 0.5) == 2.0
