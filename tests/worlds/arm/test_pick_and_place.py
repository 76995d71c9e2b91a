"""URM-PnP: gripper, block, rewards, physics parameters and images."""

import numpy as np
import pytest

import offnominal as off
from offnominal.agents import PickAndCarry
from offnominal.worlds import make_world
from offnominal.worlds.arm import card
from offnominal.worlds.arm.world import START_POSITION

pytestmark = pytest.mark.long

WORLD = "URM-PnP-v0"
BLOCK, TCP, GOAL, OPENING = slice(0, 3), slice(7, 10), slice(13, 16), 20


def started(n=1, seed=0):
    world = make_world(WORLD, n)
    world.reset(np.arange(n), seed + np.arange(n), np.zeros(n, np.int64))
    return world


def carried(n, steps, seed=0):
    """Return a world after some steps of the scripted expert."""
    world, policy = started(n, seed), PickAndCarry()
    for _ in range(steps):
        world.step(policy.act(world.observations, None)[0])
    return world


def repeat(world, action, steps):
    for _ in range(steps):
        world.step(np.tile(action, (world.n, 1)))
    return world.observations.copy()


def distances(observations):
    """Return the distances between block and TCP and between block and goal."""
    block = observations[:, BLOCK].astype(np.float64)
    return (np.linalg.norm(block - observations[:, part], axis=1) for part in (TCP, GOAL))


def kept(n, seed=0):
    """Return the rows whose gripper still holds the block after 6 s and 100 random moves of up to 1 cm per axis."""
    world = carried(n, 160, seed)
    repeat(world, [0.0, 0.0, 0.0, -1.0], 150)
    moves = np.random.default_rng(seed).uniform(-2.5, 2.5, (100, n, 4))
    moves[..., 3] = -1.0
    for actions in moves:
        world.step(actions)
    to_tcp, _ = distances(world.observations)
    return to_tcp < 0.02


def test_first_observation_shows_the_block_where_it_is():
    world = started(50)
    first = world.observations.copy()
    block = first[:, BLOCK]
    assert ((block[:, :2] >= card.BLOCK_LOW) & (block[:, :2] <= card.BLOCK_HIGH)).all()
    assert len(np.unique(block[:, 0])) == 50
    assert np.allclose(block[:, 2], 0.055)
    assert np.allclose(first[:, 3:7], [1.0, 0.0, 0.0, 0.0])
    assert np.allclose(first[:, TCP], START_POSITION)
    assert (first[:, OPENING] == 1.0).all()
    after = repeat(world, np.zeros(4), 25)
    assert np.abs(after[:, BLOCK] - block).max() < 1e-4


def test_goal_stays_for_the_whole_episode():
    world = started(4)
    goal = world.observations[:, GOAL].copy()
    assert ((goal >= np.array(card.GOAL_LOW) - 1e-7) & (goal <= np.array(card.GOAL_HIGH) + 1e-7)).all()
    assert np.array_equal(repeat(world, np.zeros(4), 120)[:, GOAL], goal)


def test_gripper_switches_with_hysteresis():
    world = started()
    closed = []
    for gripper in (0.0, -0.19, -0.21, 0.0, 0.19, 0.21, 0.0):
        repeat(world, [0.0, 0.0, 0.0, gripper], 20)
        closed.append(bool(world.observations[0, OPENING] < 0.0))
    assert closed == [False, False, True, True, True, False, False]
    assert world.observations[0, OPENING] == pytest.approx(1.0, abs=1e-3)


def test_gripper_starts_every_episode_open():
    world = started()
    first = repeat(world, [0.0, 0.0, 0.0, -1.0], 10)
    world.reset(np.array([0]), np.array([0]), np.array([0]))
    assert world.observations[0, OPENING] == 1.0
    assert repeat(world, np.zeros(4), 10)[0, OPENING] == pytest.approx(1.0, abs=1e-3)
    world.reset(np.array([0]), np.array([0]), np.array([0]))
    assert np.array_equal(repeat(world, [0.0, 0.0, 0.0, -1.0], 10), first)


def test_reward_counts_distances_and_the_grip():
    world, policy = started(8), PickAndCarry()
    bonuses = []
    for _ in range(120):
        world.step(policy.act(world.observations, None)[0])
        to_tcp, to_goal = distances(world.observations)
        bonuses.append(world.rewards + to_tcp + to_goal)
        assert (world.success == (to_goal < 0.02)).all()
    bonus = np.array(bonuses)
    assert (np.isclose(bonus, 0.0, rtol=0.0, atol=1e-5) | np.isclose(bonus, 0.1, rtol=0.0, atol=1e-5)).all()
    assert np.allclose(bonus[0], 0.0, rtol=0.0, atol=1e-5)
    assert np.allclose(bonus[-1], 0.1, rtol=0.0, atol=1e-5)
    assert not world.terminated.any()


def test_pressing_on_the_block_is_critical_and_costs_one():
    world = started()
    # The block is moved below the closed gripper.
    world._qpos[0, 8:10] = START_POSITION[:2]
    repeat(world, [0.0, 0.0, -1.0, -1.0], 40)
    to_tcp, to_goal = distances(world.observations)
    assert world.critical[0]
    assert world.cost[0] == 1.0
    assert world.rewards[0] == pytest.approx(-1.0 - to_tcp[0] - to_goal[0], abs=1e-5)


def test_block_beside_the_table_is_critical_and_lies_on_the_floor():
    world = started()
    world._qpos[0, 8:10] = [0.3, 0.35]
    assert repeat(world, np.zeros(4), 25)[0, 2] == pytest.approx(0.03, abs=1e-3)
    assert world.critical[0]


def test_held_block_stays_held():
    assert kept(6).all()


@pytest.mark.slow
def test_held_block_stays_held_in_99_of_100_episodes():
    assert kept(400, seed=100).mean() >= 0.99


def test_block_in_a_weak_grip_is_lost():
    world = carried(6, 100)
    world.set_physics_parameter("grip_loss", np.arange(6), np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]))
    repeat(world, [0.0, 0.0, 0.0, -1.0], 50)
    to_tcp, _ = distances(world.observations)
    assert (to_tcp[:3] < 0.01).all()
    assert (to_tcp[3:] > 0.03).all()


def test_grip_loss_scales_the_force_of_the_fingers_and_is_undone_at_reset():
    world = started(2)
    nominal = world.current_physics(0)
    world.set_physics_parameter("grip_loss", np.array([0]), np.array([0.4]))
    assert np.allclose(world.current_physics(0)["actuator_forcerange"][6:], [[-18.0, 18.0]] * 2)
    assert np.array_equal(world.current_physics(0)["actuator_forcerange"][:6], nominal["actuator_forcerange"][:6])
    world.reset(np.array([0]), np.array([0]), np.array([0]))
    for name, value in world.current_physics(0).items():
        assert np.array_equal(value, nominal[name]), name


def test_expert_places_the_block():
    result = off.evaluate_policy(WORLD, PickAndCarry(), 20, seed=3)
    assert result.success >= 0.95
    assert result.mean_return > -9.0


def test_image_shows_the_reported_state():
    world = started(3)
    true = world.frames()
    reported = world.observations.copy()
    reported[0, BLOCK] += 0.05
    reported[1, TCP] += 0.05
    reported[2, OPENING] = -1.0
    assert (world.frames(observations=reported) != true).any(axis=(1, 2, 3)).all()
    truth = world.frames(observations=world.observations)
    assert np.abs(truth.astype(int) - true).mean() < 0.1
