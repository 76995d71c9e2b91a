"""Fine-tuning of a trained policy by the gradient of its return through the simulator."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from gymnasium.spaces import Box
from torch import Tensor

from offnominal.agents.network import NetworkPolicy
from offnominal.agents.training.differentiable_rollout import DifferentiableRollout
from offnominal.agents.training.loop import Evaluation, PolicyEvaluator
from offnominal.agents.training.settings import FIRST_SEED, LARGE, LARGEST_SEED, check_effort, check_sizes
from offnominal.core.checks import number_in, positive_integer, positive_number
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.core.progress_bar import progress
from offnominal.worlds.catalogue import worlds

WARMUP_UPDATES = 20
FINAL_RATE = 0.02
MAX_GRADIENT_NORM = 1.0
NOISE_LEVELS = 5


@dataclass(frozen=True)
class FineTuningSettings(Config):
    """All settings of fine-tuning.

    Args:
        gradient_steps: Number of gradient steps.
        episodes: Episodes per gradient step, new ones every time.
        learning_rate: Initial learning rate of Adam, with cosine decay.
        gradient_interval: Number of transitions between two whose Jacobians are computed.
        max_state_gradient: Bound on the gradient of the return by the state that is passed on to earlier transitions.
        final_reward_weight: Additional weight of the last reward.
        action_noise: Largest standard deviation of the action noise, as a fraction of half the range of the actions.
            Five successive episodes have 0, 1/4, 1/2, 3/4 and 1 times this noise, so that the policy stays robust near
            its trajectories.
        weight_averaging: Decay of the exponential average of the weights, which is exported.
        seed: Seed of the episodes.
    """

    gradient_steps: int = 400
    episodes: int = 128
    learning_rate: float = 1e-4
    gradient_interval: int = 1
    max_state_gradient: float = 10.0
    final_reward_weight: float = 0.0
    action_noise: float = 0.1
    weight_averaging: float = 0.98
    seed: int = 0

    def __post_init__(self) -> None:
        check_sizes(self, ("gradient_steps", "episodes", "gradient_interval"), 1, LARGE)
        positive_number("learning_rate", self.learning_rate)
        positive_number("max_state_gradient", self.max_state_gradient)
        number_in("final_reward_weight", self.final_reward_weight, 0.0)
        number_in("action_noise", self.action_noise, 0.0)
        number_in("weight_averaging", self.weight_averaging, 0.0, 1.0)
        check_sizes(self, ("seed",), 0, LARGEST_SEED)


def fine_tuning_preset(world: str) -> FineTuningSettings:
    """Return the preset of a world."""
    return FineTuningSettings(**worlds.training_presets(world).fine_tuning)


def fine_tune(
    world: str,
    policy: NetworkPolicy,
    settings: FineTuningSettings,
    evaluator: PolicyEvaluator,
    *,
    evaluations: int = 10,
    minutes: float | None = None,
    threads: int | None = None,
    report: Callable[[Evaluation], None] = lambda evaluation: None,
) -> tuple[NetworkPolicy, list[Evaluation]]:
    """Improve a policy by gradient steps on its mean return.

    The gradient is computed by backpropagation through whole episodes of the simulator, not estimated by a critic.

    Args:
        world: Id of the world.
        policy: Initial policy; its architecture is kept.
        settings: Settings of fine-tuning.
        evaluator: Evaluates a policy on nominal episodes.
        evaluations: Number of evaluations during the training.
        minutes: Time limit in minutes, which also sets the decay of the learning rate; None for no limit.
        threads: Number of threads of the simulation.
        report: Called after each evaluation.

    Returns:
        The best policy of all evaluations, and the learning curve.
    """
    check_effort(minutes, evaluations)
    if threads is not None:
        positive_integer("threads", threads)
    space = policy.space
    if policy.activation != "relu" or not isinstance(space, Box) or not policy.squash or policy.normaliser is not None:
        raise InvalidParameter(
            "only a policy with ReLU layers, a squashed output and no normaliser of observations can be fine-tuned."
        )
    rollout = DifferentiableRollout(
        world,
        settings.episodes,
        gradient_interval=settings.gradient_interval,
        max_state_gradient=settings.max_state_gradient,
        final_reward_weight=settings.final_reward_weight,
        threads=threads,
    )
    weights = [torch.tensor(part, requires_grad=True) for layer in policy.layers for part in layer]
    average = [weight.detach().clone() for weight in weights]
    optimizer = torch.optim.Adam(weights, betas=(0.9, 0.99))
    act = _actor(weights, space)
    start = time.perf_counter()
    best: tuple[float, NetworkPolicy] | None = None
    curve: list[Evaluation] = []
    share, due = 0.0, 1
    with progress(f"Fine-tuning a policy of {world}", total=settings.gradient_steps) as tick:
        for update in range(1, settings.gradient_steps + 1):
            first = FIRST_SEED + settings.seed * 1_000_003 + (update - 1) * settings.episodes
            returns = rollout(_with_action_noise(act, space, settings, first), first + np.arange(settings.episodes))
            optimizer.zero_grad()
            (-returns.sum() / settings.episodes).backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(weights, MAX_GRADIENT_NORM)
            optimizer.param_groups[0]["lr"] = (
                settings.learning_rate * min(1.0, update / WARMUP_UPDATES) * _cosine_decay(share)
            )
            optimizer.step()
            torch._foreach_lerp_(
                average,
                [weight.detach() for weight in weights],
                1.0 - _averaging_weight(settings.weight_averaging, update),
            )
            tick(1)
            passed = (time.perf_counter() - start) / (60.0 * minutes) if minutes else 0.0
            share = min(max(update / settings.gradient_steps, passed), 1.0)
            if share * evaluations >= due:
                due = int(share * evaluations) + 1
                fine_tuned = _policy(average, policy)
                mean, success = evaluator(fine_tuned)
                transitions = update * settings.episodes * rollout.limit
                curve.append(Evaluation(transitions, time.perf_counter() - start, mean, success))
                report(curve[-1])
                if best is None or mean > best[0]:
                    best = (mean, fine_tuned)
            if share == 1.0:
                break
    assert best is not None
    return best[1], curve


def _cosine_decay(share: float) -> float:
    """Return the factor of the learning rate after a fraction of the training."""
    return FINAL_RATE + (1.0 - FINAL_RATE) * 0.5 * (1.0 + math.cos(math.pi * share))


def _averaging_weight(most: float, update: int) -> float:
    """Return the decay of the average: small at first, when the weights still change much."""
    return min(most, update / (update + 10))


def _actor(weights: list[Tensor], space: Box) -> Callable[[Tensor], Tensor]:
    """Return the policy of the weights as a function from observations to actions."""
    high, low = torch.as_tensor(space.high), torch.as_tensor(space.low)
    *hidden, last = zip(weights[::2], weights[1::2], strict=True)

    def act(observations: Tensor) -> Tensor:
        values = observations
        for weight, bias in hidden:
            values = torch.relu(torch.addmm(bias, values, weight))
        weight, bias = last
        return (high + low) / 2.0 + (high - low) / 2.0 * torch.tanh(torch.addmm(bias, values, weight))

    return act


def _with_action_noise(
    act: Callable[[Tensor], Tensor], space: Box, settings: FineTuningSettings, seed: int
) -> Callable[[Tensor], Tensor]:
    """Return the policy with action noise, whose level depends on the episode."""
    generator = torch.Generator().manual_seed(seed)
    high, low = torch.as_tensor(space.high), torch.as_tensor(space.low)
    spreads = settings.action_noise * (torch.arange(settings.episodes) % NOISE_LEVELS) / (NOISE_LEVELS - 1)
    reach = spreads[:, None] * (high - low) / 2.0

    def noisy(observations: Tensor) -> Tensor:
        actions = act(observations)
        return (actions + reach * torch.randn(actions.shape, generator=generator)).clamp(low, high)

    return noisy


def _policy(weights: list[Tensor], like: NetworkPolicy) -> NetworkPolicy:
    parts = [weight.numpy().copy() for weight in weights]
    return NetworkPolicy(list(zip(parts[::2], parts[1::2], strict=True)), like.space)
