"""Generative adversarial networks (Goodfellow et al., 2014), also with feature matching (Salimans et al., 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from offnominal.core.checks import positive_number
from offnominal.detectors.deep.descent import Descent
from offnominal.detectors.deep.detector import DeepDetector
from offnominal.detectors.deep.layers import Critic, Generator, Style, called_fake, called_real, unreal
from offnominal.detectors.deep.rows import Shape
from offnominal.detectors.deep.training import Training
from offnominal.detectors.random_numbers import RandomNumbers

WON = 0.01
"""Loss on unseen rows at which the critic has won."""


class Pair(nn.Module):
    """A generator and a critic."""

    def __init__(self, shape: Shape, latent: int, style: Style) -> None:
        super().__init__()
        self.latent = latent
        self.generator = Generator(latent, shape, style)
        self.critic = Critic(shape, style)

    def invent(self, like: Tensor, random: RandomNumbers) -> Tensor:
        """Return as many made-up rows as these."""
        rows: Tensor = self.generator(random.normal(len(like), self.latent))
        return rows

    def verdict(self, rows: Tensor, random: RandomNumbers) -> Tensor:
        """Return the critic's loss on these rows and as many made-up ones."""
        with torch.no_grad():
            fake = self.invent(rows, random)
        return 0.5 * (called_real(self.critic(rows)) + called_fake(self.critic(fake)))


@dataclass(kw_only=True, eq=False)
class GAN(DeepDetector):
    """Strange is what a critic calls made up that learned to tell rows from those of a generator.

    Training stops when the critic has won for so many checks as there is patience. Its one score, ``critic``, is the
    probability that a row is made up.

    Args:
        latent: Numbers per code.
        hidden: Width of the hidden layers of a table.
        layers: Of generator and critic each.
        channels: Of the first convolution, for images.
        activation: ``"relu"``, ``"swish"``, ``"tanh"`` or ``"leaky"``.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 2))
        >>> gan = GAN(hidden=16, iterations=300).fit(rows)
        >>> bool((0 <= gan.score(rows)).all() and (gan.score(rows) <= 1).all())
        True
    """

    SCORES: ClassVar[tuple[str, ...]] = ("critic",)

    patience: int = 50
    latent: int = 8
    hidden: int = 64
    layers: int = 3
    channels: int = 16
    activation: str = "relu"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._style()

    def _style(self) -> Style:
        return Style(self.layers, self.hidden, self.channels, self.activation)

    def _network(self, shape: Shape) -> Pair:
        return Pair(shape, self.latent, self._style())

    def _pair(self) -> Pair:
        assert isinstance(self.network_, Pair)
        return self.network_

    def _fooling(self, pair: Pair, batch: Tensor, random: RandomNumbers) -> Tensor:
        """Return the generator's loss."""
        return called_real(pair.critic(pair.invent(batch, random)))

    def _train(self, rows: Tensor, unseen: Tensor, random: RandomNumbers) -> Training:
        pair = self._pair()
        judging = Descent([pair.critic], self.rate, method="rmsprop")
        inventing = Descent([pair.generator], self.rate, method="rmsprop")

        def step(batch: Tensor, random: RandomNumbers) -> None:
            judging(pair.verdict(batch, random))
            inventing(self._fooling(pair, batch, random))

        return self._loop(step, rows, random, check=lambda random: float(pair.verdict(unseen, random)), won=WON)

    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        return {"critic": unreal(self._pair().critic(rows))}


@dataclass(kw_only=True, eq=False)
class FMGAN(GAN):
    """A :class:`GAN` whose generator also matches the mean of what the critic sees in front of its last layer.

    Args:
        weight: Of the critic's verdict, beside the match, in what the generator learns.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 2))
        >>> FMGAN(hidden=16, iterations=100).fit(rows).score(rows).shape
        (300,)
    """

    weight: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive_number("weight", self.weight)

    def _fooling(self, pair: Pair, batch: Tensor, random: RandomNumbers) -> Tensor:
        found = pair.critic.features(pair.invent(batch, random))
        with torch.no_grad():
            expected = pair.critic.features(batch).mean(0)
        return self.weight * called_real(pair.critic.judge(found)) + ((found.mean(0) - expected) ** 2).mean()
