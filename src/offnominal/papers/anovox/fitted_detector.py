"""The fitted detector of a cell: trained on its scenes, or a network with the weights of the package."""

from __future__ import annotations

from collections.abc import Sequence

from offnominal.detectors.scenes import (
    SceneDetector,
    scene_detectors,
    trained_hash,
    trained_names,
    trained_scene_detector,
)
from offnominal.detectors.scenes.scene_detector import Scene
from offnominal.papers.anovox.cell import SceneCell


def has_weights(cell: SceneCell) -> bool:
    """Whether the cell has the weights of the package instead of training its detector."""
    return cell.shipped_weights and cell.detector in trained_names()


def weights_hash(cell: SceneCell) -> str:
    """Return the hash of the weights of the package that a cell has; empty if it trains its detector."""
    return trained_hash(cell.detector) if has_weights(cell) else ""


def fitted_detector(cell: SceneCell, scenes: Sequence[Scene]) -> SceneDetector:
    """Return the detector of a cell, with the weights of the package or fitted to normal scenes.

    Args:
        cell: The cell.
        scenes: Normal scenes for training.
    """
    if has_weights(cell):
        return trained_scene_detector(cell.detector)
    return scene_detectors.build(cell.detector, cell.parameters).fit(scenes, seed=cell.seed)
