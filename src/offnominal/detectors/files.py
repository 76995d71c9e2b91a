"""Detectors on disk: what they learned as safetensors, everything else as a readable card beside it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from offnominal.core.config import Config
from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile, NotFitted, UnsupportedFormat
from offnominal.detectors.catalogue import make_detector, name_of
from offnominal.detectors.detector import Detector

FORMAT = 1


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
        >>> from offnominal.detectors import KNN
        >>> from offnominal.rollouts import collect
        >>> folder = TemporaryDirectory()
        >>> episodes = collect("SAP-Goal0-v0", expert("SAP-Goal0-v0"), 5)
        >>> card = save_detector(f"{folder.name}/knn", KNN().fit(episodes))
        >>> load_detector(f"{folder.name}/knn").score(episodes)[0].max()
        np.float64(0.0)
    """
    if not detector.fitted:
        raise NotFitted(f"{type(detector).__name__} has learned nothing yet; call fit before saving it.")
    name = name_of(detector)
    if name is None:
        raise InvalidParameter(
            f"{type(detector).__name__} is not registered, so it could not be loaded again; register it under the "
            "entry point `offnominal.detectors`."
        )
    content = save_tensors({key: np.ascontiguousarray(values) for key, values in detector.learned().items()})
    card = DetectorCard(name, detector.parameters(), hashlib.sha256(content).hexdigest())
    about = (json.dumps(card.to_dict(), indent=2) + "\n").encode()
    weights, beside = _paths(path)
    weights.parent.mkdir(parents=True, exist_ok=True)
    for file, data in ((weights, content), (beside, about)):
        unfinished = file.with_name(file.name + ".unfinished")
        unfinished.write_bytes(data)
        unfinished.replace(file)
    return card


def load_detector(path: Path | str) -> Detector:
    """Read a detector; what it learned must have the hash that its card says.

    Args:
        path: Without ending.
    """
    weights, beside = _paths(path)
    for file in (weights, beside):
        if not file.exists():
            raise MissingFile(f"{file} does not exist; a detector is a .safetensors file with a .json card beside it.")
    try:
        data = json.loads(beside.read_text(encoding="utf-8"))
        card = DetectorCard.from_dict(data)
    except (ValueError, AttributeError) as error:
        raise DamagedFile(f"{beside} is no card of a detector ({error}); fetch it again.") from None
    if card.format != FORMAT:
        raise UnsupportedFormat(f"{beside} has format {card.format}; this version reads format {FORMAT}.")
    content = weights.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != card.sha256:
        raise DamagedFile(f"{weights} has SHA-256 {found[:12]}…, its card says {card.sha256[:12]}…; fetch it again.")
    detector = make_detector(card.detector, **card.parameters)
    detector.restore(load_tensors(content))
    return detector


def _paths(path: Path | str) -> tuple[Path, Path]:
    stem = Path(path)
    return stem.with_name(stem.name + ".safetensors"), stem.with_name(stem.name + ".json")
