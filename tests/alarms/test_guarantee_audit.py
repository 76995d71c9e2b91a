"""Audits over calibrations have correct standard errors, and distinguish guarantees that are kept from broken ones."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, t

from offnominal.alarms import EpisodeMaximum, Guarantee, GuaranteeAudit, Maximum, audit_guarantee, simulate_scores
from offnominal.alarms.guarantee import EXCHANGEABLE
from offnominal.alarms.guarantee_audit import crossed_error
from offnominal.alarms.share_interval import clopper_pearson, effective_interval
from offnominal.core.errors import InvalidParameter, InvalidScores

pytestmark = pytest.mark.long

SCORES = simulate_scores(4000, steps=4, seed=3)


class Impatient(EpisodeMaximum):
    """Takes a rank too low by five."""

    def _rank(self, n):
        return super()._rank(n) - 5


class Overconfident(EpisodeMaximum):
    """Promises for every calibration what holds on average."""

    @property
    def guarantee(self):
        return Guarantee("pac", self.alpha, "episode", EXCHANGEABLE, 0.95)


def audited(alarm, **options):
    return audit_guarantee(alarm, SCORES[:2000], SCORES[2000:], **options)


def found(interval, p, n_tests=1, promise=None):
    return GuaranteeAudit(promise or EpisodeMaximum().guarantee, 100, 2000, (0.05, 0.06), 0.01, interval, p, n_tests)


def test_calibrations_use_disjoint_episodes_and_the_same_test_episodes():
    calibration = [[float(level)] for level in range(1, 13)]
    fresh = [[level + 0.5, 0.0] for level in range(12)]
    audit = audit_guarantee(EpisodeMaximum(alpha=0.25), calibration, fresh, calibrations=4)
    assert audit.rates == (9 / 12, 6 / 12, 3 / 12, 0.0)
    assert (audit.rate, audit.calibration, audit.episodes) == (4.5 / 12, 3, 12)


def test_the_remainder_of_the_calibration_episodes_is_not_used():
    few = audit_guarantee(Maximum(), SCORES[:100], SCORES[2000:], calibrations=10)
    more = audit_guarantee(Maximum(), SCORES[:109], SCORES[2000:], calibrations=10)
    assert few == more


def test_the_error_is_that_of_a_mean_over_sampled_rows_and_columns():
    rng = np.random.default_rng(0)

    def table():
        return rng.normal(size=(20, 1)) + 2.0 * rng.normal(size=(1, 50)) + rng.normal(size=(20, 50))

    tables = [table() for _ in range(2000)]
    errors = np.array([crossed_error(each) for each in tables])
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(np.std([each.mean() for each in tables]), rel=0.05)


@pytest.mark.slow
def test_the_error_and_the_interval_are_right_for_a_conformal_alarm():
    audits = []
    for seed in range(200):
        scores = simulate_scores(1200, steps=3, seed=seed)
        audits.append(audit_guarantee(EpisodeMaximum(alpha=0.1), scores[:600], scores[600:], calibrations=10))
    rates, errors = (np.array([getattr(each, name) for each in audits]) for name in ("rate", "error"))
    truth = 6 / 61
    assert rates.mean() == pytest.approx(truth, abs=3 * rates.std() / np.sqrt(len(rates)))
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(rates.std(), rel=0.15)
    assert np.mean([low <= truth <= high for low, high in (each.interval for each in audits)]) > 0.91
    assert np.mean([each.outcome == "broken" for each in audits]) < 0.03


def test_the_interval_is_that_of_independent_trials_if_the_error_is_theirs():
    error = np.sqrt(0.05 * 0.95 / 2000)
    independent = effective_interval(0.05, error, 2000, freedom=1999)
    np.testing.assert_allclose(independent, clopper_pearson(100, 2000), rtol=1e-6)
    assert effective_interval(0.05, error / 10, 2000, freedom=1999) == pytest.approx(clopper_pearson(100, 2000))
    assert effective_interval(1.0, 0.0, 2000, freedom=19) == clopper_pearson(2000, 2000)


@pytest.mark.parametrize(("error", "freedom"), [(0.01, 19), (0.005, 4)])
def test_the_interval_grows_with_the_error_and_with_fewer_calibrations(error, freedom):
    low, high = effective_interval(0.05, 0.005, 2000, freedom=19)
    lower, higher = effective_interval(0.05, error, 2000, freedom)
    assert lower < low < 0.05 < high < higher


@pytest.mark.parametrize(
    ("interval", "p", "n_tests", "outcome"),
    [
        ((0.03, 0.06), 0.6, 1, "kept"),
        ((0.04, 0.07), 0.2, 1, "undecided"),
        ((0.051, 0.07), 0.02, 1, "undecided"),
        ((0.051, 0.07), 0.004, 1, "broken"),
        ((0.051, 0.07), 0.004, 60, "undecided"),
        ((0.07, 0.09), 0.0001, 60, "broken"),
    ],
)
def test_more_tests_need_stronger_evidence(interval, p, n_tests, outcome):
    assert found(interval, p, n_tests).outcome == outcome
    assert found(interval, p, n_tests, Maximum().guarantee).outcome == "no guarantee"


def test_a_rate_of_a_tenth_above_the_level_is_not_kept():
    assert found((0.042, 0.069), 0.24).verdict.startswith("undecided: ")
    assert found((0.051, 0.069), 0.02).verdict == "undecided: more calibrations would decide"


def test_as_many_calibrations_and_episodes_as_would_decide_do_so():
    """The scale that an undecided audit asks for decides in most cases, if the rate is the level."""
    rng = np.random.default_rng(0)

    def audit(calibrations, episodes):
        scores = rng.random((episodes, 1)) < rng.beta(50.0, 950.0, calibrations)
        error = crossed_error(scores.T.astype(float))
        rates = scores.mean(axis=0)
        interval = effective_interval(float(rates.mean()), error, episodes, calibrations - 1)
        return GuaranteeAudit(EpisodeMaximum().guarantee, 100, episodes, tuple(rates), error, interval, 0.5, 1)

    outcomes = []
    for _ in range(60):
        words = audit(20, 500).verdict.replace(",", "").split()
        if "calibrations" in words and "nominal" in words:
            outcomes.append(audit(int(words[1]), int(words[4])).outcome)
    assert len(outcomes) > 30
    assert outcomes.count("kept") > 0.65 * len(outcomes)


def test_the_guarantee_of_a_conformal_alarm_is_not_broken_and_a_false_one_is():
    right, broken = audited(EpisodeMaximum(alpha=0.05)), audited(Impatient(alpha=0.05))
    assert right.outcome != "broken"
    assert broken.verdict == "broken"
    assert broken.p == pytest.approx(t.sf((broken.rate - 0.05) / broken.error, 19))


def test_a_pac_guarantee_is_counted_over_calibrations():
    few, broken = audited(EpisodeMaximum(confidence=0.95)), audited(Overconfident())
    assert few.verdict == "undecided: 72 calibrations would decide"
    assert broken.verdict == "broken"
    above = sum(rate > 0.05 + 2.0 * np.sqrt(0.05 * 0.95 / 2000) for rate in broken.rates)
    assert broken.p == pytest.approx(binom.sf(above - 1, 20, 0.05))
    many = replace(few, rates=(0.02,) * 71 + (0.059,))
    assert (many.outcome, replace(many, rates=(0.02,) * 71 + (0.061,)).outcome) == ("kept", "undecided")


def test_an_alarm_that_is_always_raised_breaks_its_guarantee_without_variance():
    audit = audit_guarantee(EpisodeMaximum(), SCORES[:2000], [[1e9]] * 500)
    assert (audit.rate, audit.error, audit.verdict) == (1.0, 0.0, "broken")


def test_an_alarm_that_is_never_raised_keeps_its_guarantee():
    audit = audit_guarantee(EpisodeMaximum(), SCORES[:2000], [[0.0]] * 500)
    assert (audit.rate, audit.interval[0], audit.verdict) == (0.0, 0.0, "kept")
    assert audit.interval[1] == pytest.approx(clopper_pearson(0, 500)[1])


def test_without_a_guarantee_the_rate_is_per_episode():
    audit = audit_guarantee(Maximum(), [[1.0]] * 4, [[2.0, 0.0, 0.0], [0.0, 0.0, 0.0]], calibrations=2)
    assert (audit.rate, audit.p, audit.verdict) == (0.5, None, "no guarantee")


def test_a_guarantee_per_step_is_counted_in_steps():
    class PerStep(EpisodeMaximum):
        guarantee = Guarantee("marginal", 0.05, "step", EXCHANGEABLE)

    audit = audit_guarantee(PerStep(), [[1.0]] * 40, [[2.0, 2.0, 0.0], [0.0]], calibrations=2)
    assert audit.rates == (0.5, 0.5)


def test_the_given_alarm_is_not_changed():
    alarm = EpisodeMaximum()
    audited(alarm)
    assert not alarm.fitted


def test_an_audit_survives_a_round_trip():
    audit = audited(EpisodeMaximum(), n_tests=3)
    assert GuaranteeAudit.from_dict(audit.to_dict()) == audit


def test_too_few_calibrations_or_episodes_are_refused():
    with pytest.raises(InvalidParameter, match="1 calibrations of 100 episodes are too few"):
        audit_guarantee(Maximum(), SCORES[:100], SCORES[2000:], calibrations=1)
    with pytest.raises(InvalidParameter, match="20 calibrations of 0 episodes"):
        audit_guarantee(Maximum(), SCORES[:10], SCORES[2000:])
    with pytest.raises(InvalidScores, match="no test episode was given"):
        audit_guarantee(Maximum(), SCORES[:100], [])
    with pytest.raises(InvalidParameter, match="n_tests is 0"):
        audited(Maximum(), n_tests=0)
