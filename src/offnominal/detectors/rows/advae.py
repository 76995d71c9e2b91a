"""Self-adversarial variational autoencoder (Wang et al., 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.dense_layers import DenseLayers
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.architecture import Architecture
from offnominal.detectors.rows.autoencoder import DECODED, code_width
from offnominal.detectors.rows.deep_detector import DeepRowDetector
from offnominal.detectors.rows.deep_rows import Shape
from offnominal.detectors.rows.flat_optimizer import FlatOptimizer
from offnominal.detectors.rows.gaussians import (
    GaussianDecoder,
    GaussianEncoder,
    divergence,
    divergence_between,
    fixed_noise,
    sample,
)
from offnominal.detectors.rows.layers import LEAST_DEVIATION, perceptron
from offnominal.detectors.rows.row_scores import SampledScore
from offnominal.detectors.training import TrainingHistory

Gaussian = tuple[Tensor, Tensor]


class Transformer(nn.Module):
    """Maps the Gaussian of a nominal code to that of a slightly anomalous one."""

    def __init__(self, latent: int, architecture: Architecture) -> None:
        super().__init__()
        self.layers = perceptron(2 * latent, 2 * latent, architecture)

    def forward(self, mean: Tensor, deviation: Tensor) -> Gaussian:
        """Return mean and deviation."""
        other, raw = self.layers(torch.cat([mean, deviation], 1)).chunk(2, dim=1)
        return other, functional.softplus(raw) + LEAST_DEVIATION


class AdVAENetworks(nn.Module):
    """Encoder, transformer and generator."""

    def __init__(self, shape: Shape, latent: int, architecture: Architecture) -> None:
        super().__init__()
        self.encoder, self.transformer = GaussianEncoder(shape, latent, architecture), Transformer(latent, architecture)
        self.generator = GaussianDecoder(latent, shape, "constant", architecture)


@dataclass(kw_only=True, eq=False)
class AdVAE(DeepRowDetector):
    """Reconstruction error of a variational autoencoder that is trained to reconstruct almost nominal codes badly.

    A transformer turns nominal codes into similar ones. The generator learns to reconstruct these differently, and the
    encoder to recognise reconstructions. The score, ``sampled``, is the mean squared error of the reconstruction over
    samples of the code. The weights of the best validation are used.

    Args:
        latent: Size of a code; see :class:`Autoencoder`.
        hidden: Width of the hidden layers, for tables.
        layers: Number of layers of each network.
        channels: Channels of the first convolution, for images.
        activation: ``"relu"``, ``"swish"``, ``"tanh"`` or ``"leaky"``.
        gamma: Weight of the adversarial terms.
        lam: Weight of the divergence of codes from the prior, and from transformed ones.
        margin_x: Largest rewarded difference of a row that is reconstructed from a transformed code.
        margin_z: Largest rewarded divergence of the codes of reconstructions from the prior.
        weight_decay: Weight decay of AdamW.
        n_samples: Number of codes per row for the score.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 4)) * [1.0, 1.0, 0.1, 0.1]
        >>> AdVAE(latent=2, hidden=16, max_iter=60).fit(rows).score(rows).shape
        (300,)
    """

    SCORES: ClassVar[tuple[str, ...]] = ("sampled",)
    replayable: ClassVar[bool] = True

    validate_every: int = 30
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
    n_samples: int = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("gamma", "lam", "margin_x", "margin_z", "weight_decay"):
            if not getattr(self, name) >= 0:
                raise InvalidParameter(f"{name} is {getattr(self, name)!r}; expected a number of at least 0.")
        self._architecture()

    def _architecture(self) -> Architecture:
        return Architecture(self.layers, self.hidden, self.channels, self.activation)

    def _network(self, shape: Shape) -> AdVAENetworks:
        return AdVAENetworks(shape, code_width(self.latent, shape), self._architecture())

    def _adversaries(self) -> AdVAENetworks:
        assert isinstance(self.network_, AdVAENetworks)
        return self.network_

    def _generator_loss(self, rows: Tensor, random: RandomNumbers) -> Tensor:
        """Return the loss of generator and transformer."""
        parts = self._adversaries()
        with torch.no_grad():
            code = parts.encoder(rows)
        other = parts.transformer(*code)
        rebuilt, transformed = (parts.generator.mean(sample(*each, random=random)) for each in (code, other))
        rebuilt_divergence = divergence(*parts.encoder(rebuilt)).mean()
        transformed_divergence = divergence(*parts.encoder(transformed)).mean()
        difference = ((rebuilt - transformed) ** 2).mean()
        return (
            ((rows - rebuilt) ** 2).mean()
            + self.gamma * rebuilt_divergence
            + torch.relu(self.margin_x - difference)
            + self.gamma * torch.relu(self.margin_z - transformed_divergence)
            + self.lam * divergence_between(*code, *other).mean()
        )

    def _encoder_loss(self, rows: Tensor, random: RandomNumbers) -> Tensor:
        """Return the loss of the encoder."""
        parts = self._adversaries()
        code = parts.encoder(rows)
        rebuilt = parts.generator.mean(sample(*code, random=random))
        with torch.no_grad():
            transformed = parts.generator.mean(sample(*parts.transformer(*code), random=random))
        noticed = [
            torch.relu(self.margin_z - divergence(*parts.encoder(fake)).mean())
            for fake in (rebuilt.detach(), transformed)
        ]
        return ((rows - rebuilt) ** 2).mean() + self.lam * divergence(*code).mean() + self.gamma * sum(noticed)

    def _train(self, rows: Tensor, validation: Tensor, random: RandomNumbers) -> TrainingHistory:
        parts = self._adversaries()
        generator_step = FlatOptimizer(
            [parts.generator, parts.transformer], self.learning_rate, weight_decay=self.weight_decay
        )
        encoder_step = FlatOptimizer([parts.encoder], self.learning_rate, weight_decay=self.weight_decay)

        def step(batch: Tensor, random: RandomNumbers) -> None:
            generator_step(self._generator_loss(batch, random))
            encoder_step(self._encoder_loss(batch, random))

        def check(random: RandomNumbers) -> float:
            code = parts.encoder(validation)
            missed = ((parts.generator.mean(sample(*code, random=random)) - validation) ** 2).mean()
            return float(missed + self.lam * divergence(*code).mean())

        return self._run_training(step, rows, random, check=check)

    def _row_score(self) -> SampledScore:
        parts = self._adversaries()
        encoder = DenseLayers.of(parts.encoder)
        noise = fixed_noise(self.n_samples, int(encoder.widths[-1]) // 2)
        return SampledScore(encoder, DenseLayers.of(parts.generator), noise.numpy(), LEAST_DEVIATION)

    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        parts, found = self._adversaries(), []
        mean, deviation = parts.encoder(rows)
        noise = fixed_noise(self.n_samples, mean.shape[1]).to(mean.device)
        for part in torch.split(torch.arange(len(rows), device=rows.device), max(1, DECODED // self.n_samples)):
            codes = (mean[part, None] + deviation[part, None] * noise).flatten(0, 1)
            rebuilt = parts.generator.mean(codes)
            missed = rebuilt.view(-1, self.n_samples, *rows.shape[1:]) - rows[part, None]
            found.append((missed * missed).flatten(1).mean(1))
        return {"sampled": torch.cat(found)}

    def _terms(self, rows: Tensor) -> Tensor:
        parts, found = self._adversaries(), []
        mean, deviation = parts.encoder(rows)
        noise = fixed_noise(self.n_samples, mean.shape[1]).to(mean.device)
        for part in torch.split(torch.arange(len(rows), device=rows.device), max(1, DECODED // self.n_samples)):
            codes = (mean[part, None] + deviation[part, None] * noise).flatten(0, 1)
            missed = parts.generator.mean(codes).view(-1, self.n_samples, rows.shape[1]) - rows[part, None]
            found.append((missed * missed).mean(1) / rows.shape[1])
        return torch.cat(found)
