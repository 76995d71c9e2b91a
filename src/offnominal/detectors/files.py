"""Detectors on disk: learned parameters as safetensors, with a readable JSON card that has a checksum."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from offnominal.core.checksum import read_checked_json, write_checked_json
from offnominal.core.config import Config
from offnominal.core.errors import DamagedFile, InvalidParameter, NotFitted, UnsupportedFormat
from offnominal.core.files import read_bytes, sha256_of, write_bytes
from offnominal.core.printable import shown
from offnominal.core.registry import Registry
from offnominal.core.types import Array
from offnominal.detectors.catalogue import detectors, name_of
from offnominal.detectors.detector import Detector

FORMAT = 2
"""Format 2 has the mean nominal readings, which replace invalid ones."""


@dataclass(frozen=True)
class DetectorCard(Config):
    """Description of a saved detector.

    Args:
        detector: Registered id.
        parameters: Result of `get_params`.
        sha256: Hash of the safetensors file.
        format: Version of this card.
    """

    detector: str
    parameters: dict[str, Any] = field(default_factory=dict)
    sha256: str = ""
    format: int = FORMAT


def save_detector(path: Path | str, detector: Detector) -> DetectorCard:
    """Write ``path.safetensors`` and ``path.json``; each file is written atomically.

    Args:
        path: Path without extension.
        detector: A fitted detector of a registered class.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from offnominal.agents import expert
        >>> from offnominal.rollouts import collect
        >>> folder = TemporaryDirectory()
        >>> episodes = collect("SAP-Goal0-v0", expert("SAP-Goal0-v0"), 5)
        >>> card = save_detector(f"{folder.name}/knn", detectors.make("KNN").fit(episodes))
        >>> load_detector(f"{folder.name}/knn").score(episodes)[0].max()
        np.float64(0.0)
    """
    return write_detector(path, detector, detectors, name_of(detector))


def load_detector(path: Path | str) -> Detector:
    """Load a detector; the hashes of both files are checked, and that the arrays fit to the parameters.

    Args:
        path: Path without extension.

    Raises:
        MissingFile: One of the two files does not exist.
        DamagedFile: The files are not those of such a detector.
        UnknownName: No detector with that id is registered.
    """
    return read_detector(path, detectors.make)


class Saved(Protocol):
    """What is saved of a detector."""

    @property
    def name(self) -> str:
        """Name of the algorithm."""

    @property
    def fitted(self) -> bool:
        """Whether it was fitted."""

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments as values that JSON can represent."""

    def state_dict(self) -> dict[str, Array]:
        """Return all learned parameters as arrays."""

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Restore the result of `state_dict`."""


T = TypeVar("T", bound=Saved)


def write_detector(path: Path | str, detector: T, registry: Registry[T], id: str | None) -> DetectorCard:
    """Write the two files of a fitted detector of any kind.

    Args:
        path: Path without extension.
        detector: The detector.
        registry: Registry of the detectors of its kind.
        id: Its registered id; None if it has none.
    """
    if registry.contract is not None and not isinstance(detector, registry.contract):
        raise InvalidParameter(f"the detector is {shown(detector)}; expected a fitted {registry.contract.__name__}.")
    weights, card_path = _paths(path)
    if not detector.fitted:
        raise NotFitted(f"{detector.name} is not fitted; call fit before saving it.")
    if id is None:
        raise InvalidParameter(
            f"{detector.name} is not registered, so it could not be loaded again; register it under the "
            f"entry point `offnominal.{registry.plural}`."
        )
    content = save_tensors({key: np.asarray(values, order="C") for key, values in detector.state_dict().items()})
    card = DetectorCard(id, detector.get_params(), sha256_of(content))
    write_bytes(weights, content)
    write_checked_json(card_path, card.to_dict())
    return card


def read_detector(path: Path | str, make: Callable[..., T]) -> T:
    """Read the two files of a detector; see :func:`load_detector`.

    Args:
        path: Path without extension.
        make: Returns a new detector, given its id and its parameters.
    """
    weights, card_path = _paths(path)
    card = read_detector_card(card_path)
    content = read_bytes(weights)
    found = sha256_of(content)
    if found != card.sha256:
        raise DamagedFile(
            f"{weights} has SHA-256 {found[:12]}…, its card says {card.sha256[:12]}…; get the file again."
        )
    try:
        detector = make(card.detector, **card.parameters)
    except (InvalidParameter, TypeError) as error:
        raise DamagedFile(f"{card_path} has parameters that are not those of {card.detector} ({error}).") from None
    try:
        detector.load_state_dict(_tensors(content))
    except DamagedFile as error:
        raise type(error)(f"{weights}: {error}") from None
    return detector


def read_detector_card(path: Path) -> DetectorCard:
    """Read the card of a detector of any kind.

    Args:
        path: The JSON file.

    Raises:
        MissingFile: There is no such file.
        DamagedFile: It is not the card of a detector, or was changed.
        UnsupportedFormat: It was written by another version.
    """
    data = read_checked_json(path)
    if data.get("format", FORMAT) != FORMAT:
        raise UnsupportedFormat(f"{path} has format {shown(data['format'])}; this version reads format {FORMAT}.")
    try:
        return DetectorCard.from_dict(data)
    except InvalidParameter as error:
        raise DamagedFile(f"{path} is not the card of a detector ({error}); get the file again.") from None


def _tensors(content: bytes) -> dict[str, Array]:
    try:
        return load_tensors(content)
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise DamagedFile(f"it contains no arrays ({error}).") from None


def _paths(path: Path | str) -> tuple[Path, Path]:
    if not isinstance(path, str | os.PathLike) or not Path(path).name:
        raise InvalidParameter(f"the path is {shown(path)}; expected the path of a file, without extension.")
    stem = Path(path)
    return stem.with_name(stem.name + ".safetensors"), stem.with_name(stem.name + ".json")
