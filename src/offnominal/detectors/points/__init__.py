"""Point detectors: how strange is a row of numbers?"""

from offnominal.detectors.points.abod import ABOD
from offnominal.detectors.points.estimator import Estimator
from offnominal.detectors.points.hbos import HBOS
from offnominal.detectors.points.isolation_forest import IsolationForest
from offnominal.detectors.points.kernel_svm import KernelSVM
from offnominal.detectors.points.loda import LODA
from offnominal.detectors.points.lof import LOF
from offnominal.detectors.points.mahalanobis import Mahalanobis
from offnominal.detectors.points.nearest import NearestNeighbours
from offnominal.detectors.points.neighbours import Neighbours
from offnominal.detectors.points.one_class_svm import OneClassSVM
from offnominal.detectors.points.pidforest import PIDForest
from offnominal.detectors.points.point import PointDetector
from offnominal.detectors.points.subspace_forest import SubspaceForest

__all__ = [
    "ABOD",
    "HBOS",
    "LODA",
    "LOF",
    "Estimator",
    "IsolationForest",
    "KernelSVM",
    "Mahalanobis",
    "NearestNeighbours",
    "Neighbours",
    "OneClassSVM",
    "PIDForest",
    "PointDetector",
    "SubspaceForest",
]
