"""Networks of several agents, evaluated in batched matrix products."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import torch
from torch import Tensor, nn

from offnominal.agents.training.networks import batched_layers

Layers = Sequence[tuple[Tensor, Tensor]]
"""(weight, bias) of each layer: weights are (members, inputs, outputs), biases (members, 1, outputs)."""


class StackedNetworks(nn.Module):
    """Networks of one shape, evaluated in one batched matrix product per layer.

    Args:
        networks: Layers of each network or group of networks.
        norm: Whether hidden layers have layer normalisation.
        activation: Activation function of the hidden layers.
    """

    def __init__(
        self,
        networks: Sequence[Layers],
        *,
        norm: bool = False,
        activation: Callable[[Tensor], Tensor] = torch.relu,
    ) -> None:
        super().__init__()
        self.norm, self.activation = norm, activation
        layers = list(zip(*networks, strict=True))
        self.weights = nn.ParameterList([torch.cat([weight for weight, _ in layer]) for layer in layers])
        self.biases = nn.ParameterList([torch.cat([bias for _, bias in layer]) for layer in layers])

    def forward(self, values: Tensor) -> Tensor:
        """Return (members, batch, outputs) of (members, batch, inputs)."""
        return batched_layers(values, self.weights, self.biases, norm=self.norm, activation=self.activation)

    def of_member(self, member: int) -> Iterator[tuple[Tensor, Tensor]]:
        """Return the (weight, bias) pairs of a network."""
        for weight, bias in zip(self.weights, self.biases, strict=True):
            yield weight[member], bias[member, 0]


def adam(parameters: Iterable[nn.Parameter], learning_rate: Tensor, *, epsilon: float = 1e-8) -> torch.optim.Optimizer:
    """Return Adam with all its tensors allocated, so that a captured graph and a checkpoint know them.

    Args:
        parameters: Parameters, all on one device.
        learning_rate: Learning rate, a tensor on that device.
        epsilon: Term added to the denominator.
    """
    cuda = learning_rate.device.type == "cuda"
    optimizer = torch.optim.Adam(parameters, lr=learning_rate, eps=epsilon, capturable=cuda, fused=cuda or None)
    for parameter in optimizer.param_groups[0]["params"]:
        optimizer.state[parameter] = {
            "step": torch.zeros((), dtype=torch.float32, device=learning_rate.device),
            "exp_avg": torch.zeros_like(parameter),
            "exp_avg_sq": torch.zeros_like(parameter),
        }
    return optimizer
