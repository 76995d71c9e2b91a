"""GANomaly (Akçay et al., 2018)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.dense_layers import DenseLayers
from offnominal.detectors.parameters import Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.architecture import Architecture
from offnominal.detectors.rows.autoencoder import code_width
from offnominal.detectors.rows.deep_detector import DeepRowDetector
from offnominal.detectors.rows.deep_rows import Shape
from offnominal.detectors.rows.flat_optimizer import FlatOptimizer
from offnominal.detectors.rows.layers import Critic, Generator, fake_loss, network_to, real_loss
from offnominal.detectors.rows.row_scores import CodeChangeScore
from offnominal.detectors.training import TrainingHistory


class GANomalyNetworks(nn.Module):
    """Encoder, decoder, second encoder, and a critic of the rows."""

    def __init__(self, shape: Shape, latent: int, architecture: Architecture) -> None:
        super().__init__()
        self.encoder, self.again = network_to(shape, latent, architecture), network_to(shape, latent, architecture)
        self.generator = Generator(latent, shape, architecture)
        self.critic = Critic(shape, architecture)

    def forward(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the code of a row, its reconstruction, and the code of the reconstruction."""
        code = self.encoder(rows)
        rebuilt = self.generator(code)
        return code, rebuilt, self.again(rebuilt)


@dataclass(kw_only=True, eq=False)
class GANomaly(DeepRowDetector):
    """Change of the code after decoding and encoding it again.

    The score, ``code``, is the mean absolute change of the code. The weights of the best validation are used.

    Args:
        latent: Size of a code; see :class:`Autoencoder`.
        hidden: Width of the hidden layers, for tables.
        layers: Number of layers of each network.
        channels: Channels of the first convolution, for images.
        activation: ``"relu"``, ``"swish"``, ``"tanh"`` or ``"leaky"``.
        adversarial: Weight of the difference in the critic's features.
        contextual: Weight of the mean absolute error of the row.
        coding: Weight of the mean squared change of the code.
        weight_decay: Weight decay of AdamW.
        extra_layers: Number of convolutions with stride 1 after the first one of each network, for images.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 4))
        >>> GANomaly(latent=2, hidden=16, max_iter=60).fit(rows).score(rows).shape
        (300,)
    """

    SCORES: ClassVar[tuple[str, ...]] = ("code",)
    RANGES: ClassVar[Mapping[str, Range]] = {"extra_layers": Range(0, 1_000)}
    replayable: ClassVar[bool] = True

    validate_every: int = 30
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
    extra_layers: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("adversarial", "contextual", "coding", "weight_decay"):
            if not getattr(self, name) >= 0:
                raise InvalidParameter(f"{name} is {getattr(self, name)!r}; expected a number of at least 0.")
        self._architecture()

    def _architecture(self) -> Architecture:
        return Architecture(
            self.layers,
            self.hidden,
            self.channels,
            self.activation,
            batch_norm=True,
            extra_layers=self.extra_layers,
        )

    def _network(self, shape: Shape) -> GANomalyNetworks:
        return GANomalyNetworks(shape, code_width(self.latent, shape), self._architecture())

    def _networks(self) -> GANomalyNetworks:
        assert isinstance(self.network_, GANomalyNetworks)
        return self.network_

    def _loss(self, rows: Tensor) -> Tensor:
        network = self._networks()
        code, rebuilt, again = network(rows)
        with torch.no_grad():
            seen = network.critic.features(rows)
        parts = (
            self.adversarial * ((seen - network.critic.features(rebuilt)) ** 2).mean(),
            self.contextual * (rows - rebuilt).abs().mean(),
            self.coding * ((code - again) ** 2).mean(),
        )
        return torch.stack(parts).sum()

    def _train(self, rows: Tensor, validation: Tensor, random: RandomNumbers) -> TrainingHistory:
        network = self._networks()
        critic_step = FlatOptimizer([network.critic], self.learning_rate, weight_decay=self.weight_decay)
        parts = [network.encoder, network.generator, network.again]
        autoencoder_step = FlatOptimizer(parts, self.learning_rate, weight_decay=self.weight_decay)

        def step(batch: Tensor, _: RandomNumbers) -> None:
            autoencoder_step(self._loss(batch))
            with torch.no_grad():
                fake = network.generator(network.encoder(batch))
            critic_step(0.5 * (real_loss(network.critic(batch)) + fake_loss(network.critic(fake))))

        return self._run_training(step, rows, random, check=lambda _: float(self._loss(validation)))

    def _row_score(self) -> CodeChangeScore:
        networks = self._networks()
        return CodeChangeScore(
            *(DenseLayers.of(part) for part in (networks.encoder, networks.generator, networks.again))
        )

    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        code, _, again = self._networks()(rows)
        return {"code": (code - again).abs().mean(1)}
