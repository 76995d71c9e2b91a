"""Camera faults in a world with pixel observations."""

import gymnasium
import numpy as np
import pytest

import offnominal as off
from offnominal.anomalies import EnvironmentInfo, Fault, Injection, Schedule, inject
from offnominal.anomalies.camera_faults import CameraFaults
from offnominal.anomalies.camera_observations import CameraObservations
from offnominal.anomalies.fault_table import FaultTable
from offnominal.core.errors import InvalidParameter, UnsupportedEnvironment
from offnominal.rollouts import collect, twins
from offnominal.worlds import make_world
from offnominal.worlds.pong.kernel import resized

pytestmark = pytest.mark.long

pytest.importorskip("ale_py", reason="Pong needs ale-py, which the extra `atari` installs")

PONG = "OOD-Pong-v0"
ROWS = np.arange(2)


def restless(observations):
    return 2 + observations.reshape(len(observations), -1).sum(axis=1, dtype=np.int64) % 2


def test_a_fault_is_visible_as_long_as_one_of_its_images_is_in_the_stack():
    fault = Fault("camera/gaussian", 3, Schedule(onset=3, duration=2))
    (pair,) = twins(PONG, lambda o: np.full(len(o), 2), 1, faults=fault, max_steps=12)
    seen, clean = pair.faulty.observations, pair.faulty.extras["clean_observations"]
    stained = (seen != clean).any(axis=(2, 3))
    assert np.argwhere(stained).tolist() == [[4, 3], [5, 2], [5, 3], [6, 1], [6, 2], [7, 0], [7, 1], [8, 0]]
    assert np.array_equal(clean, pair.nominal.observations)
    assert np.flatnonzero(pair.faulty.active).tolist() == [3, 4]


def test_an_agent_acts_on_faulty_observations():
    (pair,) = twins(PONG, restless, 1, faults=Fault("camera/impulse", 5, 2), max_steps=40)
    assert pair.effective_onset == 2
    clean = pair.faulty.extras["clean_observations"]
    assert np.array_equal(clean[:4], pair.nominal.observations[:4])
    assert not np.array_equal(clean, pair.nominal.observations)


def test_a_row_does_not_depend_on_its_neighbours():
    faults = [None, Fault("camera/motion_blur", 2, 1), Fault("camera/frozen", 3, 4)]
    together = collect(PONG, restless, 3, faults=faults, max_steps=10)
    for row, fault in enumerate(faults):
        assert together[row] == collect(PONG, restless, 1, faults=[fault], seed=row, max_steps=10)[0]


def test_frames_are_the_camera_images_with_faults():
    fault = Fault("camera/pixelate", 5, 2)
    (episode,) = collect(PONG, restless, 1, faults=fault, max_steps=5, frames=True)
    (sound,) = collect(PONG, restless, 1, max_steps=5, frames=True)
    frames = episode.extras["frames"]
    assert frames.shape == (6, 128, 128, 3)
    assert np.array_equal(frames[:3], sound.extras["frames"][:3])
    assert (frames[3:] != sound.extras["frames"][3:]).any(axis=(1, 2, 3)).all()


def test_rows_without_camera_faults_are_not_copied():
    world = make_world(PONG, 2)
    world.reset(ROWS, ROWS, ROWS * 0)
    nominal = CameraFaults(FaultTable([(), ()], EnvironmentInfo.of(world)))
    observations = CameraObservations(world, nominal)
    observations.start(ROWS)
    assert observations.observe(world.observations, ROWS) is world.observations
    assert np.array_equal(observations.camera_images(ROWS), world.camera.images(ROWS))


def test_only_the_rows_that_were_stepped_move_on():
    world = make_world(PONG, 2)
    injection = Injection([(Fault("camera/exposure", -1.0, 0),)] * 2, EnvironmentInfo.of(world))
    world.reset(ROWS, ROWS, ROWS * 0)
    injection.begin(ROWS, ROWS, ROWS * 0)
    injection.act(np.zeros((2, 0)), ROWS[:1])
    world.step(np.full(2, 2), ROWS[:1])
    seen = injection.observe(world.observations, ROWS[:1])
    assert (seen[0, -1] < world.observations[0, -1]).any()
    assert np.array_equal(seen[1], world.observations[1])


def test_a_single_environment_gives_the_observations_of_a_rollout():
    fault = Fault("camera/gaussian", 2, 3)
    (episode,) = collect(PONG, restless, 1, faults=fault, max_steps=8)
    env = inject(off.make(PONG), faults=fault)
    observation, _ = env.reset(seed=0)
    for t in range(8):
        assert np.array_equal(observation, episode.observations[t])
        observation, *_, info = env.step(int(restless(observation[None])[0]))
        assert np.array_equal(info["clean_observation"], episode.extras["clean_observations"][t + 1])


def test_faults_of_numbers_have_nothing_to_act_on():
    with pytest.raises(UnsupportedEnvironment, match="observation/noise"):
        off.make(PONG, "observation/noise", strength=0.1)
    with pytest.raises(UnsupportedEnvironment, match="action/offset"):
        off.make(PONG, "action/offset", strength=0.1)


def test_image_observations_of_a_world_with_pixel_observations_are_refused():
    with pytest.raises(UnsupportedEnvironment, match="has pixel observations already"):
        off.make(PONG, "camera/blur", strength=2.0, observation="image")


def test_a_named_strength_is_refused():
    with pytest.raises(InvalidParameter, match="Give a number"):
        off.make(PONG, "camera/blur", strength="medium")


def test_faults_come_before_wrappers():
    with pytest.raises(UnsupportedEnvironment, match="inject into the plain world"):
        inject(gymnasium.wrappers.FlattenObservation(off.make(PONG)), "camera/blur", strength=2.0)


def test_frames_without_faults_are_those_of_the_world():
    world = make_world(PONG, 1)
    world.reset(ROWS[:1], ROWS[:1], ROWS[:1])
    (episode,) = collect(PONG, restless, 1, max_steps=1, frames=True)
    assert np.array_equal(episode.extras["frames"][0], resized(world.camera.images(ROWS[:1]), 128)[0])
