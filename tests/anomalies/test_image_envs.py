"""Worlds with faults and image observations."""

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import offnominal
from offnominal.anomalies import Fault, inject
from offnominal.anomalies.environment_description import colour_axis
from offnominal.core.errors import InvalidParameter, UnsupportedEnvironment
from offnominal.rollouts import collect

WORLD = "SAP-Goal1-v0"
FREEZE = Fault("camera/frozen", 100, 2)
OFFSET = Fault("observation/offset", 0.3, 1)
HEAVY = Fault("dynamics/mass", 4.0, 1)
IMAGE = Box(0, 255, (3, 128, 128), np.uint8)


def still(observations):
    return np.full((len(observations), 2), 0.4, np.float32)


def lived(env, steps, seed=0):
    """What a single environment shows, and what it says is clean."""
    observation, info = env.reset(seed=seed)
    seen, clean = [observation], [info["clean_observation"]]
    for _ in range(steps):
        observation, _, _, _, info = env.step(np.full(2, 0.4, np.float32))
        seen.append(observation)
        clean.append(info["clean_observation"])
    return seen, clean


def differs(seen, clean):
    return [not np.array_equal(*pair) for pair in zip(seen, clean, strict=True)]


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version", "ignore:.*A Box observation space")
@pytest.mark.parametrize("observation", ["image", "both"])
def test_observations_lie_in_their_space(observation):
    env = offnominal.make(WORLD, faults=(FREEZE, HEAVY), observation=observation)
    check_env(env, skip_render_check=True, skip_close_check=True)
    vector = env.unwrapped.world.observation_space  # type: ignore[attr-defined]
    assert env.observation_space == (IMAGE if observation == "image" else Dict(vector=vector, image=IMAGE))


def test_a_nominal_world_has_images_too():
    env = offnominal.make(WORLD, observation="image")
    assert env.observation_space == IMAGE
    assert np.array_equal(
        env.reset(seed=3)[0], offnominal.make(WORLD, faults=FREEZE, observation="image").reset(seed=3)[0]
    )


def test_a_faulty_vector_may_leave_its_limits_while_the_image_keeps_them():
    env = offnominal.make(WORLD, faults=OFFSET, observation="both")
    assert np.isinf(env.observation_space["vector"].high).all()
    assert env.observation_space["image"] == IMAGE


def test_each_fault_acts_on_its_own_part():
    env = offnominal.make(WORLD, faults=(FREEZE, OFFSET), observation="both")
    seen, clean = lived(env, 5)
    vectors, images = ([[each[part] for each in side] for side in (seen, clean)] for part in ("vector", "image"))
    assert differs(*vectors) == [False, False, True, True, True, True]
    assert differs(*images) == [False, False, False, True, True, True]
    assert all(np.array_equal(image, images[0][2]) for image in images[0][3:])


def test_an_affected_camera_shows_what_the_sensors_report():
    env = offnominal.make(WORLD, faults=OFFSET, observation="image", camera="affected")
    seen, clean = lived(env, 4)
    assert differs(seen, clean) == [False, False, True, True, True]
    nominal, _ = lived(offnominal.make(WORLD, faults=FREEZE, observation="image"), 1)
    assert np.array_equal(clean[1], nominal[1])


@pytest.mark.parametrize("camera", ["clean", "affected"])
def test_single_vector_and_collected_images_are_the_same(camera):
    faults = [FREEZE, (OFFSET, Fault("camera/noise", 20.0, 3)), (HEAVY, OFFSET)]
    steps = 6
    envs = offnominal.make_vec(WORLD, 3, faults=faults, observation="both", camera=camera)
    batch = [envs.reset(seed=4)[0]["image"]]
    batch += [envs.step(np.full((3, 2), 0.4, np.float32))[0]["image"] for _ in range(steps)]
    episodes = collect(WORLD, still, 3, faults=faults, seed=4, max_steps=steps, frames=True, camera=camera)
    for row, (fault, episode) in enumerate(zip(faults, episodes, strict=True)):
        env = offnominal.make(WORLD, faults=fault, observation="both", camera=camera)
        single = [each["image"] for each in lived(env, steps, seed=4 + row)[0]]
        assert np.array_equal(single, [images[row] for images in batch])
        assert np.array_equal(single, episode.images().observations)


@pytest.mark.parametrize("camera", ["clean", "affected"])
def test_the_final_observation_shows_the_final_state(camera):
    faults = [None, (Fault("observation/offset", 0.3, 2), Fault("camera/exposure", -1.0, 1))]
    steps = 3
    envs = offnominal.make_vec(WORLD, 2, faults=faults, observation="both", camera=camera, max_episode_steps=steps)
    first, _ = envs.reset(seed=0)
    for _ in range(steps):
        seen, _, _, truncated, infos = envs.step(np.full((2, 2), 0.4, np.float32))
    assert truncated.all()
    episodes = collect(WORLD, still, 2, faults=faults, max_steps=steps, frames=True, camera=camera)
    for row, episode in enumerate(episodes):
        last = infos["final_obs"][row]
        assert np.array_equal(last["vector"], episode.observations[-1])
        assert np.array_equal(last["image"], episode.images().observations[-1])
        assert np.array_equal(seen["image"][row], infos["clean_observation"]["image"][row])
    assert not np.array_equal(seen["image"], first["image"])
    again, *_ = envs.step(np.full((2, 2), 0.4, np.float32))
    assert again["image"].shape == (2, 3, 128, 128)


def test_rows_that_are_not_reset_keep_their_image():
    envs = offnominal.make_vec(WORLD, 3, faults=Fault("camera/noise", 20.0, 0), observation="image")
    envs.reset(seed=0)
    before, *_ = envs.step(np.full((3, 2), 0.4, np.float32))
    after, infos = envs.reset(options={"reset_mask": np.array([False, True, False])})
    assert [np.array_equal(before[row], after[row]) for row in range(3)] == [True, False, True]
    assert np.array_equal(after[1], infos["clean_observation"][1])


@pytest.mark.parametrize(
    ("fault", "options", "message"),
    [
        (OFFSET, {"observation": "image"}, "Choose camera='affected' or observation='both'"),
        (OFFSET, {"camera": "affected"}, "pass observation='image' or 'both'"),
        (FREEZE, {"observation": "picture"}, "choose 'vector', 'image' or 'both'"),
        (FREEZE, {"observation": "image", "camera": "broken"}, "choose 'clean' or 'affected'"),
    ],
)
def test_what_makes_no_sense_is_refused(fault, options, message):
    with pytest.raises(InvalidParameter, match=message):
        offnominal.make(WORLD, faults=fault, **options)
    with pytest.raises(InvalidParameter, match=message):
        offnominal.make_vec(WORLD, 2, faults=fault, **options)


def test_a_fault_of_a_camera_needs_images():
    with pytest.raises(UnsupportedEnvironment, match="SAP-Goal1-v0 has none; pass observation='image'"):
        offnominal.make(WORLD, faults=FREEZE)
    with pytest.raises(UnsupportedEnvironment, match="Pendulum-v1 has none"):
        inject(gymnasium.make("Pendulum-v1"), faults=FREEZE)


def test_images_of_vectors_of_other_packages_are_refused():
    with pytest.raises(UnsupportedEnvironment, match="needs the plain vector of a world of this package"):
        inject(gymnasium.make("Pendulum-v1"), faults=FREEZE, observation="image")


def test_a_world_made_with_image_observations_can_have_camera_faults():
    plain = gymnasium.make(f"offnominal/{WORLD}", observation="image")
    seen, _ = lived(inject(plain, faults=FREEZE), 4)
    drawn, _ = lived(offnominal.make(WORLD, faults=FREEZE, observation="image"), 4)
    assert np.array_equal(seen, drawn)
    with pytest.raises(UnsupportedEnvironment, match="faults of the observation act on the vector"):
        inject(plain, faults=OFFSET)
    with pytest.raises(UnsupportedEnvironment, match="observation='both' here"):
        inject(gymnasium.make(f"offnominal/{WORLD}", observation="both"), faults=FREEZE)


class FrameRecorder(gymnasium.Env):
    """An environment of someone else whose observations are images; step t of an episode shows t."""

    def __init__(self, shape=(8, 6, 3), length=4):
        self.observation_space = Box(0, 255, shape, np.uint8)
        self.action_space = gymnasium.spaces.Discrete(2)
        self.length = length
        self.t = 0

    def image(self):
        return np.full(self.observation_space.shape, self.t, np.uint8)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        return self.image(), {}

    def step(self, action):
        self.t += 1
        return self.image(), 0.0, self.t == self.length, False, {}


@pytest.mark.parametrize("shape", [(8, 6, 3), (3, 8, 6)])
def test_images_of_other_people_can_have_faults_of_a_camera(shape):
    env = inject(FrameRecorder(shape), "camera/delay", strength=1, schedule=1)
    assert env.observation_space == FrameRecorder(shape).observation_space
    env.reset(seed=0)
    seen = []
    for _ in range(4):
        image, _, _, _, info = env.step(0)
        seen.append(int(image.max()))
        assert image.shape == shape
        assert info["clean_observation"].max() == len(seen)
    assert seen == [1, 1, 2, 3]
    assert env.events[0].anomaly == "camera/delay"


@pytest.mark.parametrize("shape", [(8, 6, 3), (3, 8, 6)])
def test_the_colours_of_an_image_are_found_whichever_way_round(shape):
    env = inject(FrameRecorder(shape), "camera/dead_pixels", strength=0.25, schedule=0)
    env.reset(seed=0)
    image = np.moveaxis(env.step(0)[0], colour_axis(env.observation_space), -1)
    assert (image != 1).any(axis=-1).sum() == 12


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (AutoresetMode.NEXT_STEP, [[1, 2, 2, 3, 0, 1, 2, 2, 3, 0], [1, 2, 3, 4, 0, 1, 2, 3, 4, 0]]),
        (AutoresetMode.SAME_STEP, [[1, 2, 2, 0, 1, 2, 2, 0, 1, 2], [1, 2, 3, 0, 1, 2, 3, 0, 1, 2]]),
    ],
)
def test_every_way_of_starting_anew_is_understood(mode, expected):
    envs = SyncVectorEnv([FrameRecorder, FrameRecorder], autoreset_mode=mode)
    envs = inject(envs, faults=[Fault("camera/delay", 1, (2, 2)), None])
    envs.reset(seed=0)
    seen, last = [], []
    for _ in range(10):
        pictures, _, _, _, infos = envs.step(np.zeros(2, np.int64))
        seen.append(pictures.max(axis=(1, 2, 3)).tolist())
        if "final_obs" in infos:
            last.append([int(each.max()) for each in infos["final_obs"]])
    assert np.array(seen).T.tolist() == expected
    assert last == ([] if mode is AutoresetMode.NEXT_STEP else [[3, 4], [3, 4]])


@pytest.mark.parametrize(
    ("space", "axis"),
    [
        (Box(0, 255, (84, 84, 4), np.uint8), None),
        (Box(0, 255, (84, 84), np.uint8), None),
        (Box(0, 1, (84, 84, 3), np.float32), None),
        (Box(0, 255, (84, 84, 3), np.uint8), -1),
        (Box(0, 255, (3, 84, 84), np.uint8), -3),
        (gymnasium.spaces.Discrete(3), None),
    ],
)
def test_an_image_is_bytes_with_three_colours(space, axis):
    assert colour_axis(space) == axis
