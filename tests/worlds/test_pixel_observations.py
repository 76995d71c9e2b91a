"""Pictures and image observations: the same state looks the same however it is asked for."""

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict

from offnominal.core.errors import InvalidParameter, UnsupportedEnvironment
from offnominal.worlds import ObservationBuilder, make_single, make_vector, make_world, worlds
from offnominal.worlds.gymnasium_world import GymnasiumWorld
from offnominal.worlds.pixel_observations import channels_first

pytestmark = pytest.mark.long

every_world = pytest.mark.parametrize("id", [spec.id for spec in worlds if "camera" in spec.tags])
VISIBLE = {
    "CAR-LaneKeep-v0": 3,
    "CRAFT-Pogo-v1": 26,
    "CRAFT-Pogo-v2": 26,
    "MJC-CartpoleSwingup-v0": 1,
    "MJC-HalfCheetah-v0": 2,
    "MJC-Reacher3D-v0": 1,
    "OOD-CartPole-v0": 0,
    "OOD-Pendulum-v0": 0,
    "SAP-Goal0-v0": 4,
    "SAP-Goal1-v0": 4,
    "SAP-Goal2-v0": 4,
    "URM-PnP-v0": 0,
    "URM-Reach-v0": 6,
    "URR-Reach-v0": 6,
}
"""An observation that can be seen in the image, by world."""

reporting_world = pytest.mark.parametrize("id", VISIBLE)


def started(id, n=3, steps=3):
    world = make_world(id, n)
    world.reset(np.arange(n), np.arange(n), np.zeros(n, np.int64))
    for _ in range(steps):
        world.step(np.full((n, *world.action_space.shape), 0.5))
    return world


@every_world
def test_image_k_shows_the_kth_row_asked_for(id):
    world = started(id)
    frames = world.frames()
    assert (frames.shape, frames.dtype) == ((3, 128, 128, 3), np.uint8)
    np.testing.assert_array_equal(world.frames(np.array([2, 0, 2])), frames[[2, 0, 2]])
    np.testing.assert_array_equal(world.frames()[1], frames[1])
    assert world.frames(np.array([], np.int64)).shape == (0, 128, 128, 3)


@every_world
def test_image_of_another_size_shows_the_same(id):
    world = started(id, 1)
    small, large = world.frames(size=64)[0].astype(float), world.frames(size=128)[0]
    assert small.shape == (64, 64, 3)
    coarse = large.reshape(64, 2, 64, 2, 3).mean(axis=(1, 3))
    assert np.abs(small - coarse).mean() < 4.0


@reporting_world
def test_true_report_shows_the_truth(id):
    world = started(id)
    truth, reported = world.frames().astype(int), world.frames(observations=world.observations)
    assert np.abs(truth - reported).max() <= 3


@reporting_world
def test_false_report_shows_what_is_reported(id):
    world = started(id)
    report = world.observations.copy()
    report[1, VISIBLE[id]] += 0.4
    truth, shown = world.frames(), world.frames(observations=report)
    np.testing.assert_array_equal(shown[[0, 2]], world.frames(observations=world.observations)[[0, 2]])
    assert (shown[1] != truth[1]).any(axis=2).sum() > 20
    np.testing.assert_array_equal(world.frames(), truth)


def test_report_moves_agent_and_goal_but_not_the_objects():
    world = started("SAP-Goal1-v0", 1)
    report = world.observations.copy()
    report[0, 4:6] = (50.0, 50.0)
    changed = (world.frames() != world.frames(observations=report))[0].any(axis=2)
    scale, bodies = 128 / 3.0, np.vstack((world._state.position[0, 1:], world._state.hazards[0]))
    for x, y in bodies:
        assert not changed[int((1.5 - y) * scale), int((x + 1.5) * scale)]


@reporting_world
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 3e38])
def test_report_without_a_place_is_no_error(id, value):
    world = started(id, 2)
    report = world.observations.copy()
    report[0] = value
    frames = world.frames(observations=report)
    np.testing.assert_array_equal(frames[1], world.frames(observations=world.observations)[1])


def test_reports_of_the_wrong_shape_are_refused():
    world = started("SAP-Goal0-v0", 3)
    with pytest.raises(InvalidParameter, match=r"shape \(2, 26\); expected \(3, 26\)"):
        world.frames(np.arange(2), observations=world.observations[:2])
    with pytest.raises(InvalidParameter, match="size is 0"):
        world.frames(size=0)


@every_world
def test_spaces_of_image_observations(id):
    image = Box(0, 255, (3, 128, 128), np.uint8)
    vector = make_world(id, 1).observation_space
    assert make_single(id, observation="image").observation_space == image
    assert make_single(id, observation="both").observation_space == Dict(vector=vector, image=image)
    assert make_vector(id, 2, observation="image").observation_space == Box(0, 255, (2, 3, 128, 128), np.uint8)


@every_world
def test_gymnasium_makes_image_environments(id):
    env = gymnasium.make(f"offnominal/{id}", observation="image", render_mode="rgb_array")
    seen, _ = env.reset(seed=4)
    np.testing.assert_array_equal(seen, channels_first(env.get_wrapper_attr("world").frames()[0]))
    rows = gymnasium.make_vec(f"offnominal/{id}", num_envs=2, observation="both")
    both, _ = rows.reset(seed=4)
    np.testing.assert_array_equal(both["image"][0], seen)
    assert both["vector"].shape[0] == 2


@pytest.mark.parametrize("id", ["SAP-Goal0-v0", "MJC-CartpoleSwingup-v0"])
def test_vector_tells_the_episodes_of_single_environments(id):
    steps, rows = 60, 2
    vector = make_vector(id, rows, observation="both", max_episode_steps=25)
    singles = [make_single(id, observation="both") for _ in range(rows)]
    batch, _ = vector.reset(seed=3)
    ages = [0] * rows
    for k, single in enumerate(singles):
        np.testing.assert_array_equal(single.reset(seed=3 + k)[0]["image"], batch["image"][k])
    for _ in range(steps):
        actions = np.clip(batch["vector"][:, : vector.single_action_space.shape[0]], -1, 1)
        batch, _, terminated, truncated, infos = vector.step(actions)
        for k, single in enumerate(singles):
            seen = single.step(actions[k])[0]
            ages[k] += 1
            assert bool(truncated[k]) == (ages[k] == 25)
            if terminated[k] or truncated[k]:
                for name in ("vector", "image"):
                    np.testing.assert_array_equal(infos["final_obs"][k][name], seen[name])
                seen, ages[k] = single.reset()[0], 0
            for name in ("vector", "image"):
                np.testing.assert_array_equal(batch[name][k], seen[name])


def test_ended_rows_can_be_observed_before_they_are_reset():
    vector = make_vector("SAP-Goal0-v0", 2, max_episode_steps=3)
    vector.reset(seed=0)
    last = []
    vector.on_episode_end = lambda rows: last.append((rows.copy(), vector.world.observations[rows].copy()))
    for _ in range(3):
        *_, infos = vector.step(np.ones((2, 2)))
    ((rows, observations),) = last
    assert rows.tolist() == [0, 1]
    np.testing.assert_array_equal(observations, np.stack(infos["final_obs"]))


def test_camera_is_clean_or_affected():
    world = started("SAP-Goal0-v0", 2)
    rows, report = np.arange(2), world.observations + np.float32(0.5)
    clean, affected = (
        ObservationBuilder(world, camera=camera).observe(rows, report) for camera in ("clean", "affected")
    )
    np.testing.assert_array_equal(clean, channels_first(world.frames()))
    np.testing.assert_array_equal(affected, channels_first(world.frames(observations=report)))
    assert (clean != affected).any()


def test_frames_can_be_changed_on_their_way():
    world = started("SAP-Goal0-v0", 3)
    asked = []

    def black(frames, rows):
        asked.append(rows.tolist())
        return np.zeros_like(frames)

    both = ObservationBuilder(world, "both", size=32).observe(np.array([2, 1]), world.observations, black)
    assert asked == [[2, 1]]
    assert both["image"].shape == (2, 3, 32, 32)
    assert not both["image"].any()
    np.testing.assert_array_equal(both["vector"], world.observations[[2, 1]])


def test_observations_are_fresh_arrays():
    world = started("SAP-Goal0-v0", 2)
    seen = ObservationBuilder(world, "vector").observe(np.arange(2), world.observations)
    seen[:] = 7.0
    assert (world.observations != 7.0).any()


@pytest.mark.parametrize(
    ("options", "message"), [({"observation": "pixels"}, "pixels"), ({"camera": "dirty"}, "dirty")]
)
def test_unknown_kinds_are_refused(options, message):
    with pytest.raises(InvalidParameter, match=message):
        ObservationBuilder(started("SAP-Goal0-v0", 1), **options)


def test_world_of_gymnasium_draws_what_its_environments_render():
    world = GymnasiumWorld(2, id="MountainCarContinuous-v0", render_mode="rgb_array")
    world.reset(np.arange(2), np.arange(2), np.zeros(2, np.int64))
    assert world.frames().shape == (2, 128, 128, 3)
    with pytest.raises(UnsupportedEnvironment, match="camera='clean'"):
        world.frames(observations=world.observations)
    world.close()


def test_a_world_without_images_cannot_be_rendered():
    world = GymnasiumWorld(1, id="Pendulum-v1")
    with pytest.raises(UnsupportedEnvironment, match="cannot be rendered"):
        world.frames()[0]
    with pytest.raises(InvalidParameter, match="has no images"):
        ObservationBuilder(world)
