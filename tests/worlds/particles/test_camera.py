"""Images for people of particle worlds have a larger agent and its trail; frames have neither."""

from __future__ import annotations

import numpy as np

import offnominal as off
from offnominal.worlds import make_world
from offnominal.worlds.trail import LENGTH

WORLD = "SAP-Goal0-v0"


def test_the_trail_belongs_to_the_episode_and_leaves_the_frames_alone() -> None:
    env = off.make(WORLD, render_mode="rgb_array", render_size=200)
    world = env.get_wrapper_attr("world")
    env.reset(seed=1)
    first = env.render()
    for _ in range(LENGTH + 5):
        env.step(np.array([1.0, 0.2]))
    frames = world.frames()
    assert not np.array_equal(env.render(), world.render(size=200)[0])
    np.testing.assert_array_equal(world.frames(), frames)
    env.reset(seed=1)
    np.testing.assert_array_equal(env.render(), first)


def test_rows_of_a_vector_environment_have_their_own_trails() -> None:
    envs = off.make_vec(WORLD, 2, render_mode="rgb_array", render_size=120)
    single = off.make(WORLD, render_mode="rgb_array", render_size=120)
    envs.reset(seed=4)
    single.reset(seed=5)
    for _ in range(5):
        envs.step(np.full((2, 2), 0.5))
        single.step(np.full(2, 0.5))
    images = envs.render()
    assert images is not None
    np.testing.assert_array_equal(images[1], single.render())


def test_the_agent_is_larger_for_people() -> None:
    world = make_world(WORLD, 1)
    world.reset(*np.zeros((3, 1), np.int64))
    red = [(image[..., 0] > 200) & (image[..., 1] < 130) for image in (world.frames(size=300), world.render(size=300))]
    assert red[1].sum() > 2 * red[0].sum() > 0
