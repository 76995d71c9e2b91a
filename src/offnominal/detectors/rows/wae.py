"""Wasserstein autoencoder with maximum mean discrepancy (Tolstikhin et al., 2018)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from offnominal.core.checks import positive_number
from offnominal.core.errors import InvalidParameter
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.autoencoder import Autoencoder
from offnominal.detectors.rows.flat_optimizer import FlatOptimizer
from offnominal.detectors.rows.gaussians import mean_reconstruction_error, sample
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
        return self._descend(descent, self._loss, rows, validation, random)


KernelName = Literal["rbf", "imq", "rq"]


def kernel(squared: Tensor, name: KernelName, width: float) -> Tensor:
    """Return the kernel of squared distances: 1 at 0.

    Args:
        squared: Squared distances.
        name: ``rbf`` exp(−w D), ``imq`` w / (w + D) or ``rq`` (1 + D / 2w)^(−w).
        width: Width w of the kernel.

    Example:
        >>> kernel(torch.tensor([0.0, 1.0]), "imq", 1.0)
        tensor([1.0000, 0.5000])
    """
    if name == "rbf":
        return torch.exp(-width * squared)
    if name == "imq":
        return width / (width + squared)
    if name == "rq":
        return (1 + squared / (2 * width)) ** -width
    raise InvalidParameter(f"kernel is {name!r}; choose rbf, imq or rq.")


def mmd(first: Tensor, second: Tensor, name: KernelName, width: float) -> Tensor:
    """Return the unbiased estimate of the squared discrepancy; its mean is 0 for samples of one distribution.

    Args:
        first: (n, d), at least two rows.
        second: (m, d), at least two rows.
        name: Name of the kernel.
        width: Width of the kernel.

    Example:
        >>> points = torch.arange(6.0).view(3, 2)
        >>> bool(mmd(points, points + 9, "rbf", 0.1) > mmd(points, points + 1, "rbf", 0.1))
        True
    """
    within = sum(_others(_kernel_of(rows, rows, name, width)) for rows in (first, second))
    return within - 2 * _kernel_of(first, second, name, width).mean()


def _kernel_of(first: Tensor, second: Tensor, name: KernelName, width: float) -> Tensor:
    norms = (first * first).sum(1)[:, None] + (second * second).sum(1)
    return kernel((norms - 2 * first @ second.t()).clamp_min(0.0), name, width)


def _others(values: Tensor) -> Tensor:
    """Return the mean of a square matrix without its diagonal."""
    n = len(values)
    return (values.sum() - values.diagonal().sum()) / (n * n - n)
