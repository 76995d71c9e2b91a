"""Environments, factories and vector environments give the same episodes as an id."""

from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.spaces import Box, Dict, Discrete, MultiDiscrete, Text
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import offnominal as off
from offnominal.core.errors import InvalidParameter, MissingDependency, UnsupportedEnvironment
from offnominal.worlds.dm_env_adapter import DmEnvAdapter
from offnominal.worlds.world_source import build_world, spaces_of

PENDULUM = "Pendulum-v1"
FAULTS = [None, off.Fault("observation/offset", 0.5, 2), off.Fault("action/scaling", 0.5, 3)]


def swing(observations):
    return observations[:, 1:2]


def make_pendulum():
    return gymnasium.make(PENDULUM)


def needs_a_package(**_):
    raise ModuleNotFoundError("No module named 'imageio'", name="imageio")


def test_a_package_that_an_environment_needs_is_named(monkeypatch):
    monkeypatch.setitem(gymnasium.registry, "Needy-v0", EnvSpec("Needy-v0", entry_point=needs_a_package))
    with pytest.raises(MissingDependency, match="Needy-v0 needs imageio; install it with `pip install imageio`"):
        off.collect("Needy-v0", swing, 1)


def vector(mode, n=2, id=PENDULUM):
    return SyncVectorEnv([lambda: gymnasium.make(id) for _ in range(n)], autoreset_mode=mode)


def same(first, second):
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one.observations, other.observations)
        np.testing.assert_array_equal(one.actions, other.actions)
        np.testing.assert_array_equal(one.rewards, other.rewards)
        np.testing.assert_array_equal(one.active, other.active)
        assert (one.terminated, one.seed, one.onset) == (other.terminated, other.seed, other.onset)


@pytest.fixture(scope="module")
def expected():
    return off.collect(PENDULUM, swing, 3, faults=FAULTS, seed=4, max_steps=12)


@pytest.mark.parametrize(
    "source",
    [
        lambda: gymnasium.make(PENDULUM),
        lambda: make_pendulum,
        lambda: vector(AutoresetMode.NEXT_STEP),
        lambda: vector(AutoresetMode.SAME_STEP),
        lambda: vector(AutoresetMode.DISABLED, n=5),
        lambda: lambda: vector(AutoresetMode.NEXT_STEP),
    ],
    ids=["env", "factory", "next-step", "same-step", "no-autoreset", "vector-factory"],
)
def test_every_source_gives_the_same_episodes(source, expected):
    given = source()
    same(off.collect(given, swing, 3, faults=FAULTS, seed=4, max_steps=12), expected)
    pairs = off.twins(given, swing, 1, faults=FAULTS[1], seed=5, max_steps=6)
    assert pairs[0].effective_onset == 2
    assert off.evaluate_policy(given, swing, 2, max_steps=4).mean_length == 4


def test_a_given_environment_stays_open_and_its_own_time_limit_ends_episodes():
    env = gymnasium.make(PENDULUM, max_episode_steps=7)
    (episode,) = off.collect(env, swing, 1, max_steps=50)
    assert (len(episode), episode.terminated) == (7, False)
    assert env.reset(seed=0)[0].shape == (3,)
    (shorter,) = off.collect(env, swing, 1)
    assert len(shorter) == 7


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=str)
def test_rows_of_a_vector_environment_end_at_different_times(mode):
    def lean(observations):
        return (observations[:, 2] > 0).astype(np.int64)

    alone = off.collect("CartPole-v1", lean, 5, max_steps=60)
    assert len({len(episode) for episode in alone}) > 1
    assert all(episode.terminated for episode in alone)
    same(off.collect(vector(mode, 3, "CartPole-v1"), lean, 5, max_steps=60), alone)


def test_dynamics_faults_reach_the_models_of_factories_and_vector_environments():
    fault = off.Fault("dynamics/gravity", 2.0, 1)
    vectors = [vector(mode, 2, "Hopper-v5") for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)]
    sources = ("Hopper-v5", lambda: gymnasium.make("Hopper-v5"), *vectors)
    runs = [off.collect(source, lambda o: o[:, :3], 2, faults=[fault, None], max_steps=4) for source in sources]
    for run in runs[1:]:
        same(run, runs[0])
    assert (runs[0][0].observations[-1] != runs[0][1].observations[-1]).any()


def test_environments_of_this_package_are_their_own_world():
    expected = off.collect("SAP-Goal0-v0", lambda o: o[:, :2], 3)
    same(off.collect(off.make("SAP-Goal0-v0"), lambda o: o[:, :2], 3), expected)
    same(off.collect(off.make_vec("SAP-Goal0-v0", 2), lambda o: o[:, :2], 3), expected)
    assert build_world(off.make("SAP-Goal0-v0"), 1).physics_parameters


class Mixed(gymnasium.Env):
    """A walk on four fields; the goal and the field are observed separately."""

    def __init__(self, space=None):
        self.observation_space = space or Dict({"field": Discrete(4), "goal": Box(-1, 1, (2,))})
        self.action_space = Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.field = 0
        self.goal = self.np_random.uniform(-1, 1, 2).astype(np.float32)
        return self.seen(), {}

    def seen(self):
        return {"field": self.field, "goal": self.goal} if isinstance(self.observation_space, Dict) else self.field

    def step(self, action):
        self.field = min(self.field + int(action), 3)
        return self.seen(), 1.0, self.field == 3, False, {"is_success": self.field == 3}


def test_dict_and_discrete_observations_are_flattened():
    sources = (Mixed, SyncVectorEnv([Mixed, Mixed]))
    for episodes in (off.collect(source, lambda o: np.ones(len(o), int), 2, max_steps=9) for source in sources):
        assert episodes[0].observations.shape == (4, 6)
        np.testing.assert_array_equal(episodes[0].observations[:, :4], np.eye(4))
        assert (episodes[0].observations[0, 4:] != episodes[1].observations[0, 4:]).all()
        assert episodes[0].terminated
    (episode,) = off.collect(lambda: Mixed(Discrete(4)), lambda o: np.ones(len(o), int), 1, max_steps=9)
    np.testing.assert_array_equal(episode.observations, np.eye(4))
    (lake,) = off.collect("FrozenLake-v1", lambda o: np.ones(len(o), int), 1, max_steps=3)
    assert lake.observations.shape[1:] == (16,)


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: build_world(lambda: Mixed(Text(4)), 1), UnsupportedEnvironment, "fixed length is needed"),
        (
            lambda: build_world(lambda: Mixed(Dict({"a": Discrete(2), "eye": Box(0, 255, (4, 4, 3), np.uint8)})), 1),
            UnsupportedEnvironment,
            "images beside other observations",
        ),
        (lambda: spaces_of((Box(0, 1), MultiDiscrete([2, 2]))), UnsupportedEnvironment, "actions must be in a Box"),
        (lambda: spaces_of((Box(0, 1), 3)), UnsupportedEnvironment, "not a pair of an observation space"),
        (lambda: build_world(lambda: 3, 1), UnsupportedEnvironment, "returned a int; expected a Gymnasium"),
        (lambda: build_world(lambda n: 3, 2), UnsupportedEnvironment, "returned a int for 2 rows; expected a World"),
        (lambda: build_world(make_pendulum, 1, g=9.0), InvalidParameter, "g can be given with an id only"),
        (lambda: build_world(None, 1), UnsupportedEnvironment, "None is a NoneType"),
    ],
)
def test_sources_that_cannot_be_simulated_are_refused_with_the_reason(call, error, said):
    with pytest.raises(error, match=said):
        call()


def test_a_dataset_of_an_own_environment_is_recorded(tmp_path):
    strengths = {("observation/offset", "large"): 1.0}
    recipe = off.Recipe.for_world(
        make_pendulum, policy=swing, policy_name="swing", strengths=strengths, episodes=2, max_steps=5
    )
    found = off.generate(recipe, tmp_path / "mine", policy=swing, env=make_pendulum)
    assert found.splits == ["train", "validation", "test", "observation/offset@large"]
    assert [len(episode) for episode in found["test"]] == [5, 5]
    with pytest.raises(InvalidParameter, match="environment is CartPole-v1, the recipe is for Pendulum-v1"):
        off.generate(recipe, tmp_path / "other", policy=swing, env=lambda: gymnasium.make("CartPole-v1"))


class Cart:
    """Interface of dm_env with physics of dm_control around a Gymnasium robot."""

    def __init__(self):
        made: Any = gymnasium.make("InvertedPendulum-v5")
        self.robot = made.unwrapped
        pointer = SimpleNamespace(ptr=self.robot.model), SimpleNamespace(ptr=self.robot.data)
        self.physics = SimpleNamespace(model=pointer[0], data=pointer[1])
        self.task = SimpleNamespace(_random=None)

    def observation_spec(self):
        array = SimpleNamespace(shape=(2,), dtype=np.float64)
        return {"position": array, "velocity": array}

    def action_spec(self):
        return SimpleNamespace(shape=(1,), dtype=np.float64, minimum=-3.0, maximum=np.array([3.0]))

    def _time_step(self, observation, reward, last, discount):
        parts = {"position": observation[:2], "velocity": observation[2:]}
        return SimpleNamespace(observation=parts, reward=reward, discount=discount, last=lambda: last)

    def reset(self):
        observation, _ = self.robot.reset(seed=int(self.task._random.randint(1000)))
        self.steps = 0
        return self._time_step(observation, None, False, None)

    def step(self, action):
        observation, reward, fallen, _, _ = self.robot.step(action)
        self.steps += 1
        return self._time_step(observation, reward, fallen or self.steps == 8, 0.0 if fallen else 1.0)


def test_an_environment_of_dm_env_is_simulated_with_its_physics():
    fault = off.Fault("dynamics/gravity", 3.0, 2)
    (pair,) = off.twins(Cart, lambda o: o[:, :1], 1, faults=fault, seed=3)
    assert (len(pair.nominal), pair.nominal.terminated, pair.effective_onset) == (8, False, 2)
    assert pair.nominal.observations.shape == (9, 4)
    same(off.collect(Cart(), lambda o: o[:, :1], 2, seed=3), off.collect(Cart, lambda o: o[:, :1], 2, seed=3))
    assert spaces_of(Cart).action == Box(-3.0, 3.0, (1,))
    flat = gymnasium.wrappers.FlattenObservation(DmEnvAdapter(Cart()))
    heavy = off.inject(flat, "dynamics/mass", strength=2.0, schedule=0)
    heavy.reset(seed=0)
    assert heavy.step(np.zeros(1))[4]["active"]
    with pytest.raises(UnsupportedEnvironment, match="no dm_env environment"):
        DmEnvAdapter(3)
    unseeded = Cart()
    del unseeded.task
    with pytest.raises(UnsupportedEnvironment, match="no random state is known in a Cart"):
        off.collect(unseeded, lambda o: o[:, :1], 1)
