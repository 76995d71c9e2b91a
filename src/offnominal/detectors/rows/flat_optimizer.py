"""Optimisers that are fast for small networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor, nn


class FlatOptimizer:
    """Gradient steps on the weights of some modules.

    The weights of a module are moved into one vector, and its parameters become views of it. The optimiser then works
    on one array per module instead of many small ones, which saves a quarter of the time of a step of a small network.

    Args:
        modules: Modules to train; a module can belong to several optimisers.
        learning_rate: Learning rate.
        method: ``"adam"``, ``"rmsprop"`` or ``"sgd"``.
        weight_decay: Decoupled weight decay, as in AdamW.
        momentum: Momentum of ``"sgd"``.
    """

    def __init__(
        self,
        modules: Sequence[nn.Module],
        learning_rate: float,
        *,
        method: Literal["adam", "rmsprop", "sgd"] = "adam",
        weight_decay: float = 0.0,
        momentum: float = 0.0,
    ) -> None:
        self.weights = [weight for module in modules for weight in module.parameters()]
        self.flat = [_flat(module) for module in modules]
        # On a GPU steps may be captured into a graph.
        capturable = self.flat[0].is_cuda
        self.optimizer: torch.optim.Optimizer
        if method == "adam":
            self.optimizer = torch.optim.AdamW(
                self.flat, lr=learning_rate, weight_decay=weight_decay, fused=True, capturable=capturable
            )
        elif method == "rmsprop":
            self.optimizer = torch.optim.RMSprop(self.flat, lr=learning_rate, alpha=0.9, capturable=capturable)
        else:
            self.optimizer = torch.optim.SGD(self.flat, lr=learning_rate, momentum=momentum)

    def __call__(self, loss: Tensor) -> None:
        """Take one gradient step."""
        for vector in self.flat:
            assert vector.grad is not None
            vector.grad.zero_()
        loss.backward(inputs=self.weights)  # type: ignore[no-untyped-call]
        self.optimizer.step()

    def clamp(self, most: float) -> None:
        """Clip every weight."""
        with torch.no_grad():
            for vector in self.flat:
                vector.clamp_(-most, most)


def _flat(module: nn.Module) -> nn.Parameter:
    """Return the vector with all weights of a module; make it on the first call."""
    found = module.__dict__.get("flat")
    if isinstance(found, nn.Parameter):
        return found
    weights = list(module.parameters())
    vector = nn.Parameter(torch.cat([weight.detach().flatten() for weight in weights]))
    vector.grad = torch.zeros_like(vector)
    sizes = [weight.numel() for weight in weights]
    parts = zip(weights, torch.split(vector.data, sizes), torch.split(vector.grad, sizes), strict=True)
    for weight, values, gradients in parts:
        weight.data, weight.grad = values.view_as(weight), gradients.view_as(weight)
    module.__dict__["flat"] = vector
    return vector


def release(network: nn.Module) -> None:
    """Release gradients and vectors of a trained network."""
    for module in network.modules():
        module.__dict__.pop("flat", None)
    for weight in network.parameters():
        weight.grad = None
