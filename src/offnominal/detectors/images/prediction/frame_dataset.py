"""Frames and actions of the training episodes, and batches of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, Frames
from offnominal.detectors.images.image_scaling import ImageScaling, Shape, image_shape
from offnominal.detectors.random_numbers import RandomNumbers

MAX_GPU_FRACTION = 0.5
"""Largest fraction of the free GPU memory that frames may take; otherwise they stay in main memory."""


@dataclass(frozen=True, slots=True)
class FrameBatch:
    """Consecutive transitions of several episodes.

    Args:
        first: (n,): index of the first frame of each sequence.
        steps: (n,): number of transitions of each sequence; shorter sequences are padded.
        starts_episodes: Whether the sequences start at the first transition of their episodes.
    """

    first: Tensor
    steps: Tensor
    starts_episodes: bool

    def __len__(self) -> int:
        return len(self.first)

    def mean(self, losses: Tensor) -> Tensor:
        """Return the mean of losses (n, time) without padding."""
        mask = torch.arange(losses.shape[1], device=losses.device) < self.steps.to(losses.device)[:, None]
        return torch.where(mask, losses, 0.0).sum() / mask.sum()


@dataclass(frozen=True, slots=True)
class FrameDataset:
    """Frames and actions of episodes, concatenated.

    Args:
        frames: (frames, H, W, 3) uint8, on the GPU if they fit.
        actions: (frames, width): normalised action at each frame; zero at the last frame of an episode.
        starts: Index of the first frame of each episode.
        lengths: Number of transitions of each episode.
        device: Device of the network.
    """

    frames: Tensor
    actions: Tensor
    starts: tuple[int, ...]
    lengths: tuple[int, ...]
    device: torch.device

    @classmethod
    def of(
        cls, frames: Sequence[Frames], actions: Sequence[Array], scaling: ImageScaling, device: torch.device
    ) -> FrameDataset:
        """Concatenate frames and actions from :func:`read_episodes`."""
        lengths = [len(rows) for rows in actions]
        starts = np.cumsum([0, *(length + 1 for length in lengths[:-1])]).tolist()
        last = np.zeros((1, actions[0].shape[1]), np.float32)
        rows = np.concatenate([part for episode in actions for part in (scaling.actions(episode), last)])
        stored = _moved_to_gpu(torch.from_numpy(np.concatenate(frames)), device)
        return cls(stored, torch.from_numpy(rows).to(device), tuple(starts), tuple(lengths), device)

    def __len__(self) -> int:
        return len(self.starts)

    def load(self, batch: FrameBatch) -> tuple[Tensor, Tensor]:
        """Return frames (n, time + 1, 3, H, W) uint8 and actions (n, time, width); padding repeats the last frame."""
        time = torch.arange(int(batch.steps.max()) + 1)
        index = batch.first[:, None] + torch.minimum(time, batch.steps[:, None])
        frames = self.frames[index.to(self.frames.device)].to(self.device)
        return frames.permute(0, 1, 4, 2, 3), self.actions[index[:, :-1].to(self.device)]

    def transition_batches(
        self, episodes: Sequence[int], batch_size: int, random: RandomNumbers | None
    ) -> Iterator[FrameBatch]:
        """Return batches of single transitions of episodes, shuffled if random numbers are given."""
        first = torch.cat([self.starts[i] + torch.arange(self.lengths[i]) for i in episodes])
        if random is not None:
            first = first[random.permutation(len(first))]
        for index in torch.split(first, batch_size):
            yield FrameBatch(index, torch.ones_like(index), True)

    def sequence_batches(
        self, episodes: Sequence[int], batch_size: int, sequence_length: int, random: RandomNumbers | None
    ) -> Iterator[FrameBatch]:
        """Return batches of consecutive transitions, for truncated backpropagation through time.

        The batches of the same episodes follow each other in time, so a network can carry its recurrent state. Episodes
        that have ended leave the batch. With random numbers, the order of the episodes and the length of the first
        sequence are random, so the boundaries between sequences differ in every epoch.

        Args:
            episodes: Indices of the episodes.
            batch_size: Episodes per batch.
            sequence_length: Transitions per batch and episode.
            random: Source of the random order; None keeps the given order.
        """
        order = list(episodes)
        if random is not None:
            order = [order[i] for i in random.permutation(len(order)).tolist()]
        for first in range(0, len(order), batch_size):
            group = sorted(order[first : first + batch_size], key=lambda i: -self.lengths[i])
            starts, lengths = (torch.tensor([values[i] for i in group]) for values in (self.starts, self.lengths))
            begin, end = 0, sequence_length if random is None else 1 + int(random.integers(sequence_length, ()))
            while begin < int(lengths[0]):
                n_running = int((lengths > begin).sum())
                steps = (lengths[:n_running] - begin).clamp(max=end - begin)
                yield FrameBatch(starts[:n_running] + begin, steps, begin == 0)
                begin, end = end, end + sequence_length


def read_episodes(
    episodes: Sequence[Episode], *, shape: Shape | None = None, frames: bool = True
) -> tuple[list[Frames], list[Array], Shape]:
    """Read each episode once and return its frames (T + 1, H, W, 3) and actions (T, width), and the image shape.

    Args:
        episodes: Episodes with images of the same shape.
        shape: Expected image shape; that of the first episode if None.
        frames: Whether to read the frames; the frame arrays are empty otherwise.
    """
    all_frames: list[Frames] = []
    actions: list[Array] = []
    for number, episode in enumerate(episodes):
        shape = image_shape(episode.observations, f"episode {number}", expected=shape)
        all_frames.append(np.moveaxis(episode.observations if frames else episode.observations[:0], 1, -1))
        actions.append(np.asarray(episode.actions).reshape(len(episode), -1))
    if shape is None:
        raise InvalidParameter("there are no episodes; give at least one.")
    return all_frames, actions, shape


def _moved_to_gpu(frames: Tensor, device: torch.device) -> Tensor:
    """Return frames on the GPU if there is one with enough free memory, and unchanged otherwise."""
    if device.type != "cuda":
        return frames
    free, _ = torch.cuda.mem_get_info(device)
    return frames.to(device) if frames.nbytes < MAX_GPU_FRACTION * free else frames
