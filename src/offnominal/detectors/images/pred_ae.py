"""PredAE: an autoencoder predicts how the picture changes; the error is the score."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from offnominal.detectors.images.convolutions import ConvDecoder, ConvEncoder
from offnominal.detectors.images.image_network import ImageNetwork, image_error
from offnominal.detectors.images.image_scaling import Shape


@dataclass(kw_only=True, eq=False)
class PredAE(ImageNetwork[nn.Sequential]):
    """How far the next picture is from what an autoencoder predicts that sees the picture before.

    The autoencoder predicts the change of the picture. The score is the mean over pixels of the squared error, with
    black at -1 and white at 1. It sees neither the action nor how fast things move.

    Args:
        channels: Of the first convolution; the encoder has this, twice, four and eight times as many.
        latent: Numbers between encoder and decoder.
        n_epochs: Passes over the episodes at most. Zero leaves the random weights: the untrained twin.
        min_updates: Gradient steps of an epoch at least; few episodes are passed over as often as it takes.
        patience: Epochs without progress on unseen episodes after which training stops.
        batch_size: Transitions per gradient step.
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
        >>> detector = PredAE(channels=2, n_epochs=1).fit([episode])
        >>> detector.score([episode])[0].shape
        (5,)
    """

    channels: int = 32
    latent: int = 128
    learning_rate: float = 1e-4

    def _network(self, shape: Shape, action: int) -> nn.Sequential:
        encoder = ConvEncoder(shape, channels=self.channels, outputs=self.latent)
        return nn.Sequential(encoder, ConvDecoder(shape, channels=self.channels, inputs=self.latent))

    def _compared(self, frames: Tensor, actions: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        before, after = frames[:, :-1], frames[:, 1:]
        return image_error(self.network_(before), after - before), state
