"""GANomaly (Akçay et al., 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.deep.autoencoder import code_width
from offnominal.detectors.deep.descent import Descent
from offnominal.detectors.deep.detector import DeepDetector
from offnominal.detectors.deep.layers import Critic, Generator, Style, called_fake, called_real, network_to
from offnominal.detectors.deep.rows import Shape
from offnominal.detectors.deep.training import Training
from offnominal.detectors.random_numbers import RandomNumbers


class Loop(nn.Module):
    """From a row to a code, to a row, to a code; and a critic of the rows."""

    def __init__(self, shape: Shape, latent: int, style: Style) -> None:
        super().__init__()
        self.encoder, self.again = network_to(shape, latent, style), network_to(shape, latent, style)
        self.generator = Generator(latent, shape, style)
        self.critic = Critic(shape, style)

    def forward(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the code of a row, its reconstruction, and the code of that."""
        code = self.encoder(rows)
        rebuilt = self.generator(code)
        return code, rebuilt, self.again(rebuilt)


@dataclass(kw_only=True, eq=False)
class GANomaly(DeepDetector):
    """Strange is a row whose code changes when it is decoded and encoded again.

    Its one score, ``code``, is the mean absolute change of the code. The weights of the best check are scored.

    Args:
        latent: Numbers per code; see :class:`Autoencoder`.
        hidden: Width of the hidden layers of a table.
        layers: Of each network.
        channels: Of the first convolution, for images.
        activation: ``"relu"``, ``"swish"``, ``"tanh"`` or ``"leaky"``.
        adversarial: Weight of what the critic sees of the difference.
        contextual: Weight of the mean absolute error of the row.
        coding: Weight of the mean squared change of the code.
        weight_decay: Of AdamW.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 4))
        >>> GANomaly(latent=2, hidden=16, iterations=60).fit(rows).score(rows).shape
        (300,)
    """

    SCORES: ClassVar[tuple[str, ...]] = ("code",)

    every: int = 30
    patience: int = 10
    latent: int = 8
    hidden: int = 64
    layers: int = 3
    channels: int = 16
    activation: str = "leaky"
    adversarial: float = 1.0
    contextual: float = 50.0
    coding: float = 1.0
    weight_decay: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("adversarial", "contextual", "coding", "weight_decay"):
            if not getattr(self, name) >= 0:
                raise InvalidParameter(f"{name} is {getattr(self, name)!r}; expected a number of at least 0.")
        self._style()

    def _style(self) -> Style:
        return Style(self.layers, self.hidden, self.channels, self.activation, batch_norm=True)

    def _network(self, shape: Shape) -> Loop:
        return Loop(shape, code_width(self.latent, shape), self._style())

    def _around(self) -> Loop:
        assert isinstance(self.network_, Loop)
        return self.network_

    def _loss(self, rows: Tensor) -> Tensor:
        network = self._around()
        code, rebuilt, again = network(rows)
        with torch.no_grad():
            seen = network.critic.features(rows)
        parts = (
            self.adversarial * ((seen - network.critic.features(rebuilt)) ** 2).mean(),
            self.contextual * (rows - rebuilt).abs().mean(),
            self.coding * ((code - again) ** 2).mean(),
        )
        return torch.stack(parts).sum()

    def _train(self, rows: Tensor, unseen: Tensor, random: RandomNumbers) -> Training:
        network = self._around()
        judging = Descent([network.critic], self.rate, weight_decay=self.weight_decay)
        parts = [network.encoder, network.generator, network.again]
        rebuilding = Descent(parts, self.rate, weight_decay=self.weight_decay)

        def step(batch: Tensor, _: RandomNumbers) -> None:
            rebuilding(self._loss(batch))
            with torch.no_grad():
                fake = network.generator(network.encoder(batch))
            judging(0.5 * (called_real(network.critic(batch)) + called_fake(network.critic(fake))))

        return self._loop(step, rows, random, check=lambda _: float(self._loss(unseen)))

    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        code, _, again = self._around()(rows)
        return {"code": (code - again).abs().mean(1)}
