"""Training inputs and targets as tensors on the device of the network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from offnominal.detectors.random_numbers import RandomNumbers


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """Inputs and targets: one row per transition, or one row per episode with time as the second axis.

    Args:
        inputs: (n, ..., width).
        targets: (n, ..., width).
        mask: (n, ...): 0 for the padding after the end of an episode, otherwise 1.
    """

    inputs: Tensor
    targets: Tensor
    mask: Tensor

    def __len__(self) -> int:
        return len(self.inputs)

    def take(self, index: Tensor) -> TrainingRows:
        """Return the rows of these indices; padding after the longest of them is removed."""
        mask = self.mask[index]
        if self.mask.ndim == 1:
            return TrainingRows(self.inputs[index], self.targets[index], mask)
        steps = int(mask.sum(dim=-1).max())
        return TrainingRows(self.inputs[index, :steps], self.targets[index, :steps], mask[:, :steps])

    def shuffled(self, batch_size: int, random: RandomNumbers) -> list[Tensor]:
        """Return the indices of all rows in random order, in batches."""
        return list(torch.split(random.permutation(len(self), self.inputs.device), batch_size))

    def mean(self, losses: Tensor) -> Tensor:
        """Return the mean of losses without padding; the last axes of losses are those of the mask."""
        mask = self.mask.expand_as(losses)
        return (losses * mask).sum() / mask.sum()


Losses = Callable[[TrainingRows], Tensor]
"""Returns one loss per row, or per row and time."""


@torch.inference_mode()
def mean_loss(rows: TrainingRows, losses: Losses, batch_size: int) -> float:
    """Return the mean loss over all rows, computed in batches."""
    total = 0.0
    for index in torch.split(torch.arange(len(rows), device=rows.inputs.device), batch_size):
        part = rows.take(index)
        total += float(part.mean(losses(part)) * part.mask.sum())
    return total / float(rows.mask.sum())
