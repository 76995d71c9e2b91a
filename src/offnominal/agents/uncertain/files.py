"""Policies with uncertainty as tensors, and back."""

from __future__ import annotations

from collections.abc import Mapping

from gymnasium.spaces import Box, Discrete

from offnominal.agents.uncertain.dense import DenseMembers
from offnominal.agents.uncertain.pictures import PictureMembers
from offnominal.agents.uncertain.policy import Kind, Members, UncertainPolicy
from offnominal.core.types import Array

CRITIC = "critic."


def to_tensors(policy: UncertainPolicy) -> dict[str, Array]:
    """Return the weights by name, members first; those of networks that see pictures in half precision."""
    tensors = _named(policy.network, "")
    return tensors if policy.critic is None else tensors | _named(policy.critic, CRITIC)


def from_tensors(
    tensors: Mapping[str, Array],
    space: Box | Discrete,
    *,
    kind: Kind,
    probability: float,
    passes: int,
    discount: float,
) -> UncertainPolicy:
    """Return the policy that these are the weights of; see :class:`UncertainPolicy`."""
    critic = _layers(tensors, CRITIC)
    return UncertainPolicy(
        _members(_layers(tensors, "")),
        space,
        kind=kind,
        probability=probability,
        passes=passes,
        critic=DenseMembers.of_layers(critic) if critic else None,
        discount=discount,
    )


def _named(network: Members, prefix: str) -> dict[str, Array]:
    tensors = {}
    for index, (weight, bias) in enumerate(network.layers()):
        tensors[f"{prefix}{index}.weight"], tensors[f"{prefix}{index}.bias"] = weight.copy(), bias.copy()
    return tensors


def _layers(tensors: Mapping[str, Array], prefix: str) -> list[tuple[Array, Array]]:
    found: list[tuple[Array, Array]] = []
    while f"{prefix}{len(found)}.weight" in tensors:
        stem = f"{prefix}{len(found)}"
        found.append((tensors[f"{stem}.weight"], tensors[f"{stem}.bias"]))
    return found


def _members(layers: list[tuple[Array, Array]]) -> Members:
    if layers[0][0].ndim == 5:
        return PictureMembers.of_layers(layers)
    return DenseMembers.of_layers(layers)
