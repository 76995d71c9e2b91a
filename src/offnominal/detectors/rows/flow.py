"""Base class of normalising flows: invertible layers from rows to standard normal variables."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.dense_layers import SinglePrecision, array_of
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.architecture import activation_of
from offnominal.detectors.rows.deep_detector import DeepRowDetector
from offnominal.detectors.rows.deep_rows import Shape
from offnominal.detectors.rows.flat_optimizer import FlatOptimizer
from offnominal.detectors.rows.gaussians import LOG_2PI
from offnominal.detectors.rows.row_scores import FlowScore, FlowStep, ScaleStep
from offnominal.detectors.training import TrainingHistory

MAX_LOG_SCALE = 13.8
"""Bound of twice the log-scale of one layer: no column is scaled by more than a factor of a thousand."""

MAX_VALUE = 1e12
"""Bound of the outputs of a layer, so that squares stay finite."""

MOMENTUM = 0.1
MIN_VALUE = 1e-5


class Affine(nn.Module):
    """Shift and scale: z = exp(−s / 2) (x − t).

    Args:
        width: Number of columns.
        squashed: Whether s is first squashed to α + β tanh s, with learned α and β.
    """

    def __init__(self, width: int, *, squashed: bool) -> None:
        super().__init__()
        self.squashed = squashed
        if squashed:
            self.offset, self.size = nn.Parameter(torch.zeros(width)), nn.Parameter(torch.ones(width))

    def squash(self) -> tuple[SinglePrecision, SinglePrecision]:
        """Return offset and size of the squashed s; empty if it is not squashed."""
        none = np.zeros(0, np.float32)
        return (array_of(self.offset), array_of(self.size)) if self.squashed else (none, none)

    def forward(self, rows: Tensor, shift: Tensor, scale: Tensor) -> tuple[Tensor, Tensor]:
        """Return the rows and s / 2, the negative log-determinant of each column."""
        if self.squashed:
            scale = self.offset + self.size * torch.tanh(scale)
        half = 0.5 * scale / (1 + scale.abs() / MAX_LOG_SCALE)
        return (torch.exp(-half) * (rows - shift)).clamp(-MAX_VALUE, MAX_VALUE), half


class FlowBatchNorm(nn.Module):
    """Batch normalisation as a layer of a flow, with running statistics after training."""

    centre: Tensor
    spread: Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.log_gain, self.offset = nn.Parameter(torch.zeros(width)), nn.Parameter(torch.zeros(width))
        self.register_buffer("centre", torch.zeros(width))
        self.register_buffer("spread", torch.ones(width))

    def forward(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return the rows and the log-determinant."""
        centre, spread = self.centre, self.spread
        if self.training and len(rows) > 1:
            centre, spread = rows.mean(0), rows.var(0, unbiased=False)
            self.centre.lerp_(centre.detach(), MOMENTUM)
            self.spread.lerp_(spread.detach(), MOMENTUM)
        log_scale = self.log_gain - 0.5 * torch.log(spread + MIN_VALUE)
        return (rows - centre) * torch.exp(log_scale) + self.offset, log_scale.sum().expand(len(rows))


class FlowLayers(nn.Module):
    """Layers, each of which returns rows and a log-determinant."""

    def __init__(self, layers: Sequence[nn.Module]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, rows: Tensor) -> Tensor:
        """Return the log-density of every row."""
        total = torch.zeros(len(rows), device=rows.device)
        for layer in self.layers:
            rows, gained = layer(rows)
            total = total + gained
        return total - 0.5 * (rows * rows + LOG_2PI).sum(1)


@dataclass(kw_only=True, eq=False)
class Flow(DeepRowDetector):
    """Negative log-density of a normalising flow.

    Args:
        n_flows: Number of invertible layers.
        hidden: Width of the hidden layers of their networks.
        layers: Number of layers of each network, including the last one.
        squashed: Whether log-scales are squashed by a tanh with learned offset and size.
        batch_norm: Whether each flow is followed by batch normalisation.
        zero_last: Whether every flow is initialised as the identity.
        weight_decay: Weight decay of AdamW.
    """

    SCORES: ClassVar[tuple[str, ...]] = ("density",)
    KINDS: ClassVar[tuple[int, ...]] = (2,)
    replayable: ClassVar[bool] = True

    learning_rate: float = 1e-4
    validate_every: int = 10
    patience: int = 20
    n_flows: int = 4
    hidden: int = 64
    layers: int = 3
    squashed: bool = False
    batch_norm: bool = False
    zero_last: bool = True
    weight_decay: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weight_decay < 0:
            raise InvalidParameter(f"weight_decay is {self.weight_decay!r}; expected a number of at least 0.")

    @abstractmethod
    def _layer(self, width: int, depth: int) -> nn.Module:
        """Return the invertible layer at some depth."""

    def _network(self, shape: Shape) -> FlowLayers:
        layers: list[nn.Module] = []
        for depth in range(self.n_flows):
            layers.append(self._layer(shape[0], depth))
            if self.batch_norm:
                layers.append(FlowBatchNorm(shape[0]))
        return FlowLayers(layers)

    def _row_score(self) -> FlowScore:
        assert isinstance(self.network_, FlowLayers)
        return FlowScore(tuple(map(self._row_step, self.network_.layers)), (MAX_LOG_SCALE, MAX_VALUE))

    def _row_step(self, layer: nn.Module) -> FlowStep | ScaleStep:
        """Return a layer for a single row."""
        assert isinstance(layer, FlowBatchNorm)
        centre, spread, log_gain, offset = (
            array_of(part).astype(np.float64) for part in (layer.centre, layer.spread, layer.log_gain, layer.offset)
        )
        log_scale = log_gain - 0.5 * np.log(spread + MIN_VALUE)
        gain = np.exp(log_scale)
        return ScaleStep(gain, offset - centre * gain, float(log_scale.sum()))

    def _train(self, rows: Tensor, validation: Tensor, random: RandomNumbers) -> TrainingHistory:
        network = self.network_
        descent = FlatOptimizer([network], self.learning_rate, weight_decay=self.weight_decay)
        return self._descend(descent, lambda some, _: -network(some).mean(), rows, validation, random)

    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        return {"density": -self.network_(rows)}


def check_activations(*names: str) -> None:
    """Raise unless these are names of activations."""
    for name in names:
        activation_of(name)
