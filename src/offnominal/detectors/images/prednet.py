"""PredNet: stacked convolutional LSTMs predict the next picture; the error is the score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.images.frame_dataset import FrameBatch, FrameDataset
from offnominal.detectors.images.image_network import ImageNetwork, image_error
from offnominal.detectors.images.image_scaling import Shape
from offnominal.detectors.images.predictive_coding import PredictiveCoding
from offnominal.detectors.parameters import Range
from offnominal.detectors.random_numbers import RandomNumbers


@dataclass(kw_only=True, eq=False)
class PredNet(ImageNetwork[PredictiveCoding]):
    """How far the next picture is from what predictive coding expects that has seen the episode so far.

    The score is the mean over pixels of the squared error, with black at 0 and white at 1. Score *t* is of the picture
    after transition *t*, predicted from all before it. It does not see the actions.

    Args:
        channels: Of the second level; each above has twice as many. The first has the three colours.
        layers: Levels, that of the pixels included; sides must be divisible by 2 to this less one.
        sequence_length: Transitions of an episode between two gradient steps; what is remembered is carried on.
        n_epochs: Passes over the episodes at most. Zero leaves the random weights: the untrained twin.
        min_updates: Gradient steps of an epoch at least; few episodes are passed over as often as it takes.
        patience: Epochs without progress on unseen episodes after which training stops.
        batch_size: Episodes per gradient step.
        learning_rate: Learning rate.
        weight_decay: Of AdamW; Adam if zero.
        clip: Largest norm of a gradient; None for any.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        precision: Of products while training: ``"float32"``, ``"bfloat16"``, or ``"auto"`` for the latter on a GPU.

    Example:
        >>> import numpy as np
        >>> import offnominal as off
        >>> frames = np.random.default_rng(0).integers(0, 256, (6, 3, 32, 32), dtype=np.uint8)
        >>> episode = off.Episode(frames, np.zeros((5, 1)), np.zeros(5), np.zeros(5, bool))
        >>> detector = PredNet(channels=2, layers=3, n_epochs=1).fit([episode])
        >>> detector.score([episode])[0].shape
        (5,)
    """

    pixels: ClassVar[tuple[float, float]] = (0.0, 1.0)

    RANGES: ClassVar[Mapping[str, Range]] = {"layers": Range(1, 20)}

    channels: int = 48
    layers: int = 4
    sequence_length: int = 10
    n_epochs: int = 100
    batch_size: int = 16
    weight_decay: float = 0.0

    def _network(self, shape: Shape, action: int) -> PredictiveCoding:
        divisor = 1 << (self.layers - 1)
        if shape[1] % divisor or shape[2] % divisor:
            raise InvalidParameter(
                f"the pictures have {shape[1]} × {shape[2]} pixels; PredNet of {self.layers} layers needs sides "
                f"divisible by {divisor}. Record them so, or give fewer layers."
            )
        return PredictiveCoding(shape, channels=self.channels, layers=self.layers)

    def _state_width(self) -> int:
        self._require_fitted()
        return 2 * sum(self.network_.sizes)

    def _pieces(
        self, dataset: FrameDataset, episodes: Sequence[int], shuffle: RandomNumbers | None
    ) -> Iterator[FrameBatch]:
        return dataset.pieces(episodes, self.batch_size, self.sequence_length, shuffle)

    def _losses(
        self, frames: Tensor, actions: Tensor, state: Tensor, random: RandomNumbers | None
    ) -> tuple[Tensor, Tensor]:
        predicted, state = self.network_(frames[:, :-1], state)
        return (predicted - frames[:, 1:]).abs().mean(dim=(-3, -2, -1)), state

    def _compared(self, frames: Tensor, actions: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        predicted, state = self.network_(frames[:, :-1], state)
        return image_error(predicted, frames[:, 1:]), state
