"""A detector fitted in a thread depends on its seed only, not on other threads."""

import hashlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from offnominal.core.episode import Episode  # noqa: E402
from offnominal.core.errors import InvalidParameter  # noqa: E402
from offnominal.detectors import detectors, make_detector  # noqa: E402
from offnominal.detectors.rows import VAE, IsolationForest  # noqa: E402

pytestmark = pytest.mark.long

SMALL = {
    "n_epochs": 1,
    "max_iter": 4,
    "pretrain_iter": 4,
    "max_updates": 2,
    "n_samples": 2,
    "channels": 2,
    "batch_size": 16,
    "bank_size": 50,
    "layers": 2,
    "stop_epochs": 1,
}
WITH_TORCH = [spec.id for spec in detectors if "device" in make_detector(spec.id).get_params()]
TRAINED = [name for name in WITH_TORCH if not name.endswith("-untrained")]


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def episodes(pixels):
    """Return four episodes with vector observations, or with small images."""
    draw = np.random.default_rng(0)
    shape = (3, 32, 32) if pixels else (40,)
    observations = draw.integers(0, 256, (4, 7, *shape), np.uint8) if pixels else draw.normal(size=(4, 7, *shape))
    return [Episode(part, draw.normal(size=(6, 2)), np.zeros(6), np.zeros(6, bool)) for part in observations]


EPISODES = {pixels: episodes(pixels) for pixels in (True, False)}


def small(name):
    given = make_detector(name).get_params()
    few = {key: value for key, value in SMALL.items() if isinstance(given.get(key), int) and given[key] > value}
    return make_detector(name, **few, device="cpu")


def state(name, seed):
    """Return a hash of the fitted state of a detector."""
    detector = small(name)
    detector.fit(EPISODES[detector.pixel_observations], seed=seed)
    arrays = detector.state_dict()
    return hashlib.sha256(b"".join(np.ascontiguousarray(arrays[each]).tobytes() for each in sorted(arrays))).hexdigest()


def global_state():
    return torch.random.get_rng_state().numpy().tobytes(), str(np.random.get_state())  # noqa: NPY002


def test_results_in_threads_depend_on_seeds_only_and_no_global_generator_changes():
    jobs = [(name, seed) for seed in (1, 2) for name in TRAINED]
    before = global_state()
    with ThreadPoolExecutor(4) as pool:
        together = dict(zip(jobs, pool.map(lambda job: state(*job), jobs), strict=True))
    alone = {(name, 1): state(name, 1) for name in TRAINED}
    assert [job for job, found in alone.items() if found != together[job]] == []
    assert len(set(together.values())) == len(jobs)
    assert global_state() == before


@pytest.mark.parametrize("name", [name for name in detectors.ids() if name not in WITH_TORCH])
def test_no_other_detector_changes_a_global_generator(name):
    detector = make_detector(name)
    if detector.default_world is not None:
        pytest.skip("it needs another world")
    before = global_state()
    detector.fit(EPISODES[False]).score(EPISODES[False])
    assert global_state() == before


def test_the_global_generator_has_no_effect():
    names = [name for name in TRAINED if name in ("MLP-DM", "RIQN", "RSSM-PPM", "VAE", "MO-GAAL", "KNN-ResNet")]
    found = []
    for seed in (5, 6):
        torch.manual_seed(seed)
        found.append([state(name, 0) for name in names])
    assert found[0] == found[1]


@pytest.mark.parametrize("name", [name for name in detectors.ids() if not name.endswith("-untrained")])
def test_a_seed_must_be_an_integer(name):
    detector = small(name) if name in WITH_TORCH else make_detector(name)
    given = EPISODES[detector.pixel_observations]
    for wrong in (1.0, "1", None, True, -1, 2**63):
        with pytest.raises(InvalidParameter, match="seed"):
            detector.fit(given, seed=wrong)
    if detector.default_world is None:
        detector.fit(given, seed=np.int64(3))


@pytest.mark.parametrize("point", [VAE(max_iter=2, device="cpu"), IsolationForest(3)], ids=["deep", "classical"])
def test_row_detectors_accept_the_same_seeds(point):
    rows = np.random.default_rng(0).normal(size=(30, 3))
    first, second = (point.fit(rows, seed=seed).score(rows) for seed in (np.int64(3), 3))
    np.testing.assert_array_equal(first, second)
    with pytest.raises(InvalidParameter, match=r"seed 1\.0 is a float; expected an integer"):
        point.fit(rows, seed=1.0)
