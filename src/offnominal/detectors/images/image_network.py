"""What the networks that predict pictures share: how they are trained, and how they score."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np
import torch
from torch import Tensor

from offnominal.core.device import choose_device, deterministic_kernels
from offnominal.core.episode import Episode
from offnominal.core.types import Array, FloatArray, Frames
from offnominal.detectors.detector import Step
from offnominal.detectors.images.frame_dataset import FrameBatch, FrameDataset, read
from offnominal.detectors.images.image_scaling import ImageScaling, Shape, image_shape, scale_pixels
from offnominal.detectors.images.sequence_loss import SequenceLoss
from offnominal.detectors.parameters import STEPS, Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.state_arrays import StateArrays
from offnominal.detectors.training import split_indices
from offnominal.detectors.transitions.scaling import SinglePrecision
from offnominal.detectors.transitions.sequence_network import padded
from offnominal.detectors.transitions.trained_network import Network, TrainedNetwork

Precision = Literal["auto", "float32", "bfloat16"]

CHUNK = 2**22
"""Pixels that are scored at the same time: 256 pictures of 128 × 128."""

HELD, EPISODES = 2**28, 64
"""Bytes and number of episodes that are held at the same time."""


@dataclass(kw_only=True, eq=False)
class ImageNetwork(TrainedNetwork[Network, ImageScaling]):
    """A detector whose network predicts the next picture.

    It learns from frames that lie on the GPU as bytes, if they fit, and scores with full precision.

    Args:
        n_epochs: Passes over the episodes at most. Zero leaves the random weights: the untrained twin.
        min_updates: Gradient steps of an epoch at least; few episodes are passed over as often as it takes.
        patience: Epochs without progress on unseen episodes after which training stops.
        batch_size: Rows per gradient step.
        learning_rate: Learning rate.
        weight_decay: Of AdamW.
        max_grad_norm: Largest norm of a gradient; None for any.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        precision: Of products while training: ``"float32"``, ``"bfloat16"``, or ``"auto"`` for the latter on a GPU.
    """

    pixel_observations: ClassVar[bool] = True
    pixels: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    """What black and white are to the network."""

    RANGES: ClassVar[Mapping[str, Range]] = {"min_updates": STEPS}

    weight_decay: float = 1e-2
    precision: Precision = "auto"
    min_updates: int = 1

    @abstractmethod
    def _network(self, shape: Shape, action: int) -> Network:
        """Return a network with random weights for pictures of this shape and actions of this width."""

    @abstractmethod
    def _compared(self, frames: Tensor, actions: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return a score per transition, and the state after the last.

        Args:
            frames: (n, time + 1, 3, H, W), scaled.
            actions: (n, time, width), normalised.
            state: (n, numbers): what is remembered of what came before; zero at the start of an episode.
        """

    def _losses(
        self, frames: Tensor, actions: Tensor, state: Tensor, random: RandomNumbers | None
    ) -> tuple[Tensor, Tensor]:
        """Return a loss per transition, and the state after the last; random numbers are for training alone."""
        return self._compared(frames, actions, state)

    def _state_width(self) -> int:
        """Return how many numbers the network remembers of an episode."""
        return 0

    def _pieces(
        self, dataset: FrameDataset, episodes: Sequence[int], shuffle: RandomNumbers | None
    ) -> Iterator[FrameBatch]:
        """Go once through episodes, in batches; in random order if random numbers are given."""
        return dataset.transitions(episodes, self.batch_size, shuffle)

    def _epoch(self, dataset: FrameDataset, episodes: Sequence[int], random: RandomNumbers) -> Iterator[FrameBatch]:
        """Go through episodes, over and over, until there were enough gradient steps."""
        taken = 0
        while taken < self.min_updates:
            for piece in self._pieces(dataset, episodes, random):
                taken += 1
                yield piece

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        self.device_ = choose_device(self.device)
        parts, actions, shape = read(episodes, frames=self.n_epochs > 0)
        self.scaling_ = ImageScaling.of(shape, actions)
        random = RandomNumbers(seed, self.device_)
        with random.weights():
            network = self._network(shape, self.widths_[1])
        self.network_ = network.to(self.device_)
        self.curve_ = np.empty((0, 2))
        if self.n_epochs:
            dataset = FrameDataset.of(parts, actions, self.scaling_, self.device_)
            parts.clear()
            with deterministic_kernels(self.device_):
                self._train(dataset, self._unseen(validation), random)
        self._settle()

    def _unseen(self, validation: Sequence[Episode] | None) -> FrameDataset | None:
        if validation is None:
            return None
        parts, actions, _ = read(validation, shape=self.scaling_.shape)
        return FrameDataset.of(parts, actions, self.scaling_, self.device_)

    def _train(self, dataset: FrameDataset, unseen: FrameDataset | None, random: RandomNumbers) -> None:
        known, held = (
            split_indices(len(dataset), random) if unseen is None else (range(len(dataset)), range(len(unseen)))
        )
        self._arrange()
        losses_ = SequenceLoss(dataset, partial(self._frame_losses, random=random))
        exam = SequenceLoss(unseen or dataset, partial(self._frame_losses, random=None))
        self._run_training(
            batches=lambda: self._epoch(dataset, known, random),
            loss=losses_.loss,
            validate=lambda: exam.average(self._pieces(exam.dataset, held, None)),
        )

    def _settle(self) -> None:
        self._arrange()
        super()._settle()

    def _arrange(self) -> None:
        """Put the colours last in the memory of a GPU, which is fastest with it."""
        if self.device_.type == "cuda":
            self.network_.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def _frame_losses(
        self, frames: Tensor, actions: Tensor, state: Tensor | None, *, random: RandomNumbers | None
    ) -> tuple[Tensor, Tensor]:
        """Return losses (n, time) of frames as bytes, and the state after them."""
        if state is None:
            state = self._tensor(self.start(len(frames)))
        coarse = self.precision == "bfloat16" or (self.precision == "auto" and self.device_.type == "cuda")
        with torch.autocast(self.device_.type, torch.bfloat16, enabled=coarse):
            return self._losses(scale_pixels(frames, *self.pixels), actions, state, random)

    def _score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        scores: list[FloatArray] = []
        for group in groups(episodes):
            scores += self._score_together(group)
        return scores

    @torch.inference_mode()
    def _score_together(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        lengths = [len(episode) for episode in episodes]
        scores, state = [np.empty(length) for length in lengths], self._tensor(self.start(len(episodes)))
        order = sorted(range(len(episodes)), key=lambda number: -lengths[number])
        begin, images = 0, CHUNK // int(np.prod(self.scaling_.shape[1:]))
        while order:
            end = min(begin + max(1, images // len(order)), lengths[order[0]])
            alive = [episodes[number] for number in order]
            frames = padded([episode.observations[begin : end + 1] for episode in alive])
            actions = padded([self.scaling_.actions(episode.actions[begin:end]) for episode in alive])
            found, state = self._measured(frames, actions, state)
            for number, row in zip(order, found, strict=True):
                part = slice(begin, min(end, lengths[number]))
                scores[number][part] = row[: part.stop - part.start]
            begin, order = end, [number for number in order if lengths[number] > end]
            state = state[: len(order)]
        return scores

    def _measured(self, frames: Frames, actions: SinglePrecision, state: Tensor) -> tuple[Array, Tensor]:
        """Return scores (n, time) of pictures as bytes, and the state after them."""
        placed = torch.from_numpy(np.ascontiguousarray(np.moveaxis(frames, 2, -1))).to(self.device_)
        with deterministic_kernels(self.device_):
            found, state = self._compared(
                scale_pixels(placed.movedim(-1, 2), *self.pixels), self._tensor(actions), state
            )
        return found.cpu().numpy(), state

    def _start(self, n: int) -> SinglePrecision:
        return np.zeros((n, self._state_width()), np.float32)

    @torch.inference_mode()
    def _update(self, state: SinglePrecision, step: Step) -> tuple[SinglePrecision, FloatArray]:
        image_shape(step.next_observation, "the step", expected=self.scaling_.shape)
        frames = np.stack([step.observation, step.next_observation], axis=1)
        actions = self.scaling_.actions(step.action)[:, None]
        scores, after = self._measured(frames, actions, self._tensor(state))
        return after.cpu().numpy(), scores[:, 0].astype(np.float64)

    def _require_shapes(self, observations: Array, actions: Array, where: str) -> None:
        image_shape(observations, where, expected=self.scaling_.shape)
        super()._require_shapes(observations, actions, where)

    def _tensor(self, values: Array) -> Tensor:
        return torch.from_numpy(np.asarray(values, np.float32)).to(self.device_)

    def _units(self, state: StateArrays) -> ImageScaling:
        return ImageScaling.restored(state, *self.widths_)

    def _network_for(self, widths: tuple[int, int], units: ImageScaling) -> Network:
        return self._network(units.shape, widths[1])


def image_error(predicted: Tensor, actual: Tensor) -> Tensor:
    """Return the mean squared error of pictures, (..., 3, H, W)."""
    return (predicted - actual).square().mean(dim=(-3, -2, -1))


def groups(episodes: Sequence[Episode]) -> Iterator[list[Episode]]:
    """Take episodes one after the other and hand on as many together as may be held."""
    group: list[Episode] = []
    for episode in episodes:
        group.append(episode)
        if len(group) >= EPISODES or sum(each.observations.nbytes for each in group) >= HELD:
            yield group
            group = []
    if group:
        yield group
