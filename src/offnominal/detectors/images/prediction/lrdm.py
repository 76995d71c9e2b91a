"""LRDM: a recurrent latent dynamics model predicts the next frame; the anomaly score is the prediction error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from offnominal.detectors.images.image_scaling import Shape
from offnominal.detectors.images.prediction.latent_dynamics import LatentDynamics
from offnominal.detectors.images.prediction.prediction_detector import SequencePredictionDetector
from offnominal.detectors.parameters import LAYERS, Range


@dataclass(kw_only=True, eq=False)
class LRDM(SequencePredictionDetector[LatentDynamics]):
    """Error of a latent dynamics model that predicts the next frame from all frames and actions so far.

    As :class:`LDM`, with a GRU over the latent vectors and actions of the episode so far. It can estimate velocities,
    which a single frame does not contain. The anomaly score is that of :class:`PredAE`.

    Args:
        channels: Channels of the first convolution; the encoder has 1, 2, 4 and 8 times this number.
        latent: Size of the latent vector.
        recurrent_size: Hidden size of the GRU.
        layers: Number of layers of the GRU.

    Note:
        :class:`SequencePredictionDetector` has the other arguments.

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
