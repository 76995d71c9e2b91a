"""The law of learning tells detectors that learn from those that do not."""

import csv
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

from offnominal.core.registry import Registry, Spec
from offnominal.detectors import KNN, Time, detectors, make_detector, on_transitions
from offnominal.detectors.detector import Detector
from offnominal.detectors.transitions import OnTransitions
from offnominal.laws import MARGIN, check_learning
from offnominal.laws.learning import REFERENCES, LearningCase, learning_data, trained_detectors
from offnominal.laws.reference_data import (
    BAR_ONSET,
    GREY,
    PHASES,
    REFERENCE_IMAGES,
    REFERENCE_SYMBOLS,
    REFERENCE_TABLES,
    REFERENCE_WORLDS,
    SIDE,
    STEP,
    reference_episodes,
    reference_images,
    reference_symbols,
    reference_table,
)

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
    found = outcomes(lambda: OnTransitions(kind(5), view="transition"))
    for name in (*REFERENCE_TABLES, *REFERENCE_WORLDS):
        assert f"expected {MARGIN:g} more than both" in found[name].problem, name
    assert {found[name].skipped for name in REFERENCE_IMAGES} == {"it does not score images"}
    assert {found[name].skipped for name in REFERENCE_SYMBOLS} == {"it does not score symbols"}


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


EPISODES = {
    **dict.fromkeys(REFERENCE_WORLDS, reference_episodes),
    **dict.fromkeys(REFERENCE_IMAGES, reference_images),
    **dict.fromkeys(REFERENCE_SYMBOLS, reference_symbols),
}


@pytest.mark.parametrize("name", EPISODES)
def test_faulty_episodes_are_twins_until_the_onset(name):
    found = EPISODES[name](name)
    for nominal, faulty in zip(found.nominal, found.faulty, strict=True):
        until = min(found.onset, len(nominal), len(faulty))
        np.testing.assert_array_equal(nominal.observations[:until], faulty.observations[:until])
        assert faulty.active.sum() == max(len(faulty) - found.onset, 0)


def bars(episodes):
    """Return brightness and width of every bar, and its steps."""
    for episode in episodes:
        profile = episode.observations[:, 0].mean(axis=1, dtype=np.float64) - GREY
        bright, there = profile[:, abs(profile).argmax(axis=1)][0, 0] > 0.0, abs(profile) > 30.0
        centre = np.angle((there * np.exp(2j * np.pi * np.arange(SIDE) / SIDE)).sum(axis=1)) * SIDE / 2.0 / np.pi
        steps = (np.diff(centre) + SIDE / 2.0) % SIDE - SIDE / 2.0
        yield bright, there.sum(axis=1), steps.round(), episode.actions[:, 0]


@pytest.mark.parametrize("faulty", [False, True])
def test_a_fault_of_a_bar_changes_only_what_belongs_together(faulty):
    def parts(name):
        found = reference_images(name)
        return bars(found.faulty if faulty else found.nominal)

    sign, after = (-1.0 if faulty else 1.0), slice(BAR_ONSET, None)
    for _, widths, steps, actions in parts("bar-actions"):
        assert set(widths) == {2 * STEP}
        np.testing.assert_array_equal(steps[after], sign * STEP * actions[after])
    for bright, widths, steps, actions in parts("bar-direction"):
        assert (set(widths), set(actions)) == ({2 * STEP}, {0.0})
        assert set(steps[after]) == {sign * (STEP if bright else -STEP)}
    for bright, widths, steps, actions in parts("bar-width"):
        assert set(widths[BAR_ONSET + 1 :]) == {2 * STEP if bright != faulty else STEP}
        np.testing.assert_array_equal(steps, STEP * actions)


def test_the_cycle_of_symbols_runs_backwards_from_the_onset():
    found = reference_symbols("cycle")
    for episode in found.faulty:
        waited = episode.observations[1:, -1] > 0.0
        steps = np.diff(episode.observations[:, -2]) % PHASES
        np.testing.assert_array_equal(steps, np.where(waited, 0, np.where(episode.active, PHASES - 1, 1)))


ROOT = Path(__file__).parents[2]
MEASURED = ROOT / "docs" / "measured" / "learning.csv"


def budget(name):
    """The parameters of `benchmarks/learning.py`."""
    spec = spec_from_file_location("learning", ROOT / "benchmarks" / "learning.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.budget_of(name)


with MEASURED.open(encoding="utf-8") as file:
    PUBLISHED = list(csv.DictReader(file))
PAGE = (ROOT / "docs" / "guide" / "laws.md").read_text(encoding="utf-8")
QUICK = ("DeepSVDD",)
"""Trained by default. That a detector on transitions does not learn is told by one without training, above."""
TRAINED = list(dict.fromkeys(row["detector"] for row in PUBLISHED))
IDLE = {"n_epochs": 1, "learning_rate": 1e-12}
"""Parameters with which a training changes nothing."""


def expected_rows(registry):
    """Rows of the table; a trained detector to which the law applies nowhere needs a row that it cannot have."""
    trained = {name: learning_data(registry.make(name)) or ["nothing"] for name in trained_detectors(registry)}
    return {(name, data) for name, every in trained.items() for data in every}


UNMEASURED: set[tuple[str, str]] = set()
"""Rows that are known to be missing; the page names them. The list only gets shorter."""


def test_every_trained_detector_is_in_the_table_with_all_of_its_reference_data():
    rows = {(row["detector"], row["data"]) for row in PUBLISHED}
    assert not rows & UNMEASURED, "measured: remove it from UNMEASURED"
    assert rows | UNMEASURED == expected_rows(detectors)


def with_twin():
    return OnTransitions(Nearest())


def without_twin():
    return OnTransitions(KNN())


@pytest.mark.parametrize(
    ("make", "tags", "lacks"),
    [(with_twin, (), {*REFERENCE_TABLES, "OOD-Pendulum-v0"}), (without_twin, ("gpu",), {"nothing"})],
)
def test_a_new_detector_is_missing_in_the_table(make, tags, lacks):
    """One with an untrained twin, and one that says it has a network but has no twin."""
    registry = Registry("detector", Detector)
    for spec in (*detectors, Spec("New", f"{__name__}:{make.__name__}", "new", tags=tags)):
        registry.register(spec)
    assert expected_rows(registry) - expected_rows(detectors) == {("New", data) for data in lacks}


def test_a_row_says_whether_its_numbers_obey_the_law():
    for row in PUBLISHED:
        case = LearningCase(*(float(row[part]) for part in ("trained", "untrained", "gaussian")))
        margin = case.trained - max(case.untrained, case.gaussian) - MARGIN
        assert row["learned"] == ("yes" if case.learned else "no") or abs(margin) < 0.0011, row


def test_the_page_names_every_detector_that_does_not_learn():
    _, _, reasons = PAGE.partition("Exceptions, as they were measured:")
    reasons = reasons[: reasons.index("<!-- table: learning_missing")]
    assert not {
        row["detector"] for row in PUBLISHED if row["learned"] == "no" and f"`{row['detector']}`" not in reasons
    }


@pytest.mark.parametrize("name", ["MLP-DM", "LDM", "CLIP-Sim"])
def test_a_detector_whose_training_is_disabled_breaks_the_law(name):
    idle = IDLE | ({"channels": 4, "latent": 8} if name == "LDM" else {})
    data = learning_data(make_detector(name))[-1]
    others = {each: "not tried" for each in REFERENCES if each != data}
    report = check_learning(partial(make_detector, name, device="cpu", **idle), exceptions=others)
    (tried,) = [finding for finding in report if not finding.skipped]
    assert f"expected {MARGIN:g} more than both" in tried.problem


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in TRAINED]
)
def test_a_trained_detector_learns_or_its_page_says_that_it_does_not(name):
    own = [row for row in PUBLISHED if row["detector"] == name]
    exceptions = dict.fromkeys(REFERENCES, "not measured") | {
        row["data"]: "measured, on the page" if row["learned"] == "no" else "" for row in own
    }
    check_learning(partial(make_detector, name, **budget(name)), exceptions=exceptions).raise_if_broken()
