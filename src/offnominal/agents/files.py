"""Policies on disk: weights as safetensors, everything else as a readable card beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from gymnasium.spaces import Box, Discrete
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from offnominal.agents.network import NetworkPolicy
from offnominal.agents.uncertainty.files import check_tensors, from_tensors, to_tensors
from offnominal.agents.uncertainty.policy import UncertainPolicy
from offnominal.core.config import Config
from offnominal.core.errors import DamagedFile, InvalidParameter, MissingDependency, MissingFile, UnsupportedFormat
from offnominal.core.files import file_errors, read_bytes, read_json, sha256_of, write_bytes, write_json
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
        n_actions: How many choices there are; 0 if actions are numbers.
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
        card_sha256: Hash of all the other fields; empty in cards of early versions, which are not checked.
        format: Version of this card.
    """

    world: str
    algorithm: str
    low: tuple[float, ...]
    high: tuple[float, ...]
    n_actions: int = 0
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
    card_sha256: str = ""
    format: int = FORMAT

    def with_sha256(self) -> PolicyCard:
        """Return the card with its own hash."""
        return self.replace(card_sha256=self.replace(card_sha256="").digest())


def save_policy(path: Path | str, policy: TrainedPolicy, card: PolicyCard) -> PolicyCard:
    """Write ``path.safetensors`` and ``path.json``; return the card with the hash of the weights and its own.

    Both are written to temporary names first, so a killed writer leaves nothing half-written.

    Args:
        path: With or without its ending; folders are made if need be.
        policy: Whose weights are written.
        card: What is to be known of it.

    Raises:
        InaccessibleFile: The disk is full or read-only, or the path cannot be written.
    """
    weights, about = _places(path)
    content = serialised(policy)
    card = card.replace(sha256=sha256_of(content)).with_sha256()
    write_bytes(weights, content)
    write_json(about, card.to_dict())
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
    return sha256_of(serialised(policy))


def load_policy(path: Path | str) -> tuple[TrainedPolicy, PolicyCard]:
    """Read a policy and its card; both must have the hashes that the card states.

    Args:
        path: With or without its ending.

    Raises:
        MissingFile: One of the two files is not there.
        DamagedFile: They are not what was written, or do not make a policy.
    """
    weights, about = _places(path)
    for file in (weights, about):
        with file_errors(file):
            if not file.exists():
                raise MissingFile(
                    f"{file} does not exist; a policy is a .safetensors file with a .json card beside it."
                )
    card = _read_card(about)
    content = read_bytes(weights)
    found = sha256_of(content)
    if found != card.sha256:
        raise DamagedFile(f"{weights} has SHA-256 {found[:12]}…, its card says {card.sha256[:12]}…; fetch it again.")
    try:
        return _built(load_tensors(content), card), card
    except MissingDependency:
        raise
    except Exception as error:
        reason = str(error).partition("\n")[0].rstrip(".") or type(error).__name__
        raise DamagedFile(f"{weights} does not hold the policy of its card ({reason}); fetch it again.") from None


def _places(path: Path | str) -> tuple[Path, Path]:
    """Return where the weights and the card are."""
    if not isinstance(path, Path | str) or not Path(path).name:
        raise InvalidParameter(f"{path!r} cannot be the path of a policy; give a folder and a name.")
    return Path(path).with_suffix(".safetensors"), Path(path).with_suffix(".json")


def _read_card(path: Path) -> PolicyCard:
    data = read_json(path)
    if data.get("format") != FORMAT:
        raise UnsupportedFormat(f"{path} has format {data.get('format')!r}; this version reads format {FORMAT}.")
    try:
        card = PolicyCard.from_dict(data)
        intact = card.card_sha256 in ("", card.with_sha256().card_sha256)
    except (InvalidParameter, ValueError, TypeError, RecursionError) as error:
        raise DamagedFile(f"{path} is not the card of a policy ({str(error).rstrip('.')}); fetch it again.") from None
    if not intact:
        raise DamagedFile(f"{path} was changed: its content does not have the SHA-256 that it states; fetch it again.")
    return card


def _built(tensors: dict[str, Array], card: PolicyCard) -> TrainedPolicy:
    """Return the policy of a card, given its weights."""
    check_tensors(tensors)
    if card.uncertainty:
        return from_tensors(
            tensors,
            _space(card),
            kind=card.uncertainty,
            probability=card.probability,
            passes=card.passes,
            discount=card.discount,
        )
    if not all(name.split(".")[0].isdecimal() for name in tensors):
        raise InvalidParameter(f"a plain network has no {', '.join(sorted(tensors))}")
    layers = [(tensors[f"{index}.weight"], tensors[f"{index}.bias"]) for index in range(len(tensors) // 2)]
    limits: Any = _space(card)
    return NetworkPolicy(layers, limits, activation=card.activation, squash=card.squash)  # type: ignore[arg-type]


def _space(card: PolicyCard) -> Box | Discrete:
    if card.n_actions:
        return Discrete(card.n_actions)
    low, high = np.array(card.low, np.float32), np.array(card.high, np.float32)
    if low.shape != high.shape or not low.size or not (low < high).all():
        raise InvalidParameter(f"actions from {card.low} to {card.high} cannot be")
    return Box(low, high, dtype=np.float32)
