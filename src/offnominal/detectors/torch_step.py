"""One transition of each of several episodes, as tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class TorchStep:
    """One transition of each of n episodes, as tensors.

    Args:
        observation: (n, width) double, or (n, 3, H, W) uint8 for images.
        action: (n, width) double, or (n,) integers for discrete actions.
        next_observation: As `observation`.
    """

    observation: Tensor
    action: Tensor
    next_observation: Tensor
