"""Policies with uncertainty act on the mean, and say how far the predictions lie apart."""

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete

import offnominal as off
from offnominal.agents import PolicyCard, UncertainPolicy, load_policy, save_policy
from offnominal.agents.uncertainty import UNCERTAINTY_KINDS, DenseNetworks
from offnominal.core.episode import same_bytes
from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import stream_keys

pytestmark = pytest.mark.long

WORLD = "OOD-CartPole-v0"


def policy(kind="ensemble", space=None, sizes=(4, 16, 2), **options):
    members = DenseNetworks.random(sizes, members=5 if kind == "ensemble" else 1, seed=1)
    given = {} if kind == "ensemble" else {"probability": 0.2}
    return UncertainPolicy(members, space or Discrete(2), kind=kind, **given, **options)


def seen(n=9, width=4):
    return np.random.default_rng(3).normal(size=(n, width)).astype(np.float32)


@pytest.mark.parametrize("kind", UNCERTAINTY_KINDS)
def test_mean_and_spread_are_those_of_the_predictions(kind):
    keys, steps = stream_keys(np.arange(9), np.zeros(9, int), "test"), np.arange(9)
    agent = policy(kind)
    outputs = agent.outputs(seen(), keys, steps)
    mean, spread = agent.predict(seen(), keys, steps)
    assert outputs.shape == (5, 9, 2)
    np.testing.assert_allclose(mean, outputs.mean(axis=0, dtype=np.float64), rtol=1e-12)
    np.testing.assert_allclose(spread, outputs.std(axis=0, dtype=np.float64), rtol=1e-9)
    assert (spread > 0.0).all()


@pytest.mark.parametrize("kind", UNCERTAINTY_KINDS)
def test_the_choice_with_the_largest_mean_is_taken(kind):
    agent = policy(kind)
    state = agent.start(np.arange(9), np.zeros(9, int))
    actions, after = agent.act(seen(), state)
    mean, _ = agent.predict(seen(), state.keys, np.zeros(9, int))
    np.testing.assert_array_equal(actions, mean.argmax(axis=1))
    assert after.step == 1


def test_numbers_are_the_mean_itself_and_may_lie_outside():
    space = Box(-0.01, 0.01, (2,), np.float32)
    agent = policy(space=space)
    actions, _ = agent.act(seen(), agent.start(np.arange(9), np.zeros(9, int)))
    np.testing.assert_array_equal(actions, agent.predict(seen())[0].astype(np.float32))
    assert np.abs(actions).max() > 0.01


@pytest.mark.parametrize("kind", UNCERTAINTY_KINDS)
def test_an_episode_does_not_depend_on_its_batch(kind):
    agent = policy(kind)
    together = off.collect(WORLD, agent, 6, seed=4)
    for number, episode in enumerate(together):
        (alone,) = off.collect(WORLD, agent, 1, seed=4 + number)
        assert same_bytes(alone.arrays(), episode.arrays())


def test_more_passes_are_the_first_ones_and_more():
    agent = policy("dropout")
    keys, steps = stream_keys(np.arange(9), np.zeros(9, int), "test"), np.zeros(9, int)
    np.testing.assert_array_equal(agent.outputs(seen(), keys, steps, passes=20)[:5], agent.outputs(seen(), keys, steps))


def test_an_ensemble_has_no_more_passes_than_members():
    with pytest.raises(InvalidParameter, match="has 5 members"):
        policy().outputs(seen(), passes=6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "dropuot"}, "Did you mean 'dropout'"),
        ({"probability": 1.0}, r"expected a number in \[0, 1\)"),
        ({"space": Discrete(3)}, "needs 3"),
        ({"passes": 0}, "expected an integer from 1 to 10000"),
    ],
)
def test_wrong_arguments_are_named(change, message):
    given = {"space": Discrete(2), "kind": "ensemble", **change}
    with pytest.raises(InvalidParameter, match=message):
        UncertainPolicy(DenseNetworks.random((4, 8, 2)), **given)


def test_observations_of_another_width_are_refused():
    with pytest.raises(InvalidParameter, match=r"shape \(4,\); got \(5,\)"):
        policy().outputs(seen(width=5))


@pytest.mark.parametrize("kind", UNCERTAINTY_KINDS)
@pytest.mark.parametrize("space", [Discrete(2), Box(-2.0, 2.0, (2,), np.float32)], ids=["n_actions", "numbers"])
def test_it_comes_back_from_disk(tmp_path, kind, space):
    critic = None if isinstance(space, Discrete) else DenseNetworks.random((6, 8, 1), members=2, seed=5)
    agent = policy(kind, space, passes=3, critic=critic, discount=0.9)
    numbers = {"n_actions": 2} if critic is None else {}
    limits = ((), ()) if critic is None else ((-2.0, -2.0), (2.0, 2.0))
    card = PolicyCard(
        WORLD, "test", *limits, **numbers, uncertainty=kind, probability=agent.probability, passes=3, discount=0.9
    )
    saved = save_policy(tmp_path / "agent", agent, card)
    again, read = load_policy(tmp_path / "agent")
    assert read == saved
    keys = stream_keys(np.arange(9), np.zeros(9, int), "test")
    np.testing.assert_array_equal(again.outputs(seen(), keys), agent.outputs(seen(), keys))
    assert (again.kind, again.space, again.discount) == (kind, space, 0.9)
    if critic is not None:
        np.testing.assert_array_equal(
            again.action_value(seen(), seen()[:, :2]), agent.action_value(seen(), seen()[:, :2])
        )


def test_without_a_critic_nothing_has_a_worth():
    with pytest.raises(InvalidParameter, match="no critic"):
        policy().action_value(seen(), seen())
