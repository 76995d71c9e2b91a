# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.detectors.classifiers.catalogue import class_detectors as class_detectors
from offnominal.detectors.classifiers.catalogue import load_class_detector as load_class_detector
from offnominal.detectors.classifiers.catalogue import make_class_detector as make_class_detector
from offnominal.detectors.classifiers.catalogue import save_class_detector as save_class_detector
from offnominal.detectors.classifiers.class_detector import ClassDetector as ClassDetector
from offnominal.detectors.classifiers.class_mahalanobis import ClassMahalanobis as ClassMahalanobis
from offnominal.detectors.classifiers.deep_ensemble import DeepEnsemble as DeepEnsemble
from offnominal.detectors.classifiers.feature_svm import FeatureSVM as FeatureSVM
from offnominal.detectors.classifiers.image_classifier import ImageClassifier as ImageClassifier
from offnominal.detectors.classifiers.logit_scores import Energy as Energy
from offnominal.detectors.classifiers.logit_scores import MaxLogit as MaxLogit
from offnominal.detectors.classifiers.logit_scores import MaxSoftmax as MaxSoftmax
from offnominal.detectors.classifiers.ndcc import NDCC as NDCC
from offnominal.detectors.classifiers.odin import ODIN as ODIN
from offnominal.detectors.classifiers.patch_autoencoder import PatchAutoencoder as PatchAutoencoder

__all__ = [
    "ClassDetector",
    "ClassMahalanobis",
    "DeepEnsemble",
    "Energy",
    "FeatureSVM",
    "ImageClassifier",
    "MaxLogit",
    "MaxSoftmax",
    "NDCC",
    "ODIN",
    "PatchAutoencoder",
    "class_detectors",
    "load_class_detector",
    "make_class_detector",
    "save_class_detector",
]
