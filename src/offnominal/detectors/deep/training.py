"""The training loop: random batches, checks on rows kept apart, and the weights that did best on them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor, nn

from offnominal.core.progress import progress
from offnominal.detectors.random_numbers import RandomNumbers

Stopped = Literal["patience", "iterations", "seconds", "diverged"]


@dataclass(frozen=True, slots=True)
class Budget:
    """How long to train.

    Args:
        iterations: Batches at most.
        every: Batches between two checks.
        patience: Checks without progress after which to stop.
        seconds: Wall-clock limit; None for none. What is learned then depends on the machine.
    """

    iterations: int
    every: int
    patience: int
    seconds: float | None = None


@dataclass(slots=True)
class Training:
    """What happened: the value of every check, the first one before any step, and why it ended."""

    checks: list[float] = field(default_factory=list)
    iterations: int = 0
    stopped: Stopped = "iterations"


def train(
    network: nn.Module,
    step: Callable[[Tensor, RandomNumbers], None],
    rows: Tensor,
    *,
    random: RandomNumbers,
    batch: int,
    budget: Budget,
    check: Callable[[RandomNumbers], float] | None = None,
    won: float | None = None,
    seed: int = 0,
    title: str = "Training",
) -> Training:
    """Train a network in place.

    A batch is drawn with replacement from rows that already lie where the network is. Every check sees the same random
    numbers, so that checks can be compared.

    Args:
        network: Left with the weights of the best check; with the last ones if nothing is checked or `won` is given.
        step: Takes one batch and random numbers, and changes the weights.
        rows: To draw from.
        random: Draws batches, and what a step draws.
        batch: Rows per step.
        budget: How long.
        check: Returns what unseen rows say, given random numbers; smaller is better. None trains to the end.
        won: A check at or below it, rather than one without progress, counts against the patience: the discriminator
            of an adversarial pair has won, and there is nothing left to learn from it.
        seed: Of the random numbers of the checks.
        title: What the progress line says.
    """
    told, since, best, weights = Training(), 0, math.inf, None
    began = time.monotonic()
    rounds = math.ceil(budget.iterations / budget.every)
    with progress(title, total=rounds) as tick:
        for _ in range(rounds + 1):
            value = math.inf if check is None else _checked(network, check, seed, rows.device)
            told.checks.append(value)
            if check is not None and not math.isfinite(value):
                told.stopped = "diverged"
                break
            since = since + 1 if (value >= best if won is None else value <= won) else 0
            if value < best:
                best, weights = value, _copy(network) if won is None else None
            if check is not None and since >= budget.patience:
                told.stopped = "patience"
                break
            if budget.seconds is not None and time.monotonic() - began > budget.seconds:
                told.stopped = "seconds"
                break
            left = min(budget.every, budget.iterations - told.iterations)
            for index in random.integers(len(rows), (left, batch), rows.device).unbind():
                step(rows.index_select(0, index), random)
            told.iterations += left
            tick(note=f"{value:.4g}")
    if weights is not None:
        network.load_state_dict(weights)
    network.eval()
    return told


def _checked(network: nn.Module, check: Callable[[RandomNumbers], float], seed: int, place: torch.device) -> float:
    network.eval()
    with torch.no_grad():
        value = check(RandomNumbers(seed, place))
    network.train()
    return value


def _copy(network: nn.Module) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in network.state_dict().items()}
