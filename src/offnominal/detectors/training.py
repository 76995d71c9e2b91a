"""The training loop of every detector with a network: epochs, early stopping, checkpoint of the best weights."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from offnominal.core.episode import Episode
from offnominal.core.progress_bar import progress
from offnominal.core.types import FloatArray
from offnominal.detectors.random_numbers import RandomNumbers

StopReason = Literal["completed", "patience", "max_seconds", "diverged"]
Batch = TypeVar("Batch")

HELD_OUT = 0.1
"""Fraction of the episodes that is held out for validation if no validation episodes are given."""


@dataclass(slots=True)
class TrainingHistory:
    """Losses and length of a training.

    Args:
        validation_losses: Validation loss before the first epoch and after each epoch; infinite without validation.
        training_losses: Mean loss of the updates of each epoch, as scalar tensors; empty if updates return no loss.
        n_updates: Number of updates.
        stop_reason: ``"completed"``, or why training stopped early.
    """

    validation_losses: list[float] = field(default_factory=list)
    training_losses: list[Tensor] = field(default_factory=list)
    n_updates: int = 0
    stop_reason: StopReason = "completed"

    def training_curve(self) -> FloatArray:
        """Return the training loss of each epoch, (n_epochs,)."""
        return torch.stack(self.training_losses).cpu().numpy().astype(np.float64)

    def learning_curve(self) -> FloatArray:
        """Return training loss and validation loss of each epoch, (n_epochs, 2)."""
        return np.column_stack([self.training_curve(), self.validation_losses[1:]])


class EarlyStopping:
    """Validates a network, keeps a checkpoint of its best weights, and decides when to stop.

    Args:
        validate: Returns the loss on held-out data; called without gradients and with the network in evaluation mode.
        patience: Number of validations in a row without a smaller loss after which training stops.
        collapse_loss: If given, validations in a row with a loss at or below this value count against the patience
            instead, and no checkpoint is kept. It stops adversarial training once the discriminator has won.
        stop_if_diverged: Whether to stop at a loss that is not finite.
    """

    def __init__(
        self,
        validate: Callable[[], float],
        patience: int,
        *,
        collapse_loss: float | None = None,
        stop_if_diverged: bool = False,
    ) -> None:
        self._validate = validate
        self._patience = patience
        self._collapse_loss = collapse_loss
        self._stop_if_diverged = stop_if_diverged
        self._best = math.inf
        self._checkpoint: dict[str, Tensor] | None = None
        self._without_progress = 0

    def validate(self, network: nn.Module) -> tuple[float, StopReason | None]:
        """Return the validation loss, and the reason to stop if there is one."""
        network.eval()
        with torch.no_grad():
            loss = self._validate()
        if self._stop_if_diverged and not math.isfinite(loss):
            return loss, "diverged"
        if self._collapse_loss is not None:
            progressed = loss > self._collapse_loss
        else:
            progressed = self._checkpoint is None or loss < self._best
            if progressed:
                self._best = loss
                self._checkpoint = {name: value.clone() for name, value in network.state_dict().items()}
        self._without_progress = 0 if progressed else self._without_progress + 1
        return loss, "patience" if self._without_progress >= self._patience else None

    def restore(self, network: nn.Module) -> None:
        """Load the checkpoint, if one was kept."""
        if self._checkpoint is not None:
            network.load_state_dict(self._checkpoint)


class GradientStep:
    """One update of the weights: backpropagate a loss, clip the gradient, step the optimizer and its schedule.

    Args:
        optimizer: Optimizer of the weights.
        max_grad_norm: Largest norm of the gradient; None for no clipping.
        schedule: Learning rate schedule, advanced after every update.
    """

    def __init__(
        self,
        optimizer: torch.optim.Optimizer,
        *,
        max_grad_norm: float | None = None,
        schedule: torch.optim.lr_scheduler.LRScheduler | None = None,
    ) -> None:
        self._optimizer = optimizer
        self._max_grad_norm = max_grad_norm
        self._schedule = schedule

    def __call__(self, loss: Tensor) -> Tensor:
        """Take one step down the loss and return its value."""
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        if self._max_grad_norm is not None:
            weights = [weight for group in self._optimizer.param_groups for weight in group["params"]]
            nn.utils.clip_grad_norm_(weights, self._max_grad_norm)
        self._optimizer.step()
        if self._schedule is not None:
            self._schedule.step()
        return loss.detach()


def train(
    network: nn.Module,
    update: Callable[[Batch], Tensor | None],
    batches: Callable[[int], Iterable[Batch]],
    *,
    n_epochs: int,
    stopping: EarlyStopping | None = None,
    max_seconds: float | None = None,
    title: str = "Training",
) -> TrainingHistory:
    """Train a network in place; it ends in evaluation mode.

    An epoch is a number of batches between two validations.

    Args:
        network: Network to train. It ends with the weights of the smallest validation loss, or with the last weights
            if `stopping` keeps no checkpoint.
        update: Changes the weights with one batch, for example by a :class:`GradientStep`. It may use several
            optimizers, as adversarial training does. If it returns the loss, the history contains it.
        batches: Returns the batches of the epoch of this number.
        n_epochs: Number of epochs at most.
        stopping: Validation and early stopping; None trains all epochs.
        max_seconds: Wall-clock limit, checked after each epoch. With a limit, the result depends on the machine.
        title: Text of the progress line.
    """
    history, loss, began = TrainingHistory(), math.inf, time.monotonic()
    with progress(title, total=n_epochs) as tick:
        for epoch in range(n_epochs + 1):
            reason: StopReason | None = None
            if stopping is not None:
                loss, reason = stopping.validate(network)
            history.validation_losses.append(loss)
            if reason is None and max_seconds is not None and time.monotonic() - began > max_seconds:
                reason = "max_seconds"
            if reason is not None:
                history.stop_reason = reason
                break
            if epoch < n_epochs:
                _run_epoch(network, update, batches(epoch), history)
                tick(note=f"{loss:.4g}")
    if stopping is not None:
        stopping.restore(network)
    network.eval()
    return history


def _run_epoch(
    network: nn.Module, update: Callable[[Batch], Tensor | None], batches: Iterable[Batch], history: TrainingHistory
) -> None:
    network.train()
    results = [update(batch) for batch in batches]
    losses = [loss for loss in results if loss is not None]
    history.n_updates += len(results)
    if losses:
        history.training_losses.append(torch.stack(losses).mean())


def sample_batches(
    rows: Tensor, random: RandomNumbers, *, batch_size: int, max_iter: int, validate_every: int
) -> tuple[Callable[[int], Iterator[Tensor]], int]:
    """Return the batches of each epoch, drawn with replacement from rows, and the number of epochs.

    Args:
        rows: Training rows, on the device of the network.
        random: Source of the row indices.
        batch_size: Rows per batch.
        max_iter: Number of batches of all epochs together.
        validate_every: Number of batches of an epoch; the last epoch may have fewer.
    """

    def batches(epoch: int) -> Iterator[Tensor]:
        n = min(validate_every, max_iter - epoch * validate_every)
        indices = random.integers(len(rows), (n, batch_size), rows.device).unbind()
        return (rows.index_select(0, index) for index in indices)

    return batches, math.ceil(max_iter / validate_every)


def split_validation(
    episodes: Sequence[Episode], validation: Sequence[Episode] | None, random: RandomNumbers
) -> tuple[Sequence[Episode], Sequence[Episode]]:
    """Return training and validation episodes; without validation episodes a random tenth is held out.

    A single episode is used for both.
    """
    if validation is not None or len(episodes) == 1:
        return episodes, validation or episodes
    training, held_out = split_indices(len(episodes), random)
    return [episodes[i] for i in training], [episodes[i] for i in held_out]


def split_indices(n_episodes: int, random: RandomNumbers) -> tuple[list[int], list[int]]:
    """Return the indices of training episodes and of a random tenth for validation; a single episode is both."""
    order: list[int] = random.permutation(n_episodes).tolist()
    if n_episodes == 1:
        return order, order
    n_training = n_episodes - max(1, round(HELD_OUT * n_episodes))
    return order[:n_training], order[n_training:]
