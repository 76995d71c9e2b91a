"""Conversion of policies with uncertainty estimates to named tensors and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from gymnasium.spaces import Box, Discrete

from offnominal.agents.uncertainty.conv_networks import ConvNetworks
from offnominal.agents.uncertainty.dense_networks import DenseNetworks
from offnominal.agents.uncertainty.policy import Networks, UncertainPolicy, UncertaintyKind
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array

Network = TypeVar("Network", bound=Networks)
CRITIC = "critic."


def to_tensors(policy: UncertainPolicy) -> dict[str, Array]:
    """Return the weights by name; the first axis is the member. Convolutional networks are in half precision."""
    tensors = _named(policy.network, "")
    return tensors if policy.critic is None else tensors | _named(policy.critic, CRITIC)


def from_tensors(
    tensors: Mapping[str, Array],
    space: Box | Discrete,
    *,
    kind: UncertaintyKind,
    probability: float,
    passes: int,
    discount: float,
) -> UncertainPolicy:
    """Return the policy with the given weights; see :class:`UncertainPolicy`."""
    critic = _layers(tensors, CRITIC)
    layers = _layers(tensors, "")
    return UncertainPolicy(
        _same_shapes(_network(layers), layers),
        space,
        kind=kind,
        probability=probability,
        passes=passes,
        critic=_same_shapes(DenseNetworks.of_layers(critic), critic) if critic else None,
        discount=discount,
    )


def check_tensors(tensors: Mapping[str, Array]) -> None:
    """Check that tensors are the weights and biases of layers.

    Args:
        tensors: Tensors by name.

    Raises:
        InvalidParameter: A name, a type or a value is wrong.
    """
    counts = {prefix: len(_layers(tensors, prefix)) for prefix in ("", CRITIC)}
    expected = {
        f"{prefix}{index}.{part}"
        for prefix, count in counts.items()
        for index in range(count)
        for part in ("weight", "bias")
    }
    if not counts[""] or expected != set(tensors):
        wrong = sorted(expected ^ set(tensors)) or ["no layers"]
        raise InvalidParameter(f"the layers are not complete: {', '.join(wrong[:4])}")
    for name, values in tensors.items():
        if values.dtype not in (np.float32, np.float16):
            raise InvalidParameter(f"{name} is of type {values.dtype}, not float32 or float16")
        if not np.isfinite(values).all():
            raise InvalidParameter(f"{name} has values that are not finite")


def _same_shapes(network: Network, layers: list[tuple[Array, Array]]) -> Network:
    """Return the network; raise if its layers do not have the given shapes."""
    for index, (made, given) in enumerate(zip(network.layers(), layers, strict=True)):
        if [part.shape for part in made] != [part.shape for part in given]:
            raise InvalidParameter(
                f"layer {index} has weights and biases of shapes {given[0].shape} and {given[1].shape}; expected "
                f"{made[0].shape} and {made[1].shape}"
            )
    return network


def _named(network: Networks, prefix: str) -> dict[str, Array]:
    tensors = {}
    for index, (weight, bias) in enumerate(network.layers()):
        tensors[f"{prefix}{index}.weight"], tensors[f"{prefix}{index}.bias"] = weight.copy(), bias.copy()
    return tensors


def _layers(tensors: Mapping[str, Array], prefix: str) -> list[tuple[Array, Array]]:
    found: list[tuple[Array, Array]] = []
    while f"{prefix}{len(found)}.weight" in tensors:
        stem = f"{prefix}{len(found)}"
        if f"{stem}.bias" not in tensors:
            raise InvalidParameter(f"the layers are not complete: {stem}.bias")
        found.append((tensors[f"{stem}.weight"], tensors[f"{stem}.bias"]))
    return found


def _network(layers: list[tuple[Array, Array]]) -> Networks:
    if layers[0][0].ndim == 5:
        return ConvNetworks.of_layers(layers)
    return DenseNetworks.of_layers(layers)
