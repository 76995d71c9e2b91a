"""Adversarial autoencoder (Makhzani et al., 2015)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import torch
from torch import Tensor

from offnominal.core.checks import positive_number
from offnominal.detectors.parameters import LAYERS, Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.autoencoder import Autoencoder, AutoencoderNetworks, code_width
from offnominal.detectors.rows.deep_rows import Shape
from offnominal.detectors.rows.flat_optimizer import FlatOptimizer
from offnominal.detectors.rows.gaussians import mean_reconstruction_error, sample
from offnominal.detectors.rows.layers import Critic, fake_loss, fake_probability, real_loss
from offnominal.detectors.training import TrainingHistory

MIXED = {f"mixed-{share / 10:.1f}": share / 10 for share in range(11)}


@dataclass(kw_only=True, eq=False)
class AAE(Autoencoder):
    """Reconstruction error of an autoencoder whose codes a critic cannot distinguish from samples of the prior.

    Scores: ``sampled``, ``mean`` and ``jacobian`` as for :class:`VAE`; ``critic``, the probability that the mean code
    is not from the prior; and ``mixed-0.0`` to ``mixed-1.0``, this fraction of ``mean`` and the rest of ``critic``.

    Args:
        weight: Weight of the critic in the loss of the encoder.
        critic_layers: Number of layers of the critic; that of the other networks if None.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 4)) * [1.0, 1.0, 0.1, 0.1]
        >>> aae = AAE(latent=2, hidden=16, max_iter=300).fit(rows)
        >>> near, far = aae.score(np.array([[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 3.0, -3.0]]))
        >>> bool(near < far)
        True
    """

    SCORES: ClassVar[tuple[str, ...]] = ("sampled", "mean", "jacobian", "critic", *MIXED)

    RANGES: ClassVar[Mapping[str, Range]] = {"critic_layers": LAYERS}

    weight: float = 1.0
    critic_layers: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        positive_number("weight", self.weight)

    def _network(self, shape: Shape) -> AutoencoderNetworks:
        network = super()._network(shape)
        architecture = replace(self._architecture(), layers=self.critic_layers or self.layers)
        network.critic = Critic((code_width(self.latent, shape),), architecture)
        return network

    def _critic(self) -> Critic:
        critic = self._coder().critic
        assert isinstance(critic, Critic)
        return critic

    def _reconstruction_error(self, rows: Tensor, random: RandomNumbers) -> Tensor:
        network = self._coder()
        return mean_reconstruction_error(rows, *network.decoder(sample(*network.encoder(rows), random=random)))

    def _train(self, rows: Tensor, validation: Tensor, random: RandomNumbers) -> TrainingHistory:
        network, critic = self._begin(rows), self._critic()
        encoder = network.encoder
        parts = [network.encoder, network.decoder, *([network.prior] if self.prior == "vamp" else [])]
        coding, critic_step = FlatOptimizer(parts, self.learning_rate), FlatOptimizer([critic], self.learning_rate)

        def step(batch: Tensor, random: RandomNumbers) -> None:
            codes = sample(*encoder(batch), random=random)
            # One step for both losses: the length of a separate Adam step would not depend on the weight.
            coding(mean_reconstruction_error(batch, *network.decoder(codes)) + self.weight * real_loss(critic(codes)))
            with torch.no_grad():
                expected = network.prior.draw(len(batch), encoder, random)
                found = sample(*encoder(batch), random=random)
            critic_step(0.5 * (real_loss(critic(expected)) + fake_loss(critic(found))))

        return self._run_training(
            step, rows, random, check=lambda random: float(self._reconstruction_error(validation, random))
        )

    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        mixed = [name for name in names if name in MIXED]
        found = super()._scores(rows, [*names, "mean"] if mixed else names)
        if mixed or "critic" in names:
            found["critic"] = fake_probability(self._critic()(self._coder().encoder(rows)[0]))
        return found | {name: MIXED[name] * found["mean"] + (1 - MIXED[name]) * found["critic"] for name in mixed}
