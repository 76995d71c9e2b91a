"""Point detectors: how strange is a row of numbers?"""

from offnominal.detectors.points.estimator import Estimator
from offnominal.detectors.points.isolation_forest import IsolationForest
from offnominal.detectors.points.mahalanobis import Mahalanobis
from offnominal.detectors.points.nearest import NearestNeighbours
from offnominal.detectors.points.one_class_svm import OneClassSVM
from offnominal.detectors.points.point import PointDetector

__all__ = ["Estimator", "IsolationForest", "Mahalanobis", "NearestNeighbours", "OneClassSVM", "PointDetector"]
