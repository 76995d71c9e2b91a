"""PredAE: an autoencoder predicts the change of the image; the anomaly score is the prediction error."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from offnominal.detectors.images.convolutions import ConvDecoder, ConvEncoder
from offnominal.detectors.images.image_scaling import Shape
from offnominal.detectors.images.prediction.frame_network import FrameNetwork, squared_image_error
from offnominal.detectors.images.prediction.prediction_detector import PredictionDetector


class FrameAutoencoder(nn.Sequential, FrameNetwork):
    """Encoder and decoder from a frame to its change until the next frame.

    Args:
        shape: Image shape.
        channels: Channels of the first convolution of the encoder and of the last one of the decoder.
        latent: Size of the latent vector.
    """

    def __init__(self, shape: Shape, *, channels: int, latent: int) -> None:
        encoder = ConvEncoder(shape, channels=channels, outputs=latent)
        super().__init__(encoder, ConvDecoder(shape, channels=channels, inputs=latent))

    def anomaly_scores(self, frames: Tensor, actions: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return the mean squared error of each predicted change, and the unchanged state."""
        before, after = frames[:, :-1], frames[:, 1:]
        return squared_image_error(self(before), after - before), state


@dataclass(kw_only=True, eq=False)
class PredAE(PredictionDetector[FrameAutoencoder]):
    """Error of an autoencoder that predicts the change of the image from the current image.

    The anomaly score is the mean over pixels of the squared error, with black at -1 and white at 1. The network uses
    neither the action nor earlier frames.

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
        >>> detector = PredAE(channels=2, n_epochs=1).fit([episode])
        >>> detector.score([episode])[0].shape
        (5,)
    """

    channels: int = 32
    latent: int = 128
    learning_rate: float = 1e-4

    def _network(self, shape: Shape, action: int) -> FrameAutoencoder:
        return FrameAutoencoder(shape, channels=self.channels, latent=self.latent)
