"""Recurrent networks for one step of one episode in NumPy, without the calls of torch, which take longer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.types import Array
from offnominal.detectors.dense_layers import DenseLayers, SinglePrecision, array_of
from offnominal.detectors.transitions.modules import Recurrent, RecurrentQuantiles


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """Weights of a recurrent cell.

    Args:
        of_input: (gates * size, inputs) weights of the input.
        of_state: (gates * size, size) weights of the state.
        input_bias: (gates * size,) biases of the input.
        state_bias: (gates * size,) biases of the state.
    """

    of_input: SinglePrecision
    of_state: SinglePrecision
    input_bias: SinglePrecision
    state_bias: SinglePrecision


@dataclass(frozen=True, slots=True, eq=False)
class RecurrentRow:
    """One step of :class:`Recurrent`.

    Args:
        cell: Weights of the LSTM.
        head: Layers after it.
    """

    cell: Cell
    head: DenseLayers

    @classmethod
    def of(cls, network: Recurrent) -> RecurrentRow:
        """Return the network for one step; weights are copied."""
        return cls(Cell(*map(array_of, network.lstm.all_weights[0])), DenseLayers.of(network.head))

    def __call__(self, inputs: SinglePrecision, state: SinglePrecision) -> tuple[Array, SinglePrecision]:
        """Return the outputs, (1, outputs), and the next state, (1, 2 * size), from inputs and state of one episode."""
        cell, size = self.cell, state.shape[1] // 2
        gates = cell.of_input @ inputs[0] + cell.of_state @ state[0, :size]
        gates += cell.input_bias
        gates += cell.state_bias
        new = np.tanh(gates[2 * size : 3 * size])
        opened = _sigmoid(gates)
        after = np.empty_like(state)
        memory = opened[size : 2 * size] * state[0, size:] + opened[:size] * new
        after[0, :size] = opened[3 * size :] * np.tanh(memory)
        after[0, size:] = memory
        return self.head(after[:, :size]), after


@dataclass(frozen=True, slots=True, eq=False)
class QuantilesRow:
    """One step of :class:`RecurrentQuantiles` at fixed levels.

    Args:
        entry: Layer before the GRU.
        cell: Weights of the GRU.
        residual: Layer after it.
        folded: (levels * outputs, size) weights of the last layer at each level.
        bias: (outputs,) its biases.
    """

    entry: DenseLayers
    cell: Cell
    residual: DenseLayers
    folded: SinglePrecision
    bias: SinglePrecision

    @classmethod
    def of(cls, network: RecurrentQuantiles, folded: Array) -> QuantilesRow:
        """Return the network for one step; weights are copied.

        Args:
            network: The network.
            folded: (levels, outputs, size) result of :meth:`RecurrentQuantiles.folded`.
        """
        return cls(
            DenseLayers.of(network.entry),
            Cell(*map(array_of, network.gru.all_weights[0])),
            DenseLayers.of(network.residual),
            folded.reshape(-1, folded.shape[2]).copy(),
            array_of(network.exit.bias),
        )

    def __call__(self, inputs: SinglePrecision, state: SinglePrecision) -> tuple[Array, SinglePrecision]:
        """Return the quantiles, (1, levels, outputs), and the next state, from inputs and state of one episode."""
        cell, size = self.cell, state.shape[1]
        entered = cell.of_input @ self.entry(inputs)[0] + cell.input_bias
        kept = cell.of_state @ state[0] + cell.state_bias
        opened = _sigmoid(entered[: 2 * size] + kept[: 2 * size])
        new = np.tanh(entered[2 * size :] + opened[:size] * kept[2 * size :])
        after = (new + opened[size:] * (state[0] - new))[None]
        values = after + np.maximum(self.residual(after), 0.0)
        return (self.folded @ values[0]).reshape(1, -1, len(self.bias)) + self.bias, after


def _sigmoid(values: SinglePrecision) -> SinglePrecision:
    opened: SinglePrecision = np.exp(-values)
    opened += 1.0
    return np.reciprocal(opened, out=opened)
