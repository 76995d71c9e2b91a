"""Slopes of returns are those that the simulation itself shows."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from offnominal.agents import expert  # noqa: E402
from offnominal.agents.training.differentiable_rollout import DifferentiableRollout  # noqa: E402
from offnominal.agents.training.fine_tuning import _actor  # noqa: E402
from offnominal.core.errors import InvalidParameter  # noqa: E402
from offnominal.rollouts import collect  # noqa: E402

pytestmark = pytest.mark.long

CARTPOLE, REACHER = "MJC-CartpoleSwingup-v0", "MJC-Reacher3D-v0"


def weights_of(policy):
    return [torch.tensor(part, requires_grad=True) for layer in policy.layers for part in layer]


def actor_of(policy, weights=None):
    return _actor(weights_of(policy) if weights is None else weights, policy.space)


def test_an_episode_is_that_of_the_policy():
    policy = expert(CARTPOLE)
    returns = DifferentiableRollout(CARTPOLE, 3)(actor_of(policy), np.arange(3))
    episodes = collect(CARTPOLE, policy, 3, seed=0)
    np.testing.assert_allclose(returns.detach(), [each.total_reward for each in episodes], atol=1e-2)


# The return bends wherever a unit of the policy switches on: between steps of 3e-4 and 3e-3 its change varies by 4 %.
@pytest.mark.parametrize(("world", "gradient_interval", "tolerance"), [(CARTPOLE, 1, 0.05), (REACHER, 10, 0.1)])
def test_the_slope_of_the_return_is_its_change(world, gradient_interval, tolerance):
    policy, seeds, step = expert(world, "rl-finetuned"), np.arange(2), 1e-3
    weights = weights_of(policy)
    with torch.no_grad():
        weights[-1].add_(0.1)  # the policy itself is on top of the hill, where slopes are small
    rollout, act = (
        DifferentiableRollout(world, 2, gradient_interval=gradient_interval, threads=1),
        actor_of(policy, weights),
    )
    rollout(act, seeds).sum().backward()
    slope = weights[-1].grad.clone()
    along = slope / slope.norm()
    changed = []
    for way in (step, -step):
        with torch.no_grad():
            weights[-1].add_(way * along)
            changed.append(float(rollout(act, seeds).sum()))
            weights[-1].sub_(way * along)
    assert (changed[0] - changed[1]) / (2 * step) == pytest.approx(float(slope.norm()), rel=tolerance)


def test_a_bound_limits_what_one_episode_says():
    def slope(max_state_gradient):
        push = torch.zeros(1, requires_grad=True)
        DifferentiableRollout(CARTPOLE, 1, max_state_gradient=max_state_gradient)(
            lambda seen: push + 3.0 * torch.sign(seen[:, 3:]), np.arange(1)
        ).backward()
        return abs(float(push.grad))

    assert slope(np.inf) > 100.0 * slope(0.01)


def test_the_ending_can_count_more():
    policy, seeds = expert(CARTPOLE), np.arange(2)
    act = actor_of(policy)
    plain, final_reward_weight = (
        DifferentiableRollout(CARTPOLE, 2, final_reward_weight=weight)(act, seeds).detach() for weight in (0.0, 10.0)
    )
    last = [each.rewards[-1] for each in collect(CARTPOLE, policy, 2, seed=0)]
    np.testing.assert_allclose(final_reward_weight - plain, 10.0 * np.array(last), atol=1e-2)


def test_a_world_without_mechanics_is_refused():
    with pytest.raises(InvalidParameter, match="positions and velocities"):
        DifferentiableRollout("SAP-Goal0-v0", 2)
