"""Every detector keeps the laws; one that does not is found out."""

from functools import partial

import numpy as np
import pytest

from offnominal.detectors import KNN, Time, detectors, make_detector
from offnominal.laws import check_detector

SMALL = {
    "PredAE": {"channels": 4},
    "LDM": {"channels": 4},
    "LRDM": {"channels": 4},
    "PredNet": {"channels": 4, "layers": 3},
    "RSSM-PPM": {"channels": 4},
}
"""Networks of the published size take long to learn; the laws hold for small ones after one epoch as well."""


FEW = {"epochs": 1, "iterations": 60, "pretraining": 60, "samples": 5}


def quick(name):
    given = make_detector(name).parameters()
    few = {each: number for each, number in FEW.items() if isinstance(given.get(each), int) and given[each] > number}
    return SMALL.get(name.removesuffix("-untrained"), {}) | few


@pytest.mark.parametrize("name", detectors.ids())
def test_every_detector_keeps_the_laws(name):
    report = check_detector(partial(make_detector, name, **quick(name)))
    report.raise_if_broken()
    assert all(finding.holds for finding in report), [finding for finding in report if not finding.holds]


class Peeking(KNN):
    def _score(self, episodes):
        return [scores + scores.max() for scores in super()._score(episodes)]


class Comparing(KNN):
    def _score(self, episodes):
        scores = super()._score(episodes)
        return [each / np.concatenate(scores).mean() for each in scores]


class Learning(KNN):
    def _score(self, episodes):
        self.normaliser_.mean[:] += 1e-3
        return super()._score(episodes)


class Dice(Time):
    def _fit(self, episodes, validation, seed):
        self.offset_ = np.random.default_rng().normal()

    def _score(self, episodes):
        return [np.arange(len(each)) + self.offset_ for each in episodes]


class Collapsed(Time):
    def _score(self, episodes):
        return [np.zeros(len(each)) for each in episodes]


class Gullible(KNN):
    def score(self, episodes):
        return [np.zeros(len(each)) for each in episodes]


@pytest.mark.parametrize(
    ("make", "law"),
    [
        (Peeking, "it is causal"),
        (Peeking, "online equals batch"),
        (Comparing, "an episode's scores are its own"),
        (Learning, "scoring changes nothing"),
        (Dice, "a seed fixes what is learned"),
        (Collapsed, "scores are finite and differ"),
        (Gullible, "bad input is named"),
    ],
)
def test_a_broken_detector_is_found_out(make, law):
    assert law in {finding.law for finding in check_detector(make) if finding.problem}
