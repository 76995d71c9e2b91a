"""The training loop: random batches, checks on rows kept apart, and the weights that did best on them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor, nn

from offnominal.core.progress_bar import progress
from offnominal.detectors.random_numbers import RandomNumbers

StopReason = Literal["patience", "iterations", "seconds", "diverged"]


@dataclass(frozen=True, slots=True)
class TrainingBudget:
    """How long to train.

    Args:
        max_iter: Batches at most.
        validate_every: Batches between two checks.
        patience: Checks without progress after which to stop.
        seconds: Wall-clock limit; None for none. What is learned then depends on the machine.
    """

    iterations: int
    validate_every: int
    patience: int
    seconds: float | None = None


@dataclass(slots=True)
class TrainingHistory:
    """What happened: the value of every check, the first one before any step, and why it ended."""

    checks: list[float] = field(default_factory=list)
    iterations: int = 0
    stopped: StopReason = "iterations"


def train(
    network: nn.Module,
    step: Callable[[Tensor, RandomNumbers], None],
    rows: Tensor,
    *,
    random: RandomNumbers,
    batch_size: int,
    budget: TrainingBudget,
    check: Callable[[RandomNumbers], float] | None = None,
    collapsed: float | None = None,
    seed: int = 0,
    title: str = "Training",
) -> TrainingHistory:
    """Train a network in place.

    A batch is drawn with replacement from rows that already lie where the network is. Every check sees the same random
    numbers, so that checks can be compared.

    Args:
        network: Left with the weights of the best check; with the last ones if nothing is checked or `collapsed` is
            given.
        step: Takes one batch and random numbers, and changes the weights.
        rows: To draw from.
        random: Draws batches, and what a step draws.
        batch_size: Rows per step.
        budget: How long.
        check: Returns what unseen rows say, given random numbers; smaller is better. None trains to the end.
        collapsed: A check at or below it, rather than one without progress, counts against the patience: the
            discriminator of an adversarial pair has won, and there is nothing left to learn from it.
        seed: Of the random numbers of the checks.
        title: What the progress line says.
    """
    history, since, best, weights = TrainingHistory(), 0, math.inf, None
    began = time.monotonic()
    rounds = math.ceil(budget.iterations / budget.validate_every)
    with progress(title, total=rounds) as tick:
        for _ in range(rounds + 1):
            value = math.inf if check is None else _checked(network, check, seed, rows.device)
            history.checks.append(value)
            if check is not None and not math.isfinite(value):
                history.stopped = "diverged"
                break
            since = since + 1 if (value >= best if collapsed is None else value <= collapsed) else 0
            if value < best:
                best, weights = value, _copy(network) if collapsed is None else None
            if check is not None and since >= budget.patience:
                history.stopped = "patience"
                break
            if budget.seconds is not None and time.monotonic() - began > budget.seconds:
                history.stopped = "seconds"
                break
            left = min(budget.validate_every, budget.iterations - history.iterations)
            for index in random.integers(len(rows), (left, batch_size), rows.device).unbind():
                step(rows.index_select(0, index), random)
            history.iterations += left
            tick(note=f"{value:.4g}")
    if weights is not None:
        network.load_state_dict(weights)
    network.eval()
    return history


def _checked(network: nn.Module, check: Callable[[RandomNumbers], float], seed: int, place: torch.device) -> float:
    network.eval()
    with torch.no_grad():
        value = check(RandomNumbers(seed, place))
    network.train()
    return value


def _copy(network: nn.Module) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in network.state_dict().items()}
