"""Who notices: detectors that give every transition a score."""

from offnominal.detectors.baselines import Random, Time
from offnominal.detectors.catalogue import detectors, make_detector
from offnominal.detectors.detector import Detector, Step, TransitionDetector
from offnominal.detectors.files import load_detector, save_detector
from offnominal.detectors.normaliser import Normaliser
from offnominal.detectors.observation_limits import MAX_READING, MAX_SCORE
from offnominal.detectors.transitions.on_transitions import (
    KNN,
    IsolationForest,
    Mahalanobis,
    OneClassSVM,
    OnTransitions,
    on_transitions,
)
from offnominal.detectors.views import View

__all__ = [
    "KNN",
    "MAX_READING",
    "MAX_SCORE",
    "Detector",
    "IsolationForest",
    "Mahalanobis",
    "Normaliser",
    "OnTransitions",
    "OneClassSVM",
    "Random",
    "Step",
    "Time",
    "TransitionDetector",
    "View",
    "detectors",
    "load_detector",
    "make_detector",
    "on_transitions",
    "save_detector",
]
