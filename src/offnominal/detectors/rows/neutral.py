"""NeuTraL: contrastive learning of transformations (Qiu et al., 2021), in its form for tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.detectors.parameters import NOT_NEGATIVE, POSITIVE, Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.architecture import Architecture
from offnominal.detectors.rows.deep_detector import DeepRowDetector
from offnominal.detectors.rows.deep_rows import Shape
from offnominal.detectors.rows.flat_optimizer import FlatOptimizer
from offnominal.detectors.rows.layers import perceptron
from offnominal.detectors.training import TrainingHistory

Transform = Literal["residual", "multiplicative", "feedforward"]


class Transformations(nn.Module):
    """Several networks from rows to rows, computed at once.

    Args:
        columns: Number of columns.
        count: Number of networks.
        hidden: Width of their hidden layers.
        layers: Number of layers of each.
        kind: What a network gives: a change, a factor, or the new row; see :class:`NeuTraL`.
    """

    def __init__(self, columns: int, count: int, hidden: int, layers: int, kind: Transform) -> None:
        super().__init__()
        widths = [columns, *[hidden] * (layers - 1), columns]
        self.kind = kind
        self.weights = nn.ParameterList(_weights(count, *sizes) for sizes in pairwise(widths))

    def forward(self, rows: Tensor) -> Tensor:
        """Return the transformed rows, (count, n, columns)."""
        values = rows
        for place, weights in enumerate(self.weights):
            values = (torch.relu(values) if place else values) @ weights
        if self.kind == "residual":
            return rows + values
        return rows * torch.sigmoid(values) if self.kind == "multiplicative" else values


def _weights(count: int, inputs: int, outputs: int) -> nn.Parameter:
    """Return random weights with the spread of those of ``torch.nn.Linear``."""
    bound = 1.0 / math.sqrt(inputs)
    return nn.Parameter(nn.init.uniform_(torch.empty(count, inputs, outputs), -bound, bound))


class TransformationNetwork(nn.Module):
    """Transformations, and the encoder of rows and transformed rows."""

    def __init__(self, transformations: Transformations, encoder: nn.Module) -> None:
        super().__init__()
        self.transformations, self.encoder = transformations, encoder

    def forward(self, rows: Tensor) -> Tensor:
        """Return codes of unit length: of the rows, then of each transformation, (n, 1 + count, latent)."""
        views = torch.cat([rows[None], self.transformations(rows)])
        codes: Tensor = self.encoder(views.flatten(0, 1))
        return functional.normalize(codes, dim=1).view(*views.shape[:2], -1).transpose(0, 1)


def contrastive_loss(codes: Tensor, temperature: float) -> Tensor:
    """Return the deterministic contrastive loss of each row.

    A transformed row should resemble the row that it is made of more than its other transformations. It is smallest if
    every transformation has its own code and all are near that of the row; it does not depend on the order of the
    transformations.

    Args:
        codes: (n, 1 + count, latent) codes of unit length, first that of the row itself.
        temperature: Divides the similarities.

    Example:
        >>> same = torch.tensor([[[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]])
        >>> contrastive_loss(same, 0.1)  # twice the logarithm of two
        tensor([1.3863])
    """
    similar = codes @ codes.transpose(1, 2) / temperature
    itself = torch.eye(similar.shape[1], dtype=torch.bool, device=similar.device)
    others = similar.masked_fill(itself, -torch.inf)[:, 1:]
    return (torch.logsumexp(others, 2) - similar[:, 1:, 0]).sum(1)


@dataclass(kw_only=True, eq=False)
class NeuTraL(DeepRowDetector):
    """Contrastive loss of a row and its learned transformations.

    Networks transform a row. They and an encoder are trained together so that the code of each transformation resembles
    that of the row, and not those of the other transformations. The loss of a row is its score. Without biases, as
    published, and with residual or feedforward transformations, the codes of a row and of its positive multiples have
    the same direction, so that they have the same score.

    Args:
        latent: Size of a code.
        hidden: Width of the hidden layers of the encoder.
        layers: Number of layers of the encoder.
        bias: Whether the layers of the encoder have biases.
        transformations: Number of transformations.
        transform: ``"residual"`` adds the output of a transformation to the row, ``"multiplicative"`` multiplies the
            row by its sigmoid, ``"feedforward"`` takes it alone.
        transform_hidden: Width of the hidden layers of a transformation.
        transform_layers: Number of layers of a transformation.
        temperature: Divides the similarities of codes.
        weight_decay: Weight decay.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 4)) * 0.1 + [1.0, 1.0, -1.0, -1.0]
        >>> detector = NeuTraL(max_iter=200).fit(rows)
        >>> near, far = detector.score(np.array([[1.0, 1.0, -1.0, -1.0], [1.0, -1.0, 1.0, -1.0]]))
        >>> bool(near < far)
        True
    """

    SCORES: ClassVar[tuple[str, ...]] = ("contrast",)
    KINDS: ClassVar[tuple[int, ...]] = (2,)
    RANGES: ClassVar[Mapping[str, Range]] = {
        "temperature": POSITIVE,
        "weight_decay": NOT_NEGATIVE,
        "transformations": Range(2, 10_000),
        "transform_layers": Range(1, 1_000),
    }

    batch_size: int = 128
    latent: int = 24
    hidden: int = 24
    layers: int = 5
    bias: bool = False
    transformations: int = 11
    transform: Transform = "residual"
    transform_hidden: int = 24
    transform_layers: int = 2
    temperature: float = 0.1
    weight_decay: float = 1e-5

    def _network(self, shape: Shape) -> TransformationNetwork:
        columns, architecture = shape[0], Architecture(self.layers, self.hidden, bias=self.bias)
        transformed = Transformations(
            columns, self.transformations, self.transform_hidden, self.transform_layers, self.transform
        )
        return TransformationNetwork(transformed, perceptron(columns, self.latent, architecture))

    def _train(self, rows: Tensor, validation: Tensor, random: RandomNumbers) -> TrainingHistory:
        network = self.network_
        descent = FlatOptimizer([network], self.learning_rate, weight_decay=self.weight_decay)

        def loss(some: Tensor, _: RandomNumbers) -> Tensor:
            return contrastive_loss(network(some), self.temperature).mean()

        return self._descend(descent, loss, rows, validation, random)

    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        return {"contrast": contrastive_loss(self.network_(rows).double(), self.temperature)}
