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

from offnominal.agents.learning.loop import Evaluation, Judge
from offnominal.agents.learning.rehearsal import Rehearsal
from offnominal.agents.learning.settings import FIRST_SEED, LARGE, LARGEST_SEED, check_effort, check_sizes
from offnominal.agents.network import NetworkPolicy
from offnominal.core.checks import number_in, positive_integer, positive_number
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.core.progress import progress

WARM_UP = 20
LAST_RATE = 0.02
LONGEST_GRADIENT = 1.0
KINDS = 5


@dataclass(frozen=True)
class PolishSettings(Config):
    """Everything that decides how a policy is polished.

    Args:
        updates: Gradient steps.
        episodes: Episodes behind each gradient, never the same twice.
        rate: Learning rate of Adam, which falls along half a cosine.
        every: Transitions from one whose slopes are computed to the next.
        bound: Largest slope of an episode's return by its state that is passed on to earlier transitions.
        ending: How many times more the last reward counts.
        stumble: Largest standard deviation of noise on the actions, as a share of half their range. The ith of five
            episodes in a row has i quarters of it. Without any, a policy forgets what to do beside its path.
        memory: Share of the past that stays in the exported average of the weights per update.
        seed: Chooses the episodes.
    """

    updates: int = 400
    episodes: int = 128
    rate: float = 1e-4
    every: int = 1
    bound: float = 10.0
    ending: float = 0.0
    stumble: float = 0.1
    memory: float = 0.98
    seed: int = 0

    def __post_init__(self) -> None:
        check_sizes(self, ("updates", "episodes", "every"), 1, LARGE)
        positive_number("rate", self.rate)
        positive_number("bound", self.bound)
        number_in("ending", self.ending, 0.0)
        number_in("stumble", self.stumble, 0.0)
        number_in("memory", self.memory, 0.0, 1.0)
        check_sizes(self, ("seed",), 0, LARGEST_SEED)


PRESETS = {
    "MJC-CartpoleSwingup-v0": PolishSettings(),
    "MJC-Reacher3D-v0": PolishSettings(episodes=64, rate=3e-4, every=10, bound=1000.0),
}


def polish(
    world: str,
    policy: NetworkPolicy,
    settings: PolishSettings,
    judge: Judge,
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
        judge: Evaluates a policy on nominal episodes.
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
    rehearse = Rehearsal(
        world,
        settings.episodes,
        every=settings.every,
        bound=settings.bound,
        ending=settings.ending,
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
    with progress(f"Polishing a policy of {world}", total=settings.updates) as tick:
        for update in range(1, settings.updates + 1):
            first = FIRST_SEED + settings.seed * 1_000_003 + (update - 1) * settings.episodes
            returns = rehearse(_stumbling(act, policy.space, settings, first), first + np.arange(settings.episodes))
            optimizer.zero_grad()
            (-returns.sum() / settings.episodes).backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(weights, LONGEST_GRADIENT)
            optimizer.param_groups[0]["lr"] = settings.rate * min(1.0, update / WARM_UP) * _fallen(share)
            optimizer.step()
            torch._foreach_lerp_(average, [each.detach() for each in weights], 1.0 - _memory(settings.memory, update))
            tick(1)
            passed = (time.perf_counter() - start) / (60.0 * minutes) if minutes else 0.0
            share = min(max(update / settings.updates, passed), 1.0)
            if share * evaluations >= due:
                due = int(share * evaluations) + 1
                polished = _policy(average, policy)
                mean, success = judge(polished)
                transitions = update * settings.episodes * rehearse.limit
                curve.append(Evaluation(transitions, time.perf_counter() - start, mean, success))
                report(curve[-1])
                if best is None or mean > best[0]:
                    best = (mean, polished)
            if share == 1.0:
                break
    assert best is not None
    return best[1], curve


def _fallen(share: float) -> float:
    """Return the part of the rate that is left after a share of the updates."""
    return LAST_RATE + (1.0 - LAST_RATE) * 0.5 * (1.0 + math.cos(math.pi * share))


def _memory(most: float, update: int) -> float:
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


def _stumbling(
    act: Callable[[Tensor], Tensor], space: Box, settings: PolishSettings, seed: int
) -> Callable[[Tensor], Tensor]:
    """Return what is executed of what the weights choose: some episodes are noisy."""
    draw = torch.Generator().manual_seed(seed)
    high, low = torch.as_tensor(space.high), torch.as_tensor(space.low)
    spreads = settings.stumble * (torch.arange(settings.episodes) % KINDS) / (KINDS - 1)
    reach = spreads[:, None] * (high - low) / 2.0

    def stumble(seen: Tensor) -> Tensor:
        chosen = act(seen)
        return (chosen + reach * torch.randn(chosen.shape, generator=draw)).clamp(low, high)

    return stumble


def _policy(weights: list[Tensor], like: NetworkPolicy) -> NetworkPolicy:
    parts = [weight.numpy().copy() for weight in weights]
    return NetworkPolicy(list(zip(parts[::2], parts[1::2], strict=True)), like.space)
