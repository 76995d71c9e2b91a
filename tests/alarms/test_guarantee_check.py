"""Guarantees of alarms beside what was measured."""

from dataclasses import replace

import numpy as np
import pytest

from offnominal.alarms import EpisodeMaximum, GuaranteeCheck, Quantile, WindowMaximum, check_guarantee, simulate_scores
from offnominal.alarms.guarantee_check import deciding_units, over_runs, over_worlds, untested
from offnominal.alarms.share_interval import clopper_pearson


def of_share(share, n, level=0.05):
    error = float(np.sqrt(share * (1.0 - share) / n))
    return GuaranteeCheck("at most 5%", "episodes", level, share, error, 0.0, n)


@pytest.mark.parametrize(
    ("share", "n", "verdict"),
    [
        (0.04, 1000, "kept"),
        (0.0, 100, "kept"),
        (0.0, 20, "undecided: 4,200 nominal episodes would decide"),
        (0.05, 1000, "undecided: 4,200 nominal episodes would decide"),
        (0.05, 4200, "kept"),
        (0.2, 100, "broken"),
        (0.08, 1000, "broken"),
    ],
)
def test_a_verdict_says_no_more_than_the_interval(share, n, verdict):
    check = of_share(share, n)
    assert check.verdict == verdict
    assert check.interval == pytest.approx(clopper_pearson(share * n, n))
    assert f"of {n:,} nominal episodes. Verdict: {verdict}." in str(check)


def test_one_small_calibration_does_not_contradict_an_average_over_calibrations():
    raised = [np.arange(10) == 3 if number < 80 else np.zeros(10, bool) for number in range(1000)]
    marginal, pac = (
        check_guarantee(EpisodeMaximum(0.05, confidence=confidence).fit(simulate_scores(100)), raised)
        for confidence in (None, 0.9)
    )
    assert marginal.share == pac.share == 0.08
    assert pac.verdict == "broken"
    assert marginal.verdict == "undecided: more calibrations would decide"
    assert marginal.interval == pac.interval == pytest.approx(clopper_pearson(80, 1000))
    assert over_worlds([marginal] * 40).verdict == "broken"


@pytest.mark.parametrize(("true", "least", "most"), [(0.07, 0.0, 0.001), (0.06, 0.0, 0.03), (0.05, 0.78, 1.0)])
def test_kept_is_rarely_said_of_a_broken_guarantee_and_mostly_of_a_kept_one(true, least, most):
    n = deciding_units(0.05)
    alarms = np.random.default_rng(0).binomial(n, true, 4000)
    kept = {k: of_share(k / n, n).outcome == "kept" for k in set(alarms.tolist())}
    assert least <= np.mean([kept[k] for k in alarms]) <= most


def test_a_true_share_above_the_guarantee_is_not_called_kept_with_few_episodes():
    alarms = np.random.default_rng(1).binomial(200, 0.07, 2000)
    assert np.mean([of_share(k / 200, 200).outcome == "kept" for k in alarms]) <= 0.025


def test_correlated_units_must_be_more_to_decide():
    check = of_share(0.05, 500)
    assert replace(check, error=2.0 * check.error).deciding == 17_000
    assert check.deciding == 4_200


def test_windows_are_counted_in_windows_and_per_hour():
    alarm = WindowMaximum(alpha=0.1, window=50, period=0.1).fit([np.random.default_rng(0).normal(size=5000)])
    raised = [np.isin(np.arange(520), (10, 60, 61)), np.zeros(49, bool)]
    check = check_guarantee(alarm, raised)
    assert (check.n, check.share, check.unit) == (10, 0.2, "windows of 50 steps")
    assert check.shown()["guaranteed"] == "≤ 10% (72 per hour)"
    assert check.shown()["measured"].endswith("(144 per hour)")
    assert check.verdict == "undecided: 2,000 nominal windows would decide"


def test_an_alarm_without_a_guarantee_keeps_none():
    check = check_guarantee(Quantile().fit([[1.0, 2.0]]), [np.array([True, False])])
    assert (check.verdict, check.share, check.guaranteed) == ("no guarantee", 1.0, None)
    assert untested(EpisodeMaximum(0.5).fit([[1.0], [2.0]])).verdict == "not tested: no nominal episodes"


def test_a_check_survives_its_row():
    check = of_share(0.04, 500)
    assert GuaranteeCheck.from_row(check.row()) == check
    assert GuaranteeCheck.from_row({"guarantee": None}) is None


def test_runs_on_the_same_episodes_do_not_narrow_the_interval_and_worlds_do():
    check = of_share(0.05, 100)
    assert over_runs([check] * 5) == check
    several = over_worlds([check] * 16)
    assert (several.n, several.share) == (1600, pytest.approx(0.05))
    assert several.error == pytest.approx(check.error / 4)


def test_the_number_that_would_decide_is_larger_than_the_one_that_did_not():
    check = of_share(0.0546, 5000)
    assert check.verdict == "undecided: 15,000 nominal episodes would decide"
    assert of_share(0.0546, 15_000).outcome == "kept"
