"""A PPO population takes the steps of Stable-Baselines3, agent by agent, and learns."""

from concurrent.futures import Future

import gymnasium
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from offnominal.agents.files import policy_hash  # noqa: E402
from offnominal.agents.training.populations.loop import learn_population  # noqa: E402
from offnominal.agents.training.populations.on_policy_training import (  # noqa: E402
    OnPolicyTraining,
    Rollout,
    RolloutUpdates,
)
from offnominal.agents.training.populations.ppo import PPOPopulation  # noqa: E402
from offnominal.agents.training.populations.simulations import PopulationSimulations  # noqa: E402
from offnominal.agents.training.ppo_settings import PPOSettings, settings_of_population  # noqa: E402
from offnominal.core.errors import InvalidParameter  # noqa: E402
from offnominal.rollouts import evaluate_policy  # noqa: E402

pytestmark = pytest.mark.long

CPU = torch.device("cpu")
SEEDS = (3, 5, 8)
STEPS, ROWS, INPUTS, ACTIONS = 16, 4, 5, 2
SMALL = PPOSettings(
    hidden=(24, 16), critic_hidden=(16,), n_envs=ROWS, rollout_steps=STEPS, n_epochs=3, batch_size=16,
    learning_rate=1e-3, entropy_weight=0.01, max_gradient_norm=0.05,
)  # fmt: skip


def filled(population, settings, agents):
    """A rollout of random transitions with the actions of the population."""
    generator = torch.Generator().manual_seed(1)
    rollout = Rollout(STEPS, len(SEEDS), ROWS, (INPUTS, ACTIONS), CPU)
    for _ in range(STEPS):
        inputs = torch.randn(len(SEEDS), ROWS, INPUTS, generator=generator)
        with torch.no_grad():
            chosen = inputs, *population.act(inputs)
        rewards = torch.randn(len(SEEDS), ROWS, generator=generator)
        rollout.add(chosen, rewards, torch.rand(len(SEEDS), ROWS, generator=generator) < 0.1)
    last = torch.randn(len(SEEDS), ROWS, generator=generator)
    return rollout, last


def sb3_learner(population, agent):
    """A PPO agent of Stable-Baselines3 with the weights of an agent of the population."""
    sb3 = pytest.importorskip("stable_baselines3", reason="stable-baselines3 is not installed")
    monitor = sb3.common.vec_env.DummyVecEnv([lambda: gymnasium.make("Pendulum-v1")] * ROWS)
    monitor.observation_space = gymnasium.spaces.Box(-9, 9, (INPUTS,))
    monitor.action_space = gymnasium.spaces.Box(-1, 1, (ACTIONS,))
    monitor.buf_obs = {None: np.zeros((ROWS, INPUTS), np.float32)}
    learner = sb3.PPO(
        "MlpPolicy", monitor, learning_rate=SMALL.learning_rate, n_steps=STEPS, batch_size=SMALL.batch_size,
        n_epochs=SMALL.n_epochs, ent_coef=SMALL.entropy_weight, max_grad_norm=SMALL.max_gradient_norm, device="cpu",
        policy_kwargs={"net_arch": {"pi": list(SMALL.hidden), "vf": list(SMALL.critic_hidden)}},
    )  # fmt: skip
    for stacked, linears in parts_of(population, learner):
        for (weight, bias), layer in zip(stacked.of_member(agent), linears, strict=True):
            with torch.no_grad():
                layer.weight.copy_(weight.T), layer.bias.copy_(bias)
    learner.set_logger(sb3.common.logger.Logger(None, []))
    return learner


def parts_of(population, learner):
    policy = learner.policy
    trunk, values = policy.mlp_extractor.policy_net, policy.mlp_extractor.value_net
    linear = torch.nn.Linear
    yield population.actor, [*(each for each in trunk if isinstance(each, linear)), policy.action_net]
    yield population.critic, [*(each for each in values if isinstance(each, linear)), policy.value_net]


def train_sb3(learner, rollout, last, agent, order):
    """Take the gradient steps of Stable-Baselines3 on the rollout of an agent, with batches in this order."""
    buffer = learner.rollout_buffer
    buffer.reset()
    ended = np.concatenate([np.zeros((1, ROWS)), rollout.ended[:, agent].numpy()])
    for step in range(STEPS):
        parts = (rollout.inputs, rollout.actions, rollout.rewards)
        inputs, actions, rewards = (each[step, agent].numpy() for each in parts)
        buffer.add(inputs, actions, rewards, ended[step], rollout.values[step, agent], rollout.log_prob[step, agent])
    buffer.compute_returns_and_advantage(last[agent], ended[STEPS])
    # There transitions are in the order of the simulations, here of the steps.
    places = np.arange(STEPS * ROWS).reshape(ROWS, STEPS).T.ravel()
    permutations = iter(places[order].reshape(SMALL.n_epochs, -1))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(np.random, "permutation", lambda size: next(permutations))
        learner.train()
    assert next(permutations, None) is None


def test_updates_are_those_of_stable_baselines3_for_every_agent():
    population = PPOPopulation(INPUTS, ACTIONS, SMALL, SEEDS, CPU)
    learners = [sb3_learner(population, agent) for agent in range(len(SEEDS))]
    before = [[parameter.clone() for parameter in learner.policy.parameters()] for learner in learners]
    for _ in range(3):
        rollout, last = filled(population, SMALL, SEEDS)
        updates = RolloutUpdates(population, rollout, compiled=False)
        updates(last, 0.0)
        for agent, learner in enumerate(learners):
            train_sb3(learner, rollout, last, agent, updates._order[agent].numpy())
    for agent, learner in enumerate(learners):
        for stacked, linears in parts_of(population, learner):
            for (weight, bias), layer in zip(stacked.of_member(agent), linears, strict=True):
                torch.testing.assert_close(weight.T, layer.weight, rtol=1e-3, atol=1e-4)
                torch.testing.assert_close(bias, layer.bias, rtol=1e-3, atol=1e-4)
        torch.testing.assert_close(population.log_std[agent, 0], learner.policy.log_std, rtol=1e-3, atol=1e-4)
        moved = [(now - old).abs().max() for now, old in zip(learner.policy.parameters(), before[agent], strict=True)]
        assert min(moved) > 20 * 1e-4, "the steps are larger than the tolerance"


def test_after_the_last_batch_the_first_one_follows():
    """A graph warms up with more gradient steps than a small rollout has."""
    ends = []
    batches = SMALL.n_epochs * STEPS * ROWS // SMALL.batch_size
    for times in ((batches, 2), (batches + 2,)):
        population = PPOPopulation(INPUTS, ACTIONS, SMALL, SEEDS, CPU)
        rollout, last = filled(population, SMALL, SEEDS)
        updates = RolloutUpdates(population, rollout, compiled=False)
        updates._prepare(last)
        for each in times:
            updates._repeat(each)
        assert updates._first == 2 * SMALL.batch_size
        ends.append([parameter.detach().clone() for parameter in population.parameters])
    for ours, theirs in zip(*ends, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=0)


def test_an_agent_does_not_depend_on_the_others():
    together, alone = (PPOPopulation(INPUTS, ACTIONS, SMALL, seeds, CPU) for seeds in (SEEDS, SEEDS[1:2]))
    rollout, last = filled(together, SMALL, SEEDS)
    one = Rollout(STEPS, 1, ROWS, (INPUTS, ACTIONS), CPU)
    for name, tensor in one.tensors().items():
        tensor.copy_(rollout.tensors()[name][:, 1:2])
    alone.draws.counter.copy_(together.draws.counter)
    RolloutUpdates(together, rollout, compiled=False)(last, 0.0)
    RolloutUpdates(alone, one, compiled=False)(last[1:2], 0.0)
    for ours, theirs in zip(together.parameters, alone.parameters, strict=True):
        torch.testing.assert_close(ours[1:2], theirs)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
def test_graphs_on_a_gpu_take_the_steps_of_the_cpu():
    ends = []
    for place in (CPU, torch.device("cuda")):
        population = PPOPopulation(INPUTS, ACTIONS, SMALL, SEEDS, place)
        kept, last = filled(PPOPopulation(INPUTS, ACTIONS, SMALL, SEEDS, CPU), SMALL, SEEDS)
        rollout = Rollout(STEPS, len(SEEDS), ROWS, (INPUTS, ACTIONS), place)
        for name, tensor in rollout.tensors().items():
            tensor.copy_(kept.tensors()[name])
        updates = RolloutUpdates(population, rollout, compiled=False)
        for _ in range(2):
            updates(last.to(place), 0.0)
        ends.append({name: tensor.detach().cpu() for name, tensor in population.tensors().items()})
    for name, theirs in ends[1].items():
        torch.testing.assert_close(ends[0][name], theirs, rtol=1e-3, atol=1e-4)


def test_a_time_limit_is_not_the_end_of_the_task():
    simulations = PopulationSimulations("SAP-Goal0-v0", (0,), 3, 0, {})
    training = OnPolicyTraining(simulations, PPOSettings(n_envs=3, rollout_steps=64), (0,), CPU, compiled=False)
    still = np.zeros((1, 3, 2), np.float32)
    found = [simulations.step(still) for _ in range(50)]
    assert [each.truncated.any() for each in found] == [False] * 49 + [True]
    plain = torch.from_numpy(found[-1].rewards[None]).float()
    following = training.population.values(torch.from_numpy(found[-1].after[None]))
    cut = torch.from_numpy(found[-1].truncated[None])
    assert cut.all()
    torch.testing.assert_close(training._rewards(found[-1]), plain + 0.99 * following)
    torch.testing.assert_close(
        training._rewards(found[0]), torch.from_numpy(found[0].rewards[None]).float(), rtol=0, atol=0
    )


def learned(settings, world="SAP-Goal0-v0"):
    def evaluator(policy):
        done = Future()
        found = evaluate_policy(world, policy, 50, seed=40_000_000)
        done.set_result((found.mean_return, found.success))
        return done

    return learn_population(world, settings, (0, 1), evaluator, device="cpu", evaluations=4)


TASK = PPOSettings(
    steps=24_000, n_envs=10, rollout_steps=64, batch_size=128, n_epochs=6, learning_rate=3e-3, hidden=(32, 32),
    critic_hidden=(32, 32), standardize_observations=True, learning_starts=500,
)  # fmt: skip


def test_a_training_repeats():
    first, second = ([policy_hash(policy) for policy, _ in learned(TASK.replace(steps=1_500))] for _ in range(2))
    assert first == second
    assert len({*first}) == 2


# By default its updates are those of Stable-Baselines3.
@pytest.mark.slow
def test_a_population_learns_a_world():
    for policy, curve in learned(TASK):
        best = max(evaluation.mean_return for evaluation in curve)
        assert evaluate_policy("SAP-Goal0-v0", policy, 50, seed=40_000_000).mean_return == best > -60  # random: -117


@pytest.mark.slow
def test_with_a_wrong_advantage_it_does_not_learn(monkeypatch):
    plain = Rollout.advantages
    monkeypatch.setattr(Rollout, "advantages", lambda *given: -plain(*given))
    for _, curve in learned(TASK.replace(steps=12_000)):
        assert max(evaluation.mean_return for evaluation in curve[1:]) < -60


def test_the_settings_are_those_of_stable_baselines3_except_for_the_simulations():
    sb3 = pytest.importorskip("stable_baselines3", reason="stable-baselines3 is not installed")
    theirs, ours = sb3.PPO("MlpPolicy", "Pendulum-v1"), settings_of_population("MJC-HalfCheetah-v0", "ppo")
    names = {
        "learning_rate": "learning_rate", "n_epochs": "n_epochs", "batch_size": "batch_size", "gamma": "discount",
        "gae_lambda": "gae_lambda", "ent_coef": "entropy_weight", "vf_coef": "value_weight",
        "max_grad_norm": "max_gradient_norm",
    }  # fmt: skip
    for name, our in names.items():
        assert getattr(theirs, name) == getattr(ours, our), name
    assert theirs.clip_range(1.0) == ours.clip_range
    assert 5 * theirs.n_steps == ours.n_envs * ours.rollout_steps
    widths = [each.out_features for each in theirs.policy.mlp_extractor.policy_net if hasattr(each, "out_features")]
    assert tuple(widths) == ours.hidden
    assert isinstance(theirs.policy.mlp_extractor.policy_net[1], torch.nn.Tanh)


def test_a_batch_size_must_divide_a_rollout():
    with pytest.raises(InvalidParameter, match="expected a divisor of the 10240 transitions"):
        PPOSettings(batch_size=100)
