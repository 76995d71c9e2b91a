"""Scene networks whose weights are part of the package."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.detectors.files import read_detector, read_detector_card
from offnominal.detectors.scenes.catalogue import make_scene_detector, scene_detectors
from offnominal.detectors.scenes.network_record import TrainingRecord, read_record
from offnominal.detectors.scenes.scene_detector import SceneDetector

FOLDER = Path(str(files("offnominal.detectors.scenes"))) / "trained"
SHARED = {"MaxLogit": "MaxSoftmax", "Entropy": "MaxSoftmax", "Energy": "MaxSoftmax"}
"""Detectors with the network of another one."""


def trained_scene_detector(id: str, *, device: str = "auto") -> SceneDetector:
    """Return a scene detector with the weights of the package.

    Args:
        id: Registered id of a detector with a network, such as ``"RbA"``.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.

    Raises:
        UnknownName: The package has no weights for this detector.
        DamagedFile: The weights do not have the hash of their card.
    """
    spec = scene_detectors.spec(id)

    def make(_: str, **parameters: Any) -> SceneDetector:
        return make_scene_detector(id, **{**parameters, **spec.options, "device": device})

    return read_detector(_path(id), make)


def trained_hash(id: str) -> str:
    """Return the hash of the weights of the package for a scene detector."""
    path = _path(id)
    return read_detector_card(path.with_name(f"{path.name}.json")).sha256


def training_record(id: str) -> TrainingRecord:
    """Return how the weights of the package for a scene detector were trained, with results of an evaluation."""
    return read_record(_path(id))


def trained_names() -> list[str]:
    """Return the ids of all scene detectors with weights in the package."""
    return [spec.id for spec in scene_detectors if _stem(spec.id).with_suffix(".json").is_file()]


def _stem(id: str) -> Path:
    return FOLDER / SHARED.get(id, id)


def _path(id: str) -> Path:
    """Return the path of the weights of a detector, without extension."""
    scene_detectors.spec(id)
    names = trained_names()
    if id not in names:
        raise UnknownName(
            f"the package has no weights for {id!r}.{did_you_mean(id, names)} There are weights for "
            f"{', '.join(names) or 'no detector'}; fit others, or train networks with train_scene_networks."
        )
    return _stem(id)
