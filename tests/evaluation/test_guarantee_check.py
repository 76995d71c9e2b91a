"""Guarantees of alarms beside what was measured."""

import numpy as np
import pytest

from offnominal.alarms import EpisodeMaximum, Quantile, WindowMaximum, simulate_scores
from offnominal.alarms.audit import clopper_pearson
from offnominal.evaluation import GuaranteeCheck, check_guarantee
from offnominal.evaluation.guarantee_check import over_runs, over_worlds, untested


def of_share(share, n, level=0.05):
    error = float(np.sqrt(share * (1.0 - share) / n))
    return GuaranteeCheck("at most 5%", "episodes", level, share, error, 0.0, n)


@pytest.mark.parametrize(
    ("share", "n", "verdict"),
    [
        (0.05, 1000, "kept"),
        (0.0, 100, "kept"),
        (0.0, 20, "not enough nominal episodes to tell"),
        (0.05, 60, "not enough nominal episodes to tell"),
        (0.2, 100, "not kept"),
        (0.08, 1000, "not kept"),
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
    assert pac.verdict == "not kept"
    assert marginal.verdict == "above the level, as some calibrations are"
    assert marginal.interval == pac.interval == pytest.approx(clopper_pearson(80, 1000))
    assert over_worlds([marginal] * 40).verdict == "not kept"


def test_windows_are_counted_in_windows_and_per_hour():
    alarm = WindowMaximum(alpha=0.1, window=50, period=0.1).fit([np.random.default_rng(0).normal(size=5000)])
    raised = [np.isin(np.arange(520), (10, 60, 61)), np.zeros(49, bool)]
    check = check_guarantee(alarm, raised)
    assert (check.n, check.share, check.unit) == (10, 0.2, "windows of 50 steps")
    assert check.shown()["guaranteed"] == "≤ 10% (72 per hour)"
    assert check.shown()["measured"].endswith("(144 per hour)")
    assert check.verdict == "not enough nominal windows to tell"


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
