"""The registered scene detectors, by id."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from offnominal.core.registry import Registry, Spec
from offnominal.detectors.files import DetectorCard, read_detector, write_detector
from offnominal.detectors.registered_id import registered_id
from offnominal.detectors.scenes.scene_detector import SceneDetector

scene_detectors: Registry[SceneDetector] = Registry("scene_detector", SceneDetector)

_SCENES = "offnominal.detectors.scenes"

for _id, _class, _summary in (
    (
        "HeightAboveRoad",
        "height_above_road:HeightAboveRoad",
        "rarity of a height above the road at its place, camera and lidar",
    ),
    ("LidarKNN", "lidar_knn:LidarKNN", "distance of local lidar geometry to the nearest normal geometry"),
    ("PatchKNN", "patch_knn:PatchKNN", "distance of an image patch to the nearest normal patches"),
    ("Motion", "motion:Motion", "unexpected change of speed of a surface between depth images"),
    ("Random", "random_scores:RandomScores", "uniform random scores, as a baseline"),
):
    scene_detectors.register(Spec(_id, f"{_SCENES}.{_class}", _summary))

for _id, _class, _summary, _options in (
    ("MaxSoftmax", "segmenter:Segmenter", "low class probability of a segmenter", {"confidence": "max_softmax"}),
    ("MaxLogit", "segmenter:Segmenter", "low class logit of a segmenter", {"confidence": "max_logit"}),
    ("Entropy", "segmenter:Segmenter", "entropy of the class probabilities of a segmenter", {"confidence": "entropy"}),
    ("Energy", "segmenter:Segmenter", "free energy of the logits of a segmenter", {"confidence": "energy"}),
    ("Mahalanobis", "mahalanobis:Mahalanobis", "distance of the features of a segmenter to the nearest class", {}),
    ("EAM", "eam:EAM", "lack of sure masks of a mask-classification network", {}),
    ("RbA", "rba:RbA", "rejection by all classes of a mask-classification network", {}),
    (
        "RbA-NoOutliers",
        "rba:RbA",
        "RbA in its published form without outliers: published score, no synthesised objects",
        {"max_outliers": 0, "outlier_weight": 0.0, "bounded": False},
    ),
    ("REAL", "real:REAL", "odds of the unknown class of a lidar network with synthesised outliers", {}),
    ("REAL-NoObjects", "real:REAL", "REAL in its published form without synthesised objects", {"max_outliers": 0}),
):
    scene_detectors.register(Spec(_id, f"{_SCENES}.{_class}", _summary, _options, tags=("gpu",)))

_TOGETHER = "combination of scene detectors of cameras and lidars by their ranks among normal scores"
_PARTS = {"detectors": ("HeightAboveRoad", "LidarKNN", "PatchKNN")}
scene_detectors.register(Spec("SceneFusion", f"{_SCENES}.fusion:SceneFusion", _TOGETHER, _PARTS, parts="detectors"))


def make_scene_detector(id: str, **parameters: Any) -> SceneDetector:
    """Return a scene detector by its registered id.

    Args:
        id: Registered id.
        parameters: Parameters of the detector.

    Example:
        >>> make_scene_detector("HeightAboveRoad", n_bins=8).get_params()["n_bins"]
        8
    """
    return scene_detectors.make(id, **parameters)


def save_scene_detector(path: Path | str, detector: SceneDetector) -> DetectorCard:
    """Write ``path.safetensors`` and ``path.json``; each file is written atomically.

    Args:
        path: Path without extension.
        detector: A fitted scene detector of a registered class.
    """
    return write_detector(path, detector, scene_detectors, registered_id(scene_detectors, detector))


def load_scene_detector(path: Path | str) -> SceneDetector:
    """Load a scene detector; the hash of its file is checked, and that its arrays fit to its parameters.

    Args:
        path: Path without extension.

    Raises:
        MissingFile: One of the two files does not exist.
        DamagedFile: The files are not those of such a detector.
        UnknownName: No scene detector with that id is registered.
    """
    return read_detector(path, scene_detectors.make)
