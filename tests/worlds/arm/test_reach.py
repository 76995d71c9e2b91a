"""URM-Reach: goals, rewards, physics parameters and images."""

import mujoco
import numpy as np
import pytest

import offnominal as off
from offnominal.agents import RandomPolicy, StraightLine
from offnominal.core.errors import SimulationDiverged
from offnominal.worlds import make_world
from offnominal.worlds.arm import card
from offnominal.worlds.arm.world import START_POSITION

pytestmark = pytest.mark.long

WORLD = "URM-Reach-v0"
LOW, HIGH = np.array(card.GOAL_LOW), np.array(card.GOAL_HIGH)


def started(n=1, seed=0):
    world = make_world(WORLD, n)
    world.reset(np.arange(n), seed + np.arange(n), np.zeros(n, np.int64))
    return world


def history(world, actions):
    """Return the observations after each action, one action for all rows."""
    seen = []
    for action in actions:
        world.step(np.tile(action, (world.n, 1)))
        seen.append(world.observations.copy())
    return np.array(seen)


def moves(steps, seed=0):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (steps, 4))


def test_episode_starts_at_rest_in_the_start_pose():
    world = started(5)
    assert np.allclose(START_POSITION, [-0.11235, 0.2986, 0.18865], rtol=0.0, atol=1e-12)
    assert np.allclose(world.observations[:, :3], START_POSITION)
    assert not world.observations[:, 3:6].any()
    idle = history(world, np.zeros((20, 4)))
    assert np.abs(idle[:, :, :3] - START_POSITION).max() < 1e-6


def test_goals_are_drawn_in_their_box_every_50_steps_and_differ_between_rows():
    world = started(20)
    first = world.observations[None].copy()
    goals = np.concatenate([first, history(world, np.zeros((200, 4)))])[:, :, 6:9]
    assert ((goals >= LOW - 1e-7) & (goals <= HIGH + 1e-7)).all()
    changed = (goals[1:] != goals[:-1]).any(axis=2)
    assert np.flatnonzero(changed.any(axis=1)).tolist() == [49, 99, 149, 199]
    assert len({tuple(goal) for goal in goals[[0, 50, 100, 150, 200]].reshape(-1, 3).tolist()}) == 100


def test_orientation_of_the_goal_is_constant():
    world = started(3)
    assert np.allclose(history(world, moves(60))[:, :, 9:], [0.5**0.5, -(0.5**0.5), 0.0, 0.0])


def test_reward_charges_distance_and_action_and_pays_for_the_goal_it_was_for():
    world = started(30)
    policy = StraightLine()
    for step in range(60):
        goals = world.observations[:, 6:9].astype(np.float64)
        actions, _ = policy.act(world.observations, None)
        world.step(actions)
        distance = np.linalg.norm(world.observations[:, :3] - goals, axis=1)
        near = distance < 0.02
        expected = np.where(near, 0.0, -1.0 - distance) - 0.1 * np.linalg.norm(actions, axis=1)
        assert np.allclose(world.rewards, expected, rtol=0.0, atol=1e-6), step
        assert (world.success == near).all()
    assert not world.terminated.any()


def test_velocity_is_that_of_the_gripper():
    world = started()
    history(world, moves(30))
    data = mujoco.MjData(world.model)
    data.qpos[:], data.qvel[:] = world._qpos[0], world._qvel[0]
    mujoco.mj_forward(world.model, data)
    velocity = np.empty(6)
    site = world.model.site("tcp").id
    mujoco.mj_objectVelocity(world.model, data, mujoco.mjtObj.mjOBJ_SITE, site, velocity, 0)
    assert np.allclose(world.observations[0, :6], [*data.site("tcp").xpos, *velocity[3:]], rtol=0.0, atol=1e-7)


def test_actions_beyond_the_largest_displacement_are_limited():
    world = started()
    assert world.executed(np.array([[9.0, -9.0, 1.0, 3.0]])).tolist() == [[2.5, -2.5, 1.0, 3.0]]
    fast, limited = history(started(), np.full((5, 4), 50.0)), history(started(), np.full((5, 4), 2.5))
    assert np.array_equal(fast[..., :6], limited[..., :6])


@pytest.mark.parametrize("corner", [(-1, 1, 1), (1, 1, 1), (-1, -1, -1), (1, -1, 1), (-1, 1, -1)])
def test_gripper_stays_in_its_box_and_comes_back_from_the_limit_of_its_reach(corner):
    world = started()
    seen = history(world, np.tile([*corner, 0.0], (250, 1)))[:, 0, :3]
    assert (seen > np.array(card.TARGET_LOW) - 0.01).all()
    assert (seen < np.array(card.TARGET_HIGH) + 0.01).all()
    back = history(world, np.tile([*(-np.array(corner)), 0.0], (15, 1)))[:, 0, :3]
    # A target that the arm cannot reach does not run away: the way back starts within a few steps.
    assert ((back[-1] - seen[-1]) * -np.array(corner) > 0.02).all()


def test_moving_goal_moves_back_and_forth_and_leaves_the_arm_alone():
    nominal, world = started(4), started(4)
    world.set_physics_parameter("moving_goal", np.arange(4), np.full(4, 0.02))
    plain, seen = history(nominal, moves(49)), history(world, moves(49))
    assert np.array_equal(plain[..., :6], seen[..., :6])
    x = seen[:, :, 6]
    assert ((x >= LOW[0] - 1e-7) & (x <= HIGH[0] + 1e-7)).all()
    steps = np.abs(np.diff(x, axis=0))
    assert (steps < 0.02 + 1e-6).all()
    assert (np.isclose(steps, 0.02, rtol=0.0, atol=1e-6).sum(axis=0) >= 43).all()
    assert np.array_equal(plain[..., 7:], seen[..., 7:])


def test_goal_starts_every_episode_in_the_same_direction():
    world = started()
    world.set_physics_parameter("moving_goal", np.array([0]), np.array([0.05]))
    first = history(world, np.zeros((9, 4)))
    world.reset(np.array([0]), np.array([0]), np.array([0]))
    world.set_physics_parameter("moving_goal", np.array([0]), np.array([0.05]))
    assert np.array_equal(history(world, np.zeros((9, 4))), first)


@pytest.mark.parametrize(("limit", "same"), [(0.0041, True), (0.002, False)])
def test_robot_speed_matters_only_below_what_actions_ask_for(limit, same):
    nominal, slow = started(), started()
    slow.set_physics_parameter("robot_speed", np.array([0]), np.array([limit]))
    assert np.array_equal(history(nominal, moves(20)), history(slow, moves(20))) == same


def test_viscous_friction_makes_the_arm_lag_behind():
    lag = []
    for value in (0.0, 50.0, 200.0):
        world = started()
        world.set_physics_parameter("robot_friction", np.array([0]), np.array([value]))
        lag.append(world._targets[0, 0] + 0.08 - history(world, np.tile([1.0, 0.0, 0.0, 0.0], (20, 1)))[-1, 0, 0])
    assert 0.0 < lag[0] < 0.7 * lag[1] < 0.5 * lag[2]


def test_payload_pulls_the_gripper_down():
    heights = []
    for value in (0.0, 3.0, 6.0):
        world = started()
        world.set_physics_parameter("payload", np.array([0]), np.array([value]))
        heights.append(history(world, np.zeros((50, 4)))[-1, 0, 2])
    assert heights[0] > heights[1] + 0.002 > heights[2] + 0.004


def test_simulation_that_diverges_names_its_seed_and_step(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    world = started(3, seed=40)
    world.step(np.zeros((3, 4)))
    world._qpos[1] = np.nan
    with pytest.raises(SimulationDiverged, match=r"row 1 \(seed 41\) at step 1"):
        world.step(np.zeros((3, 4)))


def test_image_shows_the_reported_state():
    world = started(2)
    true = world.frames()
    reported = world.observations.copy()
    reported[0, :3] += 0.05
    reported[1, 6:9] = [0.1, 0.3, 0.15]
    drawn = world.frames(observations=reported)
    assert (drawn != true).any(axis=(1, 2, 3)).all()
    truth = world.frames(observations=world.observations)
    assert np.abs(truth.astype(int) - true).mean() < 0.1


def test_random_actions_earn_what_is_published():
    policy = RandomPolicy(make_world(WORLD, 1).action_space)
    result = off.evaluate_policy(WORLD, policy, 100, seed=3)
    assert result.mean_return == pytest.approx(card.REACH.random_return, abs=3.0)


def test_expert_earns_more_than_the_published_one():
    result = off.evaluate_policy(WORLD, StraightLine(), 40, seed=3)
    assert result.mean_return > -138.0
