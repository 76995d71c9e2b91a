"""Audits count correctly and have calibrated verdicts."""

import numpy as np
import pytest
from scipy.stats import betabinom, binom, binomtest

from offnominal.alarms import Audit, EpisodeMaximum, Guarantee, Maximum, audit_alarm, simulate_scores
from offnominal.alarms.audit import beta_binomial_tail, clopper_pearson
from offnominal.core.errors import InvalidParameter, InvalidScores, NotFitted


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
    assert audit.interval == clopper_pearson(3, 4)
    assert (audit.alarm, audit.guarantee.level) == ("EpisodeMaximum", 0.05)


@pytest.mark.parametrize(("k", "n"), [(0, 1), (1, 1), (0, 50), (3, 50), (50, 50), (137, 2000)])
def test_the_interval_is_that_of_clopper_and_pearson(k, n):
    exact = binomtest(k, n).proportion_ci(0.95, method="exact")
    np.testing.assert_allclose(clopper_pearson(k, n), (exact.low, exact.high), rtol=1e-9)


@pytest.mark.parametrize("k", [0, 1, 7, 60])
@pytest.mark.parametrize(("a", "b"), [(1.0, 19.0), (5.0, 96.0), (40.0, 761.0)])
def test_the_tail_is_that_of_the_beta_binomial_distribution(k, a, b):
    assert beta_binomial_tail(k, 60, a, b) == pytest.approx(betabinom.sf(k - 1, 60, a, b), rel=1e-9)


@pytest.mark.parametrize("alarmed", [0, 40, 120, 135, 200, 260, 2000])
def test_the_verdict_follows_from_the_two_probabilities(alarmed):
    audit = audit_alarm(threshold_at_one(), [[2.0]] * alarmed + [[0.0]] * (2000 - alarmed))
    assert audit.p_level == pytest.approx(binom.sf(alarmed - 1, 2000, 0.05), rel=1e-9, abs=1e-300)
    assert audit.p_guarantee == pytest.approx(betabinom.sf(alarmed - 1, 2000, 5, 95), rel=1e-6, abs=1e-9)
    assert audit.verdict == (
        "kept" if alarmed <= 120 else "above the level, as some calibrations are" if alarmed <= 200 else "contradicted"
    )


def test_a_large_calibration_has_a_smaller_variance():
    scores = [[2.0]] * 150 + [[0.0]] * 1850
    assert audit_alarm(threshold_at_one(n=99), scores).verdict == "above the level, as some calibrations are"
    assert audit_alarm(threshold_at_one(n=9999), scores).verdict == "contradicted"
    assert audit_alarm(threshold_at_one(n=99), scores, significance=0.2).verdict == "contradicted"
    assert audit_alarm(threshold_at_one(n=99, confidence=0.95), scores).verdict == "contradicted"


def test_an_alarm_without_a_rate_distribution_is_compared_with_its_level():
    class Plain(EpisodeMaximum):
        rate_distribution = None

    alarm = Plain().fit([[0.5]] * 99)
    audit = audit_alarm(alarm, [[2.0]] * 150 + [[0.0]] * 1850)
    assert audit.p_guarantee == audit.p_level < 0.01
    assert audit.verdict == "contradicted"


def test_an_alarm_without_a_guarantee_has_no_verdict():
    audit = audit_alarm(Maximum().fit([[0.5]]), [[2.0]] * 30)
    assert (audit.p_level, audit.p_guarantee, audit.verdict) == (None, None, "no guarantee")


def test_valid_guarantees_are_rarely_contradicted():
    """A sixth of the calibrations may be above the level to be seen; one in a hundred may be contradicted."""
    verdicts = []
    for seed in range(60):
        scores = simulate_scores(550, steps=5, seed=seed)
        verdicts.append(audit_alarm(EpisodeMaximum(alpha=0.1).fit(scores[:50]), scores[50:]).verdict)
    assert verdicts.count("contradicted") <= 2
    assert verdicts.count("above the level, as some calibrations are") > 4
    assert verdicts.count("kept") > 30


def test_an_audit_survives_a_round_trip_and_has_a_readable_text():
    audit = audit_alarm(threshold_at_one(), [[2.0, 0.0]] * 3 + [[0.0, 0.0]] * 97)
    assert Audit.from_dict(audit.to_dict()) == audit
    assert str(audit) == (
        "EpisodeMaximum: false alarms in 3.00% of 100 episodes (0.62% to 8.52%), 15 per 1,000 steps. Guarantee: a "
        "false alarm in at most 5% of nominal episodes, on average over calibrations. Verdict: kept."
    )


def test_a_guarantee_has_a_readable_text():
    assert str(Maximum().guarantee) == "no guarantee"
    assert str(EpisodeMaximum(0.01, confidence=0.95).guarantee) == (
        "a false alarm in at most 1% of nominal episodes, in at least 95% of calibrations"
    )
    assert Guarantee.from_dict(EpisodeMaximum().guarantee.to_dict()) == EpisodeMaximum().guarantee


def test_an_audit_needs_episodes_a_fitted_alarm_and_a_significance():
    with pytest.raises(InvalidScores, match="an audit needs nominal episodes"):
        audit_alarm(threshold_at_one(), [])
    with pytest.raises(NotFitted):
        audit_alarm(EpisodeMaximum(), [[1.0]])
    with pytest.raises(InvalidParameter, match="significance is 0"):
        audit_alarm(threshold_at_one(), [[1.0]], significance=0)
