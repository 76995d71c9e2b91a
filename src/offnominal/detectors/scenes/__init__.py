"""Scene detectors: an anomaly score for every pixel of a camera and every point of a lidar.

Names are imported on first use; detectors with a network need torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offnominal.core.lazy_imports import lazy_attributes

if TYPE_CHECKING:
    from offnominal.detectors.scenes.catalogue import (
        load_scene_detector,
        make_scene_detector,
        save_scene_detector,
        scene_detectors,
    )
    from offnominal.detectors.scenes.frame_scores import FrameScores
    from offnominal.detectors.scenes.fusion import SceneFusion
    from offnominal.detectors.scenes.height_above_road import HeightAboveRoad
    from offnominal.detectors.scenes.lidar_knn import LidarKNN
    from offnominal.detectors.scenes.motion import Motion
    from offnominal.detectors.scenes.network_record import TrainingRecord
    from offnominal.detectors.scenes.observation import SceneObservation
    from offnominal.detectors.scenes.patch_knn import PatchKNN
    from offnominal.detectors.scenes.random_scores import RandomScores
    from offnominal.detectors.scenes.rba import RbA
    from offnominal.detectors.scenes.real import REAL
    from offnominal.detectors.scenes.scene_detector import SceneDetector
    from offnominal.detectors.scenes.segmenter import Segmenter
    from offnominal.detectors.scenes.trained_networks import (
        trained_hash,
        trained_names,
        trained_scene_detector,
        training_record,
    )
    from offnominal.detectors.scenes.training_runs import train_scene_networks

_NAMES = {
    "catalogue": ("load_scene_detector", "make_scene_detector", "save_scene_detector", "scene_detectors"),
    "frame_scores": ("FrameScores",),
    "fusion": ("SceneFusion",),
    "height_above_road": ("HeightAboveRoad",),
    "lidar_knn": ("LidarKNN",),
    "motion": ("Motion",),
    "observation": ("SceneObservation",),
    "patch_knn": ("PatchKNN",),
    "random_scores": ("RandomScores",),
    "rba": ("RbA",),
    "real": ("REAL",),
    "scene_detector": ("SceneDetector",),
    "segmenter": ("Segmenter",),
    "trained_networks": ("trained_hash", "trained_names", "trained_scene_detector", "training_record"),
    "network_record": ("TrainingRecord",),
    "training_runs": ("train_scene_networks",),
}

__all__ = [
    "REAL",
    "FrameScores",
    "HeightAboveRoad",
    "LidarKNN",
    "Motion",
    "PatchKNN",
    "RandomScores",
    "RbA",
    "SceneDetector",
    "SceneFusion",
    "SceneObservation",
    "Segmenter",
    "TrainingRecord",
    "load_scene_detector",
    "make_scene_detector",
    "save_scene_detector",
    "scene_detectors",
    "train_scene_networks",
    "trained_hash",
    "trained_names",
    "trained_scene_detector",
    "training_record",
]

__getattr__, __dir__ = lazy_attributes(__name__, _NAMES)
