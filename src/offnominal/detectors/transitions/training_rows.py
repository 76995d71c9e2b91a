"""Training inputs and targets as tensors on the device of the network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from offnominal.core.cuda_graph import ReplayedUpdate
from offnominal.detectors.random_numbers import RandomNumbers

N_LENGTHS = 8
"""Number of different lengths of batches of sequences on a GPU, each of which has a CUDA graph."""


class RowBatch(NamedTuple):
    """Rows of one update.

    Args:
        indices: Indices of the rows.
        steps: Steps of the longest of them, if rows are sequences.
    """

    indices: Tensor
    steps: int | None = None


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """Inputs and targets: one row per transition, or one row per episode with time as the second axis.

    Args:
        inputs: (n, ..., width).
        targets: (n, ..., width).
        mask: (n, ...): 0 for the padding after the end of an episode, otherwise 1.
        lengths: (n,): steps of each episode, on the CPU; None if a row is a transition.
    """

    inputs: Tensor
    targets: Tensor
    mask: Tensor
    lengths: Tensor | None = None

    def __len__(self) -> int:
        return len(self.inputs)

    def take(self, batch: RowBatch) -> TrainingRows:
        """Return the rows of a batch; padding after its longest sequence is removed."""
        indices, steps = batch
        inputs, targets, mask = self.inputs[indices], self.targets[indices], self.mask[indices]
        if steps is None:
            return TrainingRows(inputs, targets, mask)
        return TrainingRows(inputs[:, :steps], targets[:, :steps], mask[:, :steps])

    def shuffled(self, batch_size: int, random: RandomNumbers) -> list[RowBatch]:
        """Return all rows in random order, in batches."""
        return self.batches(random.permutation(len(self), self.inputs.device), batch_size)

    def batches(self, order: Tensor, batch_size: int) -> list[RowBatch]:
        """Return rows in an order, in batches."""
        parts = torch.split(order, batch_size)
        if self.lengths is None:
            return [RowBatch(indices) for indices in parts]
        lengths = torch.split(self.lengths[order.cpu()], batch_size)
        return [RowBatch(indices, self._steps(int(part.max()))) for indices, part in zip(parts, lengths, strict=True)]

    def _steps(self, longest: int) -> int:
        """Return the steps of a batch: those of its longest sequence, on a GPU rounded up to one of few lengths."""
        if not self.inputs.is_cuda:
            return longest
        unit = -(-self.mask.shape[1] // N_LENGTHS)
        return min(-(-longest // unit) * unit, self.mask.shape[1])

    def mean(self, losses: Tensor) -> Tensor:
        """Return the mean of losses without padding; the last axes of losses are those of the mask."""
        mask = self.mask.expand_as(losses)
        return (losses * mask).sum() / mask.sum()


Losses = Callable[[TrainingRows], Tensor]
"""Returns one loss per row, or per row and time."""


@torch.inference_mode()
def mean_loss(rows: TrainingRows, losses: Losses, batch_size: int) -> float:
    """Return the mean loss over all rows, computed in batches."""
    device = rows.inputs.device
    # The sum stays on the device: reading it for every batch would wait for the GPU each time.
    total = torch.zeros((), dtype=torch.float64, device=device)
    for batch in rows.batches(torch.arange(len(rows), device=device), batch_size):
        part = rows.take(batch)
        total += (part.mean(losses(part)) * part.mask.sum()).double()
    return float(total) / float(rows.mask.sum())


def replayed_on_gpu(update: Callable[[RowBatch], Tensor], random: RandomNumbers) -> Callable[[RowBatch], Tensor]:
    """Return an update of weights that a GPU replays from a CUDA graph; on a CPU the update itself.

    Args:
        update: Changes the weights with a batch and returns the loss, without synchronising with the GPU.
        random: Source of the random numbers of the update.
    """
    if random.device.type != "cuda":
        return update
    replayed = ReplayedUpdate(lambda indices, steps: update(RowBatch(indices, steps)), random.generator)

    def replay(batch: RowBatch) -> Tensor:
        loss = replayed(batch.indices, batch.steps)
        assert loss is not None
        return loss

    return replay
