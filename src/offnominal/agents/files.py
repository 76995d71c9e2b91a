"""Policies on disk: weights as safetensors, everything else as a readable card beside them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from gymnasium.spaces import Box, Discrete
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from offnominal.agents.network import NetworkPolicy
from offnominal.agents.uncertain.files import from_tensors, to_tensors
from offnominal.agents.uncertain.policy import UncertainPolicy
from offnominal.core.config import Config
from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.core.types import Array

FORMAT = 1
TrainedPolicy = NetworkPolicy | UncertainPolicy
"""What is kept on disk."""


@dataclass(frozen=True)
class PolicyCard(Config):
    """What is to be known of a trained policy.

    Args:
        world: Id of the world it was trained in.
        algorithm: How.
        low: Smallest action per channel; empty for choices.
        high: Largest action per channel; empty for choices.
        choices: How many choices there are; 0 if actions are numbers.
        activation: Between the layers.
        squash: Whether the output passes through tanh.
        uncertainty: Kind of an :class:`UncertainPolicy`; empty for a policy that has none.
        probability: Of a unit or a weight being dropped.
        passes: Predictions that are averaged.
        discount: Of the values.
        command: What was run to make it.
        settings: Every setting of the training.
        steps: Transitions it saw.
        episodes: Fresh nominal episodes it was judged on.
        mean_return: Their mean return.
        return_interval: Half the width of its 95 % interval.
        success: Share of them that succeeded.
        mean_length: Their mean length.
        sha256: Hash of the weights.
        format: Version of this card.
    """

    world: str
    algorithm: str
    low: tuple[float, ...]
    high: tuple[float, ...]
    choices: int = 0
    activation: str = "relu"
    squash: bool = True
    uncertainty: Literal["", "ensemble", "dropout", "dropconnect"] = ""
    probability: float = 0.0
    passes: int = 0
    discount: float = 0.0
    command: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    steps: int = 0
    episodes: int = 0
    mean_return: float = 0.0
    return_interval: float = 0.0
    success: float = 0.0
    mean_length: float = 0.0
    sha256: str = ""
    format: int = FORMAT


def save_policy(path: Path, policy: TrainedPolicy, card: PolicyCard) -> PolicyCard:
    """Write ``path.safetensors`` and ``path.json``; return the card with the hash of the weights.

    Both are written to temporary names first, so a killed writer leaves nothing half-written.
    """
    content = serialised(policy)
    card = card.replace(sha256=hashlib.sha256(content).hexdigest())
    path.parent.mkdir(parents=True, exist_ok=True)
    _write(path.with_suffix(".safetensors"), content)
    _write(path.with_suffix(".json"), (json.dumps(card.to_dict(), indent=2) + "\n").encode())
    return card


def serialised(policy: TrainedPolicy) -> bytes:
    """Return the weights as a safetensors file; equal weights give equal bytes."""
    if isinstance(policy, UncertainPolicy):
        return save_tensors(to_tensors(policy))
    tensors = {}
    for index, (weight, bias) in enumerate(policy.layers):
        tensors[f"{index}.weight"], tensors[f"{index}.bias"] = weight, bias
    return save_tensors(tensors)


def policy_hash(policy: TrainedPolicy) -> str:
    """Return the SHA-256 of a policy's weights, as its card says it."""
    return hashlib.sha256(serialised(policy)).hexdigest()


def load_policy(path: Path) -> tuple[TrainedPolicy, PolicyCard]:
    """Read a policy and its card; the weights must have the hash the card says.

    Args:
        path: With or without its ending.
    """
    weights, about = path.with_suffix(".safetensors"), path.with_suffix(".json")
    for file in (weights, about):
        if not file.exists():
            raise InvalidParameter(
                f"{file} does not exist; a policy is a .safetensors file with a .json card beside it."
            )
    try:
        card = PolicyCard.from_dict(json.loads(about.read_text(encoding="utf-8")))
    except json.JSONDecodeError as error:
        raise DamagedFile(f"{about} is no JSON ({error}); fetch it again.") from None
    if card.format != FORMAT:
        raise DamagedFile(f"{about} has format {card.format}; this version reads format {FORMAT}.")
    content = weights.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != card.sha256:
        raise DamagedFile(f"{weights} has SHA-256 {found[:12]}…, its card says {card.sha256[:12]}…; fetch it again.")
    return _built(load_tensors(content), card), card


def _built(tensors: dict[str, Array], card: PolicyCard) -> TrainedPolicy:
    """Return the policy of a card, given its weights."""
    if card.uncertainty:
        return from_tensors(
            tensors,
            _space(card),
            kind=card.uncertainty,
            probability=card.probability,
            passes=card.passes,
            discount=card.discount,
        )
    layers = [(tensors[f"{index}.weight"], tensors[f"{index}.bias"]) for index in range(len(tensors) // 2)]
    limits: Any = _space(card)
    return NetworkPolicy(layers, limits, activation=card.activation, squash=card.squash)  # type: ignore[arg-type]


def _space(card: PolicyCard) -> Box | Discrete:
    if card.choices:
        return Discrete(card.choices)
    return Box(np.array(card.low, np.float32), np.array(card.high, np.float32), dtype=np.float32)


def _write(path: Path, content: bytes) -> None:
    unfinished = path.with_name(path.name + ".unfinished")
    unfinished.write_bytes(content)
    unfinished.replace(path)
