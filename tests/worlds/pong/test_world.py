"""Pong as a world: the game, what is seen of it, and what comes back."""

import sys
from concurrent.futures import ThreadPoolExecutor

import gymnasium
import numpy as np
import pytest

import offnominal as off
from offnominal.core.errors import InvalidParameter, MissingDependency, UnsupportedEnvironment
from offnominal.worlds import make_world
from offnominal.worlds.pong import emulator
from offnominal.worlds.pong.card import SHORTEST

pytestmark = pytest.mark.long

ale_py = pytest.importorskip("ale_py", reason="Pong needs ale-py, which the extra `atari` installs")


def started(n, **options):
    world = make_world("OOD-Pong-v0", n, **options)
    rows = np.arange(n)
    world.reset(rows, rows, np.zeros(n, np.int64))
    return world


def played(world, actions):
    """What is seen and earned under actions (T, n)."""
    outcome = [world.observations.copy()]
    for chosen in actions:
        world.step(chosen)
        outcome += [world.observations.copy(), world.rewards.copy()]
    return outcome


def same(first, second):
    return all(np.array_equal(*pair) for pair in zip(first, second, strict=True))


def test_images_and_points_are_those_of_ale_py():
    world = started(2)
    peer = ale_py.AtariVectorEnv(
        "pong", 2, noop_max=0, use_fire_reset=False, reward_clipping=False, repeat_action_probability=0.0, num_threads=1
    )
    first, _ = peer.reset(seed=0)
    assert np.array_equal(world.observations[:, -1], first[:, -1])
    points = 0
    for t, actions in enumerate(np.random.default_rng(0).integers(0, 6, (120, 2))):
        world.step(actions)
        theirs, rewards, *_ = peer.step(actions)
        assert np.array_equal(world.rewards, rewards)
        assert np.array_equal(world.observations[:, -1], theirs[:, -1])
        assert t < 3 or np.array_equal(world.observations, theirs)
        points += np.abs(rewards).sum()
    assert points > 0


def test_the_first_image_is_repeated_four_times():
    world = started(1)
    assert (world.observations[0] == world.observations[0, 0]).all()


def test_observations_are_made_of_the_images_alone():
    world = started(2)
    before = world.observations.copy()
    for actions in np.random.default_rng(1).integers(0, 6, (30, 2)):
        world.step(actions)
        before = world.camera.observe(world.camera.images(np.arange(2)), before)
        assert np.array_equal(before, world.observations)


def test_games_that_take_turns_on_an_emulator_are_games_that_have_one_each(monkeypatch):
    actions = np.random.default_rng(2).integers(0, 6, (20, 3))
    apart = played(started(3), actions)
    monkeypatch.setattr(emulator, "MAX_EMULATORS", 1)
    together = started(3)
    assert len({id(game._emulator) for game in together._games}) == 1
    assert same(played(together, actions), apart)


def test_worlds_in_threads_do_not_disturb_each_other():
    actions = [np.random.default_rng(k).integers(0, 6, (15, 2)) for k in range(3)]
    alone = [played(started(2), each) for each in actions]
    with ThreadPoolExecutor(3) as pool:
        at_once = list(pool.map(lambda each: played(started(2), each), actions))
    assert all(same(*pair) for pair in zip(alone, at_once, strict=True))


def test_a_game_of_missed_balls_ends_after_21_points():
    world = started(1)
    lost = 0.0
    for _ in range(SHORTEST):
        assert not world.terminated[0]
        world.step(np.zeros(1, np.int64))
        assert world.critical[0] == (world.rewards[0] < 0)
        lost += world.rewards[0]
    assert world.terminated[0]
    assert not world.success[0]
    assert lost == -21.0


def test_seeds_matter_where_frames_pass_first():
    rows = np.arange(8)
    world = make_world("OOD-Pong-v0", 8, noops=30)
    world.reset(rows, rows, rows * 0)
    shown = world.camera.images(rows)
    for _ in range(12):
        world.step(rows * 0)
    later = {image.tobytes() for image in world.camera.images(rows)}
    assert len(later) > 1
    world.reset(rows, rows, rows * 0)
    assert np.array_equal(world.camera.images(rows), shown)


@pytest.mark.parametrize("noops", [-1, 1.5, True])
def test_noops_are_a_number_of_frames(noops):
    with pytest.raises(InvalidParameter, match="noops is"):
        make_world("OOD-Pong-v0", 1, noops=noops)


def test_an_observation_cannot_be_drawn():
    world = started(1)
    with pytest.raises(UnsupportedEnvironment, match="cannot draw a reported state"):
        world.frames(observations=world.observations)


def test_gymnasium_knows_it():
    env = gymnasium.make("offnominal/OOD-Pong-v0", render_mode="rgb_array")
    observation, _ = env.reset(seed=0)
    assert observation in env.observation_space
    assert env.action_space.n == 6  # type: ignore[attr-defined]
    assert env.render().shape == (480, 480, 3)
    assert env.spec.max_episode_steps == 27_000


def test_without_ale_py_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(emulator, "_loaded", [])
    monkeypatch.setitem(sys.modules, "ale_py", None)
    with pytest.raises(MissingDependency, match=r"offnominal\[atari\]"):
        off.make("OOD-Pong-v0")
