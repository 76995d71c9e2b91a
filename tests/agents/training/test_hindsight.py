"""Hindsight replaces goals by later positions of the same episode, with the reward that the world would give."""

from concurrent.futures import Future

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from offnominal.agents.training import loop  # noqa: E402
from offnominal.agents.training.networks import Standardization  # noqa: E402
from offnominal.agents.training.populations import replay_buffer  # noqa: E402
from offnominal.agents.training.populations.held_actions import HeldActions  # noqa: E402
from offnominal.agents.training.populations.hindsight import goal_reward  # noqa: E402
from offnominal.agents.training.populations.loop import learn_population  # noqa: E402
from offnominal.agents.training.populations.off_policy_training import PopulationUpdates, new_population  # noqa: E402
from offnominal.agents.training.populations.replay_buffer import PopulationReplayBuffer  # noqa: E402
from offnominal.agents.training.settings import TrainingSettings  # noqa: E402
from offnominal.core.errors import InvalidParameter  # noqa: E402
from offnominal.worlds import GoalTerms, make_world  # noqa: E402
from offnominal.worlds.catalogue import make_vector  # noqa: E402

pytestmark = pytest.mark.long

CPU = torch.device("cpu")
TERMS = GoalTerms(goal=3, achieved=0, tolerance=0.02, miss=1.0)
AFTER = 6 + 1 + 1
"""First channel of the next observation: six of an observation, an action and a reward come before it."""
SMALL = TrainingSettings(
    steps=1_600, n_envs=8, gradient_steps=4, hidden=(16, 16), critic_hidden=(16, 16), batch_size=32, learning_starts=200
)


def nothing(policy):
    done = Future()
    done.set_result((0.0, 0.0))
    return done


def filled_buffer(share, *, blocks=40, capacity=25, rows=3, lengths=(4, 7, 9)):
    """A buffer whose transitions carry their agent, row and time; row i has episodes of the i-th length."""
    buffer = PopulationReplayBuffer(2, rows, capacity * rows, (6, 1), CPU, goal=TERMS, hindsight=share)
    for time in range(blocks):
        block = np.zeros((2, rows, AFTER + 7), np.float32)
        for agent in range(2):
            for row in range(rows):
                block[agent, row, AFTER : AFTER + 3] = agent, row, time
                block[agent, row, 3:6] = block[agent, row, AFTER + 3 : AFTER + 6] = 99.0
                block[agent, row, 7] = -500.0
        ended = np.array([[(time + 1) % length == 0 for length in lengths]] * 2)
        buffer.add(block, ended)
    return buffer


def test_goals_are_later_positions_of_the_same_episode():
    buffer = filled_buffer(1.0)
    generator = torch.Generator().manual_seed(0)
    shares, draws = torch.rand(2, 4000, generator=generator), torch.rand(2, 2, 4000, generator=generator)
    observations, _, _, after, _ = buffer.at(shares, draws)
    agent, row, time = after[..., :3].long().unbind(-1)
    length = torch.tensor([4, 7, 9])[row]
    end = torch.minimum(time - time % length + length - 1, torch.tensor(39))
    assert torch.equal(observations[..., 3:6], after[..., 3:6])
    assert torch.equal(observations[..., 3].long(), agent)
    assert torch.equal(observations[..., 4].long(), row)
    goal_time = observations[..., 5].long()
    assert ((time <= goal_time) & (goal_time <= end)).all()
    assert time.min() == 15  # of 40 blocks the last 25 are kept
    for first in range(20, 27):  # each later step of an episode of nine is drawn about equally often
        drawn = goal_time[(row == 2) & (time == first)]
        counts = torch.bincount(drawn - first)
        assert len(counts) == 27 - first
        expected = len(drawn) / len(counts)
        assert ((counts - expected).abs() < 5 * expected**0.5).all()


def test_a_share_of_the_goals_is_replaced_with_its_reward():
    shares, draws = torch.rand(2, 4000), torch.rand(2, 2, 4000)
    buffer = filled_buffer(0.3)
    stored = buffer.transitions.clone()
    observations, _, rewards, after, _ = buffer.at(shares, draws)
    replaced = observations[..., 3] != 99.0
    assert abs(replaced.float().mean() - 0.3) < 0.03
    assert (rewards[~replaced] == -500.0).all()
    achieved, goal = after[..., :3], observations[..., 3:6]
    there = torch.linalg.vector_norm(achieved - goal, dim=-1)
    old = -torch.linalg.vector_norm(achieved - 99.0, dim=-1) - 1.0
    new = torch.where(there < 0.02, 0.0, -there - 1.0)
    torch.testing.assert_close(rewards[replaced], (-500.0 - old + new)[replaced])
    assert (there[replaced] == 0).any()
    assert (there[replaced] > 0).any()
    assert torch.equal(buffer.transitions, stored)
    assert (buffer.at(shares)[0][..., 3] == 99.0).all()


@pytest.mark.parametrize(("world", "others"), [("URM-PnP-v0", (0.0, 0.1, -1.0)), ("URM-Reach-v0", (0.0,))])
def test_the_terms_of_a_card_are_the_part_of_the_reward_that_depends_on_the_goal(world, others):
    envs, terms = make_vector(world, 16), make_world(world, 1).card.goal
    before, _ = envs.reset(seed=3)
    generator = np.random.default_rng(0)
    near = 0
    for _ in range(120):
        actions = generator.uniform(-1, 1, (16, 4)).astype(np.float32)
        reached = before[:, terms.achieved : terms.achieved + 3]
        if world == "URM-Reach-v0":
            actions[:, :3] = np.clip(60 * (before[:, 6:9] - reached), -1, 1)
        after, rewards, _, _, _ = envs.step(actions)
        achieved = torch.from_numpy(after[:, terms.achieved : terms.achieved + 3]).double()
        goal = torch.from_numpy(before[:, terms.goal : terms.goal + 3]).double()
        rest = rewards - goal_reward(achieved, goal, terms).numpy()
        near += int((torch.linalg.vector_norm(achieved - goal, dim=-1) < terms.tolerance).sum())
        if world == "URM-Reach-v0":
            rest = rest + 0.1 * np.linalg.norm(actions, axis=1)
        else:
            rest = rest + np.linalg.norm(after[:, :3].astype(float) - after[:, 7:10], axis=1)
        assert np.min(np.abs(rest[:, None] - np.array(others)), axis=1).max() < 2e-6
        before = after
    assert near > 0 or terms.tolerance == 0.0


def test_hindsight_needs_a_goal_and_a_population():
    with pytest.raises(InvalidParameter, match="goal"):
        learn_population("SAP-Goal0-v0", SMALL.replace(hindsight=0.5), (0,), nothing, device="cpu")
    for change in ({"hindsight": 0.5}, {"held_actions": 0.1}):
        with pytest.raises(InvalidParameter, match="train-seeds"):
            loop.learn("URM-Reach-v0", SMALL.replace(**change), lambda policy: (0.0, 0.0), device="cpu")


def test_without_the_options_no_random_number_of_theirs_is_drawn(monkeypatch):
    def weights(settings):
        population = new_population(13, 4, settings, (3, 4), CPU)
        buffer = PopulationReplayBuffer(2, 8, 800, (13, 4), CPU)
        buffer.add(np.random.default_rng(0).normal(size=(2, 8, 32)).astype(np.float32), np.zeros((2, 8), bool))
        updates = PopulationUpdates(population, buffer, compiled=False)
        updates(0.0)
        return population.draws.counter.item(), [weight.clone() for weight in population.actor.weights]

    (count, ours), (more, _) = weights(SMALL), weights(SMALL.replace(hindsight=0.5))
    assert (count, more) == (2, 3)  # one call for the batches, one for the noise

    def forbidden(*_):
        raise AssertionError("not without the setting")

    monkeypatch.setattr(HeldActions, "__call__", forbidden)
    monkeypatch.setattr(replay_buffer, "Hindsight", forbidden)
    learn_population("URM-Reach-v0", SMALL.replace(steps=400), (3,), nothing, device="cpu", evaluations=1)
    assert all(torch.equal(*pair) for pair in zip(ours, weights(SMALL)[1], strict=True))


def test_a_population_learns_with_all_options(monkeypatch):
    settings = SMALL.replace(
        steps=480, hindsight=0.5, held_actions=0.1, differences=((6, 0), (7, 1), (8, 2)), difference_scale=0.03,
        standardize_observations=True, critic_layer_norm=True,
    )  # fmt: skip
    policies = [policy for policy, _ in learn_population("URM-Reach-v0", settings, (3, 4), nothing, device="cpu")]
    seen = np.random.default_rng(0).normal(size=(5, 13)).astype(np.float32)
    assert np.abs(policies[0].act(seen, None)[0] - policies[1].act(seen, None)[0]).max() > 1e-3


def test_differences_are_folded_into_the_exported_policy():
    module = Standardization(4, ((3, 0), (1, 2)), 0.25)
    observations = torch.randn(50, 4) * 3 + 1
    module.fit(observations)
    inputs = module(observations)
    assert inputs.shape == (50, module.width) == (50, 6)
    torch.testing.assert_close(inputs[:, 4], 4 * (observations[:, 3] - observations[:, 0]))
    weight, bias = torch.randn(6, 8), torch.randn(8)
    folded, shift = module.fold(weight, bias)
    torch.testing.assert_close(observations @ folded + shift, inputs @ weight + bias, rtol=1e-4, atol=1e-4)
    again, start = module.unfold(folded, shift)
    torch.testing.assert_close(inputs @ again + start, inputs @ weight + bias, rtol=1e-4, atol=1e-4)


def test_actions_are_held_at_their_limits_more_often_in_later_rows():
    together = HeldActions([1, 2], rows=5, width=3, rate=0.2, steps=6)
    alone = HeldActions([2], rows=5, width=3, rate=0.2, steps=6)
    taken = []
    for _ in range(3000):
        plain = np.full((2, 5, 3), 0.5, np.float32)
        taken.append(together(plain))
        np.testing.assert_array_equal(taken[-1][1:], alone(plain[1:]))
        assert (plain == 0.5).all()
    actions = np.array(taken)
    held = actions != 0.5
    assert set(np.unique(actions)) == {-1.0, 0.5, 1.0}
    share = held.mean(axis=(0, 1, 3))
    assert share[0] == 0
    assert (np.diff(share) > 0.03).all()
    rates = 0.2 * np.arange(5) / 4
    np.testing.assert_allclose(share, rates * 3.5 / (1 + rates * 3.5 - rates), atol=0.02)
    one = held[:, 0, 1, 0].astype(int)
    lengths = np.diff(np.flatnonzero(np.diff(one)))
    assert lengths.max() > 3
