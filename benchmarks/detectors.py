"""Detectors beside scikit-learn's: thousands of transitions, and memory."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import torch
from sklearn.covariance import LedoitWolf
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import NearestNeighbors
from sklearn.svm import OneClassSVM

import offnominal as off
from benchmarks.measure import rates
from offnominal.core.types import Array, FloatArray
from offnominal.detectors import Detector, Normaliser, Step, detectors, make_detector
from offnominal.detectors.detector import transitions

WORLD = "MJC-HalfCheetah-v0"
LEARNED, MANY = 100, 4096
Row = dict[str, Any]
Score = Callable[[Array], Any]


def takes_vectors(name: str) -> bool:
    """Return whether a detector is trained and scores the vector observations of any world."""
    made = make_detector(name)
    return not name.endswith("-untrained") and not made.pixel_observations and made.default_world is None


NAMES = tuple(filter(takes_vectors, detectors.ids()))


@cache
def nominal() -> list[off.Episode]:
    return off.collect(WORLD, off.expert(WORLD), LEARNED)


@cache
def outcomes() -> tuple[Array, Array, Array]:
    """Return transitions that are not in the training data: observations become noisy in the middle of each episode."""
    noise = off.Fault("observation/noise", 0.5, schedule=100)
    before, actions, after = transitions(off.collect(WORLD, off.expert(WORLD), 25, faults=noise, seed=1000))
    return before[:MANY], actions[:MANY], after[:MANY]


@cache
def fitted(name: str) -> Detector:
    """Return a detector; networks keep their random weights, which take as long to evaluate."""
    known = make_detector(name).get_params()
    untrained = {"n_epochs": 0} if "n_epochs" in known else {"max_iter": 0}
    return make_detector(name, **({"device": "cpu", **untrained} if "device" in known else {})).fit(nominal())


@cache
def rows() -> tuple[FloatArray, FloatArray]:
    """Return nominal and watched observations as the detectors of scikit-learn and PyOD get them."""
    learned = np.concatenate([episode.observations[1:] for episode in nominal()])
    normaliser = Normaliser.of(learned)
    return normaliser(learned), normaliser(outcomes()[2])


@cache
def forest() -> tuple[str, Score]:
    """Return the peer that everything can be compared with: PyOD's isolation forest, or scikit-learn's."""
    if importlib.util.find_spec("pyod"):
        from pyod.models.iforest import IForest

        return "PyOD IForest", IForest(random_state=0).fit(rows()[0]).decision_function
    return "scikit-learn IsolationForest", IsolationForest(random_state=0).fit(rows()[0]).score_samples


def same_of_scikit_learn(name: str) -> tuple[str, Score]:
    """Return scikit-learn's name for a detector and what scores rows; the forest where it has none."""
    learned = rows()[0]
    match name:
        case "KNN":
            return "scikit-learn NearestNeighbors", NearestNeighbors(n_neighbors=1).fit(learned).kneighbors
        case "IsolationForest":
            return "scikit-learn IsolationForest", IsolationForest(bootstrap=True).fit(learned).score_samples
        case "OneClassSVM":
            return "scikit-learn OneClassSVM", OneClassSVM(gamma="auto").fit(learned).score_samples
        case "Mahalanobis":
            return "scikit-learn LedoitWolf", LedoitWolf().fit(learned).mahalanobis
    return forest()


def many() -> list[Row]:
    """`update` with one transition of each of 4,096 episodes, half of them noisy, beside scikit-learn's estimator of
    the same name on the same rows; networks and baselines beside an isolation forest.
    """
    torch.set_num_threads(1)
    peers = {name: same_of_scikit_learn(name) for name in NAMES}
    ours = {name: together(fitted(name)) for name in NAMES}
    theirs = {peer: all_rows(score) for peer, score in peers.values()}
    speeds = {name: rate.per_cpu_second for name, rate in rates({**ours, **theirs}).items()}
    return [
        {
            "detector": name,
            "ours, transitions/CPU-s": round(speeds[name]),
            "peer": peer,
            "peer, transitions/CPU-s": round(speeds[peer]),
            "ratio": speeds[name] / speeds[peer],
        }
        for name, (peer, _) in peers.items()
    ]


def together(detector: Detector) -> Callable[[], int]:
    """Return what gives a detector all watched transitions at once."""
    state, step = detector.start(MANY), Step(*outcomes())
    return lambda: len(detector.update(state, step)[1])


def all_rows(score: Score) -> Callable[[], int]:
    """Return what gives a peer all watched rows at once."""

    def work() -> int:
        score(rows()[1])
        return MANY

    return work


MEMORY = """
import numpy as np
from {module} import {name}

def memory(field):
    line = next(line for line in open("/proc/self/status") if line.startswith(field))
    return int(line.split()[1]) / 1024

rng = np.random.default_rng(0)
mixed = rng.normal(size=(3, 18))
learned, given = (rng.normal(size=(20_000, 3)) @ mixed for _ in range(2))
{name}({arguments}).fit(learned[:9]).{score}(given[:9])
before = memory("VmRSS")
{name}({arguments}).fit(learned).{score}(given)
print(memory("VmHWM") - before)
"""


def neighbours() -> list[Row]:
    """Memory that fitting 20,000 rows of 18 numbers and scoring 20,000 others adds, in a fresh interpreter. All
    distances at once would be 3,052 MiB.
    """
    ours = {"module": "offnominal.detectors.rows", "name": "KNN", "arguments": "", "score": "score"}
    theirs = {
        "module": "sklearn.neighbors",
        "name": "NearestNeighbors",
        "arguments": "n_neighbors=1, algorithm='brute'",
        "score": "kneighbors",
    }
    used = [_fresh(MEMORY.format(**contender)) for contender in (ours, theirs)]
    return [
        {
            "task": "nearest of 20,000 for each of 20,000",
            "ours, MiB": round(used[0], 1),
            "peer": "scikit-learn NearestNeighbors, brute force",
            "peer, MiB": round(used[1], 1),
            "bar": "< 300 MB",
        }
    ]


def _fresh(code: str) -> float:
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return float(done.stdout)


SECTIONS = {
    "4,096 transitions": many,
    "Memory of nearest neighbours": neighbours,
}
