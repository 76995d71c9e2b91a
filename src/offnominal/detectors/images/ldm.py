"""LDM: a network predicts the next picture from picture and action, through a few numbers; the error is the score."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from offnominal.detectors.images.image_network import ImageNetwork, image_error
from offnominal.detectors.images.image_scaling import Shape
from offnominal.detectors.images.latent_dynamics import LatentDynamics


@dataclass(kw_only=True, eq=False)
class LDM(ImageNetwork[LatentDynamics]):
    """How far the next picture is from what a latent dynamics model predicts.

    An encoder brings the picture to a few numbers, a perceptron moves these on with the action, and a decoder draws the
    next picture. The score is that of :class:`PredAE`.

    Args:
        channels: Of the first convolution; the encoder has this, twice, four and eight times as many.
        latent: Numbers that stand for a picture.
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
        >>> detector = LDM(channels=2, n_epochs=1).fit([episode])
        >>> detector.score([episode])[0].shape
        (5,)
    """

    channels: int = 32
    latent: int = 128
    learning_rate: float = 5e-4

    def _network(self, shape: Shape, action: int) -> LatentDynamics:
        return LatentDynamics(shape, action, channels=self.channels, latent=self.latent)

    def _compared(self, frames: Tensor, actions: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        predicted, state = self.network_(frames[:, :-1], actions, state)
        return image_error(predicted, frames[:, 1:]), state
