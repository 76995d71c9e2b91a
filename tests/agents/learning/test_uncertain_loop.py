"""Agents with uncertainty are trained: members apart, seeds kept, both algorithms better than chance."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from offnominal.agents.learning.uncertain_loop import learn_uncertain  # noqa: E402
from offnominal.agents.learning.uncertain_settings import uncertain_preset  # noqa: E402
from offnominal.core.errors import InvalidParameter  # noqa: E402
from offnominal.rollouts import judge  # noqa: E402

CARTPOLE, PENDULUM, PONG = "OOD-CartPole-v0", "OOD-Pendulum-v0", "OOD-Pong-v0"
TINY = {"steps": 160, "rows": 8, "updates": 2, "batch": 16, "starts": 40, "hidden": (16,), "critic_hidden": (16,)}


def trained(world=CARTPOLE, algorithm="dqn", uncertainty="ensemble", **changes):
    settings = uncertain_preset(world, algorithm, uncertainty).replace(**{**TINY, **changes})
    return learn_uncertain(world, settings, lambda policy: (0.0, 0.0), device="cpu", evaluations=2)


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


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


def test_learning_helps():
    quick = {"rows": 16, "updates": 4, "batch": 64, "polyak": 0.05, "rate": 3e-3, "hidden": (64, 64), "members": 2}
    policy, _ = trained(steps=3200, starts=200, **quick)
    assert judge(CARTPOLE, policy, 50).mean_return > 35.0


def test_the_best_policy_seen_is_kept():
    returns = iter([1.0, 5.0, 2.0, 5.0, 3.0])
    seen = []

    def judged(policy):
        seen.append(policy)
        return next(returns), 0.0

    settings = uncertain_preset(CARTPOLE, "dqn", "ensemble").replace(**TINY)
    policy, _ = learn_uncertain(CARTPOLE, settings, judged, device="cpu", evaluations=5)
    # Of two equally good ones, the one that learned for longer.
    assert policy is seen[3]


@pytest.mark.parametrize(("world", "algorithm"), [(CARTPOLE, "ddpg"), (PENDULUM, "dqn")])
def test_an_algorithm_for_other_actions_is_refused(world, algorithm):
    with pytest.raises(InvalidParameter, match=f"{algorithm} needs actions of a"):
        trained(world, algorithm)


def test_dropout_on_pictures_is_refused_before_anything_is_learned():
    pytest.importorskip("ale_py")
    with pytest.raises(InvalidParameter, match="no dropout"):
        trained(PONG, uncertainty="dropout")


@pytest.mark.parametrize(("algorithm", "kind"), [("dqn", "dropuot"), ("dqm", "dropout")])
def test_unknown_names_are_refused_with_the_nearest(algorithm, kind):
    with pytest.raises(InvalidParameter, match="Did you mean"):
        uncertain_preset(CARTPOLE, algorithm, kind)


@pytest.mark.parametrize("uncertainty", ["ensemble", "dropconnect"])
def test_pong_is_learned_from_pictures(uncertainty):
    pytest.importorskip("ale_py")
    settings = uncertain_preset(PONG, "dqn", uncertainty).replace(
        members=2 if uncertainty == "ensemble" else 1, steps=20, rows=2, updates=1, batch=4, starts=12
    )
    policy, _ = learn_uncertain(PONG, settings, lambda policy: (0.0, 0.0), device="cpu", evaluations=1, workers=0)
    pictures = np.random.default_rng(0).integers(0, 256, (3, 4, 84, 84), np.uint8)
    outputs = policy.outputs(pictures)
    assert outputs.shape == (policy.passes, 3, 6)
    assert outputs.std(axis=0).min() > 0.0
    np.testing.assert_array_equal(policy.outputs(pictures[1:2])[:, 0], outputs[:, 1])
