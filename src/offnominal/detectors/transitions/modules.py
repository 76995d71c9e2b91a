"""Network modules that predict the next observation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.detectors.random_numbers import RandomNumbers, truncated_normal


class Perceptron(nn.Module):
    """Linear layers with ReLUs, and dropout after the first.

    Args:
        inputs: Number of inputs.
        outputs: Number of outputs.
        hidden: Widths of the hidden layers.
        dropout: Dropout probability of the first layer.
    """

    def __init__(self, inputs: int, outputs: int, hidden: Sequence[int], *, dropout: float) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for fan_in, fan_out in pairwise([inputs, *hidden]):
            layers += [nn.Linear(fan_in, fan_out), nn.ReLU()]
        # A layer without weights keeps the names of the weights.
        layers.insert(1, nn.Identity())
        self.layers = nn.Sequential(*layers, nn.Linear(hidden[-1], outputs))
        self.dropout = dropout

    def forward(self, inputs: Tensor, random: RandomNumbers | None = None) -> Tensor:
        """Return the outputs of each row, with dropout if random numbers are given."""
        if random is None:
            return self._without_dropout(inputs)
        first, *others = self.layers
        values: Tensor = first(inputs)
        if self.dropout:
            values = random.dropout(values, self.dropout)
        for layer in others:
            values = layer(values)
        return values

    def _without_dropout(self, values: Tensor) -> Tensor:
        """Return the outputs by the same functions without the calls of modules, which take longer for one row."""
        *hidden, last = (layer for layer in self.layers if isinstance(layer, nn.Linear))
        for layer in hidden:
            values = functional.relu(functional.linear(values, layer.weight, layer.bias))
        return functional.linear(values, last.weight, last.bias)


class Ensemble(nn.Module):
    """Independent networks that each predict a Gaussian, evaluated in one batched matrix product per layer.

    The log-variance is softly bounded by two learned values per member and channel (Chua et al., 2018).

    Args:
        inputs: Number of inputs.
        outputs: Channels of the Gaussian.
        hidden: Widths of the hidden layers.
        n_members: Number of networks.
    """

    HIGHEST, LOWEST = 0.5, -10.0

    def __init__(self, inputs: int, outputs: int, hidden: Sequence[int], *, n_members: int) -> None:
        super().__init__()
        self.weights, self.biases = nn.ParameterList(), nn.ParameterList()
        for fan_in, fan_out in pairwise([inputs, *hidden, 2 * outputs]):
            std = 0.5 / math.sqrt(fan_in)
            self.weights.append(nn.Parameter(truncated_normal(n_members, fan_in, fan_out, std=std)))
            self.biases.append(nn.Parameter(torch.zeros(n_members, 1, fan_out)))
        self.highest = nn.Parameter(torch.full((n_members, 1, outputs), self.HIGHEST))
        self.lowest = nn.Parameter(torch.full((n_members, 1, outputs), self.LOWEST))

    def forward(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and log-variance, (members, rows, outputs); rows are shared or have an axis of members."""
        highest, lowest = self.highest, self.lowest
        values = inputs.expand(len(highest), -1, -1)
        *hidden, (weight, bias) = zip(self.weights, self.biases, strict=True)
        for inner, offset in hidden:
            values = functional.leaky_relu(torch.baddbmm(offset, values, inner))
        mean, raw = torch.baddbmm(bias, values, weight).chunk(2, dim=-1)
        below = highest - functional.softplus(highest - raw)
        return mean, lowest + functional.softplus(below - lowest)


class Recurrent(nn.Module):
    """An LSTM with a hidden layer after it.

    Args:
        inputs: Number of inputs per step.
        outputs: Number of outputs per step.
        recurrent_size: Width of the LSTM.
        hidden: Width of the hidden layer.
    """

    def __init__(self, inputs: int, outputs: int, *, recurrent_size: int, hidden: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(inputs, recurrent_size, batch_first=True)
        self.head = nn.Sequential(nn.Linear(recurrent_size, hidden), nn.ReLU(), nn.Linear(hidden, outputs))

    def forward(self, inputs: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return outputs (n, time, outputs) and the next state; a state has h and c side by side."""
        before = state.chunk(2, dim=-1)
        if inputs.shape[1] == 1:
            # Setting up the kernel for sequences takes longer than this step.
            after = torch.lstm_cell(inputs[:, 0], before, *self.lstm.all_weights[0])
            return self.head(after[0])[:, None], torch.cat(after, dim=-1)
        values, after = self.lstm(inputs, [part[None].contiguous() for part in before])
        return self.head(values), torch.cat(after, dim=-1)[0]


class RecurrentQuantiles(nn.Module):
    """A recurrent implicit quantile network (Danesh and Fern, 2021): quantiles of the next change at any level.

    Args:
        inputs: Number of inputs per step.
        outputs: Number of predicted channels.
        recurrent_size: Width of the GRU and of the layers around it.
        n_cosines: Number of cosines that embed a level.
    """

    def __init__(self, inputs: int, outputs: int, *, recurrent_size: int, n_cosines: int) -> None:
        super().__init__()
        self.n_cosines = n_cosines
        self.entry = nn.Linear(inputs, recurrent_size)
        self.gru = nn.GRU(recurrent_size, recurrent_size, batch_first=True)
        self.residual = nn.Linear(recurrent_size, recurrent_size)
        self.embedding = nn.Linear(n_cosines, recurrent_size)
        self.exit = nn.Linear(recurrent_size, outputs)

    def forward(self, inputs: Tensor, state: Tensor, levels: Tensor) -> tuple[Tensor, Tensor]:
        """Return quantiles (n, time, levels, outputs) and the next state."""
        return self.quantiles(inputs, state, self.folded(levels))

    def quantiles(self, inputs: Tensor, state: Tensor, folded: Tensor) -> tuple[Tensor, Tensor]:
        """Return the same for folded levels."""
        values, state = self._remembering(self.entry(inputs), state)
        values = values + torch.relu(self.residual(values))
        quantiles = functional.linear(values, folded.flatten(0, 1)).view(*values.shape[:-1], *folded.shape[:2])
        return quantiles + self.exit.bias, state

    def folded(self, levels: Tensor) -> Tensor:
        """Return the weights of the last layer at each level, (levels, outputs, recurrent size).

        The last layer acts on the product of features and embedding. The embedding is folded into its weights, which
        are fewer than the features.
        """
        return self._embedded(levels)[:, None, :] * self.exit.weight

    def _remembering(self, inputs: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        if inputs.shape[1] == 1:
            # As in Recurrent: a single step without the kernel for sequences.
            state = torch.gru_cell(inputs[:, 0], state, *self.gru.all_weights[0])
            return state[:, None], state
        values, after = self.gru(inputs, state[None])
        return values, after[0]

    def _embedded(self, levels: Tensor) -> Tensor:
        turns = torch.arange(self.n_cosines, device=levels.device) * math.pi
        return torch.relu(self.embedding(torch.cos(levels[:, None] * turns)))
