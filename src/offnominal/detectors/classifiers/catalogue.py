"""The registered detectors that know the normal classes, by id."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from offnominal.core.registry import Registry, Spec
from offnominal.detectors.classifiers.class_detector import ClassDetector
from offnominal.detectors.files import DetectorCard, read_detector, write_detector
from offnominal.detectors.registered_id import registered_id

class_detectors: Registry[ClassDetector] = Registry("class_detector", ClassDetector)

_CLASSIFIERS = "offnominal.detectors.classifiers"

for _id, _module, _summary in (
    ("MaxSoftmax", "logit_scores", "doubt in the most probable class of a classifier"),
    ("MaxLogit", "logit_scores", "low logit of the most probable class of a classifier"),
    ("Energy", "logit_scores", "low summed exponentials of the logits of a classifier"),
    ("ODIN", "odin", "doubt of a classifier at a high temperature, after a small change of the image"),
    ("DeepEnsemble", "deep_ensemble", "doubt averaged over several classifiers"),
    ("ClassMahalanobis", "class_mahalanobis", "distance to the nearest class in the features of a classifier"),
    ("NDCC", "ndcc", "distance to the nearest class of a classifier that is trained for it"),
    ("FeatureSVM", "feature_svm", "one-class SVM on the features of a classifier"),
    ("PatchAutoencoder", "patch_autoencoder", "reconstruction error of patches of the image; uses no classes"),
):
    class_detectors.register(Spec(_id, f"{_CLASSIFIERS}.{_module}:{_id}", _summary, tags=("gpu",)))


def make_class_detector(id: str, **parameters: Any) -> ClassDetector:
    """Return a detector by its registered id.

    Args:
        id: Registered id.
        parameters: Parameters of the detector.

    Example:
        >>> make_class_detector("ODIN", temperature=10.0).get_params()["temperature"]
        10.0
    """
    return class_detectors.make(id, **parameters)


def save_class_detector(path: Path | str, detector: ClassDetector) -> DetectorCard:
    """Write ``path.safetensors`` and ``path.json``; each file is written atomically.

    Args:
        path: Path without extension.
        detector: A fitted detector of a registered class.
    """
    return write_detector(path, detector, class_detectors, registered_id(class_detectors, detector))


def load_class_detector(path: Path | str) -> ClassDetector:
    """Load a detector; the hash of its file is checked, and that its arrays fit to its parameters.

    Args:
        path: Path without extension.

    Raises:
        MissingFile: One of the two files does not exist.
        DamagedFile: The files are not those of such a detector.
        UnknownName: No detector with that id is registered.
    """
    return read_detector(path, class_detectors.make)
