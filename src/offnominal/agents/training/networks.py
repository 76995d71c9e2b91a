"""Networks of the learners: an actor, and critics in one batched network."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from offnominal.core.quantile_huber import quantile_huber

LOG_STD_RANGE = (-20.0, 2.0)
LOG_2 = math.log(2.0)
HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
CONSTANT = 1e-3
"""Standard deviation below which a channel counts as constant, relative to one plus its absolute mean.

A division by a smaller one gives the policy weights so large that a slight fault of that channel makes it fail.
"""


class Standardization(nn.Module):
    """Subtracts the mean of the observations and divides by their standard deviation; the identity until it is fitted.

    Args:
        inputs: Width of the observation.
        differences: Pairs of channels; their differences are appended.
        scale: Value by which the differences are divided.
    """

    mean: Tensor
    std: Tensor

    def __init__(self, inputs: int, differences: Sequence[tuple[int, int]] = (), scale: float = 1.0) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(inputs))
        self.register_buffer("std", torch.ones(inputs))
        self.pairs = [[pair[side] for pair in differences] for side in (0, 1)]
        self.scale = scale

    @property
    def width(self) -> int:
        """Number of inputs of the networks."""
        return len(self.mean) + len(self.pairs[0])

    def fit(self, observations: Tensor) -> None:
        """Take mean and standard deviation from observations; constant channels are only shifted."""
        std, mean = torch.std_mean(observations.double(), dim=0, correction=0)
        self.mean.copy_(mean)
        self.std.copy_(torch.where(std > CONSTANT * (1.0 + mean.abs()), std, 1.0))

    def forward(self, observations: Tensor) -> Tensor:
        """Return standardised observations."""
        return with_differences((observations - self.mean) / self.std, observations, self.pairs, self.scale)

    def fold(self, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
        """Return the first layer of a network that takes the observations as they are; weight as (inputs, outputs)."""
        weight, of_differences = weight[: len(self.mean)], weight[len(self.mean) :] / self.scale
        weight = weight / self.std[:, None]
        bias = bias - self.mean @ weight
        for sign, channels in zip((1.0, -1.0), self.pairs, strict=True):
            if channels:
                index = torch.tensor(channels, device=weight.device)
                weight = weight.index_add(0, index, of_differences, alpha=sign)
        return weight, bias

    def unfold(self, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
        """Return a first layer with these folded weights; differences have weights of zero."""
        bias = bias + self.mean @ weight
        return torch.cat([weight * self.std[:, None], weight.new_zeros(len(self.pairs[0]), weight.shape[1])]), bias


def with_differences(inputs: Tensor, observations: Tensor, pairs: Sequence[Sequence[int]], scale: float) -> Tensor:
    """Return inputs with the scaled differences of pairs of observation channels appended.

    Args:
        inputs: (..., channels).
        observations: The same observations as they are.
        pairs: The first channels of the pairs, and the second ones.
        scale: Value by which the differences are divided.
    """
    if not pairs[0]:
        return inputs
    first, second = (torch.stack([observations[..., channel] for channel in each], dim=-1) for each in pairs)
    return torch.cat([inputs, (first - second) / scale], dim=-1)


class Actor(nn.Module):
    """Maps observations to actions in [-1, 1]; a tanh-Gaussian if stochastic, else deterministic."""

    def __init__(self, inputs: int, outputs: int, hidden: Sequence[int], *, stochastic: bool) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for fan_in, fan_out in pairwise([inputs, *hidden]):
            layers += [nn.Linear(fan_in, fan_out), nn.ReLU()]
        self.trunk = nn.Sequential(*layers)
        self.mean = nn.Linear(hidden[-1], outputs)
        self.log_std = nn.Linear(hidden[-1], outputs) if stochastic else None

    def forward(self, observations: Tensor) -> Tensor:
        """Return the greedy action."""
        return torch.tanh(self.mean(self.trunk(observations)))

    def sample(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return a random action and its log-probability."""
        assert self.log_std is not None
        features = self.trunk(observations)
        mean, log_std = self.mean(features), self.log_std(features).clamp(*LOG_STD_RANGE)
        return squashed_gaussian(mean, log_std, torch.randn_like(mean))

    def layers(self) -> list[tuple[Tensor, Tensor]]:
        """Return the (weight, bias) pairs of the greedy policy, weights as (inputs, outputs)."""
        return [(layer.weight.detach().T, layer.bias.detach()) for layer in self.linear()]

    def linear(self) -> list[nn.Linear]:
        """Return the layers of the greedy policy."""
        return [*(layer for layer in self.trunk if isinstance(layer, nn.Linear)), self.mean]


def squashed_gaussian(mean: Tensor, log_std: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
    """Return the action in [-1, 1] that standard normal noise gives, and its log-probability."""
    raw = mean + log_std.exp() * noise
    log_prob = -0.5 * noise.square() - log_std - HALF_LOG_2PI
    log_prob = log_prob - 2.0 * (LOG_2 - raw - nn.functional.softplus(-2.0 * raw))
    return torch.tanh(raw), log_prob.sum(dim=-1)


class Critics(nn.Module):
    """Several independent critics evaluated in one batched matrix product per layer.

    Args:
        inputs: Width of observation and action together.
        hidden: Widths of the hidden layers.
        members: Number of critics.
        quantiles: Outputs per critic.
        norm: Whether hidden layers have layer normalisation before the ReLU (Ba et al., 2016).
    """

    def __init__(self, inputs: int, hidden: Sequence[int], *, members: int, quantiles: int, norm: bool = False) -> None:
        super().__init__()
        self.norm = norm
        sizes = [inputs, *hidden, quantiles]
        self.weights = nn.ParameterList()
        self.biases = nn.ParameterList()
        for fan_in, fan_out in pairwise(sizes):
            bound = 1.0 / math.sqrt(fan_in)
            self.weights.append(nn.Parameter(torch.empty(members, fan_in, fan_out).uniform_(-bound, bound)))
            self.biases.append(nn.Parameter(torch.empty(members, 1, fan_out).uniform_(-bound, bound)))

    def forward(self, observations: Tensor, actions: Tensor) -> Tensor:
        """Return (members, batch, quantiles)."""
        values = torch.cat([observations, actions], dim=-1).expand(self.weights[0].shape[0], -1, -1)
        return batched_layers(values, self.weights, self.biases, norm=self.norm)


def batched_layers(
    values: Tensor,
    weights: Iterable[Tensor],
    biases: Iterable[Tensor],
    *,
    norm: bool,
    activation: Callable[[Tensor], Tensor] = torch.relu,
) -> Tensor:
    """Return the outputs of several networks of one shape, (members, batch, outputs).

    Args:
        values: (members, batch, inputs).
        weights: (members, inputs, outputs) of each layer.
        biases: (members, 1, outputs) of each layer.
        norm: Whether hidden layers have layer normalisation before the activation.
        activation: Activation function of the hidden layers.
    """
    for index, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        if index:
            values = activation(nn.functional.layer_norm(values, values.shape[-1:]) if norm else values)
        values = torch.baddbmm(bias, values, weight)
    return values


class Temperature(nn.Module):
    """Logarithm of the entropy coefficient."""

    def __init__(self) -> None:
        super().__init__()
        self.log_alpha = nn.Parameter(torch.zeros(1))


def quantile_loss(values: Tensor, targets: Tensor) -> Tensor:
    """Return the quantile Huber loss of critics: mean over batch, quantiles and targets, sum over the rest.

    Args:
        values: (..., members, batch, quantiles): predicted quantiles.
        targets: (..., batch, targets): samples of the target distribution.
    """
    n_quantiles = values.shape[-1]
    levels = (torch.arange(n_quantiles, device=values.device, dtype=values.dtype) + 0.5) / n_quantiles
    errors = targets[..., None, :, None, :] - values[..., None]
    return quantile_huber(errors, levels).mean(dim=(-3, -2, -1)).sum()
