"""Agents with uncertainty are trained: members apart, seeds kept, both algorithms better than chance."""

from itertools import count

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from offnominal.agents import FunctionPolicy, Policy  # noqa: E402
from offnominal.agents.training import training_state  # noqa: E402
from offnominal.agents.training.dqn import DQN  # noqa: E402
from offnominal.agents.training.simulations import make_simulations  # noqa: E402
from offnominal.agents.training.uncertainty_loop import _Trainer, learn_with_uncertainty  # noqa: E402
from offnominal.agents.training.uncertainty_settings import uncertainty_preset  # noqa: E402
from offnominal.core.errors import InvalidParameter  # noqa: E402
from offnominal.rollouts import evaluate_policy  # noqa: E402

pytestmark = pytest.mark.long

CARTPOLE, PENDULUM, PONG = "OOD-CartPole-v0", "OOD-Pendulum-v0", "OOD-Pong-v0"
TINY = {
    "steps": 160,
    "n_envs": 8,
    "gradient_steps": 2,
    "batch_size": 16,
    "learning_starts": 40,
    "hidden": (16,),
    "critic_hidden": (16,),
}

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here"))]


def trained(world=CARTPOLE, algorithm="dqn", uncertainty="ensemble", device="cpu", **changes):
    settings = uncertainty_preset(world, algorithm, uncertainty).replace(**{**TINY, **changes})
    return learn_with_uncertainty(world, settings, lambda policy: (0.0, 0.0), device=device, evaluations=2)


@pytest.mark.parametrize("uncertainty", ["ensemble", "dropout", "dropconnect"])
@pytest.mark.parametrize(("world", "algorithm"), [(CARTPOLE, "dqn"), (PENDULUM, "ddpg")])
def test_a_policy_of_the_right_kind_comes_out(world, algorithm, uncertainty):
    policy, curve = trained(world, algorithm, uncertainty)
    assert policy.kind == uncertainty
    assert policy.network.members == (5 if uncertainty == "ensemble" else 1)
    assert policy.probability == (0.0 if uncertainty == "ensemble" else 0.05)
    assert (policy.critic is None) == (algorithm == "dqn")
    assert [each.steps for each in curve] == [80, 160]
    assert np.isfinite(policy.network.weights).all()


def test_a_seed_fixes_the_weights():
    one, again, other = (trained(seed=seed)[0].network.weights for seed in (3, 3, 4))
    np.testing.assert_array_equal(one, again)
    assert (one != other).mean() > 0.99


def test_members_are_agents_of_their_own():
    weights = trained()[0].network.weights
    for first in range(5):
        for second in range(first):
            assert (weights[first] != weights[second]).mean() > 0.99


@pytest.mark.parametrize("device", DEVICES)
def test_learning_helps(device):
    quick = {
        "n_envs": 16,
        "gradient_steps": 4,
        "batch_size": 64,
        "polyak": 0.05,
        "learning_rate": 3e-3,
        "hidden": (64, 64),
        "members": 2,
    }
    policy, _ = trained(device=device, steps=3200, learning_starts=200, **quick)
    assert evaluate_policy(CARTPOLE, policy, 50).mean_return > 35.0


def test_the_best_policy_is_kept():
    returns = iter([1.0, 5.0, 2.0, 5.0, 3.0])
    seen = []

    def judged(policy):
        seen.append(policy)
        return next(returns), 0.0

    settings = uncertainty_preset(CARTPOLE, "dqn", "ensemble").replace(**TINY)
    policy, _ = learn_with_uncertainty(CARTPOLE, settings, judged, device="cpu", evaluations=5)
    # Of two equally good ones, the one that learned for longer.
    assert policy is seen[3]


class Killed(Exception):
    """What a run dies of."""


def interrupted(world, algorithm, uncertainty, path, device="cpu", **how):
    """Train, be killed in the fourth of five evaluations, and go on; return what both saw."""
    settings = uncertainty_preset(world, algorithm, uncertainty).replace(**TINY)
    returns, before, after = iter([1.0, 9.0, 2.0]), [], []

    def judged(policy):
        before.append(policy)
        try:
            return next(returns), 0.0
        except StopIteration:
            raise Killed from None

    with pytest.raises(Killed):
        learn_with_uncertainty(world, settings, judged, device=device, evaluations=5, checkpoint=path)

    def judged_later(policy):
        after.append(policy)
        return 3.0, 0.0

    policy, curve = learn_with_uncertainty(
        world, settings.replace(**how), judged_later, device=device, evaluations=5, checkpoint=path
    )
    return policy, curve, before, after


@pytest.mark.parametrize(
    ("world", "algorithm", "uncertainty"), [(CARTPOLE, "dqn", "dropconnect"), (PENDULUM, "ddpg", "ensemble")]
)
@pytest.mark.parametrize("device", DEVICES)
def test_an_interrupted_run_resumes_from_its_last_evaluation(world, algorithm, uncertainty, device, tmp_path):
    path = tmp_path / "run.checkpoint"
    policy, curve, before, after = interrupted(world, algorithm, uncertainty, path, device)
    assert [(each.steps, each.mean_return) for each in curve] == [
        (32, 1.0),
        (64, 9.0),
        (96, 2.0),
        (128, 3.0),
        (160, 3.0),
    ]
    assert len(after) == 2
    assert [each.seconds for each in curve] == sorted(each.seconds for each in curve)
    # The best was seen before the kill.
    np.testing.assert_array_equal(policy.network.weights, before[1].network.weights)
    assert (policy.critic is None) == (algorithm == "dqn")
    # What learned on is nearer to what it was than to a fresh start.
    last, first = before[2].network.weights, before[0].network.weights
    assert abs(after[0].network.weights - last).mean() < abs(after[0].network.weights - first).mean()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["run.checkpoint"]


def test_a_finished_run_has_nothing_left_to_do(tmp_path):
    path = tmp_path / "run.checkpoint"
    settings = uncertainty_preset(CARTPOLE, "dqn", "ensemble").replace(**TINY)
    first, curve = learn_with_uncertainty(CARTPOLE, settings, lambda policy: (0.0, 0.0), device="cpu", checkpoint=path)

    def never(policy):
        raise Killed

    again, same = learn_with_uncertainty(CARTPOLE, settings, never, device="cpu", checkpoint=path)
    np.testing.assert_array_equal(first.network.weights, again.network.weights)  # type: ignore[attr-defined]
    assert same == curve
    _, longer = interrupted(CARTPOLE, "dqn", "ensemble", tmp_path / "other.checkpoint", steps=240)[:2]
    assert longer[-1].steps == 240


def test_a_run_of_other_settings_is_not_gone_on_from(tmp_path):
    path = tmp_path / "run.checkpoint"
    settings = uncertainty_preset(CARTPOLE, "dqn", "ensemble").replace(**TINY)
    learn_with_uncertainty(CARTPOLE, settings, lambda policy: (0.0, 0.0), device="cpu", evaluations=1, checkpoint=path)
    with pytest.raises(InvalidParameter, match="not a checkpoint of these settings"):
        learn_with_uncertainty(
            CARTPOLE, settings.replace(seed=1), lambda policy: (0.0, 0.0), device="cpu", checkpoint=path
        )


@pytest.fixture
def clock(monkeypatch):
    """A clock on which a second passes whenever somebody looks."""
    ticks = count()
    monkeypatch.setattr(training_state, "perf_counter", lambda: float(next(ticks)))


ENDLESS = {"steps": 8_000_000, "buffer_size": 800}


def test_evaluations_are_spread_over_the_time_there_is(clock):
    settings = uncertainty_preset(CARTPOLE, "dqn", "ensemble").replace(**{**TINY, **ENDLESS})
    _, curve = learn_with_uncertainty(
        CARTPOLE, settings, lambda policy: (0.0, 0.0), device="cpu", evaluations=4, minutes=40 / 60
    )
    assert [each.seconds // 10 for each in curve] == [1, 2, 3, 4]
    assert curve[-1].steps < 400


def test_exploration_depends_on_steps_and_not_on_time(clock, monkeypatch):
    asked, explore = [], DQN.explore

    def noted(self, observations, share):
        asked.append(share)
        return explore(self, observations, share)

    monkeypatch.setattr(DQN, "explore", noted)
    settings = uncertainty_preset(CARTPOLE, "dqn", "ensemble").replace(**{**TINY, **ENDLESS})
    _, curve = learn_with_uncertainty(CARTPOLE, settings, lambda policy: (0.0, 0.0), device="cpu", minutes=1.0)
    assert asked[:5] == [-1.0] * 5
    assert asked[-1] == curve[-1].steps / 8_000_000


@pytest.mark.parametrize(("world", "algorithm"), [(CARTPOLE, "ddpg"), (PENDULUM, "dqn")])
def test_an_algorithm_for_other_actions_is_refused(world, algorithm):
    with pytest.raises(InvalidParameter, match=f"{algorithm} needs actions of a"):
        trained(world, algorithm)


def test_dropout_with_image_observations_is_refused():
    pytest.importorskip("ale_py")
    with pytest.raises(InvalidParameter, match="no dropout"):
        trained(PONG, uncertainty="dropout")


@pytest.mark.parametrize(("algorithm", "kind"), [("dqn", "dropuot"), ("dqm", "dropout")])
def test_unknown_names_are_refused_with_the_nearest(algorithm, kind):
    with pytest.raises(InvalidParameter, match="Did you mean"):
        uncertainty_preset(CARTPOLE, algorithm, kind)


@pytest.mark.parametrize("uncertainty", ["ensemble", "dropconnect"])
def test_pong_is_learned_from_images(uncertainty):
    pytest.importorskip("ale_py")
    settings = uncertainty_preset(PONG, "dqn", uncertainty).replace(
        members=2 if uncertainty == "ensemble" else 1,
        steps=20,
        n_envs=2,
        gradient_steps=1,
        batch_size=4,
        learning_starts=12,
    )
    policy, _ = learn_with_uncertainty(
        PONG, settings, lambda policy: (0.0, 0.0), device="cpu", evaluations=1, workers=0
    )
    images = np.random.default_rng(0).integers(0, 256, (3, 4, 84, 84), np.uint8)
    outputs = policy.outputs(images)
    assert outputs.shape == (policy.passes, 3, 6)
    assert outputs.std(axis=0).min() > 0.0
    np.testing.assert_array_equal(policy.outputs(images[1:2])[:, 0], outputs[:, 1])


class AlwaysRight(Policy):
    """Pushes the cart to the right."""

    told = None

    def act(self, observations, state):
        return np.ones(len(observations), np.int64), state

    def record_actions(self, state, actions):
        self.told = actions
        return state


def test_executed_actions_are_recorded_in_the_state_of_the_demonstrator():
    settings = uncertainty_preset(CARTPOLE, "dqn", "ensemble").replace(**TINY, demonstrator="scripted")
    demonstrator = AlwaysRight()
    trainer = _Trainer(CARTPOLE, settings, torch.device("cpu"), demonstrator)
    trainer.start_simulations(make_simulations(CARTPOLE, 5 * settings.n_envs), 0)
    for vector_step in range(5):
        trainer.train_step(0.0, 0.0)
        np.testing.assert_array_equal(demonstrator.told, trainer.replay_buffer.actions[vector_step].numpy())


def test_the_demonstrator_acts_before_the_first_gradient_step_with_some_random_actions():
    settings = uncertainty_preset(CARTPOLE, "dqn", "ensemble").replace(**TINY, demonstrator="scripted")
    trainers = [
        _Trainer(CARTPOLE, settings, torch.device("cpu"), demonstrator) for demonstrator in (AlwaysRight(), None)
    ]
    for trainer in trainers:
        trainer.start_simulations(make_simulations(CARTPOLE, 5 * settings.n_envs), 0)
        for _ in range(5):
            trainer.train_step(0.0, 0.0)
    taught, alone = (trainer.replay_buffer.actions[:5].float().mean().item() for trainer in trainers)
    assert 0.95 < taught < 1.0  # all but one of twenty, and half of those
    assert 0.38 < alone < 0.62


def test_demonstrators_work_with_continuous_actions():
    settings = uncertainty_preset(PENDULUM, "ddpg", "ensemble").replace(**TINY)
    trainer = _Trainer(
        PENDULUM, settings, torch.device("cpu"), FunctionPolicy(lambda seen: np.full((len(seen), 1), 0.25))
    )
    trainer.start_simulations(make_simulations(PENDULUM, 5 * settings.n_envs), 0)
    for _ in range(5):
        trainer.train_step(0.0, 0.0)
    assert 0.85 < (trainer.replay_buffer.actions[:5] == 0.25).float().mean().item() < 1.0
