"""Variational autoencoder (Kingma and Welling, 2014)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from offnominal.core.checks import positive_number
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.autoencoder import Autoencoder
from offnominal.detectors.rows.flat_optimizer import FlatOptimizer
from offnominal.detectors.rows.gaussians import divergence, log_density, mean_reconstruction_error, sample
from offnominal.detectors.rows.priors import NormalPrior
from offnominal.detectors.training import TrainingHistory


@dataclass(kw_only=True, eq=False)
class VAE(Autoencoder):
    """Reconstruction error of a variational autoencoder.

    Scores: ``sampled``, the negative mean log-density of a row given samples of its code; ``mean``, the same given the
    mean code; ``elbo``, ``sampled`` plus the divergence of the codes from the prior; ``jacobian``, the negative
    log-density on the manifold of the decoder; ``latent``, the negative log-density of the mean code under the prior,
    which can detect images that are simple to reconstruct. With constant variance, the negative log-density of a row
    given its code is its mean squared error.

    Args:
        beta: Weight of the divergence in the loss.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 4)) * [1.0, 1.0, 0.1, 0.1]
        >>> vae = VAE(latent=2, hidden=16, max_iter=300).fit(rows)
        >>> near, far = vae.score(np.array([[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 3.0, -3.0]]))
        >>> bool(near < far), sorted(vae.scores(rows))
        (True, ['elbo', 'jacobian', 'latent', 'mean', 'sampled'])
    """

    SCORES: ClassVar[tuple[str, ...]] = ("sampled", "mean", "elbo", "jacobian", "latent")

    beta: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive_number("beta", self.beta)

    def _loss(self, rows: Tensor, random: RandomNumbers) -> Tensor:
        network = self._coder()
        mean, deviation = network.encoder(rows)
        codes = sample(mean, deviation, random=random)
        if isinstance(network.prior, NormalPrior):
            regularisation = divergence(mean, deviation)
        else:
            regularisation = log_density(codes, mean, deviation) - network.prior.log_density(codes, network.encoder)
        return mean_reconstruction_error(rows, *network.decoder(codes)) + self.beta * regularisation.mean()

    def _train(self, rows: Tensor, validation: Tensor, random: RandomNumbers) -> TrainingHistory:
        descent = FlatOptimizer([self._begin(rows)], self.learning_rate)
        return self._descend(descent, self._loss, rows, validation, random)

    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        found = super()._scores(rows, [name for name in names if name not in ("sampled", "elbo")])
        network = self._coder()
        mean, deviation = network.encoder(rows)
        if "latent" in names:
            found["latent"] = -network.prior.log_density(mean, network.encoder)
        if "sampled" in names or "elbo" in names:
            found["sampled"], ratio = self._sampled(rows, mean, deviation)
            exact = isinstance(network.prior, NormalPrior)
            found["elbo"] = found["sampled"] + self.beta * (divergence(mean, deviation) if exact else ratio)
        return found
