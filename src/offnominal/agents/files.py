"""Policies on disk: weights in a safetensors file, everything else in a JSON card beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from gymnasium.spaces import Box, Discrete
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from offnominal.agents.network import NetworkPolicy
from offnominal.agents.observation_normaliser import ObservationNormaliser
from offnominal.agents.uncertainty.files import check_tensors, from_tensors, to_tensors
from offnominal.agents.uncertainty.policy import UncertainPolicy
from offnominal.core.checksum import warn_of_missing_checksum
from offnominal.core.config import Config
from offnominal.core.errors import DamagedFile, InvalidParameter, MissingDependency, MissingFile, UnsupportedFormat
from offnominal.core.files import file_errors, read_bytes, read_json, sha256_of, write_bytes, write_json
from offnominal.core.types import Array

FORMAT = 1
NORMALISER = "normaliser."
"""Prefix of the tensors that normalise the observations of a network."""
TrainedPolicy = NetworkPolicy | UncertainPolicy
"""Policies that can be saved."""


@dataclass(frozen=True)
class PolicyCard(Config):
    """Description of a trained policy.

    Args:
        world: Id of the world it was trained in.
        algorithm: Id of the policy: the algorithm by which it learned, or what it is else; see
            :mod:`offnominal.agents.policy_ids`.
        low: Lower bound of the action per channel; empty for discrete actions.
        high: Upper bound of the action per channel; empty for discrete actions.
        n_actions: Number of discrete actions; 0 for continuous actions.
        activation: Activation function of the hidden layers.
        squash: Whether the output passes through tanh.
        uncertainty: Kind of an :class:`UncertainPolicy`; empty for a policy without uncertainty estimates.
        probability: Probability that a dropout mask drops a unit or a weight.
        passes: Number of predictions that are averaged.
        discount: Discount factor of the values.
        command: Command that trained the policy.
        settings: All settings of the training.
        steps: Number of training transitions until the saved policy, the best of all evaluations.
        episodes: Number of nominal episodes of the evaluation, none of them used for training.
        mean_return: Mean return of these episodes.
        return_interval: Half the width of the 95 % confidence interval of the mean return.
        success: Fraction of these episodes that succeeded.
        mean_length: Mean length of these episodes.
        chosen: Why this policy is the expert of its world; empty for all others.
        sha256: SHA-256 of the weights.
        card_sha256: SHA-256 of all other fields; empty in cards of early versions, which are read with a warning.
        format: Version of the card's format.
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
    chosen: str = ""
    sha256: str = ""
    card_sha256: str = ""
    format: int = FORMAT

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; `chosen` only of an expert, so that earlier cards keep their hash."""
        return {name: value for name, value in super().to_dict().items() if name != "chosen" or value}

    def with_sha256(self) -> PolicyCard:
        """Return the card with its own hash."""
        return self.replace(card_sha256=self.replace(card_sha256="").digest())


def save_policy(path: Path | str, policy: TrainedPolicy, card: PolicyCard) -> PolicyCard:
    """Write ``path.safetensors`` and ``path.json``.

    Both files are written atomically.

    Args:
        path: Path of the policy, with or without its suffix; missing folders are created.
        policy: Policy whose weights are written.
        card: Description of the policy.

    Returns:
        The card with the hash of the weights and its own hash.

    Raises:
        InaccessibleFile: The disk is full or read-only, or the path cannot be written.
    """
    weights, card_path = _paths(path)
    content = serialised(policy)
    card = card.replace(sha256=sha256_of(content)).with_sha256()
    write_bytes(weights, content)
    write_json(card_path, card.to_dict())
    return card


def serialised(policy: TrainedPolicy) -> bytes:
    """Return the weights in safetensors format; equal weights give equal bytes."""
    if isinstance(policy, UncertainPolicy):
        return save_tensors(to_tensors(policy))
    tensors: dict[str, Array] = {}
    for index, (weight, bias) in enumerate(policy.layers):
        tensors[f"{index}.weight"], tensors[f"{index}.bias"] = weight, bias
    if policy.normaliser is not None:
        tensors |= {f"{NORMALISER}{name}": values for name, values in policy.normaliser.to_arrays().items()}
    return save_tensors(tensors)


def policy_hash(policy: TrainedPolicy) -> str:
    """Return the SHA-256 of a policy's weights, as its card states it."""
    return sha256_of(serialised(policy))


def load_policy(path: Path | str) -> tuple[TrainedPolicy, PolicyCard]:
    """Read a policy and its card; both must have the hashes that the card states.

    Args:
        path: Path of the policy, with or without its suffix.

    Raises:
        MissingFile: One of the two files is missing.
        DamagedFile: A file was changed, or the two files do not form a policy.
    """
    weights, card_path = _paths(path)
    for file in (weights, card_path):
        with file_errors(file):
            if not file.exists():
                raise MissingFile(
                    f"{file} does not exist; a policy is a .safetensors file with a .json card beside it."
                )
    card = read_card(card_path)
    return load_weights(weights, card), card


def load_weights(file: Path, card: PolicyCard) -> TrainedPolicy:
    """Read the policy of a card from its weights.

    Args:
        file: The safetensors file.
        card: Card of the policy.

    Raises:
        DamagedFile: The file does not have the hash of the card, or does not contain the policy it describes.
    """
    content = read_bytes(file)
    found = sha256_of(content)
    if found != card.sha256:
        raise DamagedFile(f"{file} has SHA-256 {found[:12]}…, its card says {card.sha256[:12]}…; fetch it again.")
    try:
        return _policy(load_tensors(content), card)
    except MissingDependency:
        raise
    except Exception as error:
        reason = str(error).partition("\n")[0].rstrip(".") or type(error).__name__
        raise DamagedFile(f"{file} does not contain the policy of its card ({reason}); fetch it again.") from None


def _paths(path: Path | str) -> tuple[Path, Path]:
    """Return the paths of the weights and of the card."""
    if not isinstance(path, Path | str) or not Path(path).name:
        raise InvalidParameter(f"{path!r} cannot be the path of a policy; give a folder and a name.")
    return Path(path).with_suffix(".safetensors"), Path(path).with_suffix(".json")


def read_card(path: Path) -> PolicyCard:
    """Read the card of a policy.

    Args:
        path: The JSON file.

    Raises:
        MissingFile: There is no such file.
        DamagedFile: It is not the card of a policy, or was changed.
        UnsupportedFormat: It was written by another version.
    """
    data = read_json(path)
    if data.get("format") != FORMAT:
        raise UnsupportedFormat(f"{path} has format {data.get('format')!r}; this version reads format {FORMAT}.")
    try:
        card = PolicyCard.from_dict(data)
        intact = card.card_sha256 in ("", card.with_sha256().card_sha256)
    except (InvalidParameter, ValueError, TypeError, RecursionError) as error:
        raise DamagedFile(f"{path} is not the card of a policy ({str(error).rstrip('.')}); fetch it again.") from None
    if not card.card_sha256:
        warn_of_missing_checksum(path)
    if not intact:
        raise DamagedFile(f"{path} was changed: its content does not have the SHA-256 that it states; fetch it again.")
    return card


def renew_card(path: Path) -> None:
    """Write the hash of the present fields into the card of a policy."""
    try:
        card = PolicyCard.from_dict(read_json(path))
    except InvalidParameter as error:
        raise DamagedFile(f"{path} is not the card of a policy ({str(error).rstrip('.')}).") from None
    write_json(path, card.with_sha256().to_dict())


def _policy(tensors: dict[str, Array], card: PolicyCard) -> TrainedPolicy:
    """Return the policy that a card describes, with the given weights."""
    statistics = {name: tensors[name] for name in tensors if name.startswith(NORMALISER)}
    tensors = {name: tensors[name] for name in tensors if name not in statistics}
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
    normaliser = None
    if statistics:
        normaliser = ObservationNormaliser.of(
            {name.removeprefix(NORMALISER): values for name, values in statistics.items()}
        )
    return NetworkPolicy(
        layers,
        _space(card),
        activation=card.activation,  # type: ignore[arg-type]
        squash=card.squash,
        normaliser=normaliser,
    )


def _space(card: PolicyCard) -> Box | Discrete:
    if card.n_actions:
        if card.low or card.high:
            raise InvalidParameter(f"{card.n_actions} discrete actions cannot have limits ({card.low} to {card.high})")
        return Discrete(card.n_actions)
    low, high = np.array(card.low, np.float32), np.array(card.high, np.float32)
    if low.shape != high.shape or not low.size or not (low < high).all():
        raise InvalidParameter(f"actions from {card.low} to {card.high} are impossible")
    return Box(low, high, dtype=np.float32)
