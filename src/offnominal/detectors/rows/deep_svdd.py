"""Deep support vector data description (Ruff et al., 2018)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.dense_layers import DenseLayers, array_of
from offnominal.detectors.parameters import POSITIVE, Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.architecture import Architecture, Downsampling
from offnominal.detectors.rows.autoencoder import code_width
from offnominal.detectors.rows.deep_detector import CHUNK, DeepRowDetector
from offnominal.detectors.rows.deep_rows import Shape
from offnominal.detectors.rows.flat_optimizer import FlatOptimizer
from offnominal.detectors.rows.gaussians import GaussianDecoder
from offnominal.detectors.rows.layers import network_to
from offnominal.detectors.rows.row_scores import DistanceScore
from offnominal.detectors.training import TrainingHistory

WARM_UP = 0.05
"""Fraction of the iterations before the radius is updated."""

APART = 0.1
"""Smallest distance of the centre from zero along every axis; zero weights would map all rows to zero."""


class HypersphereNetwork(nn.Module):
    """An encoder without biases, a decoder for pre-training, and the centre and radius of a hypersphere."""

    centre: Tensor
    radius: Tensor

    def __init__(self, shape: Shape, latent: int, architecture: Architecture, decoding: Architecture) -> None:
        super().__init__()
        self.encoder = network_to(shape, latent, architecture)
        self.decoder = GaussianDecoder(latent, shape, "constant", decoding)
        self.register_buffer("centre", torch.zeros(latent))
        self.register_buffer("radius", torch.zeros(()))

    def distances(self, rows: Tensor) -> Tensor:
        """Return the squared distance of each row's code from the centre."""
        residual = self.encoder(rows) - self.centre
        squares: Tensor = (residual * residual).sum(1)
        return squares


@dataclass(kw_only=True, eq=False)
class DeepSVDD(DeepRowDetector):
    """Distance of a code from the centre of a hypersphere.

    First the encoder is pre-trained as an autoencoder. Its mean code becomes the centre. Then it is trained to bring
    the codes of nominal rows close to the centre. It has no biases, because with them it could map everything there.

    Args:
        latent: Size of a code; see :class:`Autoencoder`.
        hidden: Width of the hidden layers, for tables.
        layers: Number of layers of the encoder.
        channels: Channels of the first convolution, for images; with pooling, of the last one.
        activation: ``"relu"``, ``"swish"``, ``"tanh"`` or ``"leaky"``.
        objective: ``"one-class"`` minimises distances; ``"soft-boundary"`` minimises the radius of a sphere that leaves
            some rows outside.
        nu: Fraction of rows outside a soft boundary.
        batch_norm: Whether convolutions are followed by batch normalisation, for images; without pooling, the first one
            is not. That of the encoder has no weights, as they would act as biases.
        downsampling: How convolutions halve the size of images: ``"stride"``, or ``"pool"`` for larger kernels and max
            pooling.
        pretrain_iter: Largest number of gradient steps of the autoencoder.
        pretrain_learning_rate: Learning rate of the autoencoder; that of the hypersphere if None.
        weight_decay: Weight decay of both trainings.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 4)) * 0.1 + 1.0
        >>> svdd = DeepSVDD(latent=2, hidden=16, pretrain_iter=100, max_iter=200).fit(rows)
        >>> near, far = svdd.score(np.array([[1.0, 1.0, 1.0, 1.0], [4.0, -2.0, 4.0, -2.0]]))
        >>> bool(near < far)
        True
    """

    SCORES: ClassVar[tuple[str, ...]] = ("distance",)
    RANGES: ClassVar[Mapping[str, Range]] = {"pretrain_learning_rate": POSITIVE}
    replayable: ClassVar[bool] = True

    max_iter: int = 5_000
    validate_every: int = 30
    patience: int = 10
    latent: int = 8
    hidden: int = 64
    layers: int = 3
    channels: int = 16
    activation: str = "relu"
    objective: Literal["one-class", "soft-boundary"] = "one-class"
    nu: float = 0.1
    batch_norm: bool = False
    downsampling: Downsampling = "stride"
    pretrain_iter: int = 5_000
    pretrain_learning_rate: float | None = None
    weight_decay: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.objective not in ("one-class", "soft-boundary"):
            raise InvalidParameter(f"objective is {self.objective!r}; choose one-class or soft-boundary.")
        if not 0 < self.nu < 1:
            raise InvalidParameter(f"nu is {self.nu!r}; expected a fraction in (0, 1).")
        self._architecture(bias=False)

    def _architecture(self, *, bias: bool) -> Architecture:
        return Architecture(
            self.layers,
            self.hidden,
            self.channels,
            self.activation,
            bias=bias,
            batch_norm=self.batch_norm,
            downsampling=self.downsampling,
        )

    def _network(self, shape: Shape) -> HypersphereNetwork:
        return HypersphereNetwork(
            shape, code_width(self.latent, shape), self._architecture(bias=False), self._architecture(bias=True)
        )

    def _train(self, rows: Tensor, validation: Tensor, random: RandomNumbers) -> TrainingHistory:
        sphere = self._sphere()
        self._prepare(sphere, rows, validation, random)
        sphere.centre.copy_(_centre(sphere, rows))
        descent = FlatOptimizer([sphere.encoder], self.learning_rate, weight_decay=self.weight_decay)
        soft, calls = self.objective == "soft-boundary", torch.zeros((), device=rows.device)

        def step(batch: Tensor, _: RandomNumbers) -> None:
            distances = sphere.distances(batch)
            descent(self._loss(distances, sphere.radius))
            if soft:
                warm = calls.add_(1) > WARM_UP * self.max_iter
                sphere.radius.copy_(torch.where(warm, _radius(distances.detach(), self.nu), sphere.radius))

        history = self._run_training(step, rows, random, check=lambda _: float(self._check(sphere, validation)))
        if soft:
            with torch.no_grad():
                sphere.radius.copy_(_radius(_distances(sphere, rows), self.nu))
        return history

    def _prepare(self, sphere: HypersphereNetwork, rows: Tensor, validation: Tensor, random: RandomNumbers) -> None:
        descent = self._pretraining(sphere)

        def loss(some: Tensor) -> Tensor:
            return ((sphere.decoder.mean(sphere.encoder(some)) - some) ** 2).mean()

        self._run_training(
            lambda batch, _: descent(loss(batch)),
            rows,
            random,
            check=lambda _: float(loss(validation)),
            max_iter=self.pretrain_iter,
        )

    def _pretraining(self, sphere: HypersphereNetwork) -> FlatOptimizer:
        """Return the optimiser of the autoencoder."""
        rate = self.pretrain_learning_rate or self.learning_rate
        return FlatOptimizer([sphere.encoder, sphere.decoder], rate, weight_decay=self.weight_decay)

    def _loss(self, distances: Tensor, radius: Tensor) -> Tensor:
        if self.objective == "one-class":
            return distances.mean()
        return radius**2 + torch.relu(distances - radius**2).mean() / self.nu

    def _check(self, sphere: HypersphereNetwork, validation: Tensor) -> Tensor:
        """Return the validation loss with the radius of the validation rows, so that values are comparable."""
        distances = sphere.distances(validation)
        return self._loss(distances, _radius(distances, self.nu))

    def _sphere(self) -> HypersphereNetwork:
        assert isinstance(self.network_, HypersphereNetwork)
        return self.network_

    def _row_score(self) -> DistanceScore:
        sphere = self._sphere()
        return DistanceScore(DenseLayers.of(sphere.encoder), array_of(sphere.centre), float(sphere.radius))

    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        sphere = self._sphere()
        return {"distance": sphere.distances(rows) - sphere.radius**2}


def _centre(sphere: HypersphereNetwork, rows: Tensor) -> Tensor:
    with torch.no_grad():
        centre = torch.cat([sphere.encoder(part) for part in torch.split(rows, CHUNK)]).mean(0)
    return torch.where(centre.abs() < APART, torch.where(centre < 0, -APART, APART), centre)


def _distances(sphere: HypersphereNetwork, rows: Tensor) -> Tensor:
    return torch.cat([sphere.distances(part) for part in torch.split(rows, CHUNK)])


def _radius(distances: Tensor, nu: float) -> Tensor:
    """Return the radius of the sphere that leaves the fraction `nu` of the rows outside."""
    k = min(len(distances), max(1, round((1 - nu) * len(distances))))
    return distances.kthvalue(k).values.clamp_min(0.0).sqrt()
