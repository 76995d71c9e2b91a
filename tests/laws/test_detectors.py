"""Every detector obeys the laws; broken detectors fail them."""

import importlib
from functools import partial
from importlib.util import find_spec

import numpy as np
import pytest
from sklearn.neighbors import LocalOutlierFactor

from offnominal.detectors import KNN, OnTransitions, Time, detectors, make_detector, on_transitions
from offnominal.laws import GPU_ROUNDING, check_detector
from offnominal.laws import detector as laws

pytestmark = pytest.mark.long

SMALL = {
    "PredAE": {"channels": 4},
    "LDM": {"channels": 4},
    "LRDM": {"channels": 4},
    "PredNet": {"channels": 4, "layers": 3},
    "RSSM-PPM": {"channels": 4},
}
"""Small networks and one epoch are enough for the laws."""


COVERED = "its code version covers its code"
UNITS = "the unit of a channel has no effect"
EXPORTED = "an exported file gives the same scores"
MISSING = [package for package in ("onnx", "onnxruntime", "torch") if find_spec(package) is None]
FEW = {"n_epochs": 1, "max_iter": 20, "pretrain_iter": 20, "samples": 5, "n_estimators": 20}


def quick(name):
    given = make_detector(name).get_params()
    few = {each: number for each, number in FEW.items() if isinstance(given.get(each), int) and given[each] > number}
    return SMALL.get(name.removesuffix("-untrained"), {}) | few


NETWORKS = [name for name in detectors.ids() if "device" in make_detector(name).get_params()]


# The untrained twin of a network is the same code without updates; one per kind of network is checked by default.
TWINS = ("LDM-untrained", "MLP-DM-untrained", "VAE-untrained", "CLIP-Sim-untrained")


def case(name):
    return pytest.param(name, marks=pytest.mark.slow if name.endswith("-untrained") and name not in TWINS else [])


def without_units(name):
    detector = make_detector(name)
    return detector.pixel_observations or detector.default_world is not None or name == "Random"


@pytest.mark.parametrize("name", [case(name) for name in detectors.ids()])
def test_every_detector_obeys_the_laws(name, monkeypatch):
    monkeypatch.setattr(laws, "IMAGE_TRAINING", 4)
    monkeypatch.setattr(laws, "IMAGE_FRESH", 2)
    place = {"device": "cpu"} if name in NETWORKS else {}
    report = check_detector(partial(make_detector, name, **quick(name), **place))
    report.raise_if_broken()
    unchecked = {finding.law: finding.skipped for finding in report if not finding.holds}
    unitless = {UNITS} if without_units(name) else set()
    assert unitless <= unchecked.keys() <= unitless | ({EXPORTED} if MISSING else set()), unchecked


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("device", ["cuda"], indirect=True)
def test_every_network_obeys_the_laws_on_a_gpu(name, device):
    make = partial(make_detector, name, **quick(name), device=device)
    check_detector(make, tolerance=GPU_ROUNDING).raise_if_broken()


MINE = """
from offnominal.detectors import rows as points
from offnominal.detectors.transitions.on_transitions import OnTransitions


class Named(OnTransitions):
    def __init__(self):
        super().__init__(points.HBOS())


class Hidden(OnTransitions):
    def __init__(self):
        super().__init__(getattr(points, "HBOS")())
"""


def test_an_algorithm_that_is_imported_by_name_fails_its_law(tmp_path, monkeypatch):
    (tmp_path / "my_detectors.py").write_text(MINE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("my_detectors")
    check_detector(module.Named).raise_if_broken()
    (broken,) = [finding for finding in check_detector(module.Hidden) if finding.problem]
    assert broken.law == COVERED
    assert "offnominal.detectors.rows.hbos:HBOS" in broken.problem
    assert "my_detectors:Hidden does not refer to by name" in broken.problem


def test_the_code_law_skips_detectors_that_no_study_can_name():
    report = check_detector(lambda: on_transitions(LocalOutlierFactor(novelty=True)))
    (finding,) = [finding for finding in report if finding.law == COVERED]
    assert "no study can name it" in finding.skipped


class Nearest(OnTransitions):
    def __init__(self):
        super().__init__(KNN())


class Peeking(Nearest):
    def _score(self, episodes):
        return [scores + scores.max() for scores in super()._score(episodes)]


class Comparing(Nearest):
    def _score(self, episodes):
        scores = super()._score(episodes)
        return [each / np.concatenate(scores).mean() for each in scores]


class Learning(Nearest):
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


class Placeless(Nearest):
    def _fit(self, episodes, validation, seed):
        super()._fit(episodes, validation, seed)
        torch = pytest.importorskip("torch")
        self.network_ = torch.nn.Linear(2, 1)


class Placed(Nearest):
    def __init__(self, device="auto"):
        super().__init__()
        self.device = device


class Gullible(Nearest):
    def score(self, episodes):
        return [np.zeros(len(each)) for each in episodes]


class Unscaled(Nearest):
    def _fit(self, episodes, validation, seed):
        super()._fit(episodes, validation, seed)
        self.normaliser_.scale[:] = 1.0


@pytest.mark.parametrize(
    ("make", "law"),
    [
        (Unscaled, UNITS),
        (Peeking, "it is causal"),
        (Peeking, "online equals batch"),
        (Comparing, "scores do not depend on the batch"),
        (Learning, "scoring changes nothing"),
        (Dice, "training is reproducible by its seed"),
        (Collapsed, "scores are finite and differ"),
        (Gullible, "invalid input is a named error"),
        (Placeless, "a network takes a device"),
        (Placed, "a network takes a device"),
    ],
)
def test_a_broken_detector_fails_its_law(make, law):
    assert law in {finding.law for finding in check_detector(make) if finding.problem}
