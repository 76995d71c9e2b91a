"""Ensemble for one row, compiled; an update of a detector spends most of its time on reading the weights."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.dense_layers import SinglePrecision, add_products, array_of
from offnominal.detectors.transitions.modules import Ensemble
from offnominal.detectors.transitions.scores import LOG_2PI


@dataclass(frozen=True, slots=True, eq=False)
class EnsembleRow:
    """Predictions of :class:`Ensemble` for one row.

    A leaky ReLU is a line plus a ReLU. The line of the first hidden layer is folded into a matrix from the inputs to
    the second layer, so that only the weights of active units are read: half of the largest matrix.

    Args:
        weights: (members, all weights of a member), those of a layer as (inputs, outputs).
        biases: (members, all biases of a member).
        folded: (members, inputs, outputs of the second layer) the folded lines.
        widths: Number of inputs, and of outputs of each layer.
        highest: (members, outputs) upper bounds of the log-variance.
        lowest: (members, outputs) lower bounds of the log-variance.
    """

    weights: SinglePrecision
    biases: SinglePrecision
    folded: SinglePrecision
    widths: IntArray
    highest: SinglePrecision
    lowest: SinglePrecision

    @classmethod
    def of(cls, network: Ensemble) -> EnsembleRow:
        """Return the ensemble for one row; weights are copied."""
        weights = [array_of(each) for each in network.weights]
        biases = [array_of(each)[:, 0] for each in network.biases]
        first, second = (each.astype(np.float64) for each in weights[:2])
        biases[1] = (biases[1] + LEAK * (biases[0][:, None] @ second)[:, 0]).astype(np.float32)
        weights[1] = ((1.0 - LEAK) * second).astype(np.float32)
        return cls(
            np.concatenate([each.reshape(len(each), -1) for each in weights], axis=1),
            np.concatenate(biases, axis=1),
            (LEAK * (first @ second)).astype(np.float32),
            np.array([weights[0].shape[1], *(each.shape[2] for each in weights)], np.int64),
            array_of(network.highest)[:, 0],
            array_of(network.lowest)[:, 0],
        )

    def __call__(self, row: SinglePrecision) -> tuple[FloatArray, FloatArray]:
        """Return mean and log-variance, (members, 1, outputs), of a row, (1, inputs)."""
        mean, log_variance = np.empty((2, *self.highest.shape))
        _predict(
            row[0],
            self.weights,
            self.biases,
            self.folded,
            self.widths,
            self.highest,
            self.lowest,
            mean,
            log_variance,
        )
        return mean[:, None], log_variance[:, None]


@compiled
def _predict(
    row: SinglePrecision,
    weights: SinglePrecision,
    biases: SinglePrecision,
    folded: SinglePrecision,
    widths: IntArray,
    highest: SinglePrecision,
    lowest: SinglePrecision,
    mean: FloatArray,
    log_variance: FloatArray,
) -> None:
    zero, leak = np.float32(0.0), np.float32(LEAK)
    values, sums = np.empty(widths.max(), np.float32), np.empty(widths.max(), np.float32)
    used = np.empty(widths.max(), np.int64)
    for member in range(weights.shape[0]):
        for i in range(len(row)):
            values[i] = row[i]
        first, shift = 0, 0
        for layer in range(len(widths) - 1):
            inputs, outputs = widths[layer], widths[layer + 1]
            end = first + inputs * outputs
            for j in range(outputs):
                sums[j] = biases[member, shift + j]
            add_products(values[:inputs], weights[member, first:end].reshape(inputs, outputs), sums, used)
            if layer == 0:
                for j in range(outputs):
                    values[j] = max(sums[j], zero)
            else:
                if layer == 1:
                    add_products(row, folded[member], sums, used)
                for j in range(outputs):
                    values[j] = max(sums[j], leak * sums[j])
            first, shift = end, shift + outputs
        width = highest.shape[1]
        for j in range(width):
            mean[member, j] = sums[j]
            below = highest[member, j] - _softplus(highest[member, j] - sums[width + j])
            log_variance[member, j] = lowest[member, j] + _softplus(below - lowest[member, j])


@compiled
def _softplus(value: float) -> float:
    return max(value, 0.0) + math.log1p(math.exp(-abs(value)))


@compiled
def mixture_row(mean: FloatArray, log_variance: FloatArray, actual: FloatArray) -> float:
    """Return the negative log-likelihood per channel of one row under a mixture of Gaussians.

    Args:
        mean: (members, channels) means.
        log_variance: (members, channels) log-variances.
        actual: (channels,) actual values.
    """
    each, best = np.zeros(len(mean)), math.inf
    for member in range(len(mean)):
        for c in range(len(actual)):
            error = actual[c] - mean[member, c]
            each[member] += LOG_2PI + log_variance[member, c] + error * error * math.exp(-log_variance[member, c])
        each[member] *= 0.5
        best = min(best, each[member])
    total = 0.0
    for value in each:
        total += math.exp(best - value)
    return (best - math.log(total / len(mean))) / len(actual)


FEW = 16
"""Largest number of rows for which NumPy is faster."""

LEAK = 0.01


@dataclass(frozen=True, slots=True)
class NumpyEnsemble:
    """Predictions of :class:`Ensemble` from its weights on the CPU.

    Args:
        layers: Weights and biases.
        highest: Upper bound of the log-variance.
        lowest: Lower bound of the log-variance.
    """

    layers: tuple[tuple[Array, Array], ...]
    highest: Array
    lowest: Array

    @classmethod
    def of(cls, network: Ensemble) -> NumpyEnsemble:
        """Return the NumPy version of an ensemble; weights are not copied."""
        weights, biases = ([each.detach().numpy() for each in part] for part in (network.weights, network.biases))
        bounds = network.highest.detach().numpy(), network.lowest.detach().numpy()
        return cls(tuple(zip(weights, biases, strict=True)), *bounds)

    def __call__(self, inputs: Array) -> tuple[Array, Array]:
        """Return mean and log-variance, (members, rows, outputs)."""
        *hidden, (weight, bias) = self.layers
        values = inputs
        for inner, offset in hidden:
            values = values @ inner + offset
            values = np.maximum(values, LEAK * values)
        outputs = values @ weight + bias
        width = self.highest.shape[-1]
        below = self.highest - np.logaddexp(0.0, self.highest - outputs[..., width:])
        return outputs[..., :width], self.lowest + np.logaddexp(0.0, below - self.lowest)
