"""LRDM: a recurrent latent dynamics model predicts the next frame; the anomaly score is the prediction error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from offnominal.detectors.images.image_scaling import Shape
from offnominal.detectors.images.prediction.frame_dataset import FrameBatch, FrameDataset
from offnominal.detectors.images.prediction.latent_dynamics import LatentDynamics
from offnominal.detectors.images.prediction.prediction_detector import PredictionDetector
from offnominal.detectors.parameters import LAYERS, Range
from offnominal.detectors.random_numbers import RandomNumbers


@dataclass(kw_only=True, eq=False)
class LRDM(PredictionDetector[LatentDynamics]):
    """Error of a latent dynamics model that predicts the next frame from all frames and actions so far.

    As :class:`LDM`, with a GRU over the latent vectors and actions of the episode so far. It can estimate velocities,
    which a single frame does not contain. The anomaly score is that of :class:`PredAE`.

    Args:
        channels: Channels of the first convolution; the encoder has 1, 2, 4 and 8 times this number.
        latent: Size of the latent vector.
        recurrent_size: Hidden size of the GRU.
        layers: Number of layers of the GRU.
        sequence_length: Transitions of an episode per update; the recurrent state is carried to the next update.
        n_epochs: Number of epochs at most. Zero keeps the random initial weights: the untrained twin.
        min_updates: Number of updates of an epoch at least; an epoch repeats the episodes until it is reached.
        patience: Number of epochs without a smaller validation loss after which training stops.
        batch_size: Episodes per update.
        learning_rate: Learning rate of AdamW.
        weight_decay: Weight decay of AdamW.
        max_grad_norm: Largest norm of the gradient; None for no clipping.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        precision: Precision of training: ``"float32"``, ``"bfloat16"``, or ``"auto"`` for bfloat16 on a GPU only.

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
        return LatentDynamics(
            shape,
            action,
            channels=self.channels,
            latent=self.latent,
            recurrent_size=self.recurrent_size,
            layers=self.layers,
        )

    def _batches(
        self, dataset: FrameDataset, episodes: Sequence[int], random: RandomNumbers | None
    ) -> Iterator[FrameBatch]:
        return dataset.sequence_batches(episodes, self.batch_size, self.sequence_length, random)
