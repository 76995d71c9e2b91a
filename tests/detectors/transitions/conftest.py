"""A small system with known dynamics, and small detectors for it."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed")

from offnominal.core.episode import Episode
from offnominal.detectors.transitions import LSTMDM, MLPDM, PEDM, RIQN
from offnominal.studies.execution import single_threaded

TURN = 0.9 * np.array([[np.cos(0.5), -np.sin(0.5)], [np.sin(0.5), np.cos(0.5)]])
PUSH = np.array([[0.5], [-0.3]])
NOISE = 0.02
SMALL = {
    "mlp": lambda **more: MLPDM(**{"hidden": (32,), "n_epochs": 25, "batch_size": 32, "learning_rate": 1e-2, **more}),
    "lstm": lambda **more: LSTMDM(
        **{"recurrent_size": 16, "hidden": 16, "n_epochs": 40, "batch_size": 4, "learning_rate": 1e-2, **more}
    ),
    "pe": lambda **more: PEDM(
        **{"hidden": (16,), "n_members": 3, "n_epochs": 25, "batch_size": 32, "learning_rate": 1e-2, **more}
    ),
    "riqn": lambda **more: RIQN(
        **{"recurrent_size": 16, "n_cosines": 16, "n_epochs": 40, "batch_size": 4, "learning_rate": 1e-2, **more}
    ),
}


@pytest.fixture(autouse=True)
def one_thread():
    with single_threaded():
        yield


def record(length, seed, *, shift=0.0, onset=0):
    """A damped rotation pushed by a slow wave, beside a channel that never varies; a shift is felt from onset on."""
    draw = np.random.default_rng(seed)
    phase = draw.uniform(0, 2 * np.pi)
    state = draw.normal(size=2)
    seen, acted = [state], []
    for t in range(length):
        action = np.sin(phase + 0.3 * np.arange(t, t + 1))
        state = TURN @ state + PUSH @ action + NOISE * draw.normal(size=2) + (shift if t >= onset else 0.0)
        seen.append(state)
        acted.append(action)
    observations = np.column_stack([np.array(seen), np.full(length + 1, 7.0)]).astype(np.float32)
    active = np.arange(length) >= onset if shift else np.zeros(length, bool)
    return Episode(observations, np.array(acted, np.float32), np.zeros(length), active, seed=seed)


@pytest.fixture(scope="session")
def nominal():
    return [record(20 + number % 3, number) for number in range(16)]


@pytest.fixture(scope="session")
def fresh():
    return [record(18 + number, 100 + number) for number in range(5)]


@pytest.fixture(scope="session")
def shifted():
    return [record(18 + number, 100 + number, shift=0.3, onset=9) for number in range(5)]


@pytest.fixture(scope="session", params=SMALL)
def kind(request):
    return request.param


@pytest.fixture(scope="session")
def build(kind, device):
    """Builds the small detector of a kind."""
    return lambda **more: SMALL[kind](device=device, **more)


@pytest.fixture(scope="session")
def fitted(build, nominal):
    return build().fit(nominal)
