"""Detectors that know the normal classes: a novelty score for each image.

They are fitted to labelled normal images, of a dataset or of the frames of any world. Names are imported on first use;
all of them need torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offnominal.core.lazy_imports import lazy_attributes

if TYPE_CHECKING:
    from offnominal.detectors.classifiers.catalogue import (
        class_detectors,
        load_class_detector,
        make_class_detector,
        save_class_detector,
    )
    from offnominal.detectors.classifiers.class_detector import ClassDetector
    from offnominal.detectors.classifiers.class_mahalanobis import ClassMahalanobis
    from offnominal.detectors.classifiers.deep_ensemble import DeepEnsemble
    from offnominal.detectors.classifiers.feature_svm import FeatureSVM
    from offnominal.detectors.classifiers.image_classifier import ImageClassifier
    from offnominal.detectors.classifiers.logit_scores import Energy, MaxLogit, MaxSoftmax
    from offnominal.detectors.classifiers.ndcc import NDCC
    from offnominal.detectors.classifiers.odin import ODIN
    from offnominal.detectors.classifiers.patch_autoencoder import PatchAutoencoder

_NAMES = {
    "catalogue": ("class_detectors", "load_class_detector", "make_class_detector", "save_class_detector"),
    "class_detector": ("ClassDetector",),
    "class_mahalanobis": ("ClassMahalanobis",),
    "deep_ensemble": ("DeepEnsemble",),
    "feature_svm": ("FeatureSVM",),
    "image_classifier": ("ImageClassifier",),
    "logit_scores": ("Energy", "MaxLogit", "MaxSoftmax"),
    "ndcc": ("NDCC",),
    "odin": ("ODIN",),
    "patch_autoencoder": ("PatchAutoencoder",),
}

__all__ = [
    "NDCC",
    "ODIN",
    "ClassDetector",
    "ClassMahalanobis",
    "DeepEnsemble",
    "Energy",
    "FeatureSVM",
    "ImageClassifier",
    "MaxLogit",
    "MaxSoftmax",
    "PatchAutoencoder",
    "class_detectors",
    "load_class_detector",
    "make_class_detector",
    "save_class_detector",
]

__getattr__, __dir__ = lazy_attributes(__name__, _NAMES)
