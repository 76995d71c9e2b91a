"""A twin is the same episode without its fault: equal before, different because of it."""

import numpy as np
import pytest
from gymnasium.spaces import Discrete

from offnominal.agents import FunctionPolicy
from offnominal.anomalies import Fault, Schedule, make_anomaly
from offnominal.anomalies.anomaly import DynamicsAnomaly
from offnominal.core.episode import Episode, same_bytes
from offnominal.core.errors import InvalidParameter
from offnominal.laws import anomalies_of
from offnominal.rollouts import Twin, collect, effective_onset, twins
from offnominal.worlds.catalogue import make_world, worlds

pytestmark = pytest.mark.long

ONSET, STEPS = 5, 14
WORLDS = [id for id in worlds.ids() if id != "OOD-Pong-v0"]  # which observes pictures alone
CASES = [(world, anomaly) for world in WORLDS for anomaly in anomalies_of(world)]
PUSHED = [world for world in WORLDS if "force" in make_world(world, 1).physics_parameters]
LABELS = ("active", "applied")


def restless(world):
    """Return a policy that never stands still and reacts to everything it sees."""
    space = make_world(world, 1).action_space
    if isinstance(space, Discrete):
        return FunctionPolicy(lambda x: (1e3 * np.abs(x.sum(axis=1, dtype=np.float64))).astype(np.int64) % space.n)
    width = space.shape[0]
    return FunctionPolicy(
        lambda x: np.stack([0.6 * np.sin(20 * x.sum(axis=1, dtype=np.float64) + k) for k in range(width)], axis=1)
    )


def still(x):
    return np.zeros((len(x), 2))


def neutral_of(anomaly, world):
    kind = make_anomaly(anomaly)
    return (
        make_world(world, 1).physics_parameter(kind.physics_parameter).neutral
        if isinstance(kind, DynamicsAnomaly)
        else kind.neutral
    )


def strong(anomaly, world):
    kind = make_anomaly(anomaly)
    if (
        isinstance(kind, DynamicsAnomaly)
        and make_world(world, 1).physics_parameter(kind.physics_parameter).typical is not None
    ):
        return make_world(world, 1).physics_parameter(kind.physics_parameter).typical
    neutral = neutral_of(anomaly, world)
    return 2.0 if anomaly == "action/delay" else neutral * 1.8 + 0.2 if neutral else 0.3


def before(episode, t):
    """Return everything recorded up to transition t, the observation before it included."""
    return {
        name: values[: t + 1] if len(values) == len(episode) + 1 else values[:t]
        for name, values in episode.arrays().items()
        if name not in (*LABELS, "terminated")
    }


@pytest.mark.parametrize(("world", "anomaly"), CASES)
def test_nothing_differs_before_the_onset_and_something_after(world, anomaly):
    fault = Fault(anomaly, 8.0 if anomaly == "dynamics/moving_objects" else strong(anomaly, world), ONSET)
    pairs = twins(world, restless(world), 3, faults=fault, max_steps=STEPS)
    for pair in pairs:
        assert same_bytes(before(pair.nominal, ONSET), before(pair.faulty, ONSET))
        assert pair.effective_onset is None or pair.effective_onset >= ONSET
        assert not pair.nominal.active.any()
        np.testing.assert_array_equal(pair.faulty.active, np.arange(len(pair.faulty)) >= ONSET)
        assert pair.nominal.seed == pair.faulty.seed
    if anomaly.startswith("observation/"):
        assert {pair.effective_onset for pair in pairs} == {ONSET}
    assert any(pair.effective_onset is not None for pair in pairs)


@pytest.mark.parametrize(("world", "anomaly"), CASES)
def test_at_neutral_strength_nothing_differs_to_the_end(world, anomaly):
    fault = Fault(anomaly, neutral_of(anomaly, world), "start")
    for pair in twins(world, restless(world), 2, faults=fault, max_steps=STEPS):
        nominal, faulty = (
            {name: values for name, values in episode.arrays().items() if name not in LABELS}
            for episode in (pair.nominal, pair.faulty)
        )
        assert same_bytes(nominal, faulty)
        assert pair.effective_onset is None
        assert pair.faulty.active.all()
        assert pair.nominal.events == ()
        assert [event.anomaly for event in pair.faulty.events] == [anomaly]
        assert pair.damage == 0.0


def test_twins_are_the_episodes_that_collect_returns():
    faults = [Fault("action/offset", 0.5, 3), None, Fault("dynamics/mass", 3.0, 2)]
    pairs = twins("SAP-Goal1-v0", still, 3, faults=faults, seed=8, batch=2)
    assert [pair.nominal for pair in pairs] == collect("SAP-Goal1-v0", still, 3, seed=8)
    assert [pair.faulty for pair in pairs] == collect("SAP-Goal1-v0", still, 3, faults=faults, seed=8)
    assert pairs[1].nominal == pairs[1].faulty


def test_divergence_is_the_largest_difference_in_what_is_seen():
    fault = Fault("observation/drift", 0.5, 4, channels=[1])
    (pair,) = twins("SAP-Goal0-v0", still, 1, faults=fault, max_steps=8)
    np.testing.assert_allclose(pair.divergence(), [0, 0, 0, 0, 0.5, 1.0, 1.5, 2.0], atol=1e-6)
    assert (pair.divergence()[:4] == 0).all()


@pytest.mark.parametrize(
    ("tolerance", "expected"), [(0.0, 4), (0.4, 4), (0.6, 5), (1.6, 7), (1.999, 7), (2.001, None), (np.inf, None)]
)
def test_effective_onset_ignores_differences_up_to_the_tolerance(tolerance, expected):
    fault = Fault("observation/drift", 0.5, 4, channels=[1])
    (pair,) = twins("SAP-Goal0-v0", still, 1, faults=fault, max_steps=8)
    assert effective_onset(pair, tolerance=tolerance) == expected


def test_a_fault_may_be_seen_later_than_it_strikes():
    def turn_right_at_five(x):
        turn_right_at_five.age += 1  # type: ignore[attr-defined]
        return np.tile([0.0 if turn_right_at_five.age <= 5 else 1.0, 0.0], (len(x), 1))  # type: ignore[attr-defined]

    turn_right_at_five.age = 0  # type: ignore[attr-defined]
    fault = Fault("action/scaling", 0.5, 2)
    (pair,) = twins("SAP-Goal0-v0", turn_right_at_five, 1, faults=fault, max_steps=9)
    assert pair.faulty.onset == 2
    assert pair.effective_onset == 5


def episode(observations, actions=None, *, terminated=False):
    observations = np.asarray(observations, np.float32).reshape(-1, 1)
    length = len(observations) - 1
    return Episode(
        observations=observations,
        actions=np.zeros((length, 1)) if actions is None else np.reshape(actions, (length, 1)),
        rewards=np.ones(length),
        active=np.zeros(length, np.bool_),
        terminated=terminated,
    )


@pytest.mark.parametrize(
    ("nominal", "faulty", "expected"),
    [
        (episode([0, 1, 2]), episode([0, 1, 2]), None),
        (episode([0, 1, 2]), episode([0, 9, 2]), 0),
        (episode([0, 1, 2]), episode([0, 1, 9]), 1),
        (episode([0, 1, 2]), episode([0, 1, np.nextafter(np.float32(2), np.float32(3))]), 1),
        (episode([0, 1, 2], [0, 0]), episode([0, 1, 2], [0, 1e-9]), 1),
        (episode([0, 1, 2], terminated=True), episode([0, 1, 2]), 1),
        (episode([0, 1, 2, 3]), episode([0, 1, 2], terminated=True), 1),
        (episode([0, 1, 2], terminated=True), episode([0, 1, 2, 3]), 1),
        (episode([0, 1, 2, 3]), episode([0, 9, 2], terminated=True), 0),
    ],
)
def test_effective_onset_is_the_first_transition_that_differs(nominal, faulty, expected):
    assert effective_onset(Twin(nominal, faulty)) == expected
    assert Twin(nominal, faulty).effective_onset == expected


@pytest.mark.parametrize("tolerance", [0.0, 1.0])
def test_a_sensor_that_reports_not_a_number_differs(tolerance):
    pair = Twin(episode([0, 1, 2]), episode([0, np.nan, 2]))
    assert effective_onset(pair, tolerance=tolerance) == 0
    assert effective_onset(Twin(pair.faulty, pair.faulty), tolerance=tolerance) is None


def test_divergence_covers_the_transitions_that_both_have():
    assert Twin(episode([0, 1, 2, 3]), episode([0, 5])).divergence().tolist() == [4]
    assert Twin(episode([0, 5]), episode([0, 1, 2, 3])).divergence().tolist() == [4]


def test_damage_is_the_return_that_the_fault_costs():
    (pair,) = twins("SAP-Goal0-v0", still, 1, faults=Fault("dynamics/force", 3.0, 2), max_steps=9)
    assert pair.damage == pair.nominal.total_reward - pair.faulty.total_reward != 0.0


@pytest.mark.parametrize("anomaly", ["observation/offset", "observation/scaling", "observation/noise"])
def test_a_sensor_that_recovers_tells_the_truth_again(anomaly):
    schedule = Schedule(onset=3, duration=2, recovery=2)
    (pair,) = twins("SAP-Goal0-v0", still, 1, faults=Fault(anomaly, 1.5, schedule), max_steps=12)
    apart = pair.divergence() > 0
    np.testing.assert_array_equal(np.flatnonzero(apart), [3, 4, 5, 6])
    np.testing.assert_array_equal(pair.faulty.active, apart)


@pytest.mark.parametrize("world", PUSHED)
def test_physics_that_recover_leave_their_mark_but_no_fault(world):
    schedule = Schedule(onset=2, duration=2, recovery=1)
    fault = Fault("dynamics/force", 3.0, schedule)
    (pair,) = twins(world, restless(world), 1, faults=fault, max_steps=8)
    np.testing.assert_array_equal(pair.faulty.extras["applied"][:, 0], [0, 0, 3, 3, 1.5, 0, 0, 0])
    assert pair.effective_onset == 2
    assert pair.divergence()[-1] > 0


@pytest.mark.parametrize("n", [0, -2, 1.5, None])
def test_a_number_of_twins_that_makes_no_sense_is_refused(n):
    with pytest.raises(InvalidParameter, match="the number of twins"):
        twins("SAP-Goal0-v0", still, n, faults=None)
