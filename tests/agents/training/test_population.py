"""A population takes the steps of as many single learners, and its agents do not depend on one another."""

from concurrent.futures import Future

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from offnominal.agents.files import policy_hash  # noqa: E402
from offnominal.agents.training.learners import LEARNERS  # noqa: E402
from offnominal.agents.training.loop import greedy  # noqa: E402
from offnominal.agents.training.populations.loop import learn_population  # noqa: E402
from offnominal.agents.training.populations.off_policy_training import (  # noqa: E402
    POPULATIONS,
    PopulationUpdates,
    new_population,
)
from offnominal.agents.training.populations.population import CounterDraws  # noqa: E402
from offnominal.agents.training.populations.replay_buffer import PopulationReplayBuffer  # noqa: E402
from offnominal.agents.training.settings import TrainingSettings  # noqa: E402
from offnominal.core.errors import InvalidParameter  # noqa: E402
from offnominal.rollouts import evaluate_policy  # noqa: E402
from offnominal.worlds import make_world  # noqa: E402

pytestmark = pytest.mark.long

CPU = torch.device("cpu")
SEEDS = (3, 5, 8)
SMALL = TrainingSettings(
    hidden=(24, 16),
    critic_hidden=(16, 24),
    batch_size=32,
    learning_rate=1e-3,
    target_entropy=-0.5,
    reward_scale=2.0,
    actor_polyak=0.1,
)


def batches(count, agents=3, size=32):
    generator = torch.Generator().manual_seed(1)
    for _ in range(count):
        yield (
            (
                torch.randn(agents, size, 5, generator=generator),
                torch.rand(agents, size, 2, generator=generator) * 2 - 1,
                torch.randn(agents, size, generator=generator),
                torch.randn(agents, size, 5, generator=generator),
                (torch.rand(agents, size, generator=generator) < 0.2).float(),
            ),
            torch.randn(agents, 2, size, 2, generator=generator),
        )


def single_learner(seed, settings):
    torch.manual_seed(seed)
    return LEARNERS[settings.algorithm](5, 2, settings.replace(seed=seed), CPU)


def parameters_of(learner):
    names = "actor", "averaged_actor", "critics", "targets", "temperature", "actor_target"
    return [each for name in names if hasattr(learner, name) for each in getattr(learner, name).parameters()]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"critic_layer_norm": True, "actor_polyak": 1.0, "n_dropped_quantiles": 0},
        {"algorithm": "sac"},
        {"algorithm": "td3"},
        {"algorithm": "td3", "critic_layer_norm": True},
    ],
)
def test_a_population_takes_the_steps_of_single_learners(changes, monkeypatch):
    settings = SMALL.replace(**changes)
    population = new_population(5, 2, settings, SEEDS, CPU)
    singles = [single_learner(seed, settings) for seed in SEEDS]
    statistics = torch.arange(1.0, 6.0)
    for agent, learner in enumerate((*population.learners, *singles)):
        learner.standardize.mean.copy_(statistics * (agent % len(SEEDS)))
        learner.standardize.std.copy_(statistics)
    population.take_standardisation()
    for count, (batch, drawn) in enumerate(batches(60), start=1):
        noises = drawn[:, : population.noises]
        population.update(batch, noises, actor=count % population.delay == 0)
        for agent, learner in enumerate(singles):
            own = iter(noises[agent])
            with monkeypatch.context() as patched:
                patched.setattr(torch, "randn_like", lambda _, own=own: next(own))
                learner.update(tuple(part[agent] for part in batch))
            assert next(own, None) is None
    untrained = [single_learner(seed, settings) for seed in SEEDS]
    population.write_back()
    for ours, theirs, before in zip(population.learners, singles, untrained, strict=True):
        for our, their, first in zip(*map(parameters_of, (ours, theirs, before)), strict=True):
            torch.testing.assert_close(our, their, rtol=2e-3, atol=2e-5)
            assert (our - first).abs().max() > 20 * (our - their).abs().max(), "the steps are larger than the tolerance"
        space = make_world("SAP-Goal0-v0", 1).action_space
        observations = np.random.default_rng(0).normal(size=(9, 5)).astype(np.float32)
        actions = [greedy(learner, space).act(observations, None)[0] for learner in (ours, theirs)]
        np.testing.assert_allclose(*actions, atol=1e-4)


@pytest.mark.parametrize("algorithm", ["tqc", "sac", "td3"])
def test_an_agent_does_not_depend_on_the_others(algorithm):
    settings = SMALL.replace(algorithm=algorithm)
    together, alone = new_population(5, 2, settings, SEEDS, CPU), new_population(5, 2, settings, SEEDS[1:2], CPU)
    for batch, noises in batches(5):
        together.update(batch, noises)
        alone.update(tuple(part[1:2] for part in batch), noises[1:2])
    seen = torch.ones(3, 4, 5)
    assert not torch.equal(together.explore(seen)[1], together.explore(seen)[1])
    alone.explore(seen[:1]), alone.explore(seen[:1])
    torch.testing.assert_close(together.explore(seen)[1:2], alone.explore(seen[:1]))
    for member in (together, alone):
        member.write_back()
    for ours, theirs in zip(parameters_of(together.learners[1]), parameters_of(alone.learners[0]), strict=True):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
@pytest.mark.parametrize("algorithm", ["tqc", "sac", "td3"])
@pytest.mark.parametrize("gradient_steps", [8, 1])
def test_graphs_on_a_gpu_take_the_steps_of_the_cpu(algorithm, gradient_steps):
    settings = SMALL.replace(algorithm=algorithm, anneal_learning_rate=False, gradient_steps=gradient_steps)
    ends = []
    for place in (CPU, torch.device("cuda")):
        population = new_population(5, 2, settings, SEEDS, place)
        buffer = PopulationReplayBuffer(len(SEEDS), 500, 500, (5, 2), place)
        transitions = np.random.default_rng(0).normal(size=(len(SEEDS), 500, 14)).astype(np.float32)
        transitions[..., 5:7] = np.tanh(transitions[..., 5:7])
        transitions[..., -1] = transitions[..., -1] > 1.5
        buffer.add(transitions, np.zeros(transitions.shape[:2], bool))
        updates = PopulationUpdates(population, buffer, compiled=False)
        for _ in range(5):
            updates(0.0)
        assert population.draws.counter == 10, "what the capture of a graph drew is undone"
        ends.append({name: tensor.detach().cpu() for name, tensor in population.tensors().items()})
    for name, theirs in ends[1].items():
        torch.testing.assert_close(ends[0][name], theirs, rtol=1e-3, atol=1e-4)


def test_draws_are_uniform_and_normal_and_differ_between_agents_and_calls():
    draws = CounterDraws([0, 1], CPU)
    first, second, normal = draws.uniform(200_000), draws.uniform(200_000), draws.normal(200_000, 2)
    assert normal.shape == (2, 200_000, 2)
    for values in (first, second):
        assert 0 <= values.min() < 1e-4
        assert 1 - 1e-4 < values.max() < 1
        counts = torch.histc(values, 50, 0, 1)
        assert ((counts - 8000).square() / 8000).sum() < 86  # the 99.9 % point of chi-squared with 49 degrees
    assert abs(torch.corrcoef(torch.cat([first, second])).fill_diagonal_(0)).max() < 0.01
    assert abs(torch.corrcoef(torch.stack([first[0, 1:], first[0, :-1]]))[0, 1]) < 0.01
    for power, moment in ((1, 0), (2, 1), (3, 0), (4, 3)):
        assert abs(normal.double().pow(power).mean() - moment) < 0.05


def test_the_replay_buffers_keep_the_latest_transitions_of_each_agent():
    buffer = PopulationReplayBuffer(2, 3, 7, (2, 1), CPU)
    for number in range(5):
        buffer.add(np.full((2, 3, 7), [[[number]], [[number + 100]]], np.float32), np.zeros((2, 3), bool))
    assert buffer.size == 9
    observations, actions, rewards, after, ended = buffer.at(torch.linspace(0, 1, 50)[:-1].expand(2, -1))
    assert [part.shape for part in (observations, actions, rewards, after, ended)] == [
        (2, 49, 2),
        (2, 49, 1),
        (2, 49),
        (2, 49, 2),
        (2, 49),
    ]
    assert rewards[0].unique().tolist() == [2, 3, 4]
    assert rewards[1].unique().tolist() == [102, 103, 104]


WORLD = "SAP-Goal0-v0"
TASK = TrainingSettings(
    steps=4_000, n_envs=10, gradient_steps=4, hidden=(32, 32), critic_hidden=(32, 32), batch_size=64,
    learning_rate=3e-3, learning_starts=500, buffer_size=4_000, standardize_observations=True,
)  # fmt: skip
LEARNED = -40.0
"""Return of a policy that learned something; that of random actions is -117."""


def learned(settings, world=WORLD, episodes=50):
    def evaluator(policy):
        done = Future()
        found = evaluate_policy(world, policy, episodes, seed=40_000_000)
        done.set_result((found.mean_return, found.success))
        return done

    return learn_population(world, settings, (0, 1), evaluator, device="cpu", evaluations=4)


@pytest.mark.parametrize("algorithm", ["tqc", "sac", "td3"])
def test_a_training_repeats(algorithm):
    settings = TASK.replace(algorithm=algorithm, steps=600)
    first, second = ([policy_hash(policy) for policy, _ in learned(settings, episodes=5)] for _ in range(2))
    assert first == second
    assert len({*first}) == 2


# By default its steps are those of single learners, which are shown to learn.
@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["sac", "tqc"])
def test_a_population_learns_a_world(algorithm):
    for policy, curve in learned(TASK.replace(algorithm=algorithm)):
        assert [evaluation.steps for evaluation in curve] == [1000, 2000, 3000, 4000]
        assert curve[-1].mean_return > curve[0].mean_return
        best = max(evaluation.mean_return for evaluation in curve)
        assert evaluate_policy(WORLD, policy, 50, seed=40_000_000).mean_return == best > LEARNED


@pytest.mark.slow
def test_td3_learns_the_pendulum():
    settings = TASK.replace(
        algorithm="td3", steps=8_000, gradient_steps=10, hidden=(48, 48), critic_hidden=(48, 48), learning_rate=2e-3,
        learning_starts=1_000, buffer_size=8_000, discount=0.97, anneal_learning_rate=False,
    )  # fmt: skip
    for _, curve in learned(settings, "OOD-Pendulum-v0", episodes=30):
        assert curve[0].mean_return < -1000, "two thousand steps are too few"
        assert max(evaluation.mean_return for evaluation in curve) > -800  # random actions: about -1,200


@pytest.mark.slow
def test_with_a_wrong_actor_loss_it_does_not_learn(monkeypatch):
    plain = POPULATIONS["sac"].actor_loss

    def wrong(*given):
        loss, log_prob = plain(*given)
        return -loss, log_prob

    monkeypatch.setattr(POPULATIONS["sac"], "actor_loss", wrong)
    for _, curve in learned(TASK.replace(algorithm="sac")):
        assert max(evaluation.mean_return for evaluation in curve) < LEARNED


def test_a_population_takes_no_demonstrations():
    settings = SMALL.replace(demonstrator="scripted")
    with pytest.raises(InvalidParameter, match="without demonstrations"):
        learn_population("SAP-Goal0-v0", settings, (0,), lambda policy: Future(), device="cpu")


def test_learners_of_other_seeds_have_other_weights():
    population = new_population(5, 2, SMALL, SEEDS, CPU)
    weights = population.actor.weights[0]
    assert not torch.equal(weights[0], weights[1])
    torch.testing.assert_close(weights[1].T, single_learner(SEEDS[1], SMALL).actor.linear()[0].weight)
