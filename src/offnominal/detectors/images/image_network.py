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
from offnominal.detectors.images.footage import Footage, Piece, read
from offnominal.detectors.images.lessons import Lessons
from offnominal.detectors.images.pictures import Pictures, Shape, picture_shape, scaled
from offnominal.detectors.learned_arrays import LearnedArrays
from offnominal.detectors.networks.scaling import SinglePrecision
from offnominal.detectors.networks.sequence_network import padded
from offnominal.detectors.networks.train import divided, train
from offnominal.detectors.networks.trained_network import Network, TrainedNetwork
from offnominal.detectors.parameters import STEPS, Range
from offnominal.detectors.random_numbers import RandomNumbers

Precision = Literal["auto", "float32", "bfloat16"]

TOGETHER = 2**22
"""Pixels that are scored at the same time: 256 pictures of 128 × 128."""

HELD, EPISODES = 2**28, 64
"""Bytes and number of episodes that are held at the same time."""


@dataclass(kw_only=True, eq=False)
class ImageNetwork(TrainedNetwork[Network, Pictures]):
    """A detector whose network predicts the next picture.

    It learns from frames that lie on the GPU as bytes, if they fit, and scores with full precision.

    Args:
        epochs: Passes over the episodes at most. Zero leaves the random weights: the untrained twin.
        least: Gradient steps of an epoch at least; few episodes are passed over as often as it takes.
        patience: Epochs without progress on unseen episodes after which training stops.
        batch: Rows per gradient step.
        rate: Learning rate.
        weight_decay: Of AdamW.
        clip: Largest norm of a gradient; None for any.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        precision: Of products while training: ``"float32"``, ``"bfloat16"``, or ``"auto"`` for the latter on a GPU.
    """

    pictures: ClassVar[bool] = True
    pixels: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    """What black and white are to the network."""

    RANGES: ClassVar[Mapping[str, Range]] = {"least": STEPS}

    weight_decay: float = 1e-2
    precision: Precision = "auto"
    least: int = 1

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

    def _pieces(self, footage: Footage, episodes: Sequence[int], shuffle: RandomNumbers | None) -> Iterator[Piece]:
        """Go once through episodes, in batches; in random order if random numbers are given."""
        return footage.transitions(episodes, self.batch, shuffle)

    def _epoch(self, footage: Footage, episodes: Sequence[int], random: RandomNumbers) -> Iterator[Piece]:
        """Go through episodes, over and over, until there were enough gradient steps."""
        taken = 0
        while taken < self.least:
            for piece in self._pieces(footage, episodes, random):
                taken += 1
                yield piece

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        self.place_ = choose_device(self.device)
        parts, actions, shape = read(episodes, frames=self.epochs > 0)
        self.scaling_ = Pictures.of(shape, actions)
        random = RandomNumbers(seed, self.place_)
        with random.weights():
            network = self._network(shape, self.widths_[1])
        self.network_ = network.to(self.place_)
        self.curve_ = np.empty((0, 2))
        if self.epochs:
            footage = Footage.of(parts, actions, self.scaling_, self.place_)
            parts.clear()
            with deterministic_kernels(self.place_):
                self._train(footage, self._unseen(validation), random)
        self._settle()

    def _unseen(self, validation: Sequence[Episode] | None) -> Footage | None:
        if validation is None:
            return None
        parts, actions, _ = read(validation, shape=self.scaling_.shape)
        return Footage.of(parts, actions, self.scaling_, self.place_)

    def _train(self, footage: Footage, unseen: Footage | None, random: RandomNumbers) -> None:
        known, held = divided(len(footage), random) if unseen is None else (range(len(footage)), range(len(unseen)))
        self._arrange()
        lessons = Lessons(footage, partial(self._lesson, random=random))
        exam = Lessons(unseen or footage, partial(self._lesson, random=None))
        self.curve_ = train(
            self.network_,
            self._optimizer(),
            batches=lambda: self._epoch(footage, known, random),
            loss=lessons.loss,
            check=lambda: exam.average(self._pieces(exam.footage, held, None)),
            epochs=self.epochs,
            patience=self.patience,
            clip=self.clip,
            title=f"Training {type(self).__name__}",
        )

    def _settle(self) -> None:
        self._arrange()
        super()._settle()

    def _arrange(self) -> None:
        """Put the colours last in the memory of a GPU, which is fastest with it."""
        if self.place_.type == "cuda":
            self.network_.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def _optimizer(self) -> torch.optim.Optimizer:
        weights = self.network_.parameters()
        return torch.optim.AdamW(weights, lr=self.rate, weight_decay=self.weight_decay, fused=True)

    def _lesson(
        self, frames: Tensor, actions: Tensor, state: Tensor | None, *, random: RandomNumbers | None
    ) -> tuple[Tensor, Tensor]:
        """Return losses (n, time) of frames as bytes, and the state after them."""
        if state is None:
            state = self._tensor(self.start(len(frames)))
        coarse = self.precision == "bfloat16" or (self.precision == "auto" and self.place_.type == "cuda")
        with torch.autocast(self.place_.type, torch.bfloat16, enabled=coarse):
            return self._losses(scaled(frames, *self.pixels), actions, state, random)

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
        begin, pictures = 0, TOGETHER // int(np.prod(self.scaling_.shape[1:]))
        while order:
            end = min(begin + max(1, pictures // len(order)), lengths[order[0]])
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
        placed = torch.from_numpy(np.ascontiguousarray(np.moveaxis(frames, 2, -1))).to(self.place_)
        with deterministic_kernels(self.place_):
            found, state = self._compared(scaled(placed.movedim(-1, 2), *self.pixels), self._tensor(actions), state)
        return found.cpu().numpy(), state

    def _start(self, n: int) -> SinglePrecision:
        return np.zeros((n, self._state_width()), np.float32)

    @torch.inference_mode()
    def _update(self, state: SinglePrecision, step: Step) -> tuple[SinglePrecision, FloatArray]:
        picture_shape(step.next_observation, "the step", expected=self.scaling_.shape)
        frames = np.stack([step.observation, step.next_observation], axis=1)
        actions = self.scaling_.actions(step.action)[:, None]
        scores, after = self._measured(frames, actions, self._tensor(state))
        return after.cpu().numpy(), scores[:, 0].astype(np.float64)

    def _require_shapes(self, observations: Array, actions: Array, where: str) -> None:
        picture_shape(observations, where, expected=self.scaling_.shape)
        super()._require_shapes(observations, actions, where)

    def _tensor(self, values: Array) -> Tensor:
        return torch.from_numpy(np.asarray(values, np.float32)).to(self.place_)

    def _units(self, learned: LearnedArrays) -> Pictures:
        return Pictures.restored(learned, *self.widths_)

    def _network_for(self, widths: tuple[int, int], units: Pictures) -> Network:
        return self._network(units.shape, widths[1])


def picture_error(predicted: Tensor, actual: Tensor) -> Tensor:
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
