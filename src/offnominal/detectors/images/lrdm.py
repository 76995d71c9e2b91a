"""LRDM: a recurrent network predicts the next picture from pictures and actions so far; the error is the score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from offnominal.detectors.images.frame_dataset import FrameBatch, FrameDataset
from offnominal.detectors.images.image_network import ImageNetwork, image_error
from offnominal.detectors.images.image_scaling import Shape
from offnominal.detectors.images.latent_dynamics import LatentDynamics
from offnominal.detectors.parameters import LAYERS, Range
from offnominal.detectors.random_numbers import RandomNumbers


@dataclass(kw_only=True, eq=False)
class LRDM(ImageNetwork[LatentDynamics]):
    """How far the next picture is from what a latent dynamics model predicts that has seen the episode so far.

    As :class:`LDM`, but the perceptron also sees what a GRU makes of all pictures and actions so far, which starts from
    zero in every episode. It can tell how fast things move, which no single picture shows. The score is that of
    :class:`PredAE`.

    Args:
        channels: Of the first convolution; the encoder has this, twice, four and eight times as many.
        latent: Numbers that stand for a picture.
        recurrent_size: Width of the GRU.
        layers: Of the GRU.
        sequence_length: Transitions of an episode between two gradient steps; what is remembered is carried on.
        n_epochs: Passes over the episodes at most. Zero leaves the random weights: the untrained twin.
        min_updates: Gradient steps of an epoch at least; few episodes are passed over as often as it takes.
        patience: Epochs without progress on unseen episodes after which training stops.
        batch_size: Episodes per gradient step.
        learning_rate: Learning rate.
        weight_decay: Of AdamW.
        clip: Largest norm of a gradient; None for any.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        precision: Of products while training: ``"float32"``, ``"bfloat16"``, or ``"auto"`` for the latter on a GPU.

    Example:
        >>> import numpy as np
        >>> import offnominal as off
        >>> frames = np.random.default_rng(0).integers(0, 256, (6, 3, 32, 32), dtype=np.uint8)
        >>> episode = off.Episode(frames, np.zeros((5, 1)), np.zeros(5), np.zeros(5, bool))
        >>> detector = LRDM(channels=2, n_epochs=1).fit([episode])
        >>> detector.score([episode])[0].shape
        (5,)
    """

    RANGES: ClassVar[Mapping[str, Range]] = {"layers": LAYERS}

    channels: int = 32
    latent: int = 128
    recurrent_size: int = 128
    layers: int = 2
    sequence_length: int = 50
    batch_size: int = 8
    learning_rate: float = 5e-4

    def _network(self, shape: Shape, action: int) -> LatentDynamics:
        sizes = {
            "channels": self.channels,
            "latent": self.latent,
            "recurrent_size": self.recurrent_size,
            "layers": self.layers,
        }
        return LatentDynamics(shape, action, **sizes)

    def _state_width(self) -> int:
        return self.layers * self.recurrent_size

    def _pieces(
        self, dataset: FrameDataset, episodes: Sequence[int], shuffle: RandomNumbers | None
    ) -> Iterator[FrameBatch]:
        return dataset.pieces(episodes, self.batch_size, self.sequence_length, shuffle)

    def _compared(self, frames: Tensor, actions: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        predicted, state = self.network_(frames[:, :-1], actions, state)
        return image_error(predicted, frames[:, 1:]), state
