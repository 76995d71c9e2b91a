"""Our number beside a published one."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.evaluation import Estimate
from offnominal.studies.published_comparison import PublishedComparison, Rule

SHARE = Rule("measured", margin=0.05, close=0.02)


def between(low, high):
    """Return an estimate in the middle of an interval."""
    return Estimate((low + high) / 2, np.array([low, high]))


@pytest.mark.parametrize(
    ("ours", "published", "verdict"),
    [
        (between(0.69, 0.71), 0.70, "reproduced closely"),
        (between(0.68, 0.72), 0.70, "reproduced closely"),
        (between(0.67, 0.71), 0.70, "reproduced"),
        (between(0.72, 0.75), 0.70, "reproduced"),
        (between(0.66, 0.76), 0.70, "inconclusive"),
        (between(0.71, 0.80), 0.70, "inconclusive"),
        (between(0.73, 0.80), 0.70, "differs"),
        (between(0.60, 0.67), 0.70, "differs"),
        (between(0.00, 1.00), 0.816, "inconclusive"),
        (Estimate(0.70), 0.70, "no interval"),
        (Estimate(0.10), 0.70, "no interval"),
        (Estimate(None), 0.70, ""),
        (Estimate(0.70), None, ""),
    ],
)
def test_the_verdict_is_that_of_the_interval_of_the_difference(ours, published, verdict):
    assert PublishedComparison({}, ours, published, SHARE).verdict == verdict


def test_the_rounding_of_the_published_number_widens_the_interval():
    rounded = Rule("measured", margin=0.05, close=0.02, rounding=0.005)
    verdicts = [PublishedComparison({}, between(0.68, 0.72), 0.70, rule).verdict for rule in (SHARE, rounded)]
    assert verdicts == ["reproduced closely", "reproduced"]


def test_the_interval_of_the_published_number_counts_as_well():
    verdicts = [PublishedComparison({}, between(0.67, 0.73), 0.70, SHARE, reach=reach).verdict for reach in (0.0, 0.05)]
    assert verdicts == ["reproduced", "inconclusive"]


@pytest.mark.parametrize("kind", ["fact", "work"])
def test_facts_and_counts_of_work_are_within_the_margin_or_differ(kind):
    verdicts = [PublishedComparison({}, Estimate(ours), 10, Rule(kind, margin=1.0)).verdict for ours in (11, 12)]
    assert verdicts == ["reproduced", "differs"]
    assert PublishedComparison({}, Estimate(0.1 + 0.2), 0.3, Rule(kind, margin=0.0)).verdict == "reproduced"


def test_margins_can_be_shares_of_a_number():
    assert Rule("measured", margin=0.5, close=0.25).scaled(-4.0) == Rule("measured", margin=2.0, close=1.0)
    assert Rule("fact", margin=0.02).scaled(10.0, least=1.0).margin == 1.0


def test_a_published_number_needs_a_rule():
    with pytest.raises(ValueError, match="no rule"):
        PublishedComparison({}, Estimate(0.7), 0.7)


def test_the_difference_is_ours_less_print():
    assert PublishedComparison({}, Estimate(0.5), 0.75, SHARE).difference == -0.25
    assert PublishedComparison({}, Estimate(0.5), None).difference is None
    assert PublishedComparison({}, Estimate(None), 0.5, SHARE).difference is None


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        (PublishedComparison({}, Estimate(0.7), None), None),
        (PublishedComparison({}, Estimate(None), 0.7, SHARE), "not run"),
        (PublishedComparison({}, Estimate(None), 0.7, SHARE, flaw="impossible"), "not run"),
        (PublishedComparison({}, between(0.69, 0.71), 0.7, SHARE), "reproduced closely"),
        (PublishedComparison({}, between(0.69, 0.71), 0.9, SHARE), "differs"),
        (PublishedComparison({}, between(0.69, 0.71), 0.9, SHARE, note="ours is of another world"), "differs"),
        (PublishedComparison({}, between(0.69, 0.71), 0.9, SHARE, cause="public-code"), "explained"),
        (PublishedComparison({}, between(0.5, 0.9), 0.9, SHARE, cause="public-code"), "inconclusive"),
        (PublishedComparison({}, between(0.69, 0.71), 0.7, SHARE, flaw="impossible"), "flawed"),
    ],
)
def test_outcomes(line, outcome):
    assert line.outcome == outcome


def shares_of(verdict, *, apart, error, draws=2000):
    """Return how often two runs with a given true difference have a verdict; both are as exact as their interval."""
    generator = np.random.default_rng(0)
    truth = generator.uniform(0.3, 0.7, draws)
    published = np.round(truth + apart + generator.normal(0.0, error / 2**0.5, draws), 2)
    ours = truth + generator.normal(0.0, error / 2**0.5, draws)
    rule = Rule("measured", margin=0.05, close=0.02, rounding=0.005)
    found = [
        rule.verdict(mine, (mine - 1.96 * error, mine + 1.96 * error), theirs)
        for mine, theirs in zip(ours, published, strict=True)
    ]
    return np.mean([each in verdict for each in found])


REPRODUCED = ("reproduced", "reproduced closely")


def test_equal_truths_are_reproduced_if_intervals_are_narrow():
    assert shares_of(REPRODUCED, apart=0.0, error=0.01) >= 0.9
    assert shares_of(("differs",), apart=0.0, error=0.01) <= 0.05


@pytest.mark.parametrize("error", [0.002, 0.01, 0.05, 0.2])
def test_truths_that_are_off_by_a_tenth_are_not_reproduced(error):
    assert shares_of(REPRODUCED, apart=0.1, error=error) <= 0.02


def test_wide_intervals_decide_nothing():
    assert shares_of(("inconclusive",), apart=0.0, error=0.1) >= 0.9
    assert shares_of(REPRODUCED, apart=0.0, error=0.1) == 0.0


def test_a_published_value_needs_a_rule():
    with pytest.raises(InvalidParameter, match="has a published value and no rule"):
        PublishedComparison({"detector": "KNN"}, Estimate(0.68), 0.68)
