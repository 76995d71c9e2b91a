"""The classic worlds are Gymnasium's, step for step, at every value of every physics parameter."""

import gymnasium
import numpy as np
import pytest

from offnominal.agents import RandomPolicy
from offnominal.anomalies import EnvironmentInfo, Fault, Injection, Schedule
from offnominal.core.errors import InvalidAction, InvalidParameter, SimulationDiverged, UnsupportedEnvironment
from offnominal.rollouts import collect, twins
from offnominal.worlds import make_world
from offnominal.worlds.classic.world import CartPole, Pendulum
from offnominal.worlds.single_env import WorldEnv
from offnominal.worlds.vector_env import WorldVectorEnv

ROW = np.zeros(1, np.int64)
CARTPOLE, PENDULUM = "OOD-CartPole-v0", "OOD-Pendulum-v0"
TOLERANCE = 2e-14
"""A few units in the last place of the largest states; sine and cosine may differ in one."""


def cartpole(gravity=9.8, cart_mass=1.0, pole_length=0.5, pole_mass=0.1, push_force=10.0):
    """Return Gymnasium's with other constants; those it derives from them are derived anew."""
    env = gymnasium.make("CartPole-v1").unwrapped
    env.gravity, env.masscart, env.length, env.masspole, env.force_mag = (  # type: ignore[attr-defined]
        gravity,
        cart_mass,
        pole_length,
        pole_mass,
        push_force,
    )
    env.total_mass, env.polemass_length = pole_mass + cart_mass, pole_mass * pole_length  # type: ignore[attr-defined]
    return env


def pendulum(gravity=10.0, mass=1.0, length=1.0, max_speed=8.0, max_torque=2.0):
    env = gymnasium.make("Pendulum-v1").unwrapped
    env.g, env.m, env.l, env.max_speed, env.max_torque = gravity, mass, length, max_speed, max_torque  # type: ignore[attr-defined]
    return env


def compare(world, env, draw, *, steps, together):
    """Step both from our state; with `together`, from the same state at every step. Return the largest differences."""
    env.reset(seed=0)
    env.state = world._state[0].copy()
    apart = 0.0
    for _ in range(steps):
        if together:
            env.state = world._state[0].copy()
        action = draw()
        observation, reward, terminated, *_ = env.step(action)
        world.step(np.array([action]))
        scale = np.maximum(1.0, np.abs(env.state))
        apart = max(apart, np.abs((env.state - world._state[0]) / scale).max())
        apart = max(apart, abs(reward - world.rewards[0]) / max(1.0, abs(reward)))
        np.testing.assert_allclose(world.observations[0], observation, rtol=1e-6, atol=1e-6)
        assert world.terminated[0] == terminated
        if terminated:
            break
    return apart


def started(id, seed, **options):
    world = make_world(id, 1, **options)
    world.reset(ROW, ROW + seed, ROW)
    return world


def draws(id, seed=0):
    random = np.random.default_rng(seed)
    return (lambda: int(random.integers(2))) if id == CARTPOLE else (lambda: random.uniform(-3.0, 3.0, 1))


@pytest.mark.parametrize(("id", "theirs"), [(CARTPOLE, cartpole), (PENDULUM, pendulum)])
def test_an_episode_is_gymnasiums(id, theirs):
    for seed in range(20):
        assert compare(started(id, seed), theirs(), draws(id, seed), steps=200, together=True) < TOLERANCE


def test_whole_episodes_of_cartpole_end_at_the_same_step():
    for seed in range(50):
        assert compare(started(CARTPOLE, seed), cartpole(), draws(CARTPOLE, seed), steps=200, together=False) < 1e-13


def test_whole_episodes_of_pendulum_stay_together_although_it_is_chaotic():
    for seed in range(20):
        apart = compare(started(PENDULUM, seed), pendulum(), draws(PENDULUM, seed), steps=200, together=False)
        assert apart < 1e-9


KNOBS = [
    (id, theirs, physics_parameter.name, factor)
    for id, theirs in ((CARTPOLE, cartpole), (PENDULUM, pendulum))
    for physics_parameter in make_world(id, 1).card.physics_parameters
    for factor in (0.1, 5.0)
]


@pytest.mark.parametrize(("id", "theirs", "name", "factor"), KNOBS)
def test_a_physics_parameter_is_gymnasiums_constant(id, theirs, name, factor):
    value = make_world(id, 1).physics_parameter(name).neutral * factor
    for seed in range(5):
        world = started(id, seed)
        world.set_physics_parameter(name, ROW, np.array([value]))
        assert compare(world, theirs(**{name: value}), draws(id, seed), steps=60, together=True) < TOLERANCE


def test_the_older_pendulum_moves_before_its_speed_is_limited():
    for clip_speed, moved in (("before", 8.0), ("after", 8.0 + 1.5 * 10 * 0.05 * np.sin(2.0))):
        world = started(PENDULUM, 0, clip_speed=clip_speed)
        world._state[0] = 2.0, 8.0
        world.step(np.zeros((1, 1)))
        np.testing.assert_allclose(world._state[0], [2.0 + 0.05 * moved, 8.0], rtol=1e-14)
    with pytest.raises(InvalidParameter, match="clip_speed is 'never'"):
        Pendulum(1, clip_speed="never")


def test_starts_are_drawn_as_gymnasium_draws_them():
    n = 4000
    for world, limits in ((CartPole(n), (0.05,) * 4), (Pendulum(n), (np.pi, 1.0))):
        world.reset(np.arange(n), np.arange(n), np.zeros(n, np.int64))
        for column, limit in zip(world._state.T, limits, strict=True):
            assert -limit < column.min() < -0.99 * limit
            assert 0.99 * limit < column.max() < limit
            assert abs(column.mean()) < 0.05 * limit


@pytest.mark.parametrize(
    ("state", "ends"), [((2.41, 0, 0, 0), True), ((2.3, 0, 0, 0), False), ((0, 0, -0.21, 0), True)]
)
def test_cartpole_ends_off_its_track_or_when_the_pole_leans(state, ends):
    world = started(CARTPOLE, 0)
    world._state[0] = state
    world.step(np.array([1]))
    assert world.terminated[0] == world.critical[0] == ends != world.success[0]
    assert world.rewards[0] == 1.0


@pytest.mark.parametrize("action", [2, -1, 0.5, "left", None, [0], np.array([1])])
def test_a_choice_that_there_is_not_is_refused(action):
    env = WorldEnv(CartPole(1))
    env.reset(seed=0)
    with pytest.raises(InvalidAction, match=r"expected an integer within 0 \.\. 1"):
        env.step(action)


@pytest.mark.parametrize("action", [1, True, np.int32(1), np.array(1)])
def test_a_choice_may_be_any_kind_of_integer(action):
    env = WorldEnv(CartPole(1))
    env.reset(seed=0)
    assert env.step(action)[0][1] > 0.1


def test_a_vector_of_choices_needs_one_per_row():
    envs = WorldVectorEnv(CartPole(3))
    envs.reset(seed=0)
    assert envs.step(envs.action_space.sample())[0].shape == (3, 4)
    with pytest.raises(InvalidAction, match=r"shape \(3, 1\); expected integers of shape \(3,\)"):
        envs.step(np.zeros((3, 1), int))


def test_episodes_of_choices_hold_integers():
    (episode,) = collect(CARTPOLE, RandomPolicy(CartPole(1).action_space), 1)
    for actions in (episode.actions, episode.extras["executed_actions"]):
        assert actions.dtype == np.int64
        assert actions.shape == (len(episode),)
        assert set(actions.tolist()) == {0, 1}


def test_a_policy_that_returns_floats_for_discrete_actions_is_refused():
    with pytest.raises(InvalidAction, match="not an integer"):
        collect(CARTPOLE, lambda seen: seen[:, 2], 1)


def test_a_policy_may_choose_by_comparing():
    (episode,) = collect(CARTPOLE, lambda seen: seen[:, 2] + 0.3 * seen[:, 3] > 0, 1)
    assert episode.total_reward > 100


def test_a_choice_is_no_signal_that_a_fault_could_change():
    with pytest.raises(UnsupportedEnvironment, match="action/delay needs a Box action space"):
        collect(CARTPOLE, lambda seen: seen[:, 2] > 0, 1, faults=Fault("action/delay", 2, 3))


def test_a_parameter_is_the_value_in_force_and_faults_together_multiply():
    world = started(CARTPOLE, 0)
    faults = (Fault("dynamics/gravity", 19.6, 0), Fault("dynamics/gravity", 4.9, Schedule(onset=1)))
    injection = Injection([faults], EnvironmentInfo.of(world))
    injection.begin(ROW, ROW, ROW)
    in_force = []
    for _ in range(2):
        injection.act(np.array([0]), ROW)
        injection.observe(world.observations, ROW)
        in_force.append(world.current_physics(0)["gravity"])
    np.testing.assert_allclose(in_force, [19.6, 9.8])


def test_a_fault_in_mid_episode_parts_the_twins_there():
    (pair,) = twins(PENDULUM, lambda seen: 0.0 * seen[:, 2:], 1, faults=Fault("dynamics/gravity", 50.0, 70))
    assert pair.effective_onset == 70
    assert len(pair.faulty) == 200


def test_a_state_that_is_not_finite_names_row_and_step():
    world = CartPole(2)
    world.reset(np.arange(2), np.array([4, 5]), np.zeros(2, np.int64))
    world.set_physics_parameter("push_force", np.array([1]), np.array([1e308]))
    world.step(np.array([1, 1]))
    with pytest.raises(SimulationDiverged, match=r"OOD-CartPole-v0: .* row 1 \(seed 5\) at step 1"):
        world.step(np.array([1, 1]))
