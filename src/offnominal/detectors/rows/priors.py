"""Priors of codes."""

from __future__ import annotations

import math
from typing import Literal

import torch
from torch import Tensor, nn

from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.gaussians import LOG_2PI, GaussianEncoder, sample

PriorName = Literal["normal", "vamp"]


class NormalPrior(nn.Module):
    """Standard normal prior.

    Args:
        latent: Size of a code.
    """

    def __init__(self, latent: int) -> None:
        super().__init__()
        self.latent = latent

    def draw(self, n: int, encoder: GaussianEncoder, random: RandomNumbers) -> Tensor:
        """Return n codes."""
        return random.normal(n, self.latent)

    def draw_means(self, n: int, encoder: GaussianEncoder, random: RandomNumbers) -> Tensor:
        """Return n codes for a comparison with the means of the encoder."""
        return self.draw(n, encoder, random)

    def log_density(self, codes: Tensor, encoder: GaussianEncoder) -> Tensor:
        """Return the log-density of codes (..., latent)."""
        return -0.5 * (codes * codes + LOG_2PI).sum(-1)


class VampPrior(nn.Module):
    """Mixture of the encoder's Gaussians at learned pseudo-inputs (Tomczak and Welling, 2018).

    Args:
        shape: Shape of a row.
        n_components: Number of pseudo-inputs: normal noise, shifted to the mean of the rows by :meth:`begin`.
    """

    def __init__(self, shape: tuple[int, ...], n_components: int) -> None:
        super().__init__()
        self.inputs = nn.Parameter(torch.randn(n_components, *shape))

    def begin(self, rows: Tensor) -> None:
        """Shift the pseudo-inputs to the mean of the rows."""
        with torch.no_grad():
            self.inputs.add_(rows.mean(0))

    def draw(self, n: int, encoder: GaussianEncoder, random: RandomNumbers) -> Tensor:
        """Return n codes: samples of the encoder's Gaussians at random pseudo-inputs."""
        return sample(*encoder(self._chosen(n, random)), random=random)

    def draw_means(self, n: int, encoder: GaussianEncoder, random: RandomNumbers) -> Tensor:
        """Return n means of the encoder, for a comparison with those of rows."""
        mean: Tensor = encoder(self._chosen(n, random))[0]
        return mean

    def log_density(self, codes: Tensor, encoder: GaussianEncoder) -> Tensor:
        """Return the log-density of codes (..., latent)."""
        mean, deviation = encoder(self.inputs)
        standardised = (codes[..., None, :] - mean) / deviation
        parts = -0.5 * (standardised * standardised + 2 * torch.log(deviation) + LOG_2PI).sum(-1)
        return torch.logsumexp(parts, -1) - math.log(len(mean))

    def _chosen(self, n: int, random: RandomNumbers) -> Tensor:
        return self.inputs[random.integers(len(self.inputs), (n,), self.inputs.device)]


Prior = NormalPrior | VampPrior
