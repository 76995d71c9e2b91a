"""Dense layers for one row at a time: compiled, because the calls of torch take longer than such a small network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled
from offnominal.core.types import IntArray

if TYPE_CHECKING:
    from torch import Tensor, nn

SinglePrecision: TypeAlias = NDArray[np.float32]
Activation = Literal["relu", "leaky", "tanh", "swish"]
ACTIVATIONS: tuple[Activation, ...] = ("relu", "leaky", "tanh", "swish")
RELU, LEAKY, TANH = range(3)
FEW = 8
"""Largest number of rows that are computed one by one."""


@dataclass(frozen=True, slots=True, eq=False)
class DenseLayers:
    """Weights of dense layers with the same activation between them; the last layer is linear.

    Args:
        weights: All weights, those of a layer as (inputs, outputs).
        biases: All biases.
        widths: Number of inputs, and of outputs of each layer.
        activation: Activation after every layer except the last.
        slope: Slope of ``"leaky"`` for negative values.

    Example:
        >>> identity = np.eye(2, dtype=np.float32)
        >>> layers = DenseLayers.joined([identity, -identity], [None, None], "relu")
        >>> layers(np.array([[3.0, -4.0]], np.float32))
        array([[-3., -0.]], dtype=float32)
    """

    weights: SinglePrecision
    biases: SinglePrecision
    widths: IntArray
    activation: int
    slope: float

    @classmethod
    def joined(
        cls,
        weights: Sequence[SinglePrecision],
        biases: Sequence[SinglePrecision | None],
        activation: Activation,
        slope: float = 0.0,
    ) -> DenseLayers:
        """Return layers from their weights, (outputs, inputs) each, and their biases, None for zeros."""
        given = [np.zeros(len(w), np.float32) if b is None else b for w, b in zip(weights, biases, strict=True)]
        return cls(
            np.concatenate([weight.T.ravel() for weight in weights]).astype(np.float32),
            np.concatenate(given).astype(np.float32),
            np.array([weights[0].shape[1], *map(len, weights)], np.int64),
            ACTIVATIONS.index(activation),
            slope,
        )

    @classmethod
    def of(cls, *modules: nn.Module) -> DenseLayers:
        """Return the layers of torch modules that are applied one after the other; weights are copied."""
        from torch import nn

        names: dict[type[nn.Module], Activation] = {nn.ReLU: "relu", nn.LeakyReLU: "leaky", nn.Tanh: "tanh"}
        names[nn.SiLU] = "swish"
        parts = [part for module in modules for part in module.modules()]
        linear = [part for part in parts if isinstance(part, nn.Linear)]
        between = [part for part in parts if type(part) in names]
        activation = names[type(between[0])] if between else "relu"
        slope = float(getattr(between[0], "negative_slope", 0.0)) if between else 0.0
        return cls.joined(
            [array_of(masked(part)) for part in linear],
            [None if part.bias is None else array_of(part.bias) for part in linear],
            activation,
            slope,
        )

    def __call__(self, rows: SinglePrecision) -> SinglePrecision:
        """Return the outputs of rows, (n, inputs)."""
        if len(rows) > FEW:
            return self._by_products(rows)
        return _forward(rows, self.weights, self.biases, self.widths, self.activation, self.slope)

    def _by_products(self, rows: SinglePrecision) -> SinglePrecision:
        """Return the outputs by matrix products, which are faster for many rows."""
        values, first, shift, last = rows, 0, 0, len(self.widths) - 2
        for layer, (inputs, outputs) in enumerate(pairwise(self.widths.tolist())):
            values = values @ self.weights[first : first + inputs * outputs].reshape(inputs, outputs)
            values += self.biases[shift : shift + outputs]
            if layer < last and self.activation == RELU:
                np.maximum(values, 0.0, out=values)
            elif layer < last:
                _activate(values.ravel(), self.activation, np.float32(self.slope), values.ravel())
            first, shift = first + inputs * outputs, shift + outputs
        return values


def masked(layer: nn.Linear) -> Tensor:
    """Return the weights of a layer, times its mask if it has one."""
    mask = getattr(layer, "mask", None)
    return layer.weight if mask is None else layer.weight * mask


def array_of(tensor: Tensor) -> SinglePrecision:
    """Return a copy of a tensor as an array."""
    return np.array(tensor.detach().cpu().numpy(), np.float32)


@compiled
def _forward(
    rows: SinglePrecision,
    weights: SinglePrecision,
    biases: SinglePrecision,
    widths: IntArray,
    activation: int,
    slope: float,
) -> SinglePrecision:
    widest = 0
    for width in widths:
        widest = max(widest, width)
    values, products = np.empty(widest, np.float32), np.empty(widest, np.float32)
    used = np.empty(widest, np.int64)
    out = np.empty((rows.shape[0], widths[-1]), np.float32)
    last = len(widths) - 2
    for row in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            values[i] = rows[row, i]
        first, shift = 0, 0
        for layer in range(last + 1):
            inputs, outputs = widths[layer], widths[layer + 1]
            for j in range(outputs):
                products[j] = biases[shift + j]
            end = first + inputs * outputs
            add_products(values[:inputs], weights[first:end].reshape(inputs, outputs), products, used)
            if layer < last:
                _activate(products[:outputs], activation, np.float32(slope), values)
            first, shift = end, shift + outputs
        for j in range(widths[-1]):
            out[row, j] = products[j]
    return out


@compiled
def add_products(values: SinglePrecision, weights: SinglePrecision, sums: SinglePrecision, used: IntArray) -> None:
    """Add the product of a vector and a matrix to sums. The rows of zeros, half of them after a ReLU, are not read."""
    count = 0
    for i in range(len(values)):
        used[count] = i
        count += values[i] != 0
    full = count - count % 4
    for k in range(0, full, 4):
        a, b, c, d = used[k], used[k + 1], used[k + 2], used[k + 3]
        x, y, z, w = values[a], values[b], values[c], values[d]
        for j in range(weights.shape[1]):
            sums[j] += x * weights[a, j] + y * weights[b, j] + z * weights[c, j] + w * weights[d, j]
    for k in range(full, count):
        a = used[k]
        x = values[a]
        for j in range(weights.shape[1]):
            sums[j] += x * weights[a, j]


@compiled
def _activate(values: SinglePrecision, activation: int, slope: np.float32, out: SinglePrecision) -> None:
    zero, one = np.float32(0.0), np.float32(1.0)
    if activation == RELU:
        for j in range(len(values)):
            out[j] = max(values[j], zero)
    elif activation == LEAKY:
        for j in range(len(values)):
            out[j] = values[j] if values[j] > zero else slope * values[j]
    elif activation == TANH:
        for j in range(len(values)):
            # A quarter of the time of the library's function, with an absolute error of double precision.
            out[j] = 1.0 - 2.0 / (np.exp(2.0 * values[j]) + 1.0)
    else:
        for j in range(len(values)):
            out[j] = values[j] / (one + np.exp(-values[j]))
