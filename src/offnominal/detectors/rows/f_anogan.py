"""Fast AnoGAN (Schlegl et al., 2019)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from offnominal.core.checks import positive_number
from offnominal.detectors.parameters import POSITIVE, STEPS, Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.architecture import Architecture, Downsampling
from offnominal.detectors.rows.deep_detector import DeepRowDetector
from offnominal.detectors.rows.deep_rows import Shape
from offnominal.detectors.rows.flat_optimizer import FlatOptimizer
from offnominal.detectors.rows.gan import GANNetworks
from offnominal.detectors.rows.layers import network_to
from offnominal.detectors.training import TrainingHistory


class FAnoGANNetworks(GANNetworks):
    """A generator, a critic, and an encoder."""

    def __init__(self, shape: Shape, latent: int, architecture: Architecture) -> None:
        super().__init__(shape, latent, architecture)
        self.encoder = network_to(shape, latent, architecture)

    def errors(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return the squared errors of the reconstruction and of its features, (n, …) each."""
        again = self.generator(self.encoder(rows))
        missed, features = rows - again, self.critic.features(rows) - self.critic.features(again)
        return (missed * missed).flatten(1), features * features


@dataclass(kw_only=True, eq=False)
class FAnoGAN(DeepRowDetector):
    """Reconstruction error of an image by a generator, from the code of an encoder.

    Generator and critic are a Wasserstein GAN with clipped weights. The encoder is trained after them. The score,
    ``residual``, is the squared error of the image plus the weighted squared error of the critic's features.

    Args:
        latent: Size of a code.
        channels: Channels of the first convolution; with pooling, of the last one.
        layers: Number of layers of each network.
        activation: ``"relu"``, ``"swish"``, ``"tanh"`` or ``"leaky"``.
        downsampling: How convolutions halve the size of images: ``"stride"``, or ``"pool"`` for larger kernels and max
            pooling.
        kappa: Weight of the error of the features.
        clip_value: Largest weight of the critic.
        critic_steps: Steps of the critic for each one of the generator.
        encoder_iter: Largest number of gradient steps of the encoder.
        encoder_learning_rate: Learning rate of the encoder; that of the others if None.

    Example:
        >>> import numpy as np
        >>> images = np.random.default_rng(0).random((20, 1, 8, 8), np.float32)
        >>> FAnoGAN(channels=4, max_iter=5, encoder_iter=5).fit(images).score(images).shape
        (20,)
    """

    SCORES: ClassVar[tuple[str, ...]] = ("residual",)
    RANGES: ClassVar[Mapping[str, Range]] = {"encoder_learning_rate": POSITIVE, "encoder_iter": STEPS}
    KINDS: ClassVar[tuple[int, ...]] = (4,)

    validate_every: int = 30
    patience: int = 10
    latent: int = 64
    channels: int = 16
    layers: int = 4
    activation: str = "leaky"
    downsampling: Downsampling = "stride"
    kappa: float = 1.0
    clip_value: float = 0.01
    critic_steps: int = 5
    encoder_iter: int = 10_000
    encoder_learning_rate: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        positive_number("kappa", self.kappa)
        positive_number("clip_value", self.clip_value)
        self._architecture()

    def _architecture(self) -> Architecture:
        return Architecture(
            self.layers, channels=self.channels, activation=self.activation, downsampling=self.downsampling
        )

    def _network(self, shape: Shape) -> FAnoGANNetworks:
        return FAnoGANNetworks(shape, self.latent, self._architecture())

    def _inverted(self) -> FAnoGANNetworks:
        assert isinstance(self.network_, FAnoGANNetworks)
        return self.network_

    def _train(self, rows: Tensor, validation: Tensor, random: RandomNumbers) -> TrainingHistory:
        network = self._inverted()
        self._train_gan(network, rows, random)
        descent = FlatOptimizer([network.encoder], self.encoder_learning_rate or self.learning_rate)

        def loss(batch: Tensor) -> Tensor:
            missed, features = network.errors(batch)
            return missed.mean() + self.kappa * features.mean()

        return self._run_training(
            lambda batch, _: descent(loss(batch)),
            rows,
            random,
            check=lambda _: float(loss(validation)),
            network=network.encoder,
            max_iter=self.encoder_iter,
        )

    def _train_gan(self, network: FAnoGANNetworks, rows: Tensor, random: RandomNumbers) -> None:
        critic_step = FlatOptimizer([network.critic], self.learning_rate, method="rmsprop")
        generator_step = FlatOptimizer([network.generator], self.learning_rate, method="rmsprop")
        calls = 0

        def step(batch: Tensor, random: RandomNumbers) -> None:
            nonlocal calls
            with torch.no_grad():
                fake = network.generate(batch, random)
            critic_step(network.critic(fake).mean() - network.critic(batch).mean())
            critic_step.clamp(self.clip_value)
            calls += 1
            if calls % self.critic_steps == 0:
                generator_step(-network.critic(network.generate(batch, random)).mean())

        self._run_training(step, rows, random, max_iter=self.max_iter * self.critic_steps)

    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        missed, features = self._inverted().errors(rows)
        return {"residual": missed.sum(1) + self.kappa * features.sum(1)}
