"""Scripted experts do what is said of them, and what they do in one episode depends on nothing else."""

import hashlib
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from scipy.linalg import solve_discrete_are

import offnominal as off
from offnominal.agents import (
    DampedLeastSquares,
    EnergyPump,
    Gait,
    LaneFollower,
    PickAndCarry,
    PoleBalance,
    PotentialField,
    StraightLine,
    SwingUp,
    scripted_expert,
)
from offnominal.anomalies import Fault, Schedule
from offnominal.core.errors import UnknownName
from offnominal.worlds import make_world, worlds
from offnominal.worlds.mujoco import swing_up
from offnominal.worlds.mujoco.damped_least_squares import FOLDED, MOBILITY, hand_and_moves
from offnominal.worlds.mujoco.reacher import hand_position

pytestmark = pytest.mark.long

SEED = 70_000_000
SCRIPTED = [id for id in worlds.ids() if worlds.card(id).scripted_expert is not None]
WORLDS = [id for id in SCRIPTED if id != "OOD-Pong-v0"]  # whose player needs ale-py; see test_ball_follower
CARTPOLE, REACHER, CHEETAH = "MJC-CartpoleSwingup-v0", "MJC-Reacher3D-v0", "MJC-HalfCheetah-v0"
SWUNG_UP = "b45754e67a16834850a1846be42d64866a7a5f1c7ccfc2c39f3e8e80a99628d2"


def drawn(world, n=70, seed=0):
    """Return states of all kinds as the agent would see them."""
    width = len(make_world(world, 1).card.observation)
    return np.random.default_rng(seed).normal(0, 1.5, (n, width)).astype(np.float32)


def first_actions(policy, seen):
    """Return what a policy does at the beginning of episodes."""
    n = len(seen)
    return policy.act(seen, policy.start(np.arange(n), np.zeros(n, np.int64)))[0]


@cache
def evaluated(world):
    return off.evaluate_policy(world, scripted_expert(world), 48, seed=SEED)


@pytest.mark.parametrize(
    ("world", "least_return", "least_success"),
    [
        (CARTPOLE, 182.6, 1.0),
        (REACHER, -53.0, 0.5),
        (CHEETAH, 550.0, 0.0),
        ("OOD-CartPole-v0", 199.9, 1.0),
        ("OOD-Pendulum-v0", -165.0, 1.0),
        ("SAP-Goal0-v0", -5.0, 1.0),
        ("SAP-Goal1-v0", -11.0, 0.85),
        ("SAP-Goal2-v0", -25.0, 0.6),
        ("URM-Reach-v0", -138.0, 0.7),
        ("URM-PnP-v0", -8.0, 0.95),
        ("CAR-LaneKeep-v0", -40.0, 0.95),
    ],
)
def test_the_return_of_a_scripted_expert_is_as_documented(world, least_return, least_success):
    seen = evaluated(world)
    assert seen.mean_return > least_return
    assert seen.success >= least_success


@pytest.mark.parametrize("world", [CARTPOLE, REACHER, "CAR-LaneKeep-v0"])
def test_these_earn_more_than_the_published_ones(world):
    seen = evaluated(world)
    assert seen.mean_return - seen.return_interval > make_world(world, 1).card.expert_return


def test_every_world_has_a_scripted_expert():
    for id in WORLDS:
        actions = first_actions(scripted_expert(id), drawn(id))
        assert actions.shape == (70, *make_world(id, 1).action_shape)
        assert np.isfinite(actions).all()


def test_each_world_gets_its_own_kind():
    assert isinstance(scripted_expert(CARTPOLE), SwingUp)
    assert isinstance(scripted_expert(REACHER), DampedLeastSquares)
    assert isinstance(scripted_expert(CHEETAH), Gait)
    assert isinstance(scripted_expert("OOD-CartPole-v0"), PoleBalance)
    assert isinstance(scripted_expert("OOD-Pendulum-v0"), EnergyPump)
    assert isinstance(scripted_expert("SAP-Goal1-v0"), PotentialField)
    assert scripted_expert("SAP-Goal1-v0").repulsion == 5.0  # type: ignore[attr-defined]
    assert isinstance(scripted_expert("URM-Reach-v0"), StraightLine)
    assert isinstance(scripted_expert("URM-PnP-v0"), PickAndCarry)
    assert isinstance(scripted_expert("CAR-LaneKeep-v0"), LaneFollower)


def test_an_unknown_world_is_refused_with_the_nearest():
    with pytest.raises(UnknownName, match=r"'MJC-HalfCheeta'.*Did you mean 'MJC-HalfCheetah-v0'"):
        scripted_expert("MJC-HalfCheeta")


@pytest.mark.parametrize("world", WORLDS)
def test_an_action_does_not_depend_on_the_batch(world):
    policy, seen = scripted_expert(world), drawn(world)
    together = first_actions(policy, seen)
    for size in (1, 7, 64):
        pieces = [first_actions(policy, seen[k : k + size]) for k in range(0, len(seen), size)]
        np.testing.assert_array_equal(np.concatenate(pieces), together)


@pytest.mark.parametrize("world", WORLDS)
def test_an_episode_does_not_depend_on_the_batch(world):
    one, many = (
        off.collect(world, scripted_expert(world), 6, seed=SEED, batch=batch, max_steps=30) for batch in (1, 6)
    )
    for alone, among in zip(one, many, strict=True):
        np.testing.assert_array_equal(alone.actions, among.actions)
        np.testing.assert_array_equal(alone.observations, among.observations)


def test_importing_the_agents_does_not_load_mujoco():
    code = "import sys, offnominal.agents\nassert 'mujoco' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_pole_is_dropped():
    episodes = off.collect(CARTPOLE, SwingUp(), 300, seed=SEED)
    assert min(episode.total_reward for episode in episodes) > 178.0
    assert not any(episode.extras["critical"].any() for episode in episodes)


def test_a_pole_that_was_knocked_down_is_swung_up_again():
    blow = Fault("dynamics/force", 150.0, schedule=Schedule(onset=60, duration=10))
    for episode in off.collect(CARTPOLE, SwingUp(), 20, seed=SEED, faults=blow):
        assert np.cos(episode.observations[60:100, 1]).max() > 0.5
        assert np.cos(episode.observations[-1, 1]) < -0.99


def test_the_gains_at_the_top_are_those_of_the_riccati_equation():
    to_state, to_force = swing_up._linearised(swing_up.UPRIGHT, 0.0)
    weights = np.zeros((4, 4))
    weights[:2, :2] = [[1 / 0.36, 1 / 0.6], [1 / 0.6, 1.0]]
    value = solve_discrete_are(to_state, to_force[:, None], weights, np.array([[0.01]]))
    gains = to_force @ value @ to_state / (to_force @ value @ to_force + 0.01)
    np.testing.assert_allclose(swing_up._plan().gains[-1], gains, atol=1e-3)


def test_the_motors_limit_does_not_hide_the_slope():
    state = np.array([0.1, 0.4, 1.0, 3.0])
    inside, at_limit = (swing_up._linearised(state, force)[1] for force in (2.9, 3.0))
    np.testing.assert_allclose(at_limit, inside, rtol=0.02)


def test_left_and_right_are_alike_to_the_pole():
    seen = drawn(CARTPOLE)
    np.testing.assert_array_equal(first_actions(SwingUp(), -seen), -first_actions(SwingUp(), seen))


def test_whole_turns_of_the_pole_do_not_count():
    seen = drawn(CARTPOLE).astype(np.float64)
    turned = seen + 2 * np.pi * np.array([0, 1, 0, 0]) * np.arange(-35, 35)[:, None]
    np.testing.assert_allclose(first_actions(SwingUp(), turned), first_actions(SwingUp(), seen), atol=1e-9)


def test_a_swing_has_the_same_bits_on_this_cpu_as_on_every_other():
    episodes = off.collect(CARTPOLE, SwingUp(), 20, seed=SEED)
    content = b"".join(episode.actions.tobytes() for episode in episodes)
    assert hashlib.sha256(content).hexdigest() == SWUNG_UP


def test_hand_and_moves_are_those_of_the_arm():
    angles = np.random.default_rng(3).uniform(-2.5, 2.5, (20, 7))
    hands, moves = hand_and_moves(angles)
    for row, hand, move in zip(angles, hands, moves, strict=True):
        np.testing.assert_allclose(hand, hand_position(row), atol=1e-12)
        ends = [np.subtract(hand_position(row + 1e-6 * e), hand_position(row - 1e-6 * e)) for e in np.eye(7)]
        np.testing.assert_allclose(move, np.array(ends) / 2e-6, atol=1e-8)


def test_a_step_is_the_best_compromise_between_goal_and_fold():
    angles = np.random.default_rng(4).uniform(-1.5, 0.0, (20, 7))
    hands, moves = hand_and_moves(angles)
    miss = np.random.default_rng(5).normal(0, 0.3, (20, 3))
    seen = np.hstack([angles, hands + miss, np.zeros((20, 7))])
    policy = DampedLeastSquares(damping=0.2, folding=0.5, stiffness=0.01)
    step = first_actions(policy, seen) / policy.stiffness * MOBILITY
    fold = 0.5 * np.linalg.norm(miss, axis=1, keepdims=True) * (FOLDED != 0) * (FOLDED - angles)
    left = np.einsum("njx,nj->nx", moves, step) - miss
    slope = np.einsum("njx,nx->nj", moves, left) + 0.2 * (step - fold) / MOBILITY
    np.testing.assert_allclose(slope, 0.0, atol=1e-12)


def test_an_arm_whose_hand_is_at_its_goal_rests():
    angles = np.array([[0.2, -0.1, -1.2, -1.0, 0.3, -0.8, 0.0]])
    seen = np.hstack([angles, hand_and_moves(angles)[0], np.zeros((1, 7))])
    np.testing.assert_allclose(first_actions(DampedLeastSquares(), seen), 0.0, atol=1e-12)


def test_a_moving_arm_is_braked():
    angles = np.array([[0.2, -0.1, -1.2, -1.0, 0.3, -0.8, 0.0]])
    seen = np.hstack([angles, hand_and_moves(angles)[0], np.full((1, 7), 0.5)])
    np.testing.assert_allclose(first_actions(DampedLeastSquares(braking=0.3), seen), -0.15, atol=1e-12)


def test_a_gait_starts_at_step_zero_in_every_episode():
    policy, seen = Gait(), drawn(CHEETAH)
    begin = policy.start(np.arange(70), np.zeros(70, np.int64))
    first, later = policy.act(seen, begin)
    second, _ = policy.act(seen, later)
    assert (second != first).any()
    np.testing.assert_array_equal(first_actions(policy, seen), first)


def test_a_gait_repeats_itself_after_a_stride():
    policy, seen = Gait(frequency=4.0), drawn(CHEETAH)
    state, actions = policy.start(np.arange(70), np.zeros(70, np.int64)), []
    for _ in range(10):
        action, state = policy.act(seen, state)
        actions.append(action)
    np.testing.assert_allclose(actions[5:], actions[:5], atol=1e-12)


def test_rows_that_continue_keep_their_step():
    policy, seen = Gait(), drawn(CHEETAH)
    _, state = policy.act(seen, policy.start(np.arange(70), np.zeros(70, np.int64)))
    rows = np.array([3, 40])
    np.testing.assert_array_equal(policy.act(seen[rows], policy.take(state, rows))[0], policy.act(seen, state)[0][rows])


def test_a_gait_stays_on_its_feet():
    episodes = off.collect(CHEETAH, Gait(), 24, seed=SEED)
    assert np.mean([episode.extras["critical"].mean() for episode in episodes]) < 0.05
