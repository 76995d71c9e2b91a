"""A disc that moves over a checked floor, small detectors that watch it, and what goes wrong."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from offnominal.core.episode import Episode  # noqa: E402
from offnominal.detectors.images import CLIPSim, DINOPatch, KNNResNet  # noqa: E402

SIDE = 32
SMALL = {
    "knn": lambda **more: KNNResNet(**{"max_updates": 12, "batch_size": 16, "device": "cpu", **more}),
    "clip": lambda **more: CLIPSim(**{"max_updates": 12, "batch_size": 16, "device": "cpu", **more}),
    "dino": lambda **more: DINOPatch(**{"max_updates": 12, "batch_size": 16, "device": "cpu", **more}),
}


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def picture(x, y, colour=(220, 40, 40), radius=4):
    """A disc at (x, y), each from 0 to 1, on a floor of two greys."""
    rows, columns = np.mgrid[:SIDE, :SIDE]
    frame = np.where(((rows // 8 + columns // 8) % 2)[..., None], 90, 120) * np.ones(3)
    frame[(rows - 4 - 24 * y) ** 2 + (columns - 4 - 24 * x) ** 2 <= radius**2] = colour
    return frame.astype(np.uint8)


def film(seed, length=20, *, onset=None, colour=(40, 220, 40), lift=0.0):
    """The disc swings along the lower half; from onset on it has another colour or leaves its track."""
    draw = np.random.default_rng(seed)
    phase, speed = draw.uniform(0, 2 * np.pi), draw.uniform(0.15, 0.3)
    frames = []
    for t in range(length + 1):
        strange = onset is not None and t > onset
        angle = phase + speed * t
        x, y = 0.5 + 0.5 * np.sin(angle), 0.7 + 0.2 * np.cos(angle) - lift * strange
        frames.append(picture(x, y, colour if strange else (220, 40, 40)))
    seen = np.moveaxis(np.array(frames), -1, 1)
    active = np.arange(length) >= (length if onset is None else onset)
    return Episode(seen, np.zeros((length, 1), np.float32), np.zeros(length), active, seed=seed)


@pytest.fixture(scope="session")
def nominal():
    return [film(number, 19 + number % 3) for number in range(16)]


@pytest.fixture(scope="session")
def fresh():
    return [film(100 + number, 15 + number) for number in range(4)]


@pytest.fixture(scope="session")
def recoloured():
    return [film(100 + number, 15 + number, onset=8) for number in range(4)]


@pytest.fixture(scope="session")
def lifted():
    return [film(100 + number, 15 + number, onset=8, colour=(220, 40, 40), lift=0.5) for number in range(4)]


@pytest.fixture(scope="session", params=SMALL)
def kind(request):
    return request.param


@pytest.fixture(scope="session")
def build(kind):
    """Builds the small detector of a kind."""
    return SMALL[kind]


@pytest.fixture(scope="session")
def fitted(build, nominal):
    return build().fit(nominal)
