"""Detectors on disk: what they learned as safetensors, everything else as a readable card beside it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from offnominal.core.checks import shown
from offnominal.core.config import Config
from offnominal.core.errors import DamagedFile, InvalidParameter, NotFitted, UnsupportedFormat
from offnominal.core.files import read_bytes, read_json, sha256_of, write_bytes, write_json
from offnominal.core.types import Array
from offnominal.detectors.catalogue import make_detector, name_of
from offnominal.detectors.detector import Detector

FORMAT = 2
"""2: with the mean nominal reading, which stands in for those of broken sensors."""


@dataclass(frozen=True)
class DetectorCard(Config):
    """What is to be known of a saved detector.

    Args:
        detector: Its registered name.
        parameters: Its constructor's arguments.
        sha256: Hash of what it learned.
        format: Version of this card.
    """

    detector: str
    parameters: dict[str, Any] = field(default_factory=dict)
    sha256: str = ""
    format: int = FORMAT


def save_detector(path: Path | str, detector: Detector) -> DetectorCard:
    """Write ``path.safetensors`` and ``path.json``; a killed writer leaves nothing half-written.

    Args:
        path: Without ending.
        detector: A fitted detector of a registered class.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from offnominal.agents import expert
        >>> from offnominal.rollouts import collect
        >>> folder = TemporaryDirectory()
        >>> episodes = collect("SAP-Goal0-v0", expert("SAP-Goal0-v0"), 5)
        >>> card = save_detector(f"{folder.name}/knn", make_detector("KNN").fit(episodes))
        >>> load_detector(f"{folder.name}/knn").score(episodes)[0].max()
        np.float64(0.0)
    """
    if not isinstance(detector, Detector):
        raise InvalidParameter(f"{shown(detector)} is no detector; expected a fitted Detector.")
    weights, beside = _paths(path)
    if not detector.fitted:
        raise NotFitted(f"{detector.name} is not fitted; call fit before saving it.")
    name = name_of(detector)
    if name is None:
        raise InvalidParameter(
            f"{detector.name} is not registered, so it could not be loaded again; register it under the "
            "entry point `offnominal.detectors`."
        )
    content = save_tensors({key: np.asarray(values, order="C") for key, values in detector.state_dict().items()})
    card = DetectorCard(name, detector.get_params(), sha256_of(content))
    write_bytes(weights, content)
    write_json(beside, card.to_dict())
    return card


def load_detector(path: Path | str) -> Detector:
    """Read a detector; what it learned must have the hash that its card says, and fit to its parameters.

    Args:
        path: Without ending.

    Raises:
        MissingFile: One of the two files is not there.
        DamagedFile: They are not what a detector of that name learns.
        UnknownName: No detector of that name is registered here.
    """
    weights, beside = _paths(path)
    card = _card(beside)
    content = read_bytes(weights)
    found = sha256_of(content)
    if found != card.sha256:
        raise DamagedFile(f"{weights} has SHA-256 {found[:12]}…, its card says {card.sha256[:12]}…; fetch it again.")
    try:
        detector = make_detector(card.detector, **card.parameters)
    except (InvalidParameter, TypeError) as error:
        raise DamagedFile(f"{beside} has parameters that are not those of {card.detector} ({error}).") from None
    try:
        detector.load_state_dict(_tensors(content))
    except DamagedFile as error:
        raise type(error)(f"{weights}: {error}") from None
    return detector


def _card(path: Path) -> DetectorCard:
    data = read_json(path)
    if data.get("format", FORMAT) != FORMAT:
        raise UnsupportedFormat(f"{path} has format {shown(data['format'])}; this version reads format {FORMAT}.")
    try:
        return DetectorCard.from_dict(data)
    except InvalidParameter as error:
        raise DamagedFile(f"{path} is no card of a detector ({error}); fetch it again.") from None


def _tensors(content: bytes) -> dict[str, Array]:
    try:
        return load_tensors(content)
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise DamagedFile(f"it holds no arrays ({error}).") from None


def _paths(path: Path | str) -> tuple[Path, Path]:
    if not isinstance(path, str | os.PathLike) or not Path(path).name:
        raise InvalidParameter(f"the path is {shown(path)}; expected that of a file, without ending.")
    stem = Path(path)
    return stem.with_name(stem.name + ".safetensors"), stem.with_name(stem.name + ".json")
