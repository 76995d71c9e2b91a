"""Ensemble in NumPy, which is faster than torch for a few rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.types import Array
from offnominal.detectors.transitions.modules import Ensemble

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
