"""The fitted detector of a cell: trained on its scenes, or a network with the weights of the package."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from offnominal.core.files import read_json
from offnominal.detectors.files import DetectorCard
from offnominal.detectors.scenes import SceneDetector, load_scene_detector, scene_detectors
from offnominal.detectors.scenes.scene_detector import Scene
from offnominal.papers.anovox.cell import SceneCell

SAME_NETWORK = {"MaxLogit": "MaxSoftmax", "Entropy": "MaxSoftmax"}
"""Detectors with the network of another one, and another score."""


def weights_of(cell: SceneCell) -> Path | None:
    """Return the path of the weights in the package for the network of a cell, without extension.

    None if the cell trains its detector, or if the package has no weights for it.
    """
    if not cell.shipped_weights:
        return None
    path = weights_folder() / SAME_NETWORK.get(cell.detector, cell.detector)
    return path if path.with_name(f"{path.name}.json").is_file() else None


def weights_folder() -> Path:
    """Return the folder of the weights of scene networks in the package."""
    return Path(str(files("offnominal.detectors.scenes"))) / "trained"


def weights_hash(cell: SceneCell) -> str:
    """Return the hash of the weights of :func:`weights_of`; empty if there are none."""
    path = weights_of(cell)
    return "" if path is None else DetectorCard.from_dict(read_json(path.with_name(f"{path.name}.json"))).sha256


def fitted_detector(cell: SceneCell, scenes: Sequence[Scene]) -> SceneDetector:
    """Return the detector of a cell, with the weights of the package or fitted to normal scenes.

    Args:
        cell: The cell.
        scenes: Normal scenes for training.
    """
    path = weights_of(cell)
    if path is None:
        return scene_detectors.build(cell.detector, cell.parameters).fit(scenes, seed=cell.seed)
    detector = load_scene_detector(path)
    if cell.detector in SAME_NETWORK:
        from offnominal.detectors.scenes import Segmenter

        assert isinstance(detector, Segmenter)
        return detector.with_confidence(scene_detectors.find(cell.detector).options["confidence"])
    return detector
