"""The training loop: descend on batches, stop when unseen episodes say so, keep the weights that did best on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from offnominal.core.episode import Episode
from offnominal.core.progress_bar import progress
from offnominal.core.types import FloatArray
from offnominal.detectors.random_numbers import RandomNumbers

HELD_OUT = 0.1

Batch = TypeVar("Batch")


def train(
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    *,
    batches: Callable[[], Iterable[Batch]],
    loss: Callable[[Batch], Tensor],
    check: Callable[[], float],
    n_epochs: int,
    patience: int,
    max_grad_norm: float | None = None,
    title: str = "Training",
) -> FloatArray:
    """Train a network in place and return its learning curve: mean training loss and check of every epoch.

    Args:
        network: Left with the weights that had the smallest check.
        optimizer: Of its weights.
        batches: Returns the batches of one epoch.
        loss: Of a batch.
        check: Returns the loss on unseen data.
        n_epochs: How many at most.
        patience: Epochs without a better check after which to stop.
        max_grad_norm: Largest norm of a gradient.
        title: What the progress line says.
    """
    curve: list[tuple[float, float]] = []
    network.eval()
    best, weights, since = check(), _copy(network), 0
    with progress(title, total=n_epochs) as tick:
        while len(curve) < n_epochs and since < patience:
            network.train()
            losses = [_gradient_step(network, optimizer, loss(batch), max_grad_norm) for batch in batches()]
            network.eval()
            checked = check()
            curve.append((float(torch.stack(losses).mean()), checked))
            since += 1
            if checked < best:
                best, weights, since = checked, _copy(network), 0
            tick(note=f"{checked:.4g}")
    network.load_state_dict(weights)
    return np.array(curve, np.float64).reshape(-1, 2)


def _gradient_step(
    network: nn.Module, optimizer: torch.optim.Optimizer, loss: Tensor, max_grad_norm: float | None
) -> Tensor:
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    if max_grad_norm is not None:
        nn.utils.clip_grad_norm_(network.parameters(), max_grad_norm)
    optimizer.step()
    return loss.detach()


def _copy(network: nn.Module) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in network.state_dict().items()}


def split_validation(
    episodes: Sequence[Episode], validation: Sequence[Episode] | None, random: RandomNumbers
) -> tuple[Sequence[Episode], Sequence[Episode]]:
    """Return the episodes to learn from, and those to stop by: a tenth of them if no others are given.

    A single episode is both.
    """
    if validation is not None or len(episodes) == 1:
        return episodes, validation or episodes
    known, unseen = split_indices(len(episodes), random)
    return [episodes[i] for i in known], [episodes[i] for i in unseen]


def split_indices(episodes: int, random: RandomNumbers) -> tuple[list[int], list[int]]:
    """Return the numbers of the episodes to learn from, and those of a tenth of them to stop by; one is both."""
    order: list[int] = random.permutation(episodes).tolist()
    if episodes == 1:
        return order, order
    last = episodes - max(1, round(HELD_OUT * episodes))
    return order[:last], order[last:]
