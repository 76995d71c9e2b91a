"""Fast AnoGAN (Schlegl et al., 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from offnominal.core.checks import positive_number
from offnominal.detectors.deep.descent import Descent
from offnominal.detectors.deep.detector import DeepDetector
from offnominal.detectors.deep.gan import Pair
from offnominal.detectors.deep.layers import Style, network_to
from offnominal.detectors.deep.rows import Shape
from offnominal.detectors.deep.training import Training
from offnominal.detectors.random_numbers import RandomNumbers

CRITIC_STEPS = 5


class Inverted(Pair):
    """A generator, a critic, and an encoder that looks for the code of a row."""

    def __init__(self, shape: Shape, latent: int, style: Style) -> None:
        super().__init__(shape, latent, style)
        self.encoder = network_to(shape, latent, style)

    def errors(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return the squares of what the reconstruction misses of every row and of its features, (n, …) each."""
        again = self.generator(self.encoder(rows))
        missed, features = rows - again, self.critic.features(rows) - self.critic.features(again)
        return (missed * missed).flatten(1), features * features


@dataclass(kw_only=True, eq=False)
class FAnoGAN(DeepDetector):
    """Strange is an image that a generator cannot paint again from the code that an encoder finds for it.

    Generator and critic are a Wasserstein GAN with clipped weights, trained to the end; then the encoder learns. Its
    one score, ``residual``, is the squared error of the image plus that of what the critic sees in it.

    Args:
        latent: Numbers per code.
        channels: Of the first convolution.
        layers: Of each network.
        activation: ``"relu"``, ``"swish"``, ``"tanh"`` or ``"leaky"``.
        kappa: Weight of the error of what the critic sees.
        clip: Largest weight of the critic.
        encoding: Gradient steps of the encoder, at most.

    Example:
        >>> import numpy as np
        >>> images = np.random.default_rng(0).random((20, 1, 8, 8), np.float32)
        >>> FAnoGAN(channels=4, iterations=5, encoding=5).fit(images).score(images).shape
        (20,)
    """

    SCORES: ClassVar[tuple[str, ...]] = ("residual",)
    KINDS: ClassVar[tuple[int, ...]] = (4,)

    every: int = 30
    patience: int = 10
    latent: int = 64
    channels: int = 16
    layers: int = 4
    activation: str = "leaky"
    kappa: float = 1.0
    clip: float = 0.01
    encoding: int = 10_000

    def __post_init__(self) -> None:
        super().__post_init__()
        positive_number("kappa", self.kappa)
        positive_number("clip", self.clip)
        self._style()

    def _style(self) -> Style:
        return Style(self.layers, channels=self.channels, activation=self.activation)

    def _network(self, shape: Shape) -> Inverted:
        return Inverted(shape, self.latent, self._style())

    def _inverted(self) -> Inverted:
        assert isinstance(self.network_, Inverted)
        return self.network_

    def _train(self, rows: Tensor, unseen: Tensor, random: RandomNumbers) -> Training:
        network = self._inverted()
        self._paint(network, rows, random)
        descent = Descent([network.encoder], self.rate)

        def loss(batch: Tensor) -> Tensor:
            missed, features = network.errors(batch)
            return missed.mean() + self.kappa * features.mean()

        return self._loop(
            lambda batch, _: descent(loss(batch)),
            rows,
            random,
            check=lambda _: float(loss(unseen)),
            network=network.encoder,
            iterations=self.encoding,
        )

    def _paint(self, network: Inverted, rows: Tensor, random: RandomNumbers) -> None:
        judging = Descent([network.critic], self.rate, method="rmsprop")
        inventing = Descent([network.generator], self.rate, method="rmsprop")
        calls = 0

        def step(batch: Tensor, random: RandomNumbers) -> None:
            nonlocal calls
            with torch.no_grad():
                fake = network.invent(batch, random)
            judging(network.critic(fake).mean() - network.critic(batch).mean())
            judging.clamp(self.clip)
            calls += 1
            if calls % CRITIC_STEPS == 0:
                inventing(-network.critic(network.invent(batch, random)).mean())

        self._loop(step, rows, random, iterations=self.iterations * CRITIC_STEPS)

    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        missed, features = self._inverted().errors(rows)
        return {"residual": missed.sum(1) + self.kappa * features.sum(1)}
