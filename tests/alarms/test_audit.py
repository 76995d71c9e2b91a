"""Audits count correctly and have calibrated verdicts."""

import numpy as np
import pytest
from scipy.stats import binomtest

from offnominal.alarms import EpisodeMaximum, Guarantee, Maximum, WindowMaximum, audit_alarm, simulate_scores
from offnominal.alarms.share_interval import clopper_pearson
from offnominal.core.errors import InvalidScores, NotFitted

pytestmark = pytest.mark.long


def threshold_at_one(n=99, alpha=0.05, **options):
    """Return an alarm with limit 1, whatever its rank."""
    alarm = EpisodeMaximum(alpha, **options).fit([[0.5]] * n)
    alarm.threshold_ = 1.0
    return alarm


def test_episodes_steps_and_alarms_are_counted():
    quiet, once, twice, throughout = [0.0] * 4, [0.0, 2.0, 2.0, 0.0], [2.0, 0.0, 2.0, 0.0], [2.0] * 8
    audit = audit_alarm(threshold_at_one(), [quiet, once, twice, throughout])
    assert (audit.episodes, audit.alarmed, audit.steps, audit.n_alarms) == (4, 3, 20, 4)
    assert audit.rate == 0.75
    assert audit.alarms_per_1000_steps == 200.0
    assert audit.check.interval == pytest.approx(clopper_pearson(3, 4))
    assert (audit.alarm, audit.check.level) == ("EpisodeMaximum", 0.05)


@pytest.mark.parametrize(("k", "n"), [(0, 1), (1, 1), (0, 50), (3, 50), (50, 50), (137, 2000)])
def test_the_interval_is_that_of_clopper_and_pearson(k, n):
    exact = binomtest(k, n).proportion_ci(0.95, method="exact")
    np.testing.assert_allclose(clopper_pearson(k, n), (exact.low, exact.high), rtol=1e-9)


@pytest.mark.parametrize(
    ("alarmed", "verdict"),
    [
        (0, "kept"),
        (99, "kept"),
        (110, "undecided: 4,200 nominal episodes would decide"),
        (125, "undecided: more calibrations would decide"),
        (300, "broken"),
    ],
)
def test_the_verdict_is_that_of_evaluations(alarmed, verdict):
    audit = audit_alarm(threshold_at_one(), [[2.0]] * alarmed + [[0.0]] * (2000 - alarmed))
    assert audit.verdict == verdict


def test_a_rate_a_tenth_above_the_level_is_not_kept():
    assert audit_alarm(threshold_at_one(), [[2.0]] * 110 + [[0.0]] * 1890).check.outcome == "undecided"


def test_a_large_calibration_has_a_smaller_variance():
    scores = [[2.0]] * 150 + [[0.0]] * 1850
    assert audit_alarm(threshold_at_one(n=99), scores).check.outcome == "undecided"
    assert audit_alarm(threshold_at_one(n=9999), scores).verdict == "broken"
    assert audit_alarm(threshold_at_one(n=99, confidence=0.95), scores).verdict == "broken"


def test_an_alarm_without_a_rate_distribution_is_compared_with_its_level():
    class Plain(EpisodeMaximum):
        rate_distribution = None

    audit = audit_alarm(Plain().fit([[0.5]] * 99), [[2.0]] * 150 + [[0.0]] * 1850)
    assert audit.verdict == "broken"


def test_an_alarm_without_a_guarantee_has_no_verdict():
    assert audit_alarm(Maximum().fit([[0.5]]), [[2.0]] * 30).verdict == "no guarantee"


def test_a_guarantee_per_window_is_counted_in_windows():
    alarm = WindowMaximum(alpha=0.05, window=10).fit(simulate_scores(60, steps=100, seed=0))
    audit = audit_alarm(alarm, simulate_scores(400, steps=100, seed=1))
    assert audit.check.n == 4000
    assert audit.rate > 0.2
    assert audit.check.share < 0.1


def test_valid_guarantees_are_rarely_broken():
    outcomes = []
    for seed in range(60):
        scores = simulate_scores(550, steps=5, seed=seed)
        outcomes.append(audit_alarm(EpisodeMaximum(alpha=0.1).fit(scores[:50]), scores[50:]).check.outcome)
    assert outcomes.count("broken") <= 2
    assert outcomes.count("kept") > 10


def test_an_audit_has_a_readable_text():
    audit = audit_alarm(threshold_at_one(), [[2.0, 0.0]] * 3 + [[0.0, 0.0]] * 397)
    assert str(audit) == (
        "EpisodeMaximum: false alarms in 0.75% of 400 episodes, 3.75 alarms per 1,000 steps. Guarantee: a false alarm "
        "in at most 5% of nominal episodes, on average over calibrations. Measured: 0.75% [0.155%, 2.18%] of 400 "
        "nominal episodes. Verdict: kept."
    )


def test_a_guarantee_has_a_readable_text():
    assert str(Maximum().guarantee) == "no guarantee"
    assert str(EpisodeMaximum(0.01, confidence=0.95).guarantee) == (
        "a false alarm in at most 1% of nominal episodes, in at least 95% of calibrations"
    )
    assert Guarantee.from_dict(EpisodeMaximum().guarantee.to_dict()) == EpisodeMaximum().guarantee


def test_an_audit_needs_episodes_and_a_fitted_alarm():
    with pytest.raises(InvalidScores, match="an audit needs nominal episodes"):
        audit_alarm(threshold_at_one(), [])
    with pytest.raises(NotFitted):
        audit_alarm(EpisodeMaximum(), [[1.0]])
