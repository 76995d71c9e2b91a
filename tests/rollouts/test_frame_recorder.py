"""Frames are recorded beside the numbers, change nothing else, and show what the reading of the camera says."""

import numpy as np
import pytest

from offnominal.agents import FunctionPolicy
from offnominal.anomalies import Fault
from offnominal.core.episode import same_bytes
from offnominal.core.errors import InvalidParameter, InvalidState, UnsupportedEnvironment
from offnominal.rollouts import Twin, collect, twins
from offnominal.worlds.catalogue import make_world, worlds

pytestmark = pytest.mark.long

WORLD, ONSET = "SAP-Goal1-v0", 3
OFFSET = Fault("observation/offset", 0.3, ONSET)
NOISE = Fault("camera/noise", 12.0, ONSET)


def steer(x):
    return np.clip(x[:, :2], -1, 1)


def film(n=3, **options):
    return collect(WORLD, steer, n, **{"frames": True, "max_steps": 7, **options})


def numbers(episode):
    return {name: values for name, values in episode.arrays().items() if name != "frames"}


def differing(first, second):
    """Return the numbers of the frames that differ."""
    pair = [episode.extras["frames"].reshape(len(episode) + 1, -1) for episode in (first, second)]
    return np.flatnonzero((pair[0] != pair[1]).any(axis=1)).tolist()


FILMED = [spec.id for spec in worlds if "camera" in spec.tags and spec.id != "OOD-Pong-v0"]
"""Worlds with frames; those of Pong are of another size."""


@pytest.mark.parametrize("id", FILMED)
def test_every_frame_shows_the_state_of_its_observation(id):
    sample = make_world(id, 1)
    steady = np.full(sample.action_shape, 0.2).astype(sample.action_space.dtype)
    policy = FunctionPolicy(lambda x: np.tile(steady, (len(x), *[1] * steady.ndim)))
    first, second = collect(id, policy, 2, seed=4, frames=True, max_steps=3)
    assert first.extras["frames"].shape == (4, 128, 128, 3)
    assert first.extras["frames"].dtype == np.uint8
    world = make_world(id, 1)
    world.reset(np.arange(1), np.array([5]), np.zeros(1, np.int64))
    for t in range(4):
        assert np.array_equal(second.extras["frames"][t], world.frames()[0]), t
        world.step(steady[None])


def test_nothing_else_changes():
    for plain, filmed in zip(film(frames=False, faults=OFFSET), film(faults=OFFSET), strict=True):
        assert "frames" not in plain.extras
        assert same_bytes(plain.arrays(), numbers(filmed))


def test_frames_do_not_depend_on_the_batch():
    faults = [NOISE, None, OFFSET, Fault("camera/delay", 2, 2), None]
    whole = film(5, faults=faults, camera="affected", batch=5)
    assert film(5, faults=faults, camera="affected", batch=2) == whole
    assert film(1, faults=[Fault("camera/delay", 2, 2)], camera="affected", seed=3) == whole[3:4]


def test_episodes_of_different_length_have_their_own_frames():
    episodes = collect("SAP-Goal0-v0", steer, 6, frames=True)
    assert len({len(episode) for episode in episodes}) > 1
    for episode in episodes:
        assert len(episode.extras["frames"]) == len(episode) + 1


def test_the_two_readings_differ_in_the_frames_alone_and_only_while_an_observation_is_faulty():
    for clean, affected in zip(film(faults=OFFSET), film(faults=OFFSET, camera="affected"), strict=True):
        assert same_bytes(numbers(clean), numbers(affected))
        assert differing(clean, affected) == list(range(ONSET + 1, 8))
    for fault in (None, Fault("action/offset", 0.4, ONSET)):
        assert film(faults=fault) == film(faults=fault, camera="affected")


@pytest.mark.parametrize("camera", ["clean", "affected"])
def test_a_fault_of_the_camera_reaches_the_frames_alone(camera):
    for nominal, faulty in zip(film(camera=camera), film(camera=camera, faults=NOISE), strict=True):
        assert differing(nominal, faulty) == list(range(ONSET + 1, 8))
        assert np.array_equal(nominal.observations, faulty.observations)
        assert faulty.onset == ONSET


def test_twins_look_the_same_until_the_fault_is_seen():
    faults = [NOISE, OFFSET, Fault("dynamics/force", 3.0, ONSET)]
    pairs = twins(WORLD, steer, 3, faults=faults, frames=True, camera="affected", max_steps=7)
    for pair in pairs:
        assert min(differing(pair.nominal, pair.faulty)) > ONSET
        seen = Twin(pair.nominal.images(), pair.faulty.images())
        assert seen.effective_onset == min(differing(pair.nominal, pair.faulty)) - 1
    assert [pair.effective_onset for pair in pairs] == [None, ONSET, ONSET]


def test_images_need_frames():
    (episode,) = film(1, frames=False)
    with pytest.raises(InvalidState, match="record it with frames=True"):
        episode.images()


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"camera": "dirty"}, InvalidParameter, "choose 'clean' or 'affected'"),
        ({"camera": "affected", "frames": False}, InvalidParameter, "frames=True"),
        ({"faults": NOISE, "frames": False}, UnsupportedEnvironment, "frames=True"),
    ],
)
def test_what_nothing_would_show_is_refused(options, error, said):
    with pytest.raises(error, match=said):
        film(1, **options)


def test_a_world_without_images_is_refused(monkeypatch):
    monkeypatch.setattr(type(make_world(WORLD, 1)), "camera", None)
    with pytest.raises(UnsupportedEnvironment, match="SAP-Goal1-v0"):
        film(1)
