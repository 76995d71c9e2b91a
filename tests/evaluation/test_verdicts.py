"""Verdicts about detectors."""

import numpy as np

from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.verdicts import best_of, detector_verdicts, different_pairs

SPREAD = np.random.default_rng(0).normal(size=(4, 1000))


def estimates(values, spread=0.01):
    return {
        name: Estimate(value, value + spread * row) for (name, value), row in zip(values.items(), SPREAD, strict=False)
    }


def test_a_detector_that_misses_nine_of_ten_faults_is_never_best():
    found = detector_verdicts(
        estimates({"iF": 0.929, "KNN": 0.80, "LOF": 0.60}),
        estimates({"iF": 0.0, "KNN": 0.5, "LOF": 0.7}),
        {},
    )
    assert found.separates_best == ("KNN",)
    assert found.detects_most == ("LOF",)
    assert found.detects_too_little == ("iF",)
    assert found.keeps_promise == ()


def test_the_three_verdicts_may_be_given_to_different_detectors():
    found = detector_verdicts(
        estimates({"A": 0.9, "B": 0.8, "C": 0.7}),
        estimates({"A": 0.5, "B": 0.7, "C": 0.6}),
        {"A": "broken", "B": "undecided", "C": "kept"},
    )
    assert (found.separates_best, found.detects_most, found.keeps_promise) == (("A",), ("B",), ("C",))


def test_detectors_that_do_not_differ_from_the_best_share_its_verdict():
    assert best_of(estimates({"A": 0.80, "B": 0.81, "C": 0.5}), higher=True) == ("B", "A")


def test_without_replicates_nothing_is_best():
    assert best_of({"A": Estimate(0.9), "B": Estimate(0.1)}, higher=True) == ()


def test_more_detectors_make_a_difference_harder_to_claim():
    two = estimates({"A": 0.030, "B": 0.0})
    assert different_pairs(two) == {frozenset("AB")}
    assert frozenset("AB") not in different_pairs(estimates({"A": 0.030, "B": 0.0, "C": 0.01, "D": 0.02}))


def test_few_episodes_make_a_difference_harder_to_claim():
    found = estimates({"A": 0.030, "B": 0.0})
    few = {name: Estimate(each.value, each.draws, units=4) for name, each in found.items()}
    assert different_pairs(few) == set()
