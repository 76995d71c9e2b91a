"""Online tests have the published levels, keep the false discovery rate, and lose it where their assumption fails."""

import numpy as np
import pytest
from scipy.special import zeta

from offnominal.alarms import ELond, FleetTests, LordPlusPlus, Saffron, TooFewEpisodes, e_value, online_test_from_dict
from offnominal.alarms.online_fdr import ZETA, lord_weights, saffron_weights
from offnominal.core.errors import InvalidParameter, InvalidScores
from offnominal.laws.online_fdr import check_online_test, upper_tail

ALL = (LordPlusPlus, Saffron, ELond)


def levels(test, values):
    found = []
    for value in values:
        found.append(test.threshold())
        test.test(value)
    return found


def test_levels_without_a_rejection_are_the_closed_cases():
    assert levels(LordPlusPlus(0.05), [1.0] * 5) == pytest.approx(
        [0.001251, 0.000272, 0.000232, 0.000193, 0.000163], abs=6e-7
    )
    assert levels(Saffron(0.05), [0.5] * 2) == pytest.approx([0.005469, 0.005469], abs=6e-7)
    assert levels(Saffron(0.05), [0.6] * 3) == pytest.approx([0.005469, 0.001804, 0.000943], abs=6e-7)
    assert levels(ELond(0.05), [1.0] * 3) == pytest.approx([40.0, 120.0, 240.0])


def test_rejections_earn_what_the_formula_says():
    p_values = [1e-9, 0.9, 1e-9, 0.3, 0.8]
    g = dict(enumerate(lord_weights(np.arange(1, 9)), start=1))
    # alpha 0.05, wealth 0.025; rejections at 1 and 3, so the first earns alpha - wealth and the second alpha.
    assert levels(LordPlusPlus(0.05), p_values)[3:] == pytest.approx(
        [0.025 * g[4] + 0.025 * g[3] + 0.05 * g[1], 0.025 * g[5] + 0.025 * g[4] + 0.05 * g[2]]
    )
    h = dict(enumerate(saffron_weights(np.arange(1, 9)), start=1))
    # Candidates are 1, 3 and 4: before test 5 three in all, two after the first rejection, one after the second.
    assert levels(Saffron(0.05), p_values)[4] == pytest.approx(0.5 * (0.025 * h[2] + 0.025 * h[2] + 0.05 * h[1]))
    assert levels(ELond(0.05), [1e9, 1e9, 1.0])[2] == pytest.approx(12 / (0.05 * 3))


def test_weights_sum_to_at_most_one():
    numbers = np.arange(1, 2_000_001)
    assert zeta(1.6) == pytest.approx(ZETA, rel=1e-8)
    # The rest of the sum is below the integral of 0.0722 ln x / (x exp(sqrt(ln x))).
    s = np.sqrt(np.log(numbers[-1]))
    rest = 0.0722 * 2.0 * (s**3 + 3.0 * s**2 + 6.0 * s + 6.0) * np.exp(-s)
    assert 0.9 < lord_weights(numbers).sum() + rest <= 1.0
    assert 0.999 < saffron_weights(numbers).sum() <= 1.0


@pytest.mark.long
@pytest.mark.parametrize("make", ALL)
def test_laws_hold(make):
    check_online_test(make).raise_if_broken()


@pytest.mark.parametrize("make", [LordPlusPlus, Saffron])
def test_laws_fail_without_correction(make):
    careless = type("Careless", (make,), {"threshold": lambda self: 0.3})
    report = check_online_test(careless, streams=50)
    assert [finding.law for finding in report if finding.problem][:1] == [
        "the false discovery rate is within the level"
    ]


def false_share(make, random, drift, streams=60, tests=300):
    """Return the mean share of false rejections, and its error, if nominal scores rose by some deviations."""
    shares = []
    for _ in range(streams):
        faulty = random.random(tests) < 0.1
        p_values = upper_tail(random.normal(size=tests) + np.where(faulty, 3.5, drift))
        test = make(0.1)
        rejected = np.array([test.test(p if test.takes == "p-value" else e_value(p)) for p in p_values])
        shares.append((rejected & ~faulty).sum() / max(1, rejected.sum()))
    return np.mean(shares), np.std(shares) / np.sqrt(streams)


@pytest.mark.long
@pytest.mark.parametrize("make", [LordPlusPlus, Saffron])
def test_nominal_p_values_that_have_become_too_small_break_the_promise(make):
    random = np.random.default_rng(0)
    kept, error = false_share(make, random, 0.0)
    assert kept <= 0.1 + 3.0 * error
    broken, error = false_share(make, random, 1.5)
    assert broken > 0.2 + 3.0 * error


def test_e_values_keep_the_promise_if_all_robots_share_their_noise():
    random, shares = np.random.default_rng(1), []
    for _ in range(300):
        shared = random.normal()
        faulty = random.random(100) < 0.2
        test = ELond(0.1)
        rejected = np.array([test.test(e_value(p)) for p in upper_tail(shared + 6.0 * faulty)])
        shares.append((rejected & ~faulty).sum() / max(1, rejected.sum()))
    assert np.mean(shares) <= 0.1


def test_an_e_value_of_a_uniform_p_value_has_the_mean_one():
    # With p = u², the mean over p is that of 2 u e(u²) over u.
    roots = (np.arange(1000) + 0.5) / 1000
    assert np.mean([2.0 * u * e_value(u * u) for u in roots]) == pytest.approx(1.0)


@pytest.mark.parametrize("make", ALL)
def test_descriptions_of_impossible_tests_are_named_errors(make):
    good = make(0.1)
    for value in (1e-6, 0.9, 1e-6) if good.takes == "p-value" else (200.0, 1.0, 300.0):
        good.test(value)
    data = good.to_dict()
    assert online_test_from_dict(data).to_dict() == data
    for change in (
        {"format": 2},
        {"test": "BH"},
        {"level": 2.0},
        {"tests": 1},
        {"rejections": [0]},
        {"rejections": "x"},
        {"more": 1},
    ):
        with pytest.raises(InvalidParameter):
            online_test_from_dict({**data, **change})
    with pytest.raises(InvalidParameter, match="these are no tests"):
        online_test_from_dict({})


def test_a_fleet_has_fewer_false_discoveries_than_robots_on_their_own():
    random = np.random.default_rng(2)
    tests = FleetTests([random.normal(size=1_000_000)], window=5)
    robots, small, rejected = [f"r{k}" for k in range(50)], 0, 0
    for _ in range(10):
        for robot, score in zip(robots, random.normal(size=50), strict=True):
            if (found := tests.take(robot, score)) is not None:
                small += found.p <= 0.05
                rejected += found.rejected
    assert small >= 2
    assert rejected == 0
    assert not tests.blind
    late = [tests.take("r7", 9.0) for _ in range(5)][-1]
    assert (late.robot, late.window, late.rejected) == ("r7", 2, True)
    assert late.p == tests.smallest_p == 1 / 200_001


def test_a_short_calibration_is_blind_after_many_tests():
    tests = FleetTests([np.arange(2000.0)], window=1)
    assert not tests.blind
    assert tests.take("early", 1e6).rejected
    tests = FleetTests([np.arange(2000.0)], window=1)
    for _ in range(50):
        tests.take("nominal", 0.0)
    assert tests.blind
    assert not tests.take("late", 1e6).rejected


def test_p_values_of_windows_are_conformal_ranks():
    tests = FleetTests([np.arange(100.0)], window=1)
    assert [tests.take("a", score).p for score in (99.5, 99.0, 0.0, -1.0)] == pytest.approx(
        [1 / 101, 2 / 101, 101 / 101, 101 / 101]
    )
    assert tests.take("a", None) is None
    with pytest.raises(TooFewEpisodes, match="give 2,000 steps or more"):
        FleetTests([np.arange(100.0)], window=100)
    with pytest.raises(InvalidParameter, match="score of 'a'"):
        tests.take("a", float("nan"))
    with pytest.raises(InvalidScores, match="invalid reading"):
        FleetTests([[1e30] * 100], window=1)
    with pytest.raises(InvalidParameter, match="test is"):
        FleetTests([np.arange(100.0)], window=1, test=0.05)
