"""Policies on disk: weights as safetensors, everything else as a readable card beside them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from offnominal.agents.network import NetworkPolicy
from offnominal.core.config import Config
from offnominal.core.errors import DamagedFile, InvalidParameter

FORMAT = 1


@dataclass(frozen=True)
class PolicyCard(Config):
    """What is to be known of a trained policy.

    Args:
        world: Id of the world it was trained in.
        algorithm: How.
        low: Smallest action per channel.
        high: Largest action per channel.
        activation: Between the layers.
        squash: Whether the output passes through tanh.
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
    activation: str = "relu"
    squash: bool = True
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


def save_policy(path: Path, policy: NetworkPolicy, card: PolicyCard) -> PolicyCard:
    """Write ``path.safetensors`` and ``path.json``; return the card with the hash of the weights.

    Both are written to temporary names first, so a killed writer leaves nothing half-written.
    """
    content = serialised(policy)
    card = card.replace(sha256=hashlib.sha256(content).hexdigest())
    path.parent.mkdir(parents=True, exist_ok=True)
    _write(path.with_suffix(".safetensors"), content)
    _write(path.with_suffix(".json"), (json.dumps(card.to_dict(), indent=2) + "\n").encode())
    return card


def serialised(policy: NetworkPolicy) -> bytes:
    """Return the weights as a safetensors file; equal weights give equal bytes."""
    tensors = {}
    for index, (weight, bias) in enumerate(policy.layers):
        tensors[f"{index}.weight"], tensors[f"{index}.bias"] = weight, bias
    return save_tensors(tensors)


def policy_hash(policy: NetworkPolicy) -> str:
    """Return the SHA-256 of a policy's weights, as its card says it."""
    return hashlib.sha256(serialised(policy)).hexdigest()


def load_policy(path: Path) -> tuple[NetworkPolicy, PolicyCard]:
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
    tensors = load_tensors(content)
    layers = [(tensors[f"{index}.weight"], tensors[f"{index}.bias"]) for index in range(len(tensors) // 2)]
    space = Box(np.array(card.low, np.float32), np.array(card.high, np.float32), dtype=np.float32)
    policy = NetworkPolicy(layers, space, activation=card.activation, squash=card.squash)  # type: ignore[arg-type]
    return policy, card


def _write(path: Path, content: bytes) -> None:
    unfinished = path.with_name(path.name + ".unfinished")
    unfinished.write_bytes(content)
    unfinished.replace(path)
