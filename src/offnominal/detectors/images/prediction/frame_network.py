"""The contract of a network that predicts frames."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from torch import Tensor, nn

from offnominal.detectors.random_numbers import RandomNumbers


class FrameNetwork(nn.Module, ABC):
    """A network that predicts the next frame of an episode.

    All methods take parts of n episodes: frames (n, time + 1, 3, H, W) in :attr:`pixel_range`, normalised actions
    (n, time, width) and the recurrent state (n, state_size), which is zero at the start of an episode.
    """

    pixel_range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    """Values of black and white pixels."""

    state_size: int = 0
    """Size of the recurrent state of one episode."""

    @abstractmethod
    def anomaly_scores(self, frames: Tensor, actions: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return one anomaly score per transition, (n, time), and the state after the last transition."""

    def losses(
        self, frames: Tensor, actions: Tensor, state: Tensor, random: RandomNumbers | None
    ) -> tuple[Tensor, Tensor]:
        """Return one loss per transition, (n, time), and the state after the last transition.

        Args:
            frames: (n, time + 1, 3, H, W).
            actions: (n, time, width).
            state: (n, state_size).
            random: Source of the noise of training; None in validation.
        """
        return self.anomaly_scores(frames, actions, state)


def squared_image_error(predicted: Tensor, actual: Tensor) -> Tensor:
    """Return the mean squared error over the pixels of images (..., 3, H, W)."""
    return (predicted - actual).square().mean(dim=(-3, -2, -1))
