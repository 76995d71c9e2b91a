"""Skip-GANomaly (Akçay et al., 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import torch
from torch import Tensor, nn

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.architecture import Architecture, activation_of
from offnominal.detectors.rows.convolutional_layers import Upsampling
from offnominal.detectors.rows.deep_detector import DeepRowDetector
from offnominal.detectors.rows.deep_rows import Shape
from offnominal.detectors.rows.flat_optimizer import FlatOptimizer
from offnominal.detectors.rows.layers import Critic, fake_loss, real_loss
from offnominal.detectors.training import TrainingHistory

DEEPEST = 5
WIDEST = 8
"""Largest number of channels, as a multiple of those of the first convolution."""

ERRORS = ("mae", "mse")
MIXED = {
    f"{pixels}-{features}-{share / 10:.1f}": (pixels, features, share / 10)
    for pixels, features, share in product(ERRORS, ERRORS, range(1, 10))
}


class UNet(nn.Module):
    """U-Net with skip connections at every size.

    Args:
        shape: Shape of an image.
        channels: Channels of the first convolution.
    """

    def __init__(self, shape: Shape, channels: int) -> None:
        super().__init__()
        sides = [(shape[1], shape[2])]
        while len(sides) <= DEEPEST and min(sides[-1]) > 1:
            sides.append(((sides[-1][0] + 1) // 2, (sides[-1][1] + 1) // 2))
        widths = [shape[0], *(min(channels << depth, WIDEST * channels) for depth in range(len(sides) - 1))]
        self.down, self.up = nn.ModuleList(), nn.ModuleList()
        deepest = len(sides) - 1
        for depth in range(deepest):
            inner = depth < deepest - 1
            norms = [nn.BatchNorm2d(widths[depth + 1])] if depth and inner else []
            narrower = nn.Conv2d(widths[depth], widths[depth + 1], 3, 2, 1)
            self.down.append(nn.Sequential(narrower, *norms, activation_of("leaky")))
            bridged = widths[depth + 1] * (2 if inner else 1)
            after = [nn.BatchNorm2d(widths[depth]), nn.ReLU()] if depth else []
            self.up.append(nn.Sequential(Upsampling(bridged, widths[depth], sides[depth]), *after))

    def forward(self, images: Tensor) -> Tensor:
        """Return the reconstructed images."""
        bridges = [images]
        for layer in self.down:
            bridges.append(layer(bridges[-1]))
        maps = bridges.pop()
        for layer in reversed(self.up):
            maps = layer(maps)
            bridge = bridges.pop()
            maps = torch.cat([maps, bridge], 1) if bridges else maps
        return torch.sigmoid(maps)


class SkipGANomalyNetworks(nn.Module):
    """A U-Net that reconstructs images, and a critic."""

    def __init__(self, shape: Shape, channels: int, architecture: Architecture) -> None:
        super().__init__()
        self.generator, self.critic = UNet(shape, channels), Critic(shape, architecture)


@dataclass(kw_only=True, eq=False)
class SkipGANomaly(DeepRowDetector):
    """Reconstruction error of a U-Net, of the image and of the critic's features.

    Scores: ``R-L-λ`` is λ R + (1 − λ) L, where R is the error of the image and L that of the features, each ``mae``
    (mean absolute) or ``mse`` (mean squared), and λ is 0.1 to 0.9.

    Args:
        channels: Channels of the first convolution.
        layers: Number of layers of the critic.
        adversarial: Weight of the adversarial loss.
        contextual: Weight of the mean absolute error of the image.
        features: Weight of the mean squared error of the features.
        weight_decay: Weight decay of AdamW.

    Example:
        >>> import numpy as np
        >>> images = np.random.default_rng(0).random((20, 1, 8, 8), np.float32)
        >>> skip = SkipGANomaly(channels=4, max_iter=5).fit(images)
        >>> len(skip.scores(images)), skip.score_name
        (36, 'mae-mse-0.9')
    """

    SCORES: ClassVar[tuple[str, ...]] = tuple(MIXED)
    KINDS: ClassVar[tuple[int, ...]] = (4,)
    replayable: ClassVar[bool] = True

    score_name: str = "mae-mse-0.9"
    validate_every: int = 30
    patience: int = 10
    channels: int = 16
    layers: int = 4
    adversarial: float = 1.0
    contextual: float = 50.0
    features: float = 1.0
    weight_decay: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("adversarial", "contextual", "features", "weight_decay"):
            if not getattr(self, name) >= 0:
                raise InvalidParameter(f"{name} is {getattr(self, name)!r}; expected a number of at least 0.")

    def _network(self, shape: Shape) -> SkipGANomalyNetworks:
        return SkipGANomalyNetworks(
            shape, self.channels, Architecture(self.layers, channels=self.channels, activation="leaky")
        )

    def _painter(self) -> SkipGANomalyNetworks:
        assert isinstance(self.network_, SkipGANomalyNetworks)
        return self.network_

    def _train(self, rows: Tensor, validation: Tensor, random: RandomNumbers) -> TrainingHistory:
        network = self._painter()
        generator, critic = network.generator, network.critic
        painting = FlatOptimizer([generator], self.learning_rate, weight_decay=self.weight_decay)
        critic_step = FlatOptimizer([critic], self.learning_rate, weight_decay=self.weight_decay)

        def step(batch: Tensor, _: RandomNumbers) -> None:
            again = generator(batch)
            seen = critic.features(again)
            with torch.no_grad():
                expected = critic.features(batch)
            painting(
                self.adversarial * real_loss(critic.logits(seen))
                + self.contextual * (batch - again).abs().mean()
                + self.features * ((seen - expected) ** 2).mean()
            )
            real, fake = critic.features(batch), critic.features(again.detach())
            known = real_loss(critic.logits(real)) + fake_loss(critic.logits(fake))
            critic_step(known + ((real - fake) ** 2).mean())

        name = "mae-mse-0.9"
        return self._run_training(
            step, rows, random, check=lambda _: float(self._scores(validation, [name])[name].mean())
        )

    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        network = self._painter()
        again = network.generator(rows)
        missed = (rows - again).flatten(1)
        validation = network.critic.features(rows) - network.critic.features(again)
        errors = [{"mae": part.abs().mean(1), "mse": (part * part).mean(1)} for part in (missed, validation)]
        chosen = {name: MIXED[name] for name in names}
        return {
            name: share * errors[0][pixels] + (1 - share) * errors[1][features]
            for name, (pixels, features, share) in chosen.items()
        }
