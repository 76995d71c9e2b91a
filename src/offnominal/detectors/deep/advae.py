"""Self-adversarial variational autoencoder (Wang et al., 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.deep.autoencoder import DECODED, code_width
from offnominal.detectors.deep.descent import Descent
from offnominal.detectors.deep.detector import DeepDetector
from offnominal.detectors.deep.gaussians import Decoder, Encoder, divergence, divergence_between, fixed_noise, sample
from offnominal.detectors.deep.layers import LEAST_DEVIATION, Style, perceptron
from offnominal.detectors.deep.rows import Shape
from offnominal.detectors.deep.training import Training
from offnominal.detectors.random_numbers import RandomNumbers

Gaussian = tuple[Tensor, Tensor]


class Transformer(nn.Module):
    """From the Gaussian of a normal code to that of one which is slightly not."""

    def __init__(self, latent: int, style: Style) -> None:
        super().__init__()
        self.layers = perceptron(2 * latent, 2 * latent, style)

    def forward(self, mean: Tensor, deviation: Tensor) -> Gaussian:
        """Return mean and deviation."""
        other, raw = self.layers(torch.cat([mean, deviation], 1)).chunk(2, dim=1)
        return other, functional.softplus(raw) + LEAST_DEVIATION


class Adversaries(nn.Module):
    """Encoder, transformer and generator."""

    def __init__(self, shape: Shape, latent: int, style: Style) -> None:
        super().__init__()
        self.encoder, self.transformer = Encoder(shape, latent, style), Transformer(latent, style)
        self.generator = Decoder(latent, shape, "constant", style)


@dataclass(kw_only=True, eq=False)
class AdVAE(DeepDetector):
    """Strange is what a variational autoencoder rebuilds badly that has learned to rebuild almost-normal codes badly.

    A transformer turns normal codes into others that are hard to tell from them; the generator learns to rebuild these
    differently, the encoder to notice what was rebuilt. Its one score, ``sampled``, is the mean squared error of a
    reconstruction, over draws of its code. The weights of the best check are scored.

    Args:
        latent: Numbers per code; see :class:`Autoencoder`.
        hidden: Width of the hidden layers of a table.
        layers: Of each network.
        channels: Of the first convolution, for images.
        activation: ``"relu"``, ``"swish"``, ``"tanh"`` or ``"leaky"``.
        gamma: Weight of what generator and encoder do to each other.
        lam: Weight of the divergence of codes from the prior, and from transformed ones.
        margin_x: How different a row rebuilt from a transformed code should be, at most.
        margin_z: How far from the prior the codes of rebuilt rows should be, at most.
        weight_decay: Of AdamW.
        samples: Codes per row over which the score averages.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 4)) * [1.0, 1.0, 0.1, 0.1]
        >>> AdVAE(latent=2, hidden=16, iterations=60).fit(rows).score(rows).shape
        (300,)
    """

    SCORES: ClassVar[tuple[str, ...]] = ("sampled",)

    every: int = 30
    patience: int = 10
    latent: int = 8
    hidden: int = 64
    layers: int = 3
    channels: int = 16
    activation: str = "relu"
    gamma: float = 1e-3
    lam: float = 1e-2
    margin_x: float = 1.0
    margin_z: float = 10.0
    weight_decay: float = 0.0
    samples: int = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("gamma", "lam", "margin_x", "margin_z", "weight_decay"):
            if not getattr(self, name) >= 0:
                raise InvalidParameter(f"{name} is {getattr(self, name)!r}; expected a number of at least 0.")
        self._style()

    def _style(self) -> Style:
        return Style(self.layers, self.hidden, self.channels, self.activation)

    def _network(self, shape: Shape) -> Adversaries:
        return Adversaries(shape, code_width(self.latent, shape), self._style())

    def _adversaries(self) -> Adversaries:
        assert isinstance(self.network_, Adversaries)
        return self.network_

    def _making(self, rows: Tensor, random: RandomNumbers) -> Tensor:
        """Return the loss of generator and transformer."""
        parts = self._adversaries()
        with torch.no_grad():
            code = parts.encoder(rows)
        other = parts.transformer(*code)
        rebuilt, twisted = (parts.generator.mean(sample(*each, random=random)) for each in (code, other))
        again, strange = divergence(*parts.encoder(rebuilt)).mean(), divergence(*parts.encoder(twisted)).mean()
        alike = ((rebuilt - twisted) ** 2).mean()
        return (
            ((rows - rebuilt) ** 2).mean()
            + self.gamma * again
            + torch.relu(self.margin_x - alike)
            + self.gamma * torch.relu(self.margin_z - strange)
            + self.lam * divergence_between(*code, *other).mean()
        )

    def _noticing(self, rows: Tensor, random: RandomNumbers) -> Tensor:
        """Return the loss of the encoder."""
        parts = self._adversaries()
        code = parts.encoder(rows)
        rebuilt = parts.generator.mean(sample(*code, random=random))
        with torch.no_grad():
            twisted = parts.generator.mean(sample(*parts.transformer(*code), random=random))
        noticed = [
            torch.relu(self.margin_z - divergence(*parts.encoder(fake)).mean()) for fake in (rebuilt.detach(), twisted)
        ]
        return ((rows - rebuilt) ** 2).mean() + self.lam * divergence(*code).mean() + self.gamma * sum(noticed)

    def _train(self, rows: Tensor, unseen: Tensor, random: RandomNumbers) -> Training:
        parts = self._adversaries()
        making = Descent([parts.generator, parts.transformer], self.rate, weight_decay=self.weight_decay)
        noticing = Descent([parts.encoder], self.rate, weight_decay=self.weight_decay)

        def step(batch: Tensor, random: RandomNumbers) -> None:
            making(self._making(batch, random))
            noticing(self._noticing(batch, random))

        def check(random: RandomNumbers) -> float:
            code = parts.encoder(unseen)
            missed = ((parts.generator.mean(sample(*code, random=random)) - unseen) ** 2).mean()
            return float(missed + self.lam * divergence(*code).mean())

        return self._loop(step, rows, random, check=check)

    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        parts, found = self._adversaries(), []
        mean, deviation = parts.encoder(rows)
        noise = fixed_noise(self.samples, mean.shape[1]).to(mean.device)
        for part in torch.split(torch.arange(len(rows), device=rows.device), max(1, DECODED // self.samples)):
            codes = (mean[part, None] + deviation[part, None] * noise).flatten(0, 1)
            rebuilt = parts.generator.mean(codes)
            missed = rebuilt.view(-1, self.samples, *rows.shape[1:]) - rows[part, None]
            found.append((missed * missed).flatten(1).mean(1))
        return {"sampled": torch.cat(found)}
