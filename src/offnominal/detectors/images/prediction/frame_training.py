"""Training loss of a network on batches of frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import torch
from torch import Tensor

from offnominal.detectors.images.image_scaling import scale_pixels
from offnominal.detectors.images.prediction.frame_dataset import FrameBatch, FrameDataset
from offnominal.detectors.images.prediction.frame_network import FrameNetwork
from offnominal.detectors.random_numbers import RandomNumbers


class FrameLoss:
    """Mean loss of a network on batches of a dataset.

    The recurrent state is carried from one batch of an episode to the next. Gradients are not, so the memory needed
    does not depend on the length of an episode.

    Args:
        network: Network on the device of the dataset.
        dataset: Frames and actions.
        random: Source of the noise of training; None in validation.
        bfloat16: Whether matrix products and convolutions are computed in bfloat16.
    """

    def __init__(
        self,
        network: FrameNetwork,
        dataset: FrameDataset,
        *,
        random: RandomNumbers | None = None,
        bfloat16: bool = False,
    ) -> None:
        self.network = network
        self.dataset = dataset
        self.random = random
        self.bfloat16 = bfloat16
        self._state: Tensor | None = None

    def __call__(self, batch: FrameBatch) -> Tensor:
        """Return the mean loss of a batch. A batch that does not start its episodes must follow the batch before it."""
        frames, actions = self.dataset.load(batch)
        device = self.dataset.device
        if batch.starts_episodes or self._state is None:
            state = torch.zeros(len(batch), self.network.state_size, device=device)
        else:
            state = self._state[: len(batch)]
        with torch.autocast(device.type, torch.bfloat16, enabled=self.bfloat16):
            pixels = scale_pixels(frames, *self.network.pixel_range)
            losses, state = self.network.losses(pixels, actions, state, self.random)
        self._state = state.detach()
        return batch.mean(losses)

    @torch.inference_mode()
    def mean(self, batches: Iterable[FrameBatch]) -> float:
        """Return the mean loss over all transitions of several batches."""
        total, count = torch.zeros((), dtype=torch.float64, device=self.dataset.device), 0
        for batch in batches:
            steps = int(batch.steps.sum())
            total += steps * self(batch)
            count += steps
        return float(total) / count


def at_least(min_updates: int, batches: Callable[[], Iterable[FrameBatch]]) -> Iterator[FrameBatch]:
    """Yield batches, in as many whole passes over the episodes as give the required number of updates.

    Args:
        min_updates: Number of batches at least.
        batches: Returns the batches of one pass.
    """
    count = 0
    while count < min_updates:
        for batch in batches():
            count += 1
            yield batch
