"""What codes look like before any row is seen."""

from __future__ import annotations

import math
from typing import Literal

import torch
from torch import Tensor, nn

from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.gaussians import LOG_2PI, GaussianEncoder, sample

PriorName = Literal["normal", "vamp"]


class NormalPrior(nn.Module):
    """Standard normal codes.

    Args:
        latent: Numbers per code.
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
    """A mixture of what the encoder says of learned pseudo-inputs (Tomczak and Welling, 2018).

    Args:
        shape: Of a row.
        n_components: Number of pseudo-inputs: normal noise, until :meth:`begin` moves it to the rows' mean.
    """

    def __init__(self, shape: tuple[int, ...], n_components: int) -> None:
        super().__init__()
        self.inputs = nn.Parameter(torch.randn(n_components, *shape))

    def begin(self, rows: Tensor) -> None:
        """Move the pseudo-inputs to around the mean of the rows."""
        with torch.no_grad():
            self.inputs.add_(rows.mean(0))

    def draw(self, n: int, encoder: GaussianEncoder, random: RandomNumbers) -> Tensor:
        """Return n codes: of inputs chosen at random, a draw of what the encoder says."""
        return sample(*encoder(self._chosen(n, random)), random=random)

    def draw_means(self, n: int, encoder: GaussianEncoder, random: RandomNumbers) -> Tensor:
        """Return n means of the encoder, for a comparison with those of rows."""
        mean: Tensor = encoder(self._chosen(n, random))[0]
        return mean

    def log_density(self, codes: Tensor, encoder: GaussianEncoder) -> Tensor:
        """Return the log-density of codes (..., latent)."""
        mean, deviation = encoder(self.inputs)
        split_validation = (codes[..., None, :] - mean) / deviation
        parts = -0.5 * (split_validation * split_validation + 2 * torch.log(deviation) + LOG_2PI).sum(-1)
        return torch.logsumexp(parts, -1) - math.log(len(mean))

    def _chosen(self, n: int, random: RandomNumbers) -> Tensor:
        return self.inputs[random.integers(len(self.inputs), (n,), self.inputs.device)]


Prior = NormalPrior | VampPrior
