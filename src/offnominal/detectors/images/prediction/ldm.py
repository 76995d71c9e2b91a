"""LDM: a latent dynamics model predicts the next frame; the anomaly score is the prediction error."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.detectors.images.image_scaling import Shape
from offnominal.detectors.images.prediction.latent_dynamics import LatentDynamics
from offnominal.detectors.images.prediction.prediction_detector import PredictionDetector


@dataclass(kw_only=True, eq=False)
class LDM(PredictionDetector[LatentDynamics]):
    """Error of a latent dynamics model that predicts the next frame from the current frame and the action.

    An encoder maps the frame to a latent vector, a multilayer perceptron predicts the next latent vector from it and
    the action, and a decoder maps that to the next frame. The anomaly score is that of :class:`PredAE`.

    Args:
        channels: Channels of the first convolution; the encoder has 1, 2, 4 and 8 times this number.
        latent: Size of the latent vector.

    Note:
        :class:`PredictionDetector` has the other arguments.

    Example:
        >>> import numpy as np
        >>> import offnominal as off
        >>> frames = np.random.default_rng(0).integers(0, 256, (6, 3, 32, 32), dtype=np.uint8)
        >>> episode = off.Episode(frames, np.zeros((5, 1)), np.zeros(5), np.zeros(5, bool))
        >>> detector = LDM(channels=2, n_epochs=1).fit([episode])
        >>> detector.score([episode])[0].shape
        (5,)
    """

    channels: int = 32
    latent: int = 128
    learning_rate: float = 5e-4

    def _network(self, shape: Shape, action: int) -> LatentDynamics:
        return LatentDynamics(shape, action, channels=self.channels, latent=self.latent)
