"""Mahalanobis distance to the nearest normal class in the features of a classifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import solve_triangular

from offnominal.core.errors import DamagedFile
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.classifiers.class_images import ClassImages
from offnominal.detectors.classifiers.image_classifier import ImageClassifier
from offnominal.detectors.parameters import SHARE, Range
from offnominal.detectors.state_arrays import StateArrays


@dataclass(kw_only=True, eq=False)
class ClassMahalanobis(ImageClassifier):
    """Squared Mahalanobis distance to the nearest class mean, with one covariance for all classes (Lee et al. 2018).

    Args:
        shrinkage: Share of the covariance that is replaced by a multiple of the identity with the same trace.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {"shrinkage": SHARE}

    shrinkage: float = 0.05

    def _fit_scores(self, images: ClassImages, labels: IntArray, seed: int) -> None:
        features, _ = self._outputs(images)
        n_classes, width = len(self.classes_), features.shape[1]
        self.means_ = np.stack([features[labels == number].mean(axis=0) for number in range(n_classes)])
        residuals = features - self.means_[labels]
        covariance = residuals.T @ residuals / len(residuals)
        even = max(float(np.trace(covariance)) / width, np.finfo(np.float64).tiny)
        covariance = (1.0 - self.shrinkage) * covariance + (self.shrinkage + 1e-9) * even * np.eye(width)
        self.factor_: FloatArray = np.linalg.cholesky(covariance)

    def _novelty(self, features: FloatArray, logits: FloatArray) -> FloatArray:
        whitened, means = (
            solve_triangular(self.factor_, rows.T, lower=True, check_finite=False).T for rows in (features, self.means_)
        )
        distances = [((whitened - mean) ** 2).sum(axis=1) for mean in means]
        return np.asarray(np.min(distances, axis=0))

    def _state_dict(self) -> dict[str, Array]:
        return super()._state_dict() | {"means": self.means_.copy(), "factor": self.factor_.copy()}

    def _load_state_dict(self, state: StateArrays) -> None:
        super()._load_state_dict(state)
        self.means_ = state.floats("means", (len(self.classes_), "features"))
        self.factor_ = state.floats("factor", ("features", "features"))
        if not (self.factor_.diagonal() > 0.0).all():
            raise DamagedFile("the factor of the covariance has a diagonal that is not positive.")
