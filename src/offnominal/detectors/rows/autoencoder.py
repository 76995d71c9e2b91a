"""Base class of autoencoders: encoder, decoder, prior, and their scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from offnominal.core.device import deterministic_kernels
from offnominal.core.errors import InvalidParameter, UnsupportedExport
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.dense_layers import DenseLayers
from offnominal.detectors.rows.architecture import Architecture, Downsampling
from offnominal.detectors.rows.deep_detector import CHUNK, DeepRowDetector
from offnominal.detectors.rows.deep_rows import Shape
from offnominal.detectors.rows.gaussians import (
    LOG_2PI,
    GaussianDecoder,
    GaussianEncoder,
    Variance,
    fixed_noise,
    log_density,
    reconstruction_error,
    reconstruction_terms,
)
from offnominal.detectors.rows.layers import LEAST_DEVIATION
from offnominal.detectors.rows.priors import NormalPrior, Prior, PriorName, VampPrior
from offnominal.detectors.rows.row_scores import RowScore, SampledScore

DECODED = 8192
"""Codes per batch of the decoder."""

MIN_VALUE = 1e-12
"""Added to squared singular values, so that a direction that the decoder ignores has a finite density."""

JACOBIANS = 64
"""Jacobians of the decoder that are in memory at the same time."""

FEW = 128
"""Largest number of values per row for reverse-mode derivatives; the first forward-mode pass takes torch seconds to
prepare."""


class AutoencoderNetworks(nn.Module):
    """An encoder, a decoder and a prior of the codes."""

    def __init__(self, shape: Shape, latent: int, variance: Variance, prior: Prior, architecture: Architecture) -> None:
        super().__init__()
        self.encoder = GaussianEncoder(shape, latent, architecture)
        self.decoder = GaussianDecoder(latent, shape, variance, architecture)
        self.prior = prior


@dataclass(kw_only=True, eq=False)
class Autoencoder(DeepRowDetector):
    """A detector by the reconstruction of a row from a code.

    Args:
        latent: Size of a code. If a row has not more columns, the largest power of two below their number is used.
        hidden: Width of the hidden layers, for tables.
        layers: Number of layers of encoder and decoder each.
        channels: Channels of the first convolution, for images; with pooling, of the last one.
        activation: ``"relu"``, ``"swish"``, ``"tanh"`` or ``"leaky"``.
        downsampling: How convolutions halve the size of images: ``"stride"``, or ``"pool"`` for larger kernels and max
            pooling.
        variance: Variance of a row given its code: ``"constant"``, ``"scalar"`` (one number per row) or ``"diagonal"``.
        prior: Prior of the codes: ``"normal"`` or ``"vamp"``, a mixture around learned pseudo-inputs.
        n_components: Number of pseudo-inputs of ``"vamp"``.
        n_samples: Number of codes per row for the sampled scores; all rows share the same noise.
    """

    SCORES: ClassVar[tuple[str, ...]] = ("sampled", "mean", "jacobian")
    replayable: ClassVar[bool] = True

    latent: int = 8
    hidden: int = 64
    layers: int = 3
    channels: int = 16
    activation: str = "relu"
    downsampling: Downsampling = "stride"
    variance: Variance = "diagonal"
    prior: PriorName = "normal"
    n_components: int = 8
    n_samples: int = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.variance not in ("constant", "scalar", "diagonal"):
            raise InvalidParameter(f"variance is {self.variance!r}; choose constant, scalar or diagonal.")
        if self.prior not in ("normal", "vamp"):
            raise InvalidParameter(f"prior is {self.prior!r}; choose normal or vamp.")
        self._architecture()

    def _architecture(self) -> Architecture:
        return Architecture(self.layers, self.hidden, self.channels, self.activation, downsampling=self.downsampling)

    def _network(self, shape: Shape) -> AutoencoderNetworks:
        latent = code_width(self.latent, shape)
        prior: Prior = VampPrior(shape, self.n_components) if self.prior == "vamp" else NormalPrior(latent)
        return AutoencoderNetworks(shape, latent, self.variance, prior, self._architecture())

    def _begin(self, rows: Tensor) -> AutoencoderNetworks:
        """Return the network with the prior initialised from the rows."""
        network = self._coder()
        if isinstance(network.prior, VampPrior):
            network.prior.begin(rows)
        return network

    def _coder(self) -> AutoencoderNetworks:
        network = self.network_
        assert isinstance(network, AutoencoderNetworks)
        return network

    def encode(self, rows: Array) -> FloatArray:
        """Return the mean code of every row."""
        self._require_fitted()
        parts = torch.split(torch.from_numpy(self._checked_like_training(rows)), CHUNK)
        with torch.no_grad(), deterministic_kernels(self.device_):
            codes = [self._coder().encoder(part.to(self.device_))[0].cpu().double() for part in parts]
        found: FloatArray = torch.cat(codes).numpy()
        return found

    def _row_score(self) -> RowScore | None:
        network = self._coder()
        encoder = DenseLayers.of(network.encoder)
        noise = fixed_noise(self.n_samples, int(encoder.widths[-1]) // 2)
        return SampledScore(encoder, DenseLayers.of(network.decoder), noise.numpy(), LEAST_DEVIATION)

    def _torch_score(self, rows: Tensor) -> Tensor:
        if self.score_name == "jacobian":
            raise UnsupportedExport(
                f"the score 'jacobian' of {type(self).__name__} needs derivatives, which ONNX does not have; choose "
                "another score_name."
            )
        return super()._torch_score(rows)

    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        network = self._coder()
        mean, deviation = network.encoder(rows)
        found: dict[str, Tensor] = {}
        if "sampled" in names:
            found["sampled"], _ = self._sampled(rows, mean, deviation)
        if "mean" in names:
            found["mean"] = reconstruction_error(rows, *network.decoder(mean))
        if "jacobian" in names:
            found["jacobian"] = self._jacobian(rows, mean)
        return found

    def _terms(self, rows: Tensor) -> Tensor | None:
        network = self._coder()
        mean, deviation = network.encoder(rows)
        if self.score_name == "mean":
            return reconstruction_terms(rows, *network.decoder(mean))
        if self.score_name != "sampled":
            return None
        noise = fixed_noise(self.n_samples, mean.shape[1]).to(mean.device)
        found = []
        for part in torch.split(torch.arange(len(rows), device=rows.device), max(1, DECODED // self.n_samples)):
            codes = (mean[part, None] + deviation[part, None] * noise).flatten(0, 1)
            terms = reconstruction_terms(rows[part].repeat_interleave(self.n_samples, dim=0), *network.decoder(codes))
            found.append(terms.view(-1, self.n_samples, rows.shape[1]).mean(1))
        return torch.cat(found)

    def _sampled(self, rows: Tensor, mean: Tensor, deviation: Tensor) -> tuple[Tensor, Tensor]:
        """Return the mean reconstruction error and the mean log ratio of encoder to prior over fixed noise."""
        network = self._coder()
        noise = fixed_noise(self.n_samples, mean.shape[1]).to(mean.device)
        misfits, ratios = [], []
        for part in torch.split(torch.arange(len(rows), device=rows.device), max(1, DECODED // self.n_samples)):
            codes = mean[part, None] + deviation[part, None] * noise
            repeated = rows[part].repeat_interleave(self.n_samples, dim=0)
            misfits.append(
                reconstruction_error(repeated, *network.decoder(codes.flatten(0, 1))).view(-1, self.n_samples).mean(1)
            )
            posterior = -0.5 * (noise * noise + LOG_2PI).sum(1) - torch.log(deviation[part]).sum(1, keepdim=True)
            ratios.append((posterior - network.prior.log_density(codes, network.encoder)).mean(1))
        return torch.cat(misfits), torch.cat(ratios)

    def _jacobian(self, rows: Tensor, codes: Tensor) -> Tensor:
        """Return the negative log-density of a row on the manifold of the decoder.

        The density of the code is divided by the volume change of the decoder, and multiplied by the density of the
        difference between reconstruction and row.
        """
        network = self._coder()
        mean, deviation = network.decoder(codes)
        step = log_density(rows, mean, torch.ones_like(mean) if deviation is None else deviation)
        density = network.prior.log_density(codes, network.encoder)
        return log_volume(network.decoder.mean, codes) - step - density


def code_width(latent: int, shape: Shape) -> int:
    """Return the size of a code; for tables with few columns the largest power of two below their number.

    Example:
        >>> code_width(64, (10,)), code_width(8, (10,)), code_width(64, (1, 28, 28))
        (8, 8, 64)
    """
    columns = shape[0]
    if len(shape) > 1 or latent < columns:
        return latent
    return 1 << max(0, (columns - 1).bit_length() - 1)


def log_volume(decode: Callable[[Tensor], Tensor], codes: Tensor) -> Tensor:
    """Return the sum of the log singular values of the decoder's Jacobian at each code.

    Args:
        decode: Decoder from codes (n, latent) to rows (n, ...).
        codes: (n, latent) codes.

    Example:
        >>> log_volume(lambda codes: codes * torch.tensor([2.0, 0.5]), torch.zeros(1, 2)).abs().round(decimals=4)
        tensor([0.], dtype=torch.float64)
    """

    def one(code: Tensor) -> Tensor:
        return decode(code[None]).flatten()

    width = decode(codes[:1]).numel()
    slopes = torch.func.vmap(torch.func.jacrev(one) if width <= FEW else torch.func.jacfwd(one))
    return torch.cat([_half_log_determinant(slopes(part)) for part in torch.split(codes, JACOBIANS)])


def _half_log_determinant(jacobians: Tensor) -> Tensor:
    precise = jacobians.double()
    square = precise.transpose(1, 2) @ precise
    ridge = MIN_VALUE * torch.eye(square.shape[-1], dtype=square.dtype, device=square.device)
    found: Tensor = 0.5 * torch.linalg.slogdet(square + ridge)[1]
    return found
