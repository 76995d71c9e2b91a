"""Attacks on the state of fitted detectors; run as a program, so that a crash of compiled code fails only one test.

    python saved_detectors.py SEED CASES NAME...

It prints a line for each detector. A case that hangs ends the program with the trace of where it hangs.
"""

import faulthandler
import sys
from functools import cache

import numpy as np

from offnominal.core.episode import Episode
from offnominal.core.errors import OffnominalError
from offnominal.core.policy import RandomPolicy
from offnominal.detectors import make_detector
from offnominal.rollouts.collection import collect
from offnominal.worlds.world_source import build_world

SMALL = {
    "IsolationForest": {"n_estimators": 5, "max_samples": 16},
    "SubspaceForest": {"n_estimators": 5},
    "PIDForest": {"n_estimators": 5, "max_depth": 4},
    "LODA": {"n_random_cuts": 10},
    "KernelSVM": {"max_iter": 1000},
    "PredAE": {"channels": 1, "latent": 4},
    "LDM": {"channels": 1, "latent": 4},
    "LRDM": {"channels": 1, "latent": 4, "recurrent_size": 4},
    "PredNet": {"channels": 1, "layers": 2},
    "RSSM-PPM": {"channels": 1, "deterministic": 4, "hidden": 4, "belief": 4, "embedding": 4, "stochastic": 2},
    "MLP-DM": {"hidden": (4, 4)},
    "Symbolic-AR": {"hidden": (4, 4)},
    "LSTM-DM": {"recurrent_size": 4, "hidden": 4},
    "PE-DM": {"hidden": (4, 4), "n_members": 2},
    "RIQN": {"recurrent_size": 4, "n_cosines": 4},
    "Fusion": {"detectors": ["KNN", ["IsolationForest", {"n_estimators": 3}]]},
    "OneClassSVM": {"max_iter": 100},
}
FEW = {"n_epochs": 0, "max_iter": 0, "hidden": 4, "latent": 2, "n_samples": 3, "device": "cpu", "n_neighbors": 3}
PATIENCE = 60
"""Seconds after which a case hangs."""


@cache
def episodes(home, pictures):
    """Return some short episodes; of pictures, of noise."""
    if pictures:
        noise = np.random.default_rng(0).integers(0, 256, (4, 6, 3, 32, 32), np.uint8)
        return [Episode(frames_path, np.full((5, 2), 0.5), np.zeros(5), np.zeros(5, bool)) for frames_path in noise]
    space = build_world(home, 1).action_space
    return collect(home, RandomPolicy(space), 12, seed=3, max_steps=10)


@cache
def fitted(name):
    """Return a small fitted detector and episodes that it understands."""
    small = SMALL.get(name.removesuffix("-untrained"), {})
    known = make_detector(name, **small).get_params()
    few = {key: value for key, value in FEW.items() if key in known and key not in small}
    if name == "ABOD":
        few["n_neighbors"] = 4
    detector = make_detector(name, **small, **few)
    nominal = episodes(detector.default_world or "SAP-Goal0-v0", detector.pixel_observations)
    return detector.fit(nominal, seed=1), nominal[:2]


def damaged(values, draw):
    """Return copies of an array, each damaged in another way."""
    yield "shorter", values[: len(values) // 2] if values.ndim else values.reshape(1)
    yield "longer", np.concatenate([values, values]) if values.ndim else np.zeros(2, values.dtype)
    yield "narrower", values[..., : values.shape[-1] // 2] if values.ndim else values.reshape(1, 1)
    yield "empty", np.zeros((0, *values.shape[1:]), values.dtype)
    yield "transposed", np.ascontiguousarray(values.T) if values.ndim > 1 else values[None]
    yield "a single number", np.array(3, values.dtype)
    yield "zeros", np.zeros_like(values)
    yield "of another type", values.astype(np.float32 if values.dtype != np.float32 else np.float64)
    yield "whole numbers", values.astype(np.int32)
    yield "words", np.full(values.shape, "word")
    if values.dtype.kind == "f":
        largest = np.finfo(values.dtype).max
        yield "huge", np.full_like(values, largest)
        yield "not a number", np.full_like(values, np.nan)
        yield "infinite", np.full_like(values, np.inf)
        yield "negative", -np.abs(values) - 1
        yield "noise", draw.normal(0, 10.0 ** draw.integers(-3, 30), values.shape).astype(values.dtype)
    else:
        for huge in (10**9, 2**62, np.iinfo(values.dtype).max):
            yield "huge", np.full_like(values, huge % (int(np.iinfo(values.dtype).max) + 1))
        yield "shuffled", draw.permutation(values.ravel()).reshape(values.shape)
        yield "one more", values + np.ones_like(values)
        if values.dtype.kind == "i":
            yield "negative", -np.abs(values) - 1
    if values.size > 1:
        one = values.copy()
        one.flat[draw.integers(values.size)] = 10**6 if values.dtype.kind in "if" and values.dtype != np.float16 else 7
        yield "wrong in one place", one


def attacks(learned, draw):
    """Return what was learned, damaged in one array each."""
    yield "an array too many", {**learned, "extra": np.zeros(3)}
    yield "no arrays", {}
    for name, values in learned.items():
        yield f"without {name}", {key: other for key, other in learned.items() if key != name}
        for how, wrong in damaged(values, draw):
            yield f"{name} {how}", {**learned, name: wrong}


def attack(name, seed, most):
    """Return how many cases were tried, and what went wrong."""
    detector, nominal = fitted(name)
    expected, problems = detector.score(nominal), []
    draw = np.random.default_rng([seed, *name.encode()])
    cases = list(attacks(detector.state_dict(), draw))
    for number in sorted(draw.permutation(len(cases))[:most].tolist()):
        what, learned = cases[number]
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        victim = make_detector(name, **detector.get_params())
        try:
            victim.load_state_dict(learned)
        except OffnominalError:
            if victim.fitted:
                problems.append(f"{what}: half restored")
            continue
        except Exception as error:
            problems.append(f"{what}: {type(error).__name__}: {error}")
            continue
        finally:
            faulthandler.cancel_dump_traceback_later()
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        try:
            if not all(np.isfinite(scores).all() for scores in victim.score(nominal)):
                problems.append(f"{what}: scores that are not finite")
        except OffnominalError:
            pass
        except Exception as error:
            problems.append(f"{what}: scoring gives {type(error).__name__}: {error}")
        faulthandler.cancel_dump_traceback_later()
    for first, again in zip(expected, detector.score(nominal), strict=True):
        np.testing.assert_array_equal(first, again)
    return min(most, len(cases)), problems


def main(seed, most, *names):
    for name in names:
        print(f"{name}: attacked", flush=True)
        tried, problems = attack(name, int(seed), int(most))
        for problem in problems:
            print(f"{name}: PROBLEM {problem}", flush=True)
        print(f"{name}: {tried} cases", flush=True)


if __name__ == "__main__":
    faulthandler.enable()
    main(*sys.argv[1:])
