"""An episode depends on its seed, its policy and its faults, and on nothing else."""

import gymnasium
import numpy as np
import pytest

import offnominal
from offnominal.agents import FunctionPolicy, NetworkPolicy, Policy, RandomPolicy
from offnominal.anomalies import Fault, Schedule, inject
from offnominal.anomalies.fault_injection import row_faults
from offnominal.core.episode import Event
from offnominal.core.errors import InvalidAction, InvalidParameter, InvalidSchedule, UnknownName, UnsupportedEnvironment
from offnominal.rollouts.collection import collect, rollout
from offnominal.worlds.catalogue import has_threads, make_world, worlds

pytestmark = pytest.mark.long

LIMIT = 15
FAULTS = (
    None,
    Fault("observation/noise", 0.1, (0, 9)),
    Fault("action/offset", 0.4, 3),
    (Fault("dynamics/mass", 2.0, 2), Fault("observation/temporal_noise", 0.2, 5)),
    Fault("dynamics/force", 1.0, Schedule(onset=(1, 6), duration=4, ramp=2, recovery=2)),
    (Fault("action/delay", 2, 4), Fault("action/noise", 0.3, Schedule(onset=1, walk=0.2))),
    Fault("observation/quantisation", 0.1, Schedule(onset=2, period=3)),
)


def faults_for(n):
    return [FAULTS[i % len(FAULTS)] for i in range(n)]


def blas(world):
    """Return a policy function whose matrix products NumPy leaves to its library."""
    draw = np.random.default_rng(5)
    width = world.observation_space.shape[0]
    first = draw.normal(0, width**-0.5, (width, 32)).astype(np.float32)
    second = draw.normal(0, 32**-0.5, (32, world.action_space.shape[0])).astype(np.float32)
    return lambda x: np.tanh(np.maximum(x @ first, 0) @ second)


def policies_for(id):
    world = make_world(id, 1)
    space = world.action_space
    return {
        "random": RandomPolicy(space),
        "network": NetworkPolicy.random(world.observation_space.shape[0], space, hidden=(32, 32)),
        "function": blas(world),
    }


def steer(x):
    return np.clip(x[:, :2], -1, 1)


@pytest.fixture(scope="module", params=["random", "network", "function"])
def particles(request):
    """A policy in a particle world, with 260 episodes collected all at once."""
    policy = policies_for("SAP-Goal1-v0")[request.param]
    return policy, collect("SAP-Goal1-v0", policy, 260, faults=faults_for(260), seed=50, batch=260)


@pytest.mark.parametrize("batch", [1, 7, 64, 256])
def test_particle_episodes_do_not_depend_on_the_batch(particles, batch):
    policy, expected = particles
    n = 260 if batch > 7 else 70
    assert collect("SAP-Goal1-v0", policy, n, faults=faults_for(n), seed=50, batch=batch) == expected[:n]


def test_particle_episodes_do_not_depend_on_the_order(particles):
    policy, expected = particles
    order = np.random.default_rng(0).permutation(260)
    rows = row_faults(faults_for(260), 260)
    shuffled = rollout("SAP-Goal1-v0", policy, 50 + order, [rows[i] for i in order], batch=100)
    assert shuffled == [expected[i] for i in order]


def test_particle_episodes_do_not_depend_on_their_neighbours(particles):
    policy, expected = particles
    for i in (0, 1, 3, 5, 64, 255, 259):
        (alone,) = collect("SAP-Goal1-v0", policy, 1, faults=[faults_for(260)[i]], seed=50 + i)
        assert alone == expected[i]
    crowd = [Fault("dynamics/moving_objects", 50.0, 0)] * 20
    crowd[7] = faults_for(260)[7]
    assert collect("SAP-Goal1-v0", policy, 20, faults=crowd, seed=50)[7] == expected[7]


def test_episodes_differ_from_seed_to_seed(particles):
    _, episodes = particles
    assert len({episode.observations.tobytes() for episode in episodes}) == 260
    assert len({len(episode) for episode in episodes}) > 1


@pytest.mark.parametrize("policy", ["random", "network", "function"])
@pytest.mark.parametrize("id", ["MJC-CartpoleSwingup-v0", "MJC-HalfCheetah-v0", "MJC-Reacher3D-v0"])
def test_mujoco_episodes_do_not_depend_on_batch_or_threads(id, policy):
    acting, faults = policies_for(id)[policy], faults_for(18)
    expected = collect(id, acting, 18, faults=faults, seed=9, batch=18, max_steps=LIMIT)
    for batch, threads in ((1, 1), (7, 2), (18, 2)):
        options = {"threads": threads} if has_threads(id) else {}
        again = collect(id, acting, 18, faults=faults, seed=9, batch=batch, max_steps=LIMIT, **options)
        assert again == expected, (batch, threads)


def test_mujoco_episodes_do_not_depend_on_a_large_batch():
    policy = policies_for("MJC-CartpoleSwingup-v0")["network"]
    options = {"seed": 9, "max_steps": 10}
    many = collect("MJC-CartpoleSwingup-v0", policy, 256, faults=faults_for(256), **options)
    assert collect("MJC-CartpoleSwingup-v0", policy, 64, faults=faults_for(64), **options) == many[:64]


def replay(env, episode):
    """Check an episode against a Gymnasium environment that is given the same actions."""
    observation, info = env.reset(seed=episode.seed)
    seen, clean = [observation], [info["clean_observation"]]
    recorded = {name: [] for name in ("reward", "terminated", "active", "applied")}
    for action in episode.actions:
        observation, reward, terminated, _, info = env.step(action)
        seen.append(observation)
        clean.append(info["clean_observation"])
        for name, value in {**info, "reward": reward, "terminated": terminated}.items():
            if name in recorded:
                recorded[name].append(value)
    np.testing.assert_array_equal(episode.observations, seen)
    np.testing.assert_array_equal(episode.extras["clean_observations"], clean)
    np.testing.assert_array_equal(episode.rewards, recorded["reward"])
    np.testing.assert_array_equal(episode.active, recorded["active"])
    np.testing.assert_array_equal(episode.extras["applied"], np.reshape(recorded["applied"], (len(episode), -1)))
    assert not any(recorded["terminated"][:-1])
    assert recorded["terminated"][-1] is episode.terminated
    assert episode.events == env.events
    env.close()


@pytest.mark.parametrize(
    "id", [id for id in worlds.ids() if id.startswith(("MJC-", "SAP-"))]
)  # others lack some FAULTS
def test_an_episode_is_what_the_single_environment_does_with_the_same_actions(id):
    episodes = collect(id, policies_for(id)["network"], len(FAULTS), faults=list(FAULTS), seed=4, max_steps=LIMIT)
    for fault, episode in zip(FAULTS, episodes, strict=True):
        replay(offnominal.make(id, faults=() if fault is None else fault), episode)


@pytest.mark.parametrize(
    ("id", "fault"),
    [
        ("Pendulum-v1", None),
        ("Pendulum-v1", Fault("observation/noise", 0.1, 3)),
        ("Pendulum-v1", Fault("action/scaling", 0.5, (2, 9))),
        ("MountainCarContinuous-v0", Fault("action/delay", 2, 3)),
        ("HalfCheetah-v5", Fault("dynamics/mass", 1.5, 4)),
        ("HalfCheetah-v5", (Fault("dynamics/force", 30.0, 2), Fault("action/noise", 0.2, 3))),
        ("Hopper-v5", Fault("dynamics/gravity", 1.5, Schedule(onset=3, duration=4))),
    ],
    ids=str,
)
def test_environments_of_others_work_the_same_way(id, fault):
    policy = RandomPolicy(gymnasium.make(id).action_space)
    options = {"faults": fault, "seed": 4, "max_steps": LIMIT}
    episodes = collect(id, policy, 3, **options)
    assert collect(id, policy, 3, batch=1, **options) == collect(id, policy, 3, batch=2, **options) == episodes
    for episode in episodes:
        replay(inject(gymnasium.make(id), faults=fault), episode)


def test_a_fault_of_somebody_elses_physics_is_gone_in_the_next_batch():
    policy = RandomPolicy(gymnasium.make("HalfCheetah-v5").action_space)
    faults = [Fault("dynamics/mass", 3.0, 0), None, Fault("dynamics/force", 50.0, 0), None]
    mixed = collect("HalfCheetah-v5", policy, 4, faults=faults, batch=1, max_steps=5)
    plain = collect("HalfCheetah-v5", policy, 4, batch=1, max_steps=5)
    assert mixed[1].observations.tobytes() == plain[1].observations.tobytes()
    assert mixed[3].observations.tobytes() == plain[3].observations.tobytes()
    assert mixed[0].observations.tobytes() != plain[0].observations.tobytes()


def test_recorded_arrays_have_one_entry_per_transition():
    faults = (Fault("observation/offset", 0.5, 3), Fault("action/offset", 2.0, 5))
    (episode,) = collect("SAP-Goal0-v0", steer, 1, faults=faults, seed=2)
    length = len(episode)
    shapes = {name: values.shape for name, values in episode.arrays().items()}
    assert shapes == {
        "observations": (length + 1, 26),
        "actions": (length, 2),
        "rewards": (length,),
        "active": (length,),
        "terminated": (),
        "clean_observations": (length + 1, 26),
        "executed_actions": (length, 2),
        "applied": (length, 2),
        "success": (length,),
        "critical": (length,),
        "cost": (length,),
    }
    assert episode.observations.dtype == episode.extras["clean_observations"].dtype == np.float32
    assert episode.actions.dtype == np.float32
    assert episode.seed == 2


def test_what_is_seen_differs_from_the_truth_after_the_onset_only():
    (episode,) = collect("SAP-Goal0-v0", steer, 1, faults=Fault("observation/offset", 0.5, 3), seed=2)
    clean = episode.extras["clean_observations"]
    np.testing.assert_array_equal(episode.observations[:4], clean[:4])
    np.testing.assert_allclose(episode.observations[4:], clean[4:] + 0.5, atol=1e-6)
    np.testing.assert_array_equal(episode.active, np.arange(len(episode)) >= 3)
    np.testing.assert_array_equal(episode.extras["applied"][:, 0], np.where(episode.active, 0.5, 0.0))
    np.testing.assert_array_equal(episode.extras["executed_actions"], episode.actions)


def test_the_policy_acts_on_what_is_seen():
    (episode,) = collect("SAP-Goal0-v0", steer, 1, faults=Fault("observation/offset", 0.5, 3), seed=2)
    np.testing.assert_array_equal(episode.actions, steer(episode.observations[:-1]))


def test_what_is_executed_differs_from_what_is_commanded_after_the_onset_only():
    (episode,) = collect("SAP-Goal0-v0", steer, 1, faults=Fault("action/offset", 2.0, 3), seed=2)
    executed = episode.extras["executed_actions"]
    np.testing.assert_array_equal(executed[:3], episode.actions[:3])
    shifted = (episode.actions[3:].astype(np.float64) + 2.0).astype(episode.actions.dtype)
    np.testing.assert_array_equal(executed[3:], shifted)
    np.testing.assert_array_equal(episode.observations, episode.extras["clean_observations"])


def test_motors_execute_within_their_limits():
    def pull(x):
        return np.full((len(x), 6), 0.25)

    fault = Fault("action/scaling", 8.0, 2)
    (episode,) = collect("MJC-HalfCheetah-v0", pull, 1, faults=fault, max_steps=5)
    np.testing.assert_array_equal(episode.actions, 0.25)
    np.testing.assert_array_equal(episode.extras["executed_actions"][:, 0], [0.25, 0.25, 1.0, 1.0, 1.0])
    np.testing.assert_array_equal(episode.extras["applied"][:, 0], [1.0, 1.0, 8.0, 8.0, 8.0])


def test_the_parameter_in_force_follows_the_schedule():
    fault = Fault("dynamics/mass", 3.0, Schedule(onset=1, duration=3, ramp=2, recovery=1))
    (episode,) = collect("SAP-Goal0-v0", steer, 1, faults=fault, max_steps=7)
    np.testing.assert_array_equal(episode.extras["applied"][:, 0], [1, 2, 3, 3, 2, 1, 1])
    np.testing.assert_array_equal(episode.active, [0, 1, 1, 1, 1, 0, 0])
    assert episode.events == (Event("dynamics/mass", 3.0, onset=1, end=5),)


def test_nominal_episodes_have_no_faults():
    for episode in collect("SAP-Goal0-v0", steer, 3):
        assert episode.events == ()
        assert not episode.active.any()
        assert episode.extras["applied"].shape == (len(episode), 0)
        assert episode.onset is None


def test_each_episode_gets_its_own_entry_of_a_list():
    faults = [None, Fault("action/offset", 0.5, 3), (Fault("action/noise", 0.1, 2), Fault("action/drift", 0.1, 4))]
    episodes = collect("SAP-Goal0-v0", steer, 3, faults=faults)
    assert [[event.anomaly for event in episode.events] for episode in episodes] == [
        [],
        ["action/offset"],
        ["action/noise", "action/drift"],
    ]
    assert [episode.extras["applied"].shape[1] for episode in episodes] == [0, 1, 2]
    assert [episode.seed for episode in episodes] == [0, 1, 2]


def test_an_episode_ends_where_the_world_ends_it():
    episodes = collect("SAP-Goal0-v0", steer, 30)
    reached = [episode for episode in episodes if episode.terminated]
    assert reached
    for episode in reached:
        to_goal = np.hypot(*episode.extras["clean_observations"][:, :2].T)
        assert to_goal[-1] < 0.2
        assert (to_goal[:-1] >= 0.2).all()
        assert episode.success is not episode.extras["critical"].any()
        np.testing.assert_array_equal(episode.extras["cost"], episode.extras["critical"].astype(float))


def test_the_time_limit_ends_an_episode_without_terminating_it():
    (episode,) = collect("MJC-CartpoleSwingup-v0", lambda x: x[:, :1], 1, max_steps=4)
    assert len(episode) == 4
    assert not episode.terminated
    (whole,) = collect("MJC-CartpoleSwingup-v0", lambda x: x[:, :1], 1)
    assert len(whole) == 200
    np.testing.assert_array_equal(whole.observations[:5], episode.observations)


def test_a_policy_keeps_the_state_of_the_episodes_that_go_on():
    class Counting(Policy):
        """Walks to the goal and claims, in the last digits of its action, which seed it is and how old."""

        def start(self, seeds, episodes):
            return np.stack([seeds, np.zeros_like(seeds)], axis=1)

        def act(self, observations, state):
            self.calls.append(len(observations))  # type: ignore[attr-defined]
            chosen = np.sign(observations[:, :2]) * (state[:, :1] + state[:, 1:] / 128) / 256
            return chosen, state + np.array([0, 1])

        def take(self, state, rows):
            return state[rows]

    policy = Counting()
    policy.calls = []  # type: ignore[attr-defined]
    for episode in collect("SAP-Goal0-v0", policy, 12, seed=100):
        age = np.arange(len(episode))
        expected = (episode.seed + age / 128) / 256
        np.testing.assert_array_equal(np.abs(episode.actions), np.stack([expected, expected], axis=1).astype("f4"))
    assert policy.calls[0] == 12  # type: ignore[attr-defined]
    assert policy.calls == sorted(policy.calls, reverse=True)  # type: ignore[attr-defined]
    assert policy.calls[-1] < 12  # type: ignore[attr-defined]


def test_a_world_may_be_built_by_a_function():
    built = []

    def build(n):
        built.append(n)
        return make_world("SAP-Goal0-v0", n)

    assert collect(build, steer, 5, batch=2) == collect("SAP-Goal0-v0", steer, 5)
    assert built == [2]


def test_a_world_may_be_named_with_its_namespace():
    assert collect("offnominal/SAP-Goal0-v0", steer, 2) == collect("SAP-Goal0-v0", steer, 2)


def test_options_reach_the_world():
    def pull(x):
        return np.full((len(x), 6), 5.0)

    executed, requested = (
        collect("MJC-HalfCheetah-v0", pull, 1, max_steps=2, control_cost=cost)[0].rewards
        for cost in ("executed", "requested")
    )
    np.testing.assert_allclose(executed - requested, 0.1 * 6 * (25 - 1))


def test_a_random_onset_lies_within_a_shorter_time_limit():
    fault = Fault("observation/noise", 0.1)
    for episode in collect("MJC-CartpoleSwingup-v0", lambda x: x[:, :1], 8, faults=fault, max_steps=10):
        assert 2 <= episode.events[0].onset <= 9


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (lambda x: np.zeros((len(x), 3)), r"shape \(2, 3\); expected \(2, 2\)"),
        (lambda x: np.zeros(len(x)), r"shape \(2,\); expected \(2, 2\)"),
        (lambda x: np.full((len(x), 2), np.nan), "not finite"),
        (lambda x: np.full((len(x), 2), np.inf), "not finite"),
        (lambda x: np.full((len(x), 2), 1e300), "not finite"),
        (lambda x: np.full((len(x), 2), "left"), "numeric|numbers"),
        (lambda x: None, "one action per observation"),
    ],
)
def test_a_policy_that_returns_nonsense_is_refused(policy, said):
    with pytest.raises(InvalidAction, match=said):
        collect("SAP-Goal0-v0", policy, 2)


@pytest.mark.parametrize("n", [0, -1, 1.5, "3", None, True])
def test_a_number_of_episodes_that_makes_no_sense_is_refused(n):
    with pytest.raises(InvalidParameter, match="the number of episodes"):
        collect("SAP-Goal0-v0", steer, n)


@pytest.mark.parametrize("batch", [0, -1, 1.5, None])
def test_a_batch_that_makes_no_sense_is_refused(batch):
    with pytest.raises(InvalidParameter, match="batch"):
        collect("SAP-Goal0-v0", steer, 2, batch=batch)


@pytest.mark.parametrize("max_steps", [0, -1, 1.5, "3"])
def test_a_time_limit_that_makes_no_sense_is_refused(max_steps):
    with pytest.raises(InvalidParameter, match="max_steps"):
        collect("SAP-Goal0-v0", steer, 2, max_steps=max_steps)


@pytest.mark.parametrize(("seed", "n"), [(-1, 1), (1.5, 1), (None, 1), (2**63, 1), (2**63 - 1, 2)])
def test_a_seed_that_makes_no_sense_is_refused(seed, n):
    with pytest.raises(InvalidParameter, match="seed"):
        collect("SAP-Goal0-v0", steer, n, seed=seed)


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: collect("SAP-Goal3-v0", steer, 1), UnknownName, r"no world named 'SAP-Goal3-v0'\. Did you mean 'SAP-"),
        (lambda: collect("Pendulum-v9", steer, 1), UnknownName, "no world named 'Pendulum-v9'"),
        (lambda: collect(3, steer, 1), UnsupportedEnvironment, "3 is a int; expected an id, a Gymnasium environment"),
        (lambda: collect("SAP-Goal0-v0", "steer", 1), InvalidParameter, "expected a Policy or a function"),
        (lambda: collect("SAP-Goal0-v0", steer, 2, faults=[None]), InvalidParameter, "1 entries was given for 2"),
        (lambda: collect("SAP-Goal0-v0", steer, 1, faults="action/noise"), InvalidParameter, "expected a Fault"),
        (
            lambda: collect("SAP-Goal0-v0", steer, 9, faults=Fault("action/noise", 1, 50)),
            InvalidSchedule,
            "lies after",
        ),
    ],
)
def test_bad_input_is_refused_before_anything_runs(call, error, said):
    with pytest.raises(error, match=said):
        call()


def test_a_policy_function_is_tiled():
    sizes = set()

    def act(x):
        sizes.add(len(x))
        return x[:, :2]

    collect("SAP-Goal0-v0", act, 5, max_steps=2)
    assert sizes == {64}
    sizes.clear()
    collect("SAP-Goal0-v0", FunctionPolicy(act, tile=3), 5, max_steps=2)
    assert sizes == {3}


def test_a_tape_grows_with_the_longest_episode(monkeypatch):
    from offnominal.rollouts import recorders as recorder

    whole = collect("SAP-Goal0-v0", RandomPolicy(make_world("SAP-Goal0-v0", 1).action_space), 5, seed=3)
    monkeypatch.setattr(recorder, "INITIAL_CAPACITY", 3)
    grown = collect("SAP-Goal0-v0", RandomPolicy(make_world("SAP-Goal0-v0", 1).action_space), 5, seed=3)
    assert max(len(episode) for episode in whole) > 12
    for one, other in zip(whole, grown, strict=True):
        assert one == other
