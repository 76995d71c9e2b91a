"""Going through footage piece by piece, with what the network remembers of the piece before."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch
from torch import Tensor

from offnominal.detectors.images.frame_dataset import FrameBatch, FrameDataset

LossFunction = Callable[[Tensor, Tensor, Tensor | None], tuple[Tensor, Tensor]]
"""Returns losses (n, time) of frames and actions, and the state after them; the state before is None at a start."""


class SequenceLoss:
    """Losses of pieces of footage.

    The state of the network is carried from a piece of an episode to the next; gradients are not, so memory stays
    bounded however long an episode is.

    Args:
        dataset: What is learned from.
        loss_function: What gives the losses.
    """

    def __init__(self, dataset: FrameDataset, loss_function: LossFunction) -> None:
        self.dataset = dataset
        self._frame_losses = loss_function
        self._state: Tensor | None = None

    def loss(self, piece: FrameBatch) -> Tensor:
        """Return the mean loss of a piece; it must follow the one before if it does not begin its episodes."""
        frames, actions = self.dataset.piece(piece)
        before = None if piece.begins or self._state is None else self._state[: len(piece)]
        losses, state = self._frame_losses(frames, actions, before)
        self._state = state.detach()
        return piece.mean(losses)

    @torch.inference_mode()
    def average(self, pieces: Iterable[FrameBatch]) -> float:
        """Return the mean loss over all transitions."""
        total, count = torch.zeros((), dtype=torch.float64, device=self.dataset.place), 0
        for piece in pieces:
            steps = int(piece.steps.sum())
            total += steps * self.loss(piece)
            count += steps
        return float(total) / count
