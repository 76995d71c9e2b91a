"""Generative adversarial networks (Goodfellow et al., 2014), also with feature matching (Salimans et al., 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from offnominal.core.checks import positive_number
from offnominal.detectors.dense_layers import DenseLayers
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.architecture import Architecture, Downsampling
from offnominal.detectors.rows.deep_detector import DeepRowDetector
from offnominal.detectors.rows.deep_rows import Shape
from offnominal.detectors.rows.flat_optimizer import FlatOptimizer
from offnominal.detectors.rows.layers import Critic, Generator, fake_loss, fake_probability, real_loss
from offnominal.detectors.rows.row_scores import CriticScore
from offnominal.detectors.training import TrainingHistory

COLLAPSED_LOSS = 0.01
"""Validation loss of the critic at which training has collapsed."""


class GANNetworks(nn.Module):
    """A generator and a critic."""

    def __init__(self, shape: Shape, latent: int, architecture: Architecture) -> None:
        super().__init__()
        self.latent = latent
        self.generator = Generator(latent, shape, architecture)
        self.critic = Critic(shape, architecture)

    def generate(self, like: Tensor, random: RandomNumbers) -> Tensor:
        """Return as many generated rows as there are rows."""
        rows: Tensor = self.generator(random.normal(len(like), self.latent))
        return rows

    def critic_loss(self, rows: Tensor, random: RandomNumbers) -> Tensor:
        """Return the loss of the critic on these rows and as many generated ones."""
        with torch.no_grad():
            fake = self.generate(rows, random)
        return 0.5 * (real_loss(self.critic(rows)) + fake_loss(self.critic(fake)))


@dataclass(kw_only=True, eq=False)
class GAN(DeepRowDetector):
    """Probability, by the critic, that a row is generated.

    Training stops when the critic separates all rows for `patience` validations. The score is ``critic``.

    Args:
        latent: Size of a code.
        hidden: Width of the hidden layers, for tables.
        layers: Number of layers of generator and critic each.
        channels: Channels of the first convolution, for images; with pooling, of the last one.
        activation: ``"relu"``, ``"swish"``, ``"tanh"`` or ``"leaky"``.
        downsampling: How convolutions halve the size of images: ``"stride"``, or ``"pool"`` for larger kernels and max
            pooling.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 2))
        >>> gan = GAN(hidden=16, max_iter=300).fit(rows)
        >>> bool((0 <= gan.score(rows)).all() and (gan.score(rows) <= 1).all())
        True
    """

    SCORES: ClassVar[tuple[str, ...]] = ("critic",)
    replayable: ClassVar[bool] = True

    patience: int = 50
    latent: int = 8
    hidden: int = 64
    layers: int = 3
    channels: int = 16
    activation: str = "relu"
    downsampling: Downsampling = "stride"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._architecture()

    def _architecture(self) -> Architecture:
        return Architecture(self.layers, self.hidden, self.channels, self.activation, downsampling=self.downsampling)

    def _network(self, shape: Shape) -> GANNetworks:
        return GANNetworks(shape, self.latent, self._architecture())

    def _pair(self) -> GANNetworks:
        assert isinstance(self.network_, GANNetworks)
        return self.network_

    def _generator_loss(self, pair: GANNetworks, batch: Tensor, random: RandomNumbers) -> Tensor:
        """Return the loss of the generator."""
        return real_loss(pair.critic(pair.generate(batch, random)))

    def _train(self, rows: Tensor, validation: Tensor, random: RandomNumbers) -> TrainingHistory:
        pair = self._pair()
        critic_step = FlatOptimizer([pair.critic], self.learning_rate, method="rmsprop")
        generator_step = FlatOptimizer([pair.generator], self.learning_rate, method="rmsprop")

        def step(batch: Tensor, random: RandomNumbers) -> None:
            critic_step(pair.critic_loss(batch, random))
            generator_step(self._generator_loss(pair, batch, random))

        return self._run_training(
            step,
            rows,
            random,
            check=lambda random: float(pair.critic_loss(validation, random)),
            collapsed=COLLAPSED_LOSS,
        )

    def _row_score(self) -> CriticScore:
        return CriticScore(DenseLayers.of(self._pair().critic))

    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        return {"critic": fake_probability(self._pair().critic(rows))}


@dataclass(kw_only=True, eq=False)
class FMGAN(GAN):
    """A :class:`GAN` whose generator also matches the mean features of the critic.

    Args:
        weight: Weight of the adversarial loss beside feature matching in the loss of the generator.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 2))
        >>> FMGAN(hidden=16, max_iter=100).fit(rows).score(rows).shape
        (300,)
    """

    weight: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive_number("weight", self.weight)

    def _generator_loss(self, pair: GANNetworks, batch: Tensor, random: RandomNumbers) -> Tensor:
        found = pair.critic.features(pair.generate(batch, random))
        with torch.no_grad():
            expected = pair.critic.features(batch).mean(0)
        return self.weight * real_loss(pair.critic.logits(found)) + ((found.mean(0) - expected) ** 2).mean()
