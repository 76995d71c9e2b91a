"""Episodes with a moving disc on a checkerboard, faulty versions of them, and small detectors."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed")

from offnominal.core.episode import Episode
from offnominal.detectors.images import CLIPSim, DINOPatch, FeatureMahalanobis, KNNResNet
from offnominal.studies.execution import single_threaded

SIDE = 32
SMALL = {
    "knn": lambda **more: KNNResNet(**{"max_updates": 12, "batch_size": 16, "device": "cpu", **more}),
    "clip": lambda **more: CLIPSim(**{"max_updates": 12, "batch_size": 16, "device": "cpu", **more}),
    "dino": lambda **more: DINOPatch(**{"max_updates": 12, "batch_size": 16, "device": "cpu", **more}),
    "gaussian": lambda **more: FeatureMahalanobis(**{"max_updates": 12, "batch_size": 16, "device": "cpu", **more}),
}


@pytest.fixture(autouse=True)
def one_thread():
    with single_threaded():
        yield


def render(x, y, colour=(220, 40, 40), radius=4):
    """Return an image of a disc at (x, y) in [0, 1] on a grey checkerboard."""
    rows, columns = np.mgrid[:SIDE, :SIDE]
    frame = np.where(((rows // 8 + columns // 8) % 2)[..., None], 90, 120) * np.ones(3)
    frame[(rows - 4 - 24 * y) ** 2 + (columns - 4 - 24 * x) ** 2 <= radius**2] = colour
    return frame.astype(np.uint8)


def record(seed, length=20, *, onset=None, colour=(40, 220, 40), lift=0.0):
    """The disc moves on an ellipse; after the onset it has another colour or another height."""
    draw = np.random.default_rng(seed)
    phase, speed = draw.uniform(0, 2 * np.pi), draw.uniform(0.15, 0.3)
    frames = []
    for t in range(length + 1):
        faulty = onset is not None and t > onset
        angle = phase + speed * t
        x, y = 0.5 + 0.5 * np.sin(angle), 0.7 + 0.2 * np.cos(angle) - lift * faulty
        frames.append(render(x, y, colour if faulty else (220, 40, 40)))
    observations = np.moveaxis(np.array(frames), -1, 1)
    active = np.arange(length) >= (length if onset is None else onset)
    return Episode(observations, np.zeros((length, 1), np.float32), np.zeros(length), active, seed=seed)


@pytest.fixture(scope="session")
def nominal():
    return [record(number, 9 + number % 3) for number in range(12)]


@pytest.fixture(scope="session")
def fresh():
    return [record(100 + number, 15 + number) for number in range(2)]


@pytest.fixture(scope="session")
def recoloured():
    return [record(100 + number, 15 + number, onset=8) for number in range(2)]


@pytest.fixture(scope="session")
def lifted():
    return [record(100 + number, 15 + number, onset=8, colour=(220, 40, 40), lift=0.5) for number in range(2)]


@pytest.fixture(scope="session", params=SMALL)
def kind(request):
    return request.param


@pytest.fixture(scope="session")
def build(kind):
    """Return a function that builds the small detector of this kind."""
    return SMALL[kind]


@pytest.fixture(scope="session")
def fitted(build, nominal):
    return build().fit(nominal)
