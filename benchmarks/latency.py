"""Latency of one online update beside PyOD and river."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from functools import cache
from itertools import cycle
from typing import Any

import numpy as np
import torch

import offnominal as off
from benchmarks import detectors as vectors
from benchmarks.measure import CALLS, Latency, latencies
from offnominal.detectors import Detector, Step, detectors, make_detector

LIMIT = 0.2
"""Milliseconds within which 99 % of the updates with one transition should end."""
TURNS, PEER_CALLS, PEER_TURNS = 15, 100, 3
"""Rounds; calls and rounds of the peers, which take a hundred times as long."""
LEARNED, SCORED = 20, 10
"""Episodes of worlds other than HalfCheetah."""
Work = Callable[[], int]
Row = dict[str, Any]


def one_transition() -> list[Row]:
    """`update` with one transition, on one CPU thread, of every detector of vector observations: milliseconds of CPU
    time and of wall time; 1,000 calls per round after a round to warm up, each number from the best of 15 rounds.
    HalfCheetah, 20,000 transitions learned from, half of the scored ones noisy; detectors of policies on CartPole,
    Symbolic-AR on CRAFT-Pogo. Networks have their random weights, which take as long to evaluate.
    """
    torch.set_num_threads(1)
    steps = {name: _cheetah() for name in vectors.NAMES} | {name: _own_world(name) for name in _others()}
    work = {name: _updating(_fitted(name), given) for name, given in steps.items()}
    return [_row(name, found) for name, found in latencies(work, CALLS, TURNS).items()]


def peers() -> list[Row]:
    """The same rows of HalfCheetah one by one, in the same way: `decision_function` of PyOD's detectors, fitted to
    20,000 rows; `score_one` and `learn_one` of river's HalfSpaceTrees, which learn while they score; 100 calls per
    round, the best of 3 rounds. Beside them, ours on the same rows.
    """
    torch.set_num_threads(1)
    work = {name: _updating(_fitted(name), _cheetah()) for name in ("KNN", "IsolationForest", "HBOS", "VAE")}
    work |= _pyod() | _river()
    return [_row(name, found) for name, found in latencies(work, PEER_CALLS, PEER_TURNS).items()]


def _row(name: str, found: Latency) -> Row:
    return {
        "detector": name,
        "CPU, median, ms": found.median,
        "CPU, p99, ms": found.p99,
        "wall, median, ms": found.wall_median,
        "wall, p99, ms": found.wall_p99,
        "bar": f"p99 <= {LIMIT} ms" if name in detectors.ids() else "",
    }


def _others() -> list[str]:
    """Return the detectors of vector observations of one kind of world."""
    made = {name: make_detector(name) for name in detectors.ids() if not name.endswith("-untrained")}
    return [name for name, each in made.items() if each.default_world and not each.pixel_observations]


@cache
def _fitted(name: str) -> Detector:
    world = make_detector(name).default_world
    if world is None:
        return vectors.fitted(name)
    untrained = {"n_epochs": 0, "device": "cpu"} if name == "Symbolic-AR" else {}
    return make_detector(name, **untrained).fit(off.collect(world, off.expert(world), LEARNED))


def _cheetah() -> Iterator[Step]:
    return cycle([Step(*(part[[t]] for part in vectors.outcomes())) for t in range(CALLS)])


def _own_world(name: str) -> Iterator[Step]:
    world = make_detector(name).default_world
    episodes = off.collect(world, off.expert(world), SCORED, seed=1000)
    return cycle(
        [
            Step(episode.observations[[t]], episode.actions[[t]], episode.observations[[t + 1]])
            for episode in episodes
            for t in range(len(episode))
        ][:CALLS]
    )


def _updating(detector: Detector, steps: Iterator[Step]) -> Work:
    """Return what gives a detector the next transition."""
    state = [detector.start(1)]

    def work() -> int:
        state[0], scores = detector.update(state[0], next(steps))
        return len(scores)

    return work


def _each(score: Callable[[Any], Any], rows: Any) -> Work:
    """Return what gives a peer the next row."""
    given = cycle(rows)

    def work() -> int:
        score(next(given))
        return 1

    return work


def _pyod() -> dict[str, Work]:
    if importlib.util.find_spec("pyod") is None:
        return {}
    from pyod.models.auto_encoder import AutoEncoder
    from pyod.models.copod import COPOD
    from pyod.models.ecod import ECOD
    from pyod.models.hbos import HBOS
    from pyod.models.iforest import IForest
    from pyod.models.knn import KNN

    learned, scored = vectors.rows()
    made = {
        "PyOD KNN": KNN(n_neighbors=1),
        "PyOD IForest": IForest(random_state=0),
        "PyOD HBOS": HBOS(),
        "PyOD ECOD": ECOD(),
        "PyOD COPOD": COPOD(),
        "PyOD AutoEncoder": AutoEncoder(epoch_num=1, verbose=0),
    }
    return {name: _each(each.fit(learned).decision_function, scored[:CALLS, None]) for name, each in made.items()}


def _river() -> dict[str, Work]:
    if importlib.util.find_spec("river") is None:
        return {}
    from river.anomaly import HalfSpaceTrees

    learned, scored = vectors.rows()
    low, high = learned.min(axis=0), learned.max(axis=0)
    named = [dict(enumerate(np.clip((row - low) / (high - low + 1e-9), 0.0, 1.0).tolist())) for row in scored[:CALLS]]
    trees = HalfSpaceTrees(seed=0)
    for row in named:
        trees.learn_one(row)
    return {
        "river HalfSpaceTrees, score_one": _each(trees.score_one, named),
        "river HalfSpaceTrees, learn_one": _each(trees.learn_one, named),
    }


SECTIONS = {"One transition": one_transition, "One row, beside PyOD and river": peers}
