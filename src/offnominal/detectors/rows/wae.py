"""Wasserstein autoencoder with maximum mean discrepancy (Tolstikhin et al., 2018)."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from offnominal.core.checks import positive_number
from offnominal.core.errors import InvalidParameter
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.autoencoder import Autoencoder
from offnominal.detectors.rows.flat_optimizer import FlatOptimizer
from offnominal.detectors.rows.gaussians import mean_reconstruction_error, sample
from offnominal.detectors.rows.mmd import KernelName, mmd
from offnominal.detectors.training import TrainingHistory


@dataclass(kw_only=True, eq=False)
class WAE(Autoencoder):
    """Reconstruction error of an autoencoder whose mean codes are distributed like the prior.

    Scores: ``sampled``, ``mean`` and ``jacobian`` as for :class:`VAE`.

    Args:
        weight: Weight of the discrepancy between the codes and the prior.
        kernel: ``"rbf"``, ``"imq"`` or ``"rq"``.
        width: Width of the kernel.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 4)) * [1.0, 1.0, 0.1, 0.1]
        >>> wae = WAE(latent=2, hidden=16, max_iter=300).fit(rows)
        >>> near, far = wae.score(np.array([[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 3.0, -3.0]]))
        >>> bool(near < far)
        True
    """

    weight: float = 1.0
    kernel: KernelName = "imq"
    width: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive_number("weight", self.weight)
        positive_number("width", self.width)
        if self.kernel not in ("rbf", "imq", "rq"):
            raise InvalidParameter(f"kernel is {self.kernel!r}; choose rbf, imq or rq.")
        if self.batch_size < 2:
            raise InvalidParameter("batch_size is 1; a discrepancy needs at least two rows.")

    def _loss(self, rows: Tensor, random: RandomNumbers) -> Tensor:
        network = self._coder()
        mean, deviation = network.encoder(rows)
        expected = network.prior.draw_means(max(2, len(rows)), network.encoder, random)
        discrepancy = mmd(mean, expected, self.kernel, self.width) if len(rows) > 1 else 0.0
        return (
            mean_reconstruction_error(rows, *network.decoder(sample(mean, deviation, random=random)))
            + self.weight * discrepancy
        )

    def _train(self, rows: Tensor, validation: Tensor, random: RandomNumbers) -> TrainingHistory:
        descent = FlatOptimizer([self._begin(rows)], self.learning_rate)
        return self._run_training(
            lambda batch, random: descent(self._loss(batch, random)),
            rows,
            random,
            check=lambda random: float(self._loss(validation, random)),
        )
