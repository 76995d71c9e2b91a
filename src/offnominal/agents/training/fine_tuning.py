"""Polishing: a trained policy climbs the slope of its own return."""

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
    """Everything that decides how a policy is polished.

    Args:
        gradient_steps: Gradient steps.
        episodes: Episodes behind each gradient, never the same twice.
        learning_rate: Learning rate of Adam, which falls along half a cosine.
        gradient_interval: Transitions from one whose slopes are computed to the next.
        max_state_gradient: Largest slope of an episode's return by its state that is passed on to earlier transitions.
        final_reward_weight: How many times more the last reward counts.
        action_noise: Largest standard deviation of noise on the actions, as a share of half their range. The ith of
            five episodes in a row has i quarters of it. Without any, a policy forgets what to do beside its path.
        weight_averaging: Share of the past that stays in the exported average of the weights per update.
        seed: Chooses the episodes.
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
    """Return the settings that suit a world."""
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
    """Improve a policy by gradient steps on the mean return itself, and return the best one seen with its curve.

    Reinforcement learning guesses the gradient of the return from a critic; here it is computed, backwards through
    whole episodes of the simulation.

    Args:
        world: Id of the world.
        policy: Where to begin; it keeps its shape.
        settings: How.
        evaluator: Evaluates a policy on nominal episodes.
        evaluations: How often to judge on the way.
        minutes: Stop after this long even if updates are left; the rate falls accordingly.
        threads: Threads of the simulation.
        report: Called after each evaluation.
    """
    check_effort(minutes, evaluations)
    if threads is not None:
        positive_integer("threads", threads)
    if policy.activation != "relu" or not policy.squash:
        raise InvalidParameter("only a policy of rectified layers with a squashed output can be polished.")
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
    act = _actor(weights, policy)
    start = time.perf_counter()
    best: tuple[float, NetworkPolicy] | None = None
    curve: list[Evaluation] = []
    share, due = 0.0, 1
    with progress(f"Polishing a policy of {world}", total=settings.gradient_steps) as tick:
        for update in range(1, settings.gradient_steps + 1):
            first = FIRST_SEED + settings.seed * 1_000_003 + (update - 1) * settings.episodes
            returns = rollout(
                _with_action_noise(act, policy.space, settings, first), first + np.arange(settings.episodes)
            )
            optimizer.zero_grad()
            (-returns.sum() / settings.episodes).backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(weights, MAX_GRADIENT_NORM)
            optimizer.param_groups[0]["lr"] = (
                settings.learning_rate * min(1.0, update / WARMUP_UPDATES) * _cosine_decay(share)
            )
            optimizer.step()
            torch._foreach_lerp_(
                average, [each.detach() for each in weights], 1.0 - _averaging_weight(settings.weight_averaging, update)
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
    """Return the part of the rate that is left after a share of the updates."""
    return FINAL_RATE + (1.0 - FINAL_RATE) * 0.5 * (1.0 + math.cos(math.pi * share))


def _averaging_weight(most: float, update: int) -> float:
    """Return how much of the average stays: little at first, when the weights still move far."""
    return min(most, update / (update + 10))


def _actor(weights: list[Tensor], policy: NetworkPolicy) -> Callable[[Tensor], Tensor]:
    """Return what the weights choose for observations, within the limits of the actions."""
    high, low = torch.as_tensor(policy.space.high), torch.as_tensor(policy.space.low)
    *hidden, last = zip(weights[::2], weights[1::2], strict=True)

    def act(seen: Tensor) -> Tensor:
        for weight, bias in hidden:
            seen = torch.relu(torch.addmm(bias, seen, weight))
        weight, bias = last
        return (high + low) / 2.0 + (high - low) / 2.0 * torch.tanh(torch.addmm(bias, seen, weight))

    return act


def _with_action_noise(
    act: Callable[[Tensor], Tensor], space: Box, settings: FineTuningSettings, seed: int
) -> Callable[[Tensor], Tensor]:
    """Return what is executed of what the weights choose: some episodes are noisy."""
    generator = torch.Generator().manual_seed(seed)
    high, low = torch.as_tensor(space.high), torch.as_tensor(space.low)
    spreads = settings.action_noise * (torch.arange(settings.episodes) % NOISE_LEVELS) / (NOISE_LEVELS - 1)
    reach = spreads[:, None] * (high - low) / 2.0

    def action_noise(seen: Tensor) -> Tensor:
        chosen = act(seen)
        return (chosen + reach * torch.randn(chosen.shape, generator=generator)).clamp(low, high)

    return action_noise


def _policy(weights: list[Tensor], like: NetworkPolicy) -> NetworkPolicy:
    parts = [weight.numpy().copy() for weight in weights]
    return NetworkPolicy(list(zip(parts[::2], parts[1::2], strict=True)), like.space)
