"""Policy detectors score the predictions of the policy."""

from pathlib import Path

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete

import offnominal as off
from offnominal.agents import UncertainPolicy
from offnominal.agents.uncertainty import UNCERTAINTY_KINDS, DenseNetworks
from offnominal.core.errors import InvalidParameter, UnknownName, UnsupportedEnvironment
from offnominal.detectors import Step, load_detector, save_detector
from offnominal.detectors.policies import Entropy, PolicyUncertainty, QValue, TDResidual
from offnominal.laws import check_detector

pytestmark = pytest.mark.long

CARTPOLE, PENDULUM = "OOD-CartPole-v0", "OOD-Pendulum-v0"


def agent(kind="ensemble", seed=1):
    members = DenseNetworks.random((4, 16, 2), members=5 if kind == "ensemble" else 1, seed=seed)
    return UncertainPolicy(members, Discrete(2), kind=kind, probability=0.0 if kind == "ensemble" else 0.2)


def swinging():
    return UncertainPolicy(
        DenseNetworks.random((3, 8, 1)),
        Box(-2.0, 2.0, (1,), np.float32),
        kind="ensemble",
        critic=DenseNetworks.random((4, 8, 1), seed=3),
    )


@pytest.fixture(scope="module")
def episodes():
    return off.collect(CARTPOLE, agent(), 4, seed=2)


@pytest.fixture(scope="module")
def swings():
    return off.collect(PENDULUM, swinging(), 8, seed=2, max_steps=60)


@pytest.mark.parametrize("over", ["greedy", "mean", "max"])
def test_uncertainty_is_the_standard_deviation_of_the_values(episodes, over):
    outputs = agent().outputs(episodes[0].observations[1:]).astype(np.float64)
    spread = outputs.std(axis=0)
    best = outputs.mean(axis=0).argmax(axis=1)
    wanted = {"greedy": spread[np.arange(len(best)), best], "mean": spread.mean(axis=1), "max": spread.max(axis=1)}
    (scores, *_) = PolicyUncertainty(agent(), over=over).fit(episodes).score(episodes)
    np.testing.assert_allclose(scores, wanted[over], rtol=1e-9)


def test_uncertainty_of_continuous_actions_is_the_standard_deviation_of_the_action(swings):
    outputs = swinging().outputs(swings[0].observations[1:]).astype(np.float64)
    (scores, *_) = PolicyUncertainty(swinging()).fit(swings).score(swings)
    np.testing.assert_allclose(scores, outputs.std(axis=0)[:, 0], rtol=1e-9)


def test_the_view_selects_the_observation(episodes):
    before, after = (
        PolicyUncertainty(agent(), view=view).fit(episodes).score(episodes)[0]
        for view in ("observation", "next_observation")
    )
    np.testing.assert_array_equal(before[1:], after[:-1])


@pytest.mark.parametrize("kind", ["dropout", "dropconnect"])
def test_masks_depend_on_the_seed_of_fit_and_on_the_number_of_passes(episodes, kind):
    one, again, other = (
        PolicyUncertainty(agent(kind)).fit(episodes, seed=seed).score(episodes)[0] for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, again)
    assert (one != other).mean() > 0.9
    many = [PolicyUncertainty(agent(kind), passes=400).fit(episodes, seed=seed).score(episodes)[0] for seed in (0, 1)]
    # Where hardly anything is seen the greedy choice may differ; elsewhere many passes agree.
    assert np.median(np.abs(many[0] / many[1] - 1.0)) < 0.15


def test_low_values_have_high_scores(episodes):
    values = agent().predict(episodes[0].observations[1:])[0].max(axis=1)
    np.testing.assert_array_equal(QValue(agent()).fit(episodes).score(episodes)[0], -values)


def test_the_residual_is_that_of_the_bellman_equation(episodes):
    episode = episodes[0]
    policy = agent()
    values = policy.predict(episode.observations)[0]
    before = values[np.arange(len(episode)), episode.actions]
    wanted = np.abs(1.0 + policy.discount * values[1:].max(axis=1) - before)
    np.testing.assert_allclose(TDResidual(policy).fit(episodes).score([episode])[0], wanted, atol=1e-6)


def test_the_residual_of_continuous_actions_uses_the_critic(swings):
    episode, policy = swings[0], swinging()
    after = policy.action_value(episode.observations[1:], policy.predict(episode.observations[1:])[0])
    before = policy.action_value(episode.observations[:-1], episode.actions)
    wanted = np.abs(episode.rewards + policy.discount * after - before)
    scores = TDResidual(policy).fit(swings).score([episode])[0]
    # Rewards are learned, not seen: of a squared angle, products of its sine and cosine give most.
    assert np.abs(scores - wanted).mean() < 0.25 * np.std(episode.rewards)


def test_entropy_is_largest_for_equal_values(episodes):
    mean = agent().predict(episodes[0].observations[1:])[0]
    (scores, *_) = Entropy(agent()).fit(episodes).score(episodes)
    assert 0.0 <= scores.min() <= scores.max() <= np.log(2.0) + 1e-12
    gap = np.abs(mean[:, 0] - mean[:, 1])
    assert (np.argsort(gap) == np.argsort(-scores)).all()


def test_entropy_of_votes_counts_members(episodes):
    outputs = agent().outputs(episodes[0].observations[1:])
    share = (outputs.argmax(axis=2) == 1).mean(axis=0)
    (scores, *_) = Entropy(agent(), of="votes").fit(episodes).score(episodes)
    np.testing.assert_array_equal(scores == 0.0, (share == 0.0) | (share == 1.0))


def test_entropy_of_continuous_actions_raises_an_error(swings):
    with pytest.raises(UnsupportedEnvironment, match="PolicyUncertainty for continuous actions"):
        Entropy(swinging()).fit(swings)


@pytest.mark.parametrize("make", [PolicyUncertainty, QValue, TDResidual], ids=lambda make: make.__name__)
def test_laws_hold_for_continuous_actions(swings, make):
    fresh = off.collect(PENDULUM, swinging(), 3, seed=50, max_steps=20)
    check_detector(lambda: make(swinging()), episodes=swings, fresh=fresh).raise_if_broken()


@pytest.mark.parametrize("kind", UNCERTAINTY_KINDS)
@pytest.mark.parametrize("make", [PolicyUncertainty, QValue, TDResidual, Entropy], ids=lambda make: make.__name__)
def test_laws_hold_for_every_kind(kind, make):
    check_detector(lambda: make(agent(kind))).raise_if_broken()


def test_a_saved_detector_contains_its_policy(episodes, tmp_path):
    detector = PolicyUncertainty(agent("dropconnect")).fit(episodes)
    card = save_detector(tmp_path / "detector", detector)
    assert card.parameters["policy"].startswith("weights-")
    again = load_detector(tmp_path / "detector")
    np.testing.assert_array_equal(again.score(episodes)[0], detector.score(episodes)[0])
    with pytest.raises(UnknownName):
        again.fit(episodes)


def test_policies_of_other_weights_have_other_names():
    one, other = (PolicyUncertainty(agent(seed=seed)).get_params()["policy"] for seed in (1, 2))
    assert one != other


def test_without_a_policy_the_compatible_shipped_one_is_used(episodes):
    shipped = off.expert(CARTPOLE)
    detectors = [PolicyUncertainty(source).fit(episodes) for source in (None, CARTPOLE, shipped)]
    first, *others = (detector.score(episodes)[0] for detector in detectors)
    for scores in others:
        np.testing.assert_array_equal(scores, first)


def test_a_policy_of_another_world_is_refused(swings):
    with pytest.raises(InvalidParameter, match="Give the policy of these episodes"):
        PolicyUncertainty(agent()).fit(swings)


def test_a_world_without_a_shipped_policy_raises_an_error():
    elsewhere = off.collect("SAP-Goal0-v0", lambda seen: seen[:, :2], 1)
    with pytest.raises(InvalidParameter, match="give one with policy="):
        PolicyUncertainty().fit(elsewhere)


def test_a_file_without_uncertainty_is_refused(episodes):
    import offnominal.agents

    folder = Path(offnominal.agents.__file__).parent / "trained"
    with pytest.raises(InvalidParameter, match="without uncertainty"):
        QValue(folder / "SAP-Goal0-v0--tqc-2").fit(episodes)


def test_online_masks_do_not_depend_on_the_row(episodes):
    detector = PolicyUncertainty(agent("dropout")).fit(episodes)
    episode = episodes[0]
    one = Step(episode.observations[:1], episode.actions[:1], episode.observations[1:2])
    many = Step(*(np.repeat(part, 3, axis=0) for part in (one.observation, one.action, one.next_observation)))
    _, alone = detector.update(detector.start(1), one)
    _, together = detector.update(detector.start(3), many)
    np.testing.assert_array_equal(together, np.repeat(alone, 3))
