"""What a network learns from, as tensors that are already where the network is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from offnominal.detectors.random_numbers import RandomNumbers


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """Inputs and targets: one row per transition, or per episode with time as the second axis.

    Args:
        inputs: (n, ..., width).
        targets: (n, ..., width).
        mask: (n, ...): 1, or 0 for the padding behind an episode's end.
    """

    inputs: Tensor
    targets: Tensor
    mask: Tensor

    def __len__(self) -> int:
        return len(self.inputs)

    def take(self, index: Tensor) -> TrainingRows:
        """Return the rows of these numbers; time that none of them reaches is cut off."""
        real = self.mask[index]
        if self.mask.ndim == 1:
            return TrainingRows(self.inputs[index], self.targets[index], real)
        steps = int(real.sum(dim=-1).max())
        return TrainingRows(self.inputs[index, :steps], self.targets[index, :steps], real[:, :steps])

    def shuffled(self, batch_size: int, random: RandomNumbers) -> list[Tensor]:
        """Return the numbers of all rows in random order, in batches."""
        return list(torch.split(random.permutation(len(self), self.inputs.device), batch_size))

    def mean(self, losses: Tensor) -> Tensor:
        """Return the mean of losses whose last axes are the rows', padding left out."""
        real = self.mask.expand_as(losses)
        return (losses * real).sum() / real.sum()


Losses = Callable[[TrainingRows], Tensor]
"""Returns one loss per row, and per time if there is one."""


@torch.inference_mode()
def average(rows: TrainingRows, losses: Losses, batch_size: int) -> float:
    """Return the mean loss over all rows; so many are looked at together."""
    total = 0.0
    for index in torch.split(torch.arange(len(rows), device=rows.inputs.device), batch_size):
        part = rows.take(index)
        total += float(part.mean(losses(part)) * part.mask.sum())
    return total / float(rows.mask.sum())
