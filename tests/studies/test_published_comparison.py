"""Our number beside a printed one."""

from dataclasses import replace

import numpy as np
import pytest

from offnominal.evaluation import Estimate
from offnominal.studies.published_comparison import PublishedComparison

WIDE = np.array([0.6, 0.9])


@pytest.mark.parametrize(
    ("ours", "published", "span", "verdict"),
    [
        (Estimate(0.70), 0.71, None, "match"),
        (Estimate(0.70), 0.74, None, "near"),
        (Estimate(0.70), 0.66, None, "near"),
        (Estimate(0.70), 0.80, None, "differs"),
        (Estimate(0.70), 0.60, None, "differs"),
        (Estimate(0.70, WIDE), 0.80, None, "match"),
        (Estimate(0.70), 0.80, (0.69, 0.91), "match"),
        (Estimate(0.70), 0.80, (0.74, 0.86), "near"),
        (Estimate(0.70), 0.60, (0.55, 0.65), "near"),
        (Estimate(0.70), None, None, ""),
        (Estimate(None), 0.7, None, ""),
    ],
)
def test_the_verdict_follows_from_the_distance(ours, published, span, verdict):
    assert PublishedComparison({}, ours, published, span).verdict == verdict


def test_the_rounding_of_print_counts_at_the_ends_of_our_interval():
    line = PublishedComparison({}, Estimate(0.7, WIDE), 0.597)
    assert line.verdict == "differs"
    assert replace(line, rounding=0.005).verdict == "match"
    assert PublishedComparison({}, Estimate(0.7), 0.753, rounding=0.005).verdict == "differs"


def test_the_difference_is_ours_less_print():
    assert PublishedComparison({}, Estimate(0.5), 0.75).difference == -0.25
    assert PublishedComparison({}, Estimate(0.5), None).difference is None
    assert PublishedComparison({}, Estimate(None), 0.5).difference is None


@pytest.mark.parametrize("ours", [Estimate(0.7), Estimate(None)])
def test_a_flawed_published_number_is_not_compared(ours):
    assert PublishedComparison({}, ours, 0.7, flaw="impossible").verdict == "impossible"


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        (PublishedComparison({}, Estimate(0.7), None), None),
        (PublishedComparison({}, Estimate(None), 0.7), "not run"),
        (PublishedComparison({}, Estimate(0.7), 0.7), "match"),
        (PublishedComparison({}, Estimate(0.7), 0.74), "near"),
        (PublishedComparison({}, Estimate(0.7), 0.9), "unexplained"),
        (PublishedComparison({}, Estimate(0.7), 0.9, note="ours is of another world"), "unexplained"),
        (PublishedComparison({}, Estimate(0.7), 0.9, cause="defect"), "explained"),
        (PublishedComparison({}, Estimate(0.7), 0.7, flaw="impossible"), "explained"),
        (PublishedComparison({}, Estimate(3.4), 4.2, match=0.5, near=1.0), "near"),
    ],
)
def test_only_a_cause_explains_a_difference(line, outcome):
    assert line.outcome == outcome
