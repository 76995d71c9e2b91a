"""Episodes of small images, and small detectors for them."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed")

from offnominal.core.episode import Episode
from offnominal.detectors.images import LDM, LRDM, RSSMPPM, PredAE, PredNet
from offnominal.studies.execution import single_threaded

SIDE, BAR, STEP = 32, 8, 4
SMALL = {
    "pred_ae": (PredAE, {"channels": 4, "latent": 16, "n_epochs": 6, "batch_size": 8, "learning_rate": 3e-3}),
    "ldm": (LDM, {"channels": 4, "latent": 16, "n_epochs": 6, "batch_size": 8, "learning_rate": 3e-3}),
    "lrdm": (
        LRDM,
        {
            "channels": 4,
            "latent": 16,
            "recurrent_size": 16,
            "sequence_length": 4,
            "n_epochs": 9,
            "batch_size": 4,
            "learning_rate": 3e-3,
        },
    ),
    "prednet": (
        PredNet,
        {"channels": 4, "layers": 3, "sequence_length": 6, "n_epochs": 3, "batch_size": 4, "learning_rate": 1e-2},
    ),
    "rssm": (
        RSSMPPM,
        {
            "channels": 4,
            "stochastic": 8,
            "deterministic": 32,
            "hidden": 32,
            "belief": 16,
            "embedding": 32,
            "sequence_length": 6,
            "n_epochs": 8,
            "batch_size": 4,
            "learning_rate": 3e-3,
        },
    ),
}


@pytest.fixture(autouse=True)
def one_thread():
    with single_threaded():
        yield


def record(length, seed, *, jump=0, onset=0, side=SIDE, moves=(-1.0, 1.0)):
    """A bright bar moves left or right with the action, modulo the width; a fault adds jumps from onset on."""
    draw = np.random.default_rng(seed)
    actions = draw.choice(moves, (length, 1)).astype(np.float32)
    positions = draw.integers(side) + np.concatenate([[0], np.cumsum(STEP * actions[:, 0])])
    positions[onset + 1 :] += jump * np.arange(1, length - onset + 1)
    frames = np.full((length + 1, 3, side, side), 40, np.uint8)
    for frame, position in zip(frames, positions.astype(int), strict=True):
        frame[:, :, np.arange(position, position + BAR) % side] = np.array([230, 120, 200])[:, None, None]
    active = np.arange(length) >= onset if jump else np.zeros(length, bool)
    return Episode(frames, actions, np.zeros(length), active, seed=seed)


@pytest.fixture(scope="session")
def nominal():
    return [record(16 + number % 3, number) for number in range(16)]


@pytest.fixture(scope="session")
def fresh():
    return [record(12 + number, 100 + number) for number in range(4)]


@pytest.fixture(scope="session")
def faulty():
    return [record(12 + number, 100 + number, jump=11, onset=7) for number in range(4)]


@pytest.fixture(scope="session", params=SMALL)
def kind(request):
    return request.param


@pytest.fixture(scope="session")
def build(kind, device):
    """Builds the small detector of a kind."""
    made, small = SMALL[kind]
    return lambda **more: made(**{**small, "device": device, **more})


@pytest.fixture(scope="session")
def fitted(build, nominal):
    return build().fit(nominal)
