"""Faults in environments of other people and in ours, single and vector."""

import importlib.util
import warnings
from dataclasses import dataclass

import gymnasium
import mujoco
import numpy as np
import pytest
from gymnasium.spaces import Box
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import FrameStackObservation

import offnominal
from offnominal.anomalies import Fault, Schedule, SignalAnomaly, inject
from offnominal.anomalies.strengths import parameter_for
from offnominal.core.errors import (
    InvalidAction,
    InvalidChannels,
    InvalidParameter,
    InvalidSchedule,
    InvalidState,
    UnknownName,
    UnsupportedEnvironment,
)
from offnominal.worlds.catalogue import worlds

pytestmark = pytest.mark.long

DISCRETE = ("CartPole-v1", "Acrobot-v1", "MountainCar-v0")
CONTINUOUS = ("Pendulum-v1", "MountainCarContinuous-v0")
KNOBS = {
    "HalfCheetah-v5": ("mass", "damping", "gravity", "gain", "force", "friction"),
    "Ant-v5": ("mass", "damping", "gravity", "gain", "force", "friction"),
    "Hopper-v5": ("mass", "damping", "gravity", "gain", "force"),
    "Walker2d-v5": ("mass", "damping", "gravity", "gain", "force", "friction"),
    "Swimmer-v5": ("mass", "gain", "force"),
    "Reacher-v5": ("mass", "damping", "gain", "force"),
    "Pusher-v5": ("mass", "damping", "gain", "force"),
    "InvertedPendulum-v5": ("mass", "damping", "gravity", "gain", "force"),
    "InvertedDoublePendulum-v5": ("mass", "damping", "gravity", "gain", "force"),
    "Humanoid-v5": ("mass", "damping", "gravity", "gain", "force"),
    "HumanoidStandup-v5": ("mass", "damping", "gravity", "gain", "force", "friction"),
}
"""The dynamics faults that must be visible within a few steps; contact friction only where something touches."""

NEEDS_BOX2D = pytest.mark.skipif(importlib.util.find_spec("Box2D") is None, reason="Box2D is not installed")
BOX2D = [
    pytest.param(id, marks=NEEDS_BOX2D) for id in ("LunarLander-v3", "LunarLanderContinuous-v3", "BipedalWalker-v3")
]
EVERY = (*DISCRETE, *CONTINUOUS, *KNOBS, *BOX2D)
WITH_NUMBERS_AS_ACTIONS = (*CONTINUOUS, *KNOBS, *BOX2D[1:])
OBSERVATION_FAULTS = {
    "observation/noise": 0.1,
    "observation/scaling": 1.3,
    "observation/offset": 0.2,
    "observation/drift": 0.05,
    "observation/temporal_noise": 0.1,
    "observation/quantisation": 0.37,
}
ACTION_FAULTS = {
    "action/noise": 0.1,
    "action/scaling": 0.5,
    "action/offset": 0.1,
    "action/drift": 0.02,
    "action/temporal_noise": 0.1,
    "action/delay": 2,
}
NEUTRAL = {"observation/scaling": 1.0, "action/scaling": 1.0}
KNOWN_WARNINGS = (
    ".*space minimum value is -infinity.*",
    ".*space maximum value is infinity.*",
    ".*we recommend using a symmetric and normalized space.*",
    ".*is different from the unwrapped version.*",
)
ONSET, STEPS = 3, 9


def actions_for(env, steps=STEPS, seed=0):
    """Return a fixed sequence of gentle actions."""
    env.action_space.seed(seed)
    drawn = [env.action_space.sample() for _ in range(steps)]
    return [0.3 * action for action in drawn] if isinstance(env.action_space, Box) else drawn


def run(env, actions, seed=1):
    """Return one dict per transition, the reset being the first; the episode's end ends it early."""
    observation, info = env.reset(seed=seed)
    taken = [{"observation": observation, "info": info}]
    for action in actions:
        observation, reward, terminated, truncated, info = env.step(action)
        taken.append(
            {
                "observation": observation,
                "reward": reward,
                "terminated": terminated,
                "truncated": truncated,
                "info": info,
            }
        )
        if terminated or truncated:
            break
    return taken


def same(one, other, names=("observation", "reward", "terminated", "truncated")):
    """Whether two records of a transition hold the same bits."""
    return all(np.asarray(one[name]).tobytes() == np.asarray(other[name]).tobytes() for name in names if name in one)


def first_difference(plain, faulty):
    """Return the index of the first record that differs, or None."""
    for t, (one, other) in enumerate(zip(plain, faulty, strict=False)):
        if not same(one, other):
            return t
    return None if len(plain) == len(faulty) else min(len(plain), len(faulty))


@pytest.mark.parametrize("id", EVERY)
def test_an_injected_environment_passes_gymnasiums_own_check(id):
    env = gymnasium.make(id)
    faults = [Fault("observation/noise", 0.1, 0)]
    if isinstance(env.action_space, Box):
        faults.append(Fault("action/noise", 0.1, 1))
    if id in KNOBS:
        faults.append(Fault("dynamics/mass", 1.5, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in KNOWN_WARNINGS:
            warnings.filterwarnings("ignore", message)
        check_env(inject(env, faults=tuple(faults)), skip_render_check=True, skip_close_check=True)
    env.close()


@pytest.mark.parametrize("id", EVERY)
def test_observation_faults_change_what_is_seen_from_their_onset_and_nothing_else(id):
    env = gymnasium.make(id)
    actions = actions_for(env)
    plain = run(env, actions)
    assert len(plain) > ONSET + 1
    for anomaly, strength in OBSERVATION_FAULTS.items():
        faulty = run(inject(env, anomaly, strength=strength, schedule=ONSET), actions)
        assert len(faulty) == len(plain)
        for t, (true, seen) in enumerate(zip(plain, faulty, strict=True)):
            assert same(true, seen, ("reward", "terminated", "truncated")), (anomaly, t)
            clean = seen["info"]["clean_observation"]
            assert clean.tobytes() == true["observation"].tobytes(), (anomaly, t)
            assert (seen["observation"] == clean).all() == (t <= ONSET), (anomaly, t)
            assert seen["info"]["active"] is (t > ONSET), (anomaly, t)
            assert seen["observation"].dtype == true["observation"].dtype
    env.close()


@pytest.mark.parametrize("id", WITH_NUMBERS_AS_ACTIONS)
def test_action_faults_change_what_is_executed_from_their_onset_and_nothing_else(id):
    env = gymnasium.make(id)
    actions = actions_for(env)
    for anomaly, strength in ACTION_FAULTS.items():
        faulty = run(inject(env, anomaly, strength=strength, schedule=ONSET), actions)
        executed = [record["info"]["executed_action"] for record in faulty[1:]]
        for t, action in enumerate(executed):
            assert action.dtype == actions[t].dtype
            assert (action.tobytes() == actions[t].tobytes()) == (t < ONSET), (anomaly, t)
        plain = run(env, executed)
        assert first_difference(plain, faulty) is None, anomaly
    env.close()


@pytest.mark.parametrize("id", EVERY)
def test_faults_of_neutral_strength_change_no_bit(id):
    env = gymnasium.make(id)
    actions = actions_for(env)
    plain = run(env, actions)
    neutral = dict.fromkeys(OBSERVATION_FAULTS, 0.0)
    if isinstance(env.action_space, Box):
        neutral |= dict.fromkeys(ACTION_FAULTS, 0.0)
    neutral |= {
        f"dynamics/{physics_parameter}": 0.0 if physics_parameter == "force" else 1.0
        for physics_parameter in KNOBS.get(id, ())
    }
    for anomaly, strength in neutral.items():
        faulty = run(inject(env, anomaly, strength=NEUTRAL.get(anomaly, strength), schedule="start"), actions)
        assert first_difference(plain, faulty) is None, anomaly
        assert faulty[1]["info"]["active"]
    env.close()


@pytest.mark.parametrize("id", DISCRETE)
@pytest.mark.parametrize("anomaly", ACTION_FAULTS)
def test_action_faults_need_actions_made_of_numbers(id, anomaly):
    with pytest.raises(UnsupportedEnvironment, match=f"{anomaly} needs a Box action space; {id} has none"):
        inject(gymnasium.make(id), anomaly, strength=1.0)


@pytest.mark.parametrize("id", [*DISCRETE, *CONTINUOUS])
def test_dynamics_faults_need_physics_that_can_be_found(id):
    with pytest.raises(UnknownName, match=f"{id} has no physics parameter 'mass'.*none"):
        inject(gymnasium.make(id), "dynamics/mass", strength=2.0)


def model_bytes(env):
    """Return every byte of a MuJoCo model, and the forces applied from outside."""
    model = env.unwrapped.model
    buffer = np.zeros(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, buffer)
    return buffer.tobytes(), env.unwrapped.data.xfrc_applied.tobytes()


def strength_of(physics_parameter):
    return 5.0 if physics_parameter == "force" else 1.5


@pytest.mark.parametrize("id", KNOBS)
def test_dynamics_faults_change_the_motion_from_their_onset_and_nothing_before(id):
    env = gymnasium.make(id)
    actions = actions_for(env, steps=20 if "friction" in KNOBS[id] else STEPS)
    plain = run(env, actions)
    for physics_parameter in KNOBS[id]:
        faulty = inject(env, f"dynamics/{physics_parameter}", strength=strength_of(physics_parameter), schedule=ONSET)
        taken = run(faulty, actions)
        parted = first_difference(plain, taken)
        assert parted is not None, physics_parameter
        assert parted == ONSET + 1 or (parted > ONSET + 1 and physics_parameter == "friction"), physics_parameter
        for record in taken[1:]:
            np.testing.assert_array_equal(record["observation"], record["info"]["clean_observation"])
        faulty.reset()
    env.close()


@pytest.mark.parametrize("id", KNOBS)
def test_the_model_is_back_to_its_exact_values_after_a_reset(id):
    env = gymnasium.make(id)
    actions = actions_for(env, steps=2)
    plain = run(env, actions)
    before = model_bytes(env)
    for physics_parameter in KNOBS[id]:
        faulty = inject(env, f"dynamics/{physics_parameter}", strength=strength_of(physics_parameter), schedule="start")
        run(faulty, actions)
        assert model_bytes(env) != before, physics_parameter
        observation, _ = faulty.reset(seed=1)
        assert observation.tobytes() == plain[0]["observation"].tobytes(), physics_parameter
        assert model_bytes(env) == before, physics_parameter
        assert first_difference(plain, run(env, actions)) is None, physics_parameter
    env.close()


@pytest.mark.parametrize("id", KNOBS)
def test_the_model_is_back_to_its_exact_values_after_the_end_of_a_schedule(id):
    env = gymnasium.make(id)
    env.reset(seed=1)
    before = model_bytes(env)
    actions = actions_for(env, steps=4)
    for physics_parameter in KNOBS[id]:
        schedule = Schedule(onset=0, duration=1, recovery=1)
        faulty = inject(
            env, f"dynamics/{physics_parameter}", strength=strength_of(physics_parameter), schedule=schedule
        )
        faulty.reset(seed=1)
        changed = []
        for action in actions:
            faulty.step(action)
            changed.append(model_bytes(env) != before)
        assert changed == [True, True, False, False], physics_parameter
        faulty.reset()
    env.close()


def test_mass_takes_the_constants_derived_from_it_along():
    env = gymnasium.make("Hopper-v5")
    model = env.unwrapped.model  # type: ignore[attr-defined]
    nominal = {name: getattr(model, name).copy() for name in ("body_mass", "body_subtreemass", "dof_M0")}
    run(inject(env, "dynamics/mass", strength=2.0, schedule="start"), actions_for(env, steps=1))
    np.testing.assert_array_equal(model.body_mass, 2.0 * nominal["body_mass"])
    np.testing.assert_allclose(model.body_subtreemass, 2.0 * nominal["body_subtreemass"])
    assert (model.dof_M0 > nominal["dof_M0"]).all()


def test_each_row_of_a_vector_environment_keeps_its_own_physics():
    envs = SyncVectorEnv([lambda: gymnasium.make("Hopper-v5")] * 2)
    models = [env.unwrapped.model for env in envs.envs]  # type: ignore[attr-defined]
    models[1].body_mass[:] *= 1.5
    own = [model.body_mass.copy() for model in models]
    faulty = inject(envs, "dynamics/mass", strength=2.0, schedule=0)
    faulty.reset(seed=0)
    faulty.step(np.zeros((2, 3), np.float32))
    for model, mass in zip(models, own, strict=True):
        np.testing.assert_array_equal(model.body_mass, 2.0 * mass)
    faulty.reset(seed=0)
    for model, mass in zip(models, own, strict=True):
        np.testing.assert_array_equal(model.body_mass, mass)


def test_an_injection_dropped_in_the_middle_of_a_fault_does_not_haunt_the_next_one():
    env = gymnasium.make("Hopper-v5")
    actions = actions_for(env)
    plain = run(env, actions)
    run(inject(env, "dynamics/mass", strength=2.0, schedule=0), actions)
    assert first_difference(plain, run(inject(env, "observation/offset", strength=0.0, schedule=0), actions)) is None


class Single:
    """One injected environment that starts its next episode by itself, as a row of a vector environment does."""

    def __init__(self, env, seed):
        self.env = env
        self.start(seed)

    def start(self, seed=None):
        observation, info = self.env.reset(seed=seed)
        self.record = {"observation": observation, "info": info}

    def step(self, action):
        names = ("observation", "reward", "terminated", "truncated", "info")
        self.record = dict(zip(names, self.env.step(action), strict=True))

    @property
    def done(self):
        return self.record.get("terminated", False) or self.record.get("truncated", False)


def assert_row(row, observations, infos, record, *, labels=True):
    """Check one row of a vector environment against a single one."""
    info = record["info"]
    assert observations[row].tobytes() == record["observation"].tobytes()
    assert np.asarray(infos["clean_observation"])[row].tobytes() == np.asarray(info["clean_observation"]).tobytes()
    if labels:
        assert bool(infos["active"][row]) is info["active"]
    if "executed_action" in info:
        assert np.asarray(infos["executed_action"][row]).tobytes() == np.asarray(info["executed_action"]).tobytes()
    count = len(info["applied"])
    np.testing.assert_array_equal(infos["applied"][row, :count], info["applied"])


SHORT = {"Pendulum-v1": 6, "CartPole-v1": 60, "Hopper-v5": 40}
ROW_FAULTS = {
    "Pendulum-v1": [
        None,
        Fault("observation/noise", 0.2, (0, 5)),
        (Fault("action/offset", 0.5, 2), Fault("observation/drift", 0.1, Schedule(onset=1, duration=2, recovery=1))),
        Fault("action/temporal_noise", 0.5, Schedule(onset=(1, 3), walk=0.2)),
    ],
    "CartPole-v1": [
        None,
        Fault("observation/temporal_noise", 0.2, (0, 9)),
        Fault("observation/quantisation", 0.1, 4, channels=[2]),
        (Fault("observation/noise", 0.2, 0), Fault("observation/scaling", 2.0, 3)),
    ],
    "Hopper-v5": [
        None,
        Fault("dynamics/mass", 1.5, (0, 9)),
        (Fault("dynamics/gravity", 1.5, Schedule(onset=2, duration=5)), Fault("observation/noise", 0.1, 4)),
        (Fault("action/delay", 2, 3), Fault("dynamics/force", 20.0, 5)),
    ],
}


def vector_of(id, mode):
    return SyncVectorEnv([lambda: gymnasium.make(id, max_episode_steps=SHORT[id])] * 4, autoreset_mode=mode)


def singles_of(id):
    return [
        Single(inject(gymnasium.make(id, max_episode_steps=SHORT[id]), faults=fault), 11 + row)
        for row, fault in enumerate(ROW_FAULTS[id])
    ]


def batch_of_actions(envs, steps):
    envs.action_space.seed(3)
    return [envs.action_space.sample() for _ in range(steps)]


@pytest.mark.parametrize("id", SHORT)
def test_next_step_autoreset_equals_single_environments_row_by_row(id):
    envs, singles = inject(vector_of(id, AutoresetMode.NEXT_STEP), faults=ROW_FAULTS[id]), singles_of(id)
    observations, infos = envs.reset(seed=11)
    for row, single in enumerate(singles):
        assert_row(row, observations, infos, single.record)
    ended = 0
    for actions in batch_of_actions(envs, 100):
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        for row, single in enumerate(singles):
            if single.done:
                ended += 1
                single.start()
                assert_row(row, observations, infos, single.record, labels=False)
            else:
                single.step(actions[row])
                assert_row(row, observations, infos, single.record)
                assert rewards[row] == single.record["reward"]
                assert bool(terminated[row]) is bool(single.record["terminated"])
                assert bool(truncated[row]) is bool(single.record["truncated"])
    assert ended > 12


def test_the_step_that_starts_an_episode_is_not_labelled_with_the_faults_of_the_one_before():
    envs = inject(vector_of("Pendulum-v1", AutoresetMode.NEXT_STEP), "observation/offset", strength=1.0, schedule=2)
    envs.reset(seed=0)
    active = [envs.step(np.zeros((4, 1), np.float32))[4]["active"][0] for _ in range(10)]
    assert [bool(each) for each in active] == [False] * 2 + [True] * 4 + [False] + [False] * 2 + [True]


def test_a_reset_between_the_end_of_an_episode_and_its_autoreset_starts_afresh():
    envs = inject(vector_of("Pendulum-v1", AutoresetMode.NEXT_STEP), "observation/offset", strength=1.0, schedule=0)
    still = np.zeros((4, 1), np.float32)
    envs.reset(seed=0)
    expected = envs.step(still)[0]
    while not envs.step(still)[3].all():
        pass
    envs.reset(seed=0)
    np.testing.assert_array_equal(envs.step(still)[0], expected)


@pytest.mark.parametrize("id", ["Pendulum-v1", "CartPole-v1"])
def test_same_step_autoreset_equals_single_environments_row_by_row(id):
    envs, singles = inject(vector_of(id, AutoresetMode.SAME_STEP), faults=ROW_FAULTS[id]), singles_of(id)
    envs.reset(seed=11)
    ended = 0
    for actions in batch_of_actions(envs, 100):
        observations, rewards, _, _, infos = envs.step(actions)
        for row, single in enumerate(singles):
            single.step(actions[row])
            assert rewards[row] == single.record["reward"]
            assert bool(infos["active"][row]) is single.record["info"]["active"]
            if not single.done:
                assert_row(row, observations, infos, single.record)
                continue
            ended += 1
            assert infos["final_obs"][row].tobytes() == single.record["observation"].tobytes()
            single.start()
            assert observations[row].tobytes() == single.record["observation"].tobytes()
    assert ended > 12


@pytest.mark.parametrize("id", SHORT)
def test_without_autoreset_masked_resets_equal_single_environments_row_by_row(id):
    envs, singles = inject(vector_of(id, AutoresetMode.DISABLED), faults=ROW_FAULTS[id]), singles_of(id)
    envs.reset(seed=11)
    ended = 0
    for actions in batch_of_actions(envs, 100):
        observations, _, terminated, truncated, infos = envs.step(actions)
        for row, single in enumerate(singles):
            single.step(actions[row])
            assert_row(row, observations, infos, single.record)
        done = np.logical_or(terminated, truncated)
        if done.any():
            observations, infos = envs.reset(options={"reset_mask": done})
            for row in np.flatnonzero(done):
                singles[row].start()
                assert_row(row, observations, infos, singles[row].record)
            ended += done.sum()
    assert ended > 12


@pytest.mark.parametrize("ours", [True, False], ids=["VectorWorld", "SyncVectorEnv"])
def test_a_masked_reset_shows_the_running_rows_what_they_last_saw(ours):
    fault = Fault("observation/offset", 1.0, 0)
    envs = (
        offnominal.make_vec("SAP-Goal0-v0", 4, faults=fault)
        if ours
        else inject(vector_of("Pendulum-v1", AutoresetMode.DISABLED), faults=fault)
    )
    envs.reset(seed=0)
    seen = envs.step(np.zeros(envs.action_space.shape, np.float32))[0]
    observations, _ = envs.reset(options={"reset_mask": np.array([True, False, True, False])})
    np.testing.assert_array_equal(observations[[1, 3]], seen[[1, 3]])


def test_dynamics_faults_cannot_follow_a_reset_inside_a_step_of_somebody_elses_environment():
    with pytest.raises(UnsupportedEnvironment, match="NEXT_STEP or DISABLED for dynamics faults"):
        inject(vector_of("Hopper-v5", AutoresetMode.SAME_STEP), "dynamics/mass", strength=2.0, schedule=3)


def mixed_faults(id):
    """Return four rows of faults for one of our worlds: none, of a signal, of the physics, several."""
    world = offnominal.worlds.catalogue.make_world(id, 1)
    physics_parameter, *others = world.physics_parameters.values()
    signal = "action" if isinstance(world.action_space, Box) else "observation"
    late = Fault("action/delay", 2, 5) if signal == "action" else Fault("observation/drift", 0.02, 5)
    return [
        None,
        Fault("observation/noise", 0.1, (0, 6)),
        (Fault(f"dynamics/{physics_parameter.name}", physics_parameter.neutral + 1.5, (1, 4)), late),
        (
            Fault(f"{signal}/offset", 0.7, Schedule(onset=(0, 5), duration=3, ramp=2, recovery=2)),
            Fault(f"dynamics/{others[0].name}", others[0].neutral + 3.0, Schedule(onset=2, walk=0.3)),
            Fault("observation/temporal_noise", 0.1, 3),
        ),
    ]


@pytest.mark.parametrize("id", [id for id in worlds.ids() if id != "OOD-Pong-v0"])  # which has no physics parameters
def test_our_vector_worlds_equal_our_single_worlds_row_by_row_over_several_episodes(id):
    faults, limit = mixed_faults(id), 9
    envs = offnominal.make_vec(id, 4, faults=faults, max_episode_steps=limit)
    singles = [
        Single(offnominal.make(id, faults=() if fault is None else fault, max_episode_steps=limit), 21 + row)
        for row, fault in enumerate(faults)
    ]
    observations, infos = envs.reset(seed=21)
    for row, single in enumerate(singles):
        assert_row(row, observations, infos, single.record)
        assert envs.events(row) == single.env.events
    for actions in batch_of_actions(envs, 40):
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        for row, single in enumerate(singles):
            single.step(actions[row])
            assert rewards[row] == single.record["reward"]
            assert bool(terminated[row]) is single.record["terminated"]
            assert bool(truncated[row]) is single.record["truncated"]
            if single.done:
                assert infos["final_obs"][row].tobytes() == single.record["observation"].tobytes()
                assert infos["final_info"]["success"][row] == single.record["info"]["success"]
                single.start()
                assert observations[row].tobytes() == single.record["observation"].tobytes()
                assert envs.events(row) == single.env.events
            else:
                assert_row(row, observations, infos, single.record)
    assert envs.episodes.min() >= 4


def test_info_tells_what_happened():
    schedule = Schedule(onset=1, duration=2, recovery=1)
    env = inject(
        gymnasium.make("Pendulum-v1"),
        faults=(Fault("observation/scaling", 3.0, schedule), Fault("action/offset", 0.5, 2)),
    )
    taken = run(env, [np.array([0.25], np.float32)] * 5)
    assert "executed_action" not in taken[0]["info"]
    assert [record["info"]["active"] for record in taken] == [False, False, True, True, True, True]
    np.testing.assert_array_equal(
        [record["info"]["applied"] for record in taken],
        [[1.0, 0.0], [1.0, 0.0], [3.0, 0.0], [3.0, 0.5], [2.0, 0.5], [1.0, 0.5]],
    )
    np.testing.assert_array_equal(
        np.ravel([record["info"]["executed_action"] for record in taken[1:]]), [0.25, 0.25, 0.75, 0.75, 0.75]
    )
    for record, scale in zip(taken, (1, 1, 3, 3, 2, 1), strict=True):
        clean = record["info"]["clean_observation"].astype(np.float64)
        np.testing.assert_array_equal(record["observation"], (scale * clean).astype(np.float32))


def test_events_name_the_faults_of_the_episode():
    env = inject(gymnasium.make("Pendulum-v1"), "observation/noise", strength=0.1)
    env.reset(seed=4)
    (first,) = env.events
    env.reset()
    (second,) = env.events
    assert 2 <= first.onset <= 199
    assert (first.anomaly, first.parameter, first.channels) == ("observation/noise", 0.1, (0, 1, 2))
    env.reset(seed=4)
    assert env.events == (first,)
    assert second.onset != first.onset


def test_an_environment_without_faults_is_the_plain_one():
    env = gymnasium.make("Pendulum-v1")
    actions = actions_for(env)
    bare = inject(env)
    assert first_difference(run(env, actions), run(bare, actions)) is None
    assert bare.events == ()
    assert bare.observation_space == env.observation_space


def test_without_a_seed_an_episode_still_has_one():
    env = inject(gymnasium.make("Pendulum-v1"), "observation/noise", strength=0.1, schedule=(0, 150))
    onsets = set()
    for _ in range(12):
        env.reset()
        onsets.add(env.events[0].onset)
    assert len(onsets) > 3


def test_a_named_strength_is_looked_up_for_our_worlds():
    env = offnominal.make("SAP-Goal0-v0", "action/offset", strength="medium", schedule=0)
    env.reset(seed=0)
    expected = parameter_for("SAP-Goal0-v0", "action/offset", "medium")
    assert env.events[0].parameter == expected
    np.testing.assert_allclose(env.step(np.zeros(2, np.float32))[4]["executed_action"], expected)


def test_channels_of_our_worlds_have_names():
    env = offnominal.make("SAP-Goal0-v0", "observation/offset", strength=1.0, schedule=0, channels=["agent x", 7])
    env.reset(seed=0)
    observation, *_, info = env.step(np.zeros(2, np.float32))
    np.testing.assert_array_equal(np.flatnonzero(observation != info["clean_observation"]), [4, 7])


def test_a_wrapper_that_changes_the_observation_is_respected():
    stacked = FrameStackObservation(offnominal.make("SAP-Goal0-v0"), 2)
    env = inject(stacked, "observation/offset", strength=1.0, schedule=0)
    env.reset(seed=0)
    observation, *_, info = env.step(np.zeros(2, np.float32))
    np.testing.assert_allclose(observation, info["clean_observation"] + 1.0, atol=1e-6)
    assert env.events[0].channels == tuple(range(52))


def test_what_a_faulty_sensor_reports_is_within_its_space():
    env = inject(gymnasium.make("Pendulum-v1"), "observation/offset", strength=100.0, schedule=0)
    run(env, actions_for(env, steps=1))
    assert env.step(np.zeros(1, np.float32))[0] in env.observation_space
    untouched = inject(gymnasium.make("Pendulum-v1"), "action/offset", strength=1.0, schedule=0)
    assert untouched.observation_space == gymnasium.make("Pendulum-v1").observation_space


class Dial(gymnasium.Env):
    """Whole numbers from 0 to 10."""

    observation_space = Box(0, 10, (2,), np.int64)
    action_space = Box(-1, 1, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.array([0, 7]), {}

    def step(self, action):
        return np.array([0, 7]), 0.0, False, False, {}


def test_whole_numbers_stay_whole():
    env = inject(Dial(), "observation/offset", strength=1.6, schedule=0)
    env.reset(seed=0)
    observation = env.step(np.zeros(1))[0]
    assert observation.dtype == np.int64
    assert observation.tolist() == [2, 9]


def test_whole_numbers_stay_within_their_space():
    env = inject(Dial(), "observation/offset", strength=6.0, schedule=0)
    env.reset(seed=0)
    assert env.step(np.zeros(1))[0] in env.observation_space


@dataclass(frozen=True)
class Mirrored(SignalAnomaly):
    kind = "mirrored"

    def perturb(self, signal, parameter, context):
        return signal[::-1]


def test_an_anomaly_of_ones_own_needs_no_registration():
    env = inject(gymnasium.make("Pendulum-v1"), Mirrored(), strength=1.0, schedule=1)
    taken = run(env, actions_for(env, steps=3))
    for t, record in enumerate(taken):
        clean = record["info"]["clean_observation"]
        np.testing.assert_array_equal(record["observation"], clean[::-1] if t > 1 else clean)


def pendulum():
    return gymnasium.make("Pendulum-v1")


def pendulums():
    return SyncVectorEnv([pendulum] * 3)


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: inject("Pendulum-v1", "observation/noise", strength=0.1), UnsupportedEnvironment, "is a str"),
        (lambda: inject(None, "observation/noise", strength=0.1), UnsupportedEnvironment, "NoneType"),
        (
            lambda: inject(gymnasium.make("Taxi-v4"), "observation/noise", strength=0.1),
            UnsupportedEnvironment,
            "faults need a Box space",
        ),
        (lambda: inject(pendulum(), "observation/noise"), InvalidParameter, "needs a strength"),
        (lambda: inject(pendulum(), "observation/noize", strength=0.1), UnknownName, "Did you mean"),
        (lambda: inject(pendulum(), "observation/noise", strength=-1), InvalidParameter, "at least 0"),
        (lambda: inject(pendulum(), "observation/noise", strength="medium"), UnknownName, "only known for shipped"),
        (
            lambda: inject(pendulum(), faults=Fault("action/noise", 0.1), strength=1),
            InvalidParameter,
            "has its own",
        ),
        (
            lambda: inject(pendulum(), faults=Fault("action/noise", 0.1), schedule=1),
            InvalidParameter,
            "has its own",
        ),
        (lambda: inject(pendulum(), None, channels=[1]), InvalidParameter, "has its own"),
        (lambda: inject(pendulum(), faults=5), InvalidParameter, "expected a Fault"),
        (lambda: inject(pendulum(), Fault("action/noise", 0.1)), InvalidParameter, "as faults="),
        (
            lambda: inject(pendulum(), "action/noise", strength=1, faults=Fault("action/noise", 0.1)),
            InvalidParameter,
            "give one of them",
        ),
        (lambda: inject(pendulum(), faults=[None]), InvalidParameter, "expected a Fault"),
        (lambda: inject(pendulums(), faults=[None, None]), InvalidParameter, "2 entries was given for 3 rows"),
        (lambda: inject(pendulums(), faults=[None, 3, None]), InvalidParameter, "expected a Fault"),
        (lambda: inject(pendulum(), "action/noise", strength=0.1, channels=[1]), InvalidChannels, "outside 0"),
        (lambda: inject(pendulum(), "action/noise", strength=0.1, channels=["x"]), InvalidChannels, "no channel 'x'"),
        (lambda: inject(pendulum(), "action/noise", strength=0.1, schedule=200), InvalidSchedule, "lies after"),
        (lambda: inject(pendulum(), "action/noise", strength=0.1, schedule=(0, 200)), InvalidSchedule, "lies after"),
        (lambda: offnominal.make("SAP-Goal3-v0"), UnknownName, "Did you mean 'SAP-Goal2-v0'|'SAP-Goal0-v0'"),
        (lambda: offnominal.make("SAP-Goal0-v0", "dynamics/mass", strength=0), InvalidParameter, "at least"),
        (lambda: offnominal.make("SAP-Goal0-v0", "dynamics/mas", strength=2), UnknownName, "Did you mean 'mass'"),
        (lambda: offnominal.make("SAP-Goal0-v0", strength=2), InvalidParameter, "need an anomaly"),
        (lambda: offnominal.make_vec("SAP-Goal0-v0", 2, strength=2), InvalidParameter, "need an anomaly"),
        (lambda: offnominal.make_vec("SAP-Goal0-v0", 2, faults=[None] * 3), InvalidParameter, "3 entries was given"),
    ],
)
def test_bad_input_is_refused_before_anything_runs(call, error, said):
    with pytest.raises(error, match=said):
        call()


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (np.array([np.nan]), r"nan at index \[0\]"),
        (np.array([np.inf]), "inf"),
        (np.zeros(2), r"shape \(2,\); expected \(1,\)"),
        (0.5, r"shape \(\); expected \(1,\)"),
        (np.array(["left"]), "not numeric"),
        (None, "nan|not numeric|shape"),
    ],
)
def test_a_bad_action_is_refused_before_the_environment_moves(action, said):
    env = inject(pendulum(), "action/offset", strength=0.1, schedule=0)
    env.reset(seed=0)
    state = env.unwrapped.state.copy()
    with pytest.raises(InvalidAction, match=said):
        env.step(action)
    np.testing.assert_array_equal(env.unwrapped.state, state)


def test_a_bad_batch_of_actions_is_refused_before_the_environments_move():
    envs = inject(pendulums(), "action/offset", strength=0.1, schedule=0)
    envs.reset(seed=0)
    with pytest.raises(InvalidAction, match=r"nan at index \[1, 0\]"):
        envs.step(np.array([[0.0], [np.nan], [0.0]]))
    with pytest.raises(InvalidAction, match=r"expected \(3, 1\)"):
        envs.step(np.zeros((2, 1)))
    clean = envs.step(np.zeros((3, 1), np.float32))[4]["clean_observation"]
    fresh = inject(pendulums(), "action/offset", strength=0.1, schedule=0)
    fresh.reset(seed=0)
    np.testing.assert_array_equal(fresh.step(np.zeros((3, 1), np.float32))[4]["clean_observation"], clean)


def test_stepping_before_the_first_reset_is_refused():
    with pytest.raises(InvalidState, match="call reset first"):
        inject(pendulum(), "action/offset", strength=0.1).step(np.zeros(1))
    with pytest.raises(InvalidState, match="call reset first"):
        inject(pendulums(), "action/offset", strength=0.1, schedule=0).step(np.zeros((3, 1)))


def test_one_seed_per_row_may_be_given():
    together = inject(pendulums(), "observation/noise", strength=0.1, schedule=0)
    together.reset(seed=[5, 9, 2])
    seen = together.step(np.zeros((3, 1), np.float32))[0]
    for row, seed in enumerate((5, 9, 2)):
        alone = inject(pendulum(), "observation/noise", strength=0.1, schedule=0)
        assert run(alone, [np.zeros(1, np.float32)], seed)[1]["observation"].tobytes() == seen[row].tobytes()
