"""The law of learning tells detectors that learn from those that do not."""

import csv
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from offnominal.detectors import KNN, Time, make_detector, on_transitions
from offnominal.detectors.transitions import OnTransitions
from offnominal.laws import MARGIN, check_learning
from offnominal.laws.reference_data import REFERENCE_TABLES, REFERENCE_WORLDS, reference_episodes, reference_table

pytestmark = pytest.mark.long


class Nearest(KNN):
    """Its untrained twin has random training rows."""

    def untrained(self):
        return Scattered(self.n_neighbors)


class Scattered(KNN):
    def _fit(self, rows, seed):
        super()._fit(np.random.default_rng(seed).normal(size=rows.shape), seed)


class Stuck(Scattered):
    """It does not learn: training leaves it as it was."""

    def untrained(self):
        return Scattered(self.n_neighbors)


class Gaussian(Nearest):
    """It learns no more than a mean and a covariance."""

    def _fit(self, rows, seed):
        fake = np.random.default_rng(seed).multivariate_normal(rows.mean(axis=0), np.cov(rows.T), len(rows))
        super()._fit(fake, seed)


def outcomes(make):
    return {finding.law.removeprefix("it learns from "): finding for finding in check_learning(make)}


def test_a_detector_that_learns_obeys_the_law():
    found = outcomes(lambda: OnTransitions(Nearest(5)))
    assert all(found[name].holds for name in (*REFERENCE_TABLES, "OOD-Pendulum-v0"))
    assert "the fault shows in transitions" in found["OOD-CartPole-v0"].skipped


@pytest.mark.parametrize("kind", [Stuck, Gaussian])
def test_a_detector_that_does_not_learn_breaks_the_law_everywhere(kind):
    for name, finding in outcomes(lambda: OnTransitions(kind(5), view="transition")).items():
        assert f"expected {MARGIN:g} more than both" in finding.problem, name


def test_an_exception_is_given_as_the_reason():
    report = check_learning(lambda: OnTransitions(Stuck(5)), exceptions={"ring": "its page says so"})
    assert next(iter(report)).skipped == "its page says so"


def test_the_law_does_not_apply_without_training():
    for make in (lambda: on_transitions(KNN()), Time):
        assert all(finding.skipped for finding in check_learning(make))


@pytest.mark.parametrize("name", REFERENCE_TABLES)
def test_anomalous_rows_have_mean_and_covariance_of_nominal_rows(name):
    table = reference_table(name)
    np.testing.assert_allclose(table.anomalous.mean(axis=0), table.training.mean(axis=0), atol=0.2)
    np.testing.assert_allclose(np.cov(table.anomalous.T), np.cov(table.training.T), atol=0.2)


@pytest.mark.parametrize("world", REFERENCE_WORLDS)
def test_faulty_episodes_are_twins_until_the_onset(world):
    found = reference_episodes(world)
    for nominal, faulty in zip(found.nominal, found.faulty, strict=True):
        until = min(found.onset, len(nominal), len(faulty))
        np.testing.assert_array_equal(nominal.observations[:until], faulty.observations[:until])


MEASURED = Path(__file__).parents[2] / "docs" / "measured" / "learning.csv"
STEPS = 1000


def budget(name):
    """The parameters of `benchmarks/learning.py`."""
    given = make_detector(name).get_params()
    if "pretrain_iter" in given:
        return {"max_iter": STEPS // 2, "pretrain_iter": STEPS // 2, "device": "cpu"}
    return ({"max_iter": STEPS} if "max_iter" in given else {}) | {"device": "cpu"}


with MEASURED.open(encoding="utf-8") as file:
    PUBLISHED = list(csv.DictReader(file))
QUICK = ("DeepSVDD", "MLP-DM")
TRAINED = list(dict.fromkeys(row["detector"] for row in PUBLISHED))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in TRAINED]
)
def test_a_trained_detector_learns_or_its_page_says_that_it_does_not(name):
    own = [row for row in PUBLISHED if row["detector"] == name]
    exceptions = {row["data"]: "measured, on the page" for row in own if row["learned"] == "no"}
    check_learning(partial(make_detector, name, **budget(name)), exceptions=exceptions).raise_if_broken()
