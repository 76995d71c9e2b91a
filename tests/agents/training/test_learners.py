"""The learners compute what their papers say, and learn."""

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from offnominal.agents import PotentialField, expert  # noqa: E402
from offnominal.agents.files import policy_hash  # noqa: E402
from offnominal.agents.noisy_policy import NoisyPolicy  # noqa: E402
from offnominal.agents.training.checkpoint import load_checkpoint, save_checkpoint  # noqa: E402
from offnominal.agents.training.demonstrations import (  # noqa: E402
    add_demonstrations,
    clone_behaviour,
    copy_weights,
    demonstrated_actions,
    noise_free_actions,
    to_unit,
)
from offnominal.agents.training.learners import LEARNERS  # noqa: E402
from offnominal.agents.training.loop import GradientSteps, greedy, learn  # noqa: E402
from offnominal.agents.training.networks import Actor, Critics, Standardization, quantile_loss  # noqa: E402
from offnominal.agents.training.replay_buffer import ReplayBuffer  # noqa: E402
from offnominal.agents.training.settings import ALGORITHMS, TrainingSettings  # noqa: E402
from offnominal.core.errors import DamagedFile, InvalidParameter  # noqa: E402
from offnominal.rollouts import collect, evaluate_policy  # noqa: E402
from offnominal.worlds import make_world  # noqa: E402

pytestmark = pytest.mark.long

CPU = torch.device("cpu")
SMALL = TrainingSettings(hidden=(32, 32), critic_hidden=(32, 32), batch_size=64)


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def batch(n=64):
    generator = torch.Generator().manual_seed(1)
    return (
        torch.randn(n, 5, generator=generator),
        torch.rand(n, 2, generator=generator) * 2 - 1,
        torch.randn(n, generator=generator),
        torch.randn(n, 5, generator=generator),
        (torch.rand(n, generator=generator) < 0.2).float(),
    )


def test_batched_critics_are_independent_networks():
    critics = Critics(7, (16, 8), members=3, quantiles=4)
    seen, acted = torch.randn(10, 5), torch.randn(10, 2)
    together = critics(seen, acted)
    for member in range(3):
        values = torch.cat([seen, acted], dim=1)
        for index, (weight, bias) in enumerate(zip(critics.weights, critics.biases, strict=True)):
            values = values @ weight[member] + bias[member]
            values = values if index == 2 else torch.relu(values)
        torch.testing.assert_close(together[member], values)


def test_the_quantile_loss_is_smallest_at_the_quantiles():
    targets = torch.randn(1, 2001).sort(dim=1).values
    levels = (torch.arange(5) + 0.5) / 5
    best = torch.quantile(targets[0], levels)[None, None]
    least = quantile_loss(best, targets)
    assert least < quantile_loss(best + 0.3, targets)
    assert least < quantile_loss(best - 0.3, targets)


def test_the_log_probability_is_that_of_a_squashed_gaussian():
    actor = Actor(5, 1, (8,), stochastic=True)
    seen = torch.randn(1, 5)
    edges = torch.linspace(-1, 1, 41)
    chosen, log_prob = actor.sample(seen.expand(200_000, 5))
    share = torch.histc(chosen.detach().squeeze(1), 40, -1, 1) / 200_000
    centre = (chosen.squeeze(1) > edges[20]) & (chosen.squeeze(1) < edges[21])
    assert torch.isclose(log_prob[centre].exp().mean() * 0.05, share[20], rtol=0.1)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_update_changes_actor_and_critics_and_lets_targets_follow(algorithm):
    learner = LEARNERS[algorithm](5, 2, SMALL.replace(algorithm=algorithm), CPU)
    before = {name: [p.clone() for p in part.parameters()] for name, part in parts(learner).items()}
    for _ in range(2):
        learner.update(batch())
    for name, part in parts(learner).items():
        assert all(torch.isfinite(p).all() for p in part.parameters())
        assert any(not torch.equal(p, q) for p, q in zip(part.parameters(), before[name], strict=True)), name
    moved = learner.targets.weights[0] - before["targets"][0]
    assert moved.abs().max() < 0.02 * (learner.critics.weights[0] - before["critics"][0]).abs().max() + 1e-4


def parts(learner):
    return {"actor": learner.actor, "critics": learner.critics, "targets": learner.targets}


def test_an_ended_episode_has_no_future():
    learner = LEARNERS["sac"](5, 2, SMALL, CPU)
    seen, acted, rewards, after, _ = batch()
    with torch.no_grad():
        for weight in (*learner.critics.parameters(),):
            weight.zero_()
    alpha = torch.zeros(1)
    loss = learner.critic_loss_of_batch(seen, acted, rewards, after, torch.ones(64), alpha)  # type: ignore[attr-defined]
    torch.testing.assert_close(loss, 2 * 0.5 * rewards.square().mean())


def test_tqc_drops_the_largest_quantiles():
    learner = LEARNERS["tqc"](5, 2, SMALL.replace(n_dropped_quantiles=2), CPU)
    values = torch.arange(100.0).reshape(2, 2, 25)
    kept = learner.future(values)  # type: ignore[attr-defined]
    assert kept.shape == (2, 46)
    assert kept[0].max() < values[:, 0].flatten().sort().values[46]


def test_a_learner_resumes_from_its_checkpoint(tmp_path):
    first = LEARNERS["tqc"](5, 2, SMALL, CPU)
    first.update(batch())
    save_checkpoint(first, tmp_path / "c")
    second = LEARNERS["tqc"](5, 2, SMALL, CPU)
    load_checkpoint(second, tmp_path / "c")
    for learner in (first, second):
        torch.manual_seed(5)
        learner.update(batch())
    for p, q in zip(first.actor.parameters(), second.actor.parameters(), strict=True):
        torch.testing.assert_close(p, q)


def test_the_learning_rate_still_falls_after_a_restart(tmp_path):
    first = LEARNERS["tqc"](5, 2, SMALL, CPU)
    first.update(batch())
    first.learning_rate.fill_(1e-9)
    save_checkpoint(first, tmp_path / "c")
    second = LEARNERS["tqc"](5, 2, SMALL, CPU)
    load_checkpoint(second, tmp_path / "c")
    for learning_rate, moves in ((0.0, False), (1e-2, True)):
        second.set_schedule(learning_rate, 0.0, actor=True)
        before = second.actor.mean.weight.clone()
        second.update(batch())
        assert torch.equal(before, second.actor.mean.weight) is not moves


def test_a_checkpoint_of_something_else_is_refused(tmp_path):
    save_checkpoint(LEARNERS["tqc"](5, 2, SMALL, CPU), tmp_path / "c")
    with pytest.raises(InvalidParameter, match="not a checkpoint of these settings"):
        load_checkpoint(LEARNERS["tqc"](6, 2, SMALL, CPU), tmp_path / "c")
    (tmp_path / "c").write_bytes(b"half a file")
    with pytest.raises(DamagedFile, match="not a checkpoint"):
        load_checkpoint(LEARNERS["tqc"](5, 2, SMALL, CPU), tmp_path / "c")


@pytest.mark.parametrize(
    ("device", "steps", "values"), [("tpu", 64, "choose 'cpu'"), ("cpu", 10, "fewer than n_envs, 64")]
)
def test_training_that_cannot_start_is_refused(device, steps, values):
    with pytest.raises(InvalidParameter, match=values):
        learn("SAP-Goal0-v0", TrainingSettings(steps=steps), lambda policy: (0.0, 0.0), device=device)


def test_the_exported_policy_is_the_actor():
    world = make_world("MJC-HalfCheetah-v0", 1)
    learner = LEARNERS["tqc"](18, 6, SMALL, CPU)
    policy = greedy(learner, world.action_space)
    seen = np.random.default_rng(0).normal(size=(20, 18)).astype(np.float32)
    with torch.no_grad():
        expected = learner.actor(torch.as_tensor(seen)).numpy()
    np.testing.assert_allclose(policy.act(seen, None)[0], expected, atol=1e-5)


def test_the_exported_policy_does_not_learn_on():
    learner = LEARNERS["tqc"](5, 2, SMALL, CPU)
    policy = greedy(learner, make_world("SAP-Goal0-v0", 1).action_space)
    before = [[part.copy() for part in layer] for layer in policy.layers]
    for _ in range(3):
        learner.update(batch())
    for kept, layer in zip(before, policy.layers, strict=True):
        for one, other in zip(kept, layer, strict=True):
            np.testing.assert_array_equal(one, other)


def test_normalised_critics_do_not_see_the_size_of_a_layer():
    critics = Critics(7, (16, 16), members=2, quantiles=1, norm=True)
    seen, acted = torch.randn(10, 5), torch.randn(10, 2)
    before = critics(seen, acted)
    with torch.no_grad():
        critics.weights[0] *= 3.0
        critics.biases[0] *= 3.0
    torch.testing.assert_close(critics(seen, acted), before, atol=1e-4, rtol=1e-3)


def test_the_replay_buffer_overwrites_the_oldest_and_samples_only_stored_transitions():
    replay = ReplayBuffer(10, 1, 1, CPU)
    for value in range(13):
        one = np.full((1, 1), float(value))
        replay.add(one, one, one[0], one, np.zeros(1))
    seen = replay.sample(500)[0]
    assert replay.size == 10
    assert sorted(set(seen[:, 0].tolist())) == [float(value) for value in range(3, 13)]
    fresh = ReplayBuffer(10, 1, 1, CPU)
    fresh.add(np.ones((2, 1)), np.ones((2, 1)), np.ones(2), np.ones((2, 1)), np.zeros(2))
    assert (fresh.sample(100)[0] == 1).all()


def test_training_improves_on_random_actions(tmp_path):
    settings = TrainingSettings(
        steps=2_000,
        n_envs=16,
        gradient_steps=4,
        batch_size=64,
        learning_starts=500,
        hidden=(64, 64),
        critic_hidden=(64, 64),
        learning_rate=1e-3,
    )
    lines = []
    policy, curve = learn(
        "SAP-Goal0-v0",
        settings,
        lambda p: (evaluate_policy("SAP-Goal0-v0", p, 50).mean_return, 0.0),
        device="cpu",
        evaluations=3,
        checkpoint=tmp_path / "c",
        report=lines.append,
    )
    assert len(curve) == len(lines) == 3
    assert (tmp_path / "c").exists()
    assert evaluate_policy("SAP-Goal0-v0", policy, 100).mean_return > -80.0  # random actions: -113


def demonstrations(n=40):
    return collect("SAP-Goal0-v0", PotentialField(), n, seed=7)


def test_demonstrations_are_stored_as_transitions():
    shown, space = demonstrations(3), make_world("SAP-Goal0-v0", 1).action_space
    replay = ReplayBuffer(1000, 26, 2, CPU)
    add_demonstrations(replay, shown, space)
    assert replay.size == sum(len(demonstration) for demonstration in shown)
    row = replay.transitions[len(shown[0]) - 1].numpy()
    np.testing.assert_allclose(row[:26], shown[0].observations[-2])
    np.testing.assert_allclose(row[29:55], shown[0].observations[-1])
    assert row[28] == np.float32(shown[0].rewards[-1])
    assert row[55] == shown[0].terminated == 1.0
    small = ReplayBuffer(20, 26, 2, CPU)
    add_demonstrations(small, shown, space)
    assert small.size == 20
    np.testing.assert_allclose(small.transitions[0, :26], shown[0].observations[0])


def test_cloned_actions_have_no_noise():
    space = make_world("SAP-Goal0-v0", 1).action_space
    noisy = collect("SAP-Goal0-v0", NoisyPolicy(PotentialField(), space, 0.5), 5, seed=7)
    actions = noise_free_actions(noisy, PotentialField())
    for episode, expected in zip(noisy, actions, strict=True):
        assert expected.shape == episode.actions.shape
        np.testing.assert_allclose(expected, PotentialField().act(episode.observations[:-1], None)[0], atol=1e-6)
    assert max(np.abs(episode.actions - expected).max() for episode, expected in zip(noisy, actions, strict=True)) > 0.3


def test_standardized_observations_have_mean_0_and_standard_deviation_1_unless_they_hardly_vary():
    observations = torch.randn(1000, 3) * torch.tensor([0.01, 5.0, 5e-4]) + torch.tensor([2.0, -7.0, 0.3])
    standardize = Standardization(3)
    assert torch.equal(standardize(observations), observations)
    standardize.fit(observations)
    std, mean = torch.std_mean(standardize(observations), dim=0)
    torch.testing.assert_close(mean, torch.zeros(3), atol=1e-3, rtol=0.0)
    torch.testing.assert_close(std, torch.tensor([1.0, 1.0, 5e-4]), atol=1e-2, rtol=0.0)
    assert standardize.std[2] == 1.0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_exported_policy_takes_observations_as_they_are(algorithm):
    learner = LEARNERS[algorithm](26, 2, SMALL.replace(algorithm=algorithm), CPU)
    space, observations = make_world("SAP-Goal0-v0", 1).action_space, 3.0 * torch.randn(50, 26) + 1.0
    learner.standardize.fit(observations)
    policy = greedy(learner, space)
    expected = learner.actor(learner.standardize(observations)).detach().numpy()
    np.testing.assert_allclose(to_unit(policy.act(observations.numpy(), None)[0], space), expected, atol=1e-5)
    other = LEARNERS[algorithm](26, 2, SMALL.replace(algorithm=algorithm), CPU)
    other.standardize.fit(0.1 * observations)
    assert copy_weights(other, policy)
    again = greedy(other, space).act(observations.numpy(), None)[0]
    np.testing.assert_allclose(again, policy.act(observations.numpy(), None)[0], atol=1e-4)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_behaviour_cloning_reproduces_the_demonstrations(algorithm):
    space = make_world("SAP-Goal0-v0", 1).action_space
    learner = LEARNERS[algorithm](26, 2, SMALL.replace(algorithm=algorithm), CPU)
    shown = demonstrations()
    before = evaluate_policy("SAP-Goal0-v0", greedy(learner, space), 50).mean_return
    clone_behaviour(learner, *demonstrated_actions(shown, None, space, CPU), steps=300)
    assert evaluate_policy("SAP-Goal0-v0", greedy(learner, space), 50).mean_return > max(before + 10.0, -12.0)
    if algorithm == "td3":
        assert torch.equal(learner.actor_target.mean.weight, learner.actor.mean.weight)  # type: ignore[attr-defined]
    else:
        assert torch.exp(learner.temperature.log_alpha) < 0.1  # type: ignore[attr-defined]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_cloning_weight_keeps_the_actor_near_the_demonstrator(algorithm):
    space, shown = make_world("SAP-Goal0-v0", 1).action_space, demonstrations()
    distances = {}
    for weight in (0.0, 100.0):
        torch.manual_seed(0)
        settings = SMALL.replace(algorithm=algorithm, cloning_weight=weight, learning_rate=1e-3)
        learner = LEARNERS[algorithm](26, 2, settings, CPU)
        learner.demonstrated = observations, actions = demonstrated_actions(shown, None, space, CPU)
        for _ in range(80):
            learner.update((observations[:64], actions[:64], torch.zeros(64), observations[:64], torch.zeros(64)))
        distances[weight] = float((learner.actor(observations) - actions).square().mean().detach())
    assert distances[100.0] < 0.5 * distances[0.0]


def test_critics_see_scaled_rewards():
    learner = LEARNERS["tqc"](3, 2, SMALL.replace(reward_scale=5.0), CPU)
    rewards = torch.tensor([1.0, -2.0])
    batch = torch.zeros(2, 3), torch.zeros(2, 2), rewards, torch.zeros(2, 3), torch.zeros(2)
    assert torch.equal(learner.standardized(batch)[2], 5.0 * rewards)


def test_a_learner_becomes_a_policy_of_its_shape_only():
    demonstrator = expert("SAP-Goal0-v0", "tqc")
    learner = LEARNERS["tqc"](26, 2, TrainingSettings(), CPU)
    assert copy_weights(learner, demonstrator)
    assert policy_hash(greedy(learner, demonstrator.space)) == policy_hash(demonstrator)
    assert not copy_weights(LEARNERS["tqc"](26, 2, SMALL, CPU), demonstrator)


def test_only_the_critics_move_while_the_actor_listens():
    learner = LEARNERS["tqc"](5, 2, SMALL, CPU)
    replay = ReplayBuffer(64, 5, 2, CPU)
    replay.add(*(part.numpy() for part in batch()))
    take_gradient_steps = GradientSteps(learner, replay, SMALL.replace(gradient_steps=1), critic_warmup=2)
    for moves in (False, False, True):
        actor, critic = learner.actor.mean.weight.clone(), learner.critics.weights[0].clone()
        alpha = learner.temperature.log_alpha.clone()  # type: ignore[attr-defined]
        take_gradient_steps(0.0)
        assert not torch.equal(critic, learner.critics.weights[0])
        assert torch.equal(actor, learner.actor.mean.weight) is not moves
        assert torch.equal(alpha, learner.temperature.log_alpha) is not moves  # type: ignore[attr-defined]


def test_training_with_demonstrations_starts_at_the_return_of_the_demonstrator():
    settings = TrainingSettings(steps=640, n_envs=64, gradient_steps=1, batch_size=64, critic_warmup=1000)
    demonstrator = expert("SAP-Goal0-v0")
    later_is_better = itertools.count()
    policy, curve = learn(
        "SAP-Goal0-v0",
        settings,
        lambda policy: (next(later_is_better), 0.0),
        device="cpu",
        evaluations=1,
        demonstrations=demonstrations(3),
        demonstrator=demonstrator,
    )
    assert [evaluation.steps for evaluation in curve] == [0, 640]
    assert policy_hash(policy) == policy_hash(demonstrator)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_steady_policy_follows_the_actor_from_afar(algorithm):
    learner = LEARNERS[algorithm](5, 2, SMALL.replace(algorithm=algorithm, actor_polyak=0.25), CPU)
    expected = learner.actor.mean.weight.detach().clone()
    for _ in range(6):
        moved = learner.actor.mean.weight.detach().clone()
        learner.update(batch())
        if not torch.equal(moved, learner.actor.mean.weight):
            expected += 0.25 * (learner.actor.mean.weight.detach() - expected)
    torch.testing.assert_close(learner.averaged_actor.mean.weight, expected)
    assert not torch.equal(learner.averaged_actor.mean.weight, learner.actor.mean.weight)
