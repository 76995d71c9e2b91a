"""Every detector of the catalogue is exported with the scores of its own updates, or says why it cannot be."""

import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

import offnominal as off
from offnominal.core.errors import InvalidParameter, UnsupportedExport
from offnominal.detectors import Step, detectors, make_detector

from .runtime import Runtime

pytestmark = pytest.mark.long

WORLD, CARTPOLE, CRAFT = "SAP-Goal0-v0", "OOD-CartPole-v0", "CRAFT-Pogo-v2"
REFUSED = {"Random": "random number"}
"""A detector without an ONNX form, and a part of the reason."""

UNTRAINED = {"max_iter": 0, "n_epochs": 0, "zero_last": False, "device": "cpu", "n_samples": 5}
"""Networks of random weights: training would change numbers, not the graph. Flows that begin as the identity do not."""
SMALL = {
    "MLP-DM": {"hidden": (16, 8)},
    "PE-DM": {"hidden": (16, 8), "n_members": 3},
    "LSTM-DM": {"recurrent_size": 8, "hidden": 8},
    "RIQN": {"recurrent_size": 8, "n_cosines": 8},
    "Symbolic-AR": {"context": 3, "two_sided": True},
    "Neighbours": {"distance": "delta", "view": "window", "window_length": 3},
    "LOF": {"view": "transition"},
    "PredAE": {"channels": 2, "latent": 8},
    "LDM": {"channels": 2, "latent": 8},
    "LRDM": {"channels": 2, "latent": 8, "recurrent_size": 8},
    "PredNet": {"channels": 2, "layers": 3},
    "RSSM-PPM": {"channels": 2, "deterministic": 8, "hidden": 8, "embedding": 8},
    "DINO-Patch": {"bank_size": 50},
}
NAMES = [spec.id for spec in detectors if "onnx" in spec.tags and not spec.id.endswith("-untrained")]


def frames(seed, steps=4, side=48):
    random = np.random.default_rng(seed)
    images = random.integers(0, 256, (steps + 1, 3, side, 32), dtype=np.uint8)
    return off.Episode(images, random.normal(size=(steps, 2)), np.zeros(steps), np.zeros(steps, bool))


def symbols(seed, steps=9):
    random = np.random.default_rng(seed)
    observations = random.integers(0, 4, (steps + 1, 24)).astype(np.float64)
    return off.Episode(observations, random.integers(0, 5, steps), np.zeros(steps), np.zeros(steps, bool))


@pytest.fixture(scope="module")
def episodes():
    """Episodes for each kind of detector: by world, and images."""
    found = {world: off.collect(world, off.expert(world), 4, seed=2, max_steps=30) for world in (WORLD, CARTPOLE)}
    return found | {"images": [frames(1), frames(2)], CRAFT: [symbols(1), symbols(2)]}


def fitted(name, episodes, **options):
    given = make_detector(name).get_params()
    few = UNTRAINED if "device" in given else {"n_estimators": 20}
    detector = make_detector(name, **{key: few[key] for key in few if key in given}, **(SMALL.get(name, {}) | options))
    kind = "images" if detector.pixel_observations else detector.default_world or WORLD
    return detector.fit(episodes[kind]), episodes[kind][-1]


def broken(episode):
    """Return an episode with a reading of a broken sensor, where observations are numbers."""
    if episode.observations.dtype.kind != "f":
        return episode
    observations = episode.observations.astype(np.float64)
    observations[3, :1], observations[5, -1:] = np.nan, 1e35
    return off.Episode(observations, episode.actions, episode.rewards, episode.active)


@pytest.mark.parametrize("name", NAMES)
def test_scores_of_the_file_are_those_of_update(name, episodes, tmp_path):
    detector, episode = fitted(name, episodes)
    runtime = equal_runtime(detector, episode, tmp_path / "model.onnx")
    assert runtime.metadata["detector"] in (name, f"{name}-untrained")
    assert json.loads(runtime.metadata["parameters"]) == json.loads(json.dumps(detector.get_params()))


OPTIONS = [
    ("Neighbours", {"distance": "gamma"}),
    ("KernelSVM", {"kernel": "sigmoid"}),
    ("KernelSVM", {"kernel": "poly", "coef0": 1.0}),
    ("VAE", {"score_name": "elbo", "prior": "vamp", "view": "transition"}),
    ("VAE-KNN", {"score_name": "mean", "variance": "scalar"}),
    ("AAE", {"score_name": "mixed-0.5", "variance": "constant"}),
    ("MAF", {"batch_norm": True, "squashed": True}),
    ("SPTN", {"layers": 2, "sharing": "none", "first_dense": True}),
    ("PE-DM", {"aggregation": "min"}),
    ("PE-DM", {"aggregation": "mean"}),
    ("RIQN", {"use_actions": True}),
    ("Symbolic-AR", {"counts": "poisson", "reduction": "norm", "padding": True}),
    ("Symbolic-AR", {"counts": "log1p", "two_sided": False}),
    ("RSSM-PPM", {"score_name": "divergence"}),
    ("KNN-ResNet", {"n_neighbors": 2, "reduce": "mean", "normalise": False}),
    ("PolicyUncertainty", {"over": "max", "view": "observation"}),
    ("Entropy", {"of": "votes"}),
]
"""Options that change the graph."""


@pytest.mark.parametrize(("name", "options"), OPTIONS, ids=str)
def test_options_change_the_file_as_they_change_update(name, options, episodes, tmp_path):
    detector, episode = fitted(name, episodes, **options)
    equal_runtime(detector, episode, tmp_path / "model.onnx")


def equal_runtime(detector, episode, path):
    """Return the runtime of a detector's file after a comparison, step by step."""
    detector.export(path, discrete_actions=episode.actions.ndim == 1)
    runtime, state, ours, theirs = Runtime(path), detector.start(), [], []
    episode = broken(episode)
    for t in range(min(len(episode), 12)):
        step = Step(episode.observations[t][None], episode.actions[t][None], episode.observations[t + 1][None])
        state, score = detector.update(state, step)
        ours.append(score[0])
        theirs.append(runtime.step(step)["score"][0])
    # Values of about 100 in single precision are subtracted.
    rounding = 1e-4 if hasattr(detector, "policy_") else 1e-5
    np.testing.assert_allclose(theirs, ours, rtol=1e-5, atol=rounding)
    return runtime


VECTORS = [
    name for name in NAMES if not make_detector(name).pixel_observations and make_detector(name).default_world is None
]
WIDTHS = [(1, 0), (3, 0), (1, 1), (0, 2)]
"""Numbers of channels and of actions."""


def numbers(channels, actions, seed, steps=12):
    random = np.random.default_rng(seed)
    observations, chosen = random.normal(size=(steps + 1, channels)), random.normal(size=(steps, actions))
    return off.Episode(observations, chosen, np.zeros(steps), np.zeros(steps, bool))


@pytest.mark.parametrize("name", VECTORS)
@pytest.mark.parametrize(("channels", "actions"), WIDTHS)
def test_the_file_is_right_for_every_number_of_channels_and_actions(name, channels, actions, tmp_path):
    training = [numbers(channels, actions, seed) for seed in range(3)]
    options = {}
    if channels == 0 and "view" in make_detector(name).get_params():
        options = {"view": "transition"}
    elif channels == 0 and name == "Fusion":
        options = {"detectors": ("Time", ("KNN", {"view": "transition"}))}
    elif channels == 0 and name != "Time":
        with pytest.raises(InvalidParameter, match="predicts observations; the episodes have none"):
            fitted(name, {WORLD: training})
        return
    detector, _ = fitted(name, {WORLD: training}, **options)
    equal_runtime(detector, numbers(channels, actions, 7), tmp_path / "model.onnx")


def test_image_detectors_need_no_actions(tmp_path):
    training = [replace(frames(seed), actions=np.zeros((4, 0))) for seed in (1, 2)]
    detector, episode = fitted("LDM", {"images": training})
    equal_runtime(detector, episode, tmp_path / "model.onnx")


@pytest.mark.parametrize("name", REFUSED)
def test_a_detector_without_onnx_form_says_why(name, episodes, tmp_path):
    detector, _ = fitted(name, episodes)
    with pytest.raises(UnsupportedExport, match=REFUSED[name]):
        detector.export(tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())
