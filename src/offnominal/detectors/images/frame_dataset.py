"""All frames that a network learns from, as bytes, in one place."""

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

SHARE = 0.5
"""Of the free memory of a GPU that frames may take; more of them stay in the computer's memory."""


@dataclass(frozen=True, slots=True)
class FrameBatch:
    """Part of some episodes, from the same transition on.

    Args:
        first: (n,): number of the first frame of each.
        steps: (n,): how many transitions of each are real; the rest is padding.
        begins: Whether these are the first transitions of their episodes.
    """

    first: Tensor
    steps: Tensor
    begins: bool

    def __len__(self) -> int:
        return len(self.first)

    def mean(self, losses: Tensor) -> Tensor:
        """Return the mean of losses (n, time), padding left out."""
        real = torch.arange(losses.shape[1], device=losses.device) < self.steps.to(losses.device)[:, None]
        return torch.where(real, losses, 0.0).sum() / real.sum()


@dataclass(frozen=True, slots=True)
class FrameDataset:
    """Frames and actions of episodes, one after the other.

    Args:
        frames: (frames, H, W, 3) of bytes, where the network is if they fit there.
        actions: (frames, width): what was done at each frame, normalised; zero at the last frame of an episode.
        starts: Number of the first frame of each episode.
        lengths: Transitions of each episode.
        place: Where the network is.
    """

    frames: Tensor
    actions: Tensor
    starts: tuple[int, ...]
    lengths: tuple[int, ...]
    place: torch.device

    @classmethod
    def of(
        cls, parts: Sequence[Frames], actions: Sequence[Array], units: ImageScaling, place: torch.device
    ) -> FrameDataset:
        """Join what :func:`read` returned."""
        lengths = [len(rows) for rows in actions]
        starts = np.cumsum([0, *(length + 1 for length in lengths[:-1])]).tolist()
        last = np.zeros((1, actions[0].shape[1]), np.float32)
        done = np.concatenate([part for rows in actions for part in (units.actions(rows), last)])
        frames = _moved_to(torch.from_numpy(np.concatenate(parts)), place)
        return cls(frames, torch.from_numpy(done).to(place), tuple(starts), tuple(lengths), place)

    def __len__(self) -> int:
        return len(self.starts)

    def piece(self, piece: FrameBatch) -> tuple[Tensor, Tensor]:
        """Return frames (n, time + 1, 3, H, W) and actions (n, time, width); padding repeats the last frame."""
        time = torch.arange(int(piece.steps.max()) + 1)
        index = piece.first[:, None] + torch.minimum(time, piece.steps[:, None])
        return self._taken(index), self.actions[index[:, :-1].to(self.place)]

    def _taken(self, index: Tensor) -> Tensor:
        taken = self.frames[index.to(self.frames.device)].to(self.place)
        return taken.permute(0, 1, 4, 2, 3)

    def transitions(
        self, episodes: Sequence[int], batch_size: int, shuffle: RandomNumbers | None
    ) -> Iterator[FrameBatch]:
        """Go through the transitions of episodes, each a piece of its own, so many together."""
        first = torch.cat([self.starts[i] + torch.arange(self.lengths[i]) for i in episodes])
        if shuffle is not None:
            first = first[shuffle.permutation(len(first))]
        for index in torch.split(first, batch_size):
            yield FrameBatch(index, torch.ones_like(index), True)

    def pieces(
        self, episodes: Sequence[int], batch_size: int, sequence_length: int, shuffle: RandomNumbers | None
    ) -> Iterator[FrameBatch]:
        """Walk through episodes, so many together, in pieces of so many transitions.

        The pieces of the same episodes follow each other, so that a network can carry its memory from one to the next;
        an episode that has ended leaves the last rows. With random numbers, the order of the episodes is random, and so
        is the length of the first piece, so that episodes are cut somewhere else every time.
        """
        order = list(episodes)
        if shuffle is not None:
            order = [order[i] for i in shuffle.permutation(len(order)).tolist()]
        for first in range(0, len(order), batch_size):
            together = sorted(order[first : first + batch_size], key=lambda i: -self.lengths[i])
            starts, lengths = (torch.tensor([of[i] for i in together]) for of in (self.starts, self.lengths))
            begin, end = 0, sequence_length if shuffle is None else 1 + int(shuffle.integers(sequence_length, ()))
            while begin < int(lengths[0]):
                alive = int((lengths > begin).sum())
                steps = (lengths[:alive] - begin).clamp(max=end - begin)
                yield FrameBatch(starts[:alive] + begin, steps, begin == 0)
                begin, end = end, end + sequence_length


def read(
    episodes: Sequence[Episode], *, shape: Shape | None = None, frames: bool = True
) -> tuple[list[Frames], list[Array], Shape]:
    """Read episodes once and return frames (T + 1, H, W, 3) and actions (T, width) of each, and the pictures' shape.

    Args:
        episodes: Pictures of one shape.
        shape: The shape; that of the first episode if None.
        frames: Whether the frames are wanted; empty otherwise.
    """
    parts: list[Frames] = []
    actions: list[Array] = []
    for number, episode in enumerate(episodes):
        shape = image_shape(episode.observations, f"episode {number}", expected=shape)
        parts.append(np.moveaxis(episode.observations if frames else episode.observations[:0], 1, -1))
        actions.append(np.asarray(episode.actions).reshape(len(episode), -1))
    if shape is None:
        raise InvalidParameter("there are no episodes; give at least one.")
    return parts, actions, shape


def _moved_to(frames: Tensor, place: torch.device) -> Tensor:
    """Return frames on a GPU that has room for them, else as they are."""
    if place.type != "cuda":
        return frames
    free, _ = torch.cuda.mem_get_info(place)
    return frames.to(place) if frames.nbytes < SHARE * free else frames
