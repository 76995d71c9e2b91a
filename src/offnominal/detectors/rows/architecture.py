"""Architecture of networks: number of layers, widths, activation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from torch import nn

from offnominal.core.errors import InvalidParameter

Downsampling = Literal["stride", "pool"]

ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {
    "relu": nn.ReLU,
    "swish": nn.SiLU,
    "tanh": nn.Tanh,
    "leaky": lambda: nn.LeakyReLU(0.2),
}


@dataclass(frozen=True, slots=True)
class Architecture:
    """Architecture of networks.

    Args:
        layers: Number of layers, including the last one. For images, the number of convolutions that halve the size,
            plus one; with pooling, of all convolutions, plus one. Fewer if a map would be smaller than 4 × 4.
        hidden: Width of the hidden layers, for tables.
        channels: Channels of the first convolution; each further one has twice as many. With pooling, channels of the
            last convolution; each earlier one has twice as many.
        activation: Activation between layers: relu, swish, tanh or leaky.
        bias: Whether layers have biases.
        batch_norm: Whether convolutions are followed by batch normalisation; it has weights if layers have biases.
        downsampling: How the size of images is halved. ``"stride"``: convolutions with kernel size 3 and stride 2.
            ``"pool"``: max pooling between convolutions with kernel sizes that fall to 3, such as 7, 5 and 3; there is
            one pooling less than with strides.
        extra_layers: Number of convolutions with stride 1 after the first one; only with strides. They are followed by
            batch normalisation, if there is any.
    """

    layers: int = 3
    hidden: int = 64
    channels: int = 16
    activation: str = "relu"
    bias: bool = True
    batch_norm: bool = False
    downsampling: Downsampling = "stride"
    extra_layers: int = 0

    def __post_init__(self) -> None:
        activation_of(self.activation)
        if self.downsampling not in ("stride", "pool"):
            raise InvalidParameter(f"downsampling is {self.downsampling!r}; choose stride or pool.")
        if self.extra_layers and self.downsampling == "pool":
            raise InvalidParameter("extra_layers are for downsampling 'stride'; leave them out with 'pool'.")


def activation_of(name: str) -> nn.Module:
    """Return an activation by name."""
    if name not in ACTIVATIONS:
        raise InvalidParameter(f"activation is {name!r}; choose one of {', '.join(ACTIVATIONS)}.")
    return ACTIVATIONS[name]()
