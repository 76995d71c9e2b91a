"""One-class SVM on the features of a classifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from offnominal.core.streams import Stream
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.classifiers.class_images import ClassImages
from offnominal.detectors.classifiers.image_classifier import ImageClassifier
from offnominal.detectors.normaliser import Normaliser
from offnominal.detectors.parameters import POSITIVE, STEPS, Range
from offnominal.detectors.rows.one_class_svm import OneClassSVM
from offnominal.detectors.state_arrays import StateArrays


@dataclass(kw_only=True, eq=False)
class FeatureSVM(ImageClassifier):
    """Negative similarity to the support vectors of a one-class SVM on the features; higher is more novel.

    The features are normalised by the training images, in the same way when images are scored.

    Args:
        nu: Upper bound on the share of normal images outside the boundary.
        gamma: Scale of the radial kernel; None for one over the number of features.
        max_samples: Largest number of images that the SVM is fitted to, drawn at random.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {"nu": Range(0, 1, open_low=True), "gamma": POSITIVE, "max_samples": STEPS}

    nu: float = 0.5
    gamma: float | None = None
    max_samples: int = 10_000

    def _fit_scores(self, images: ClassImages, labels: IntArray, seed: int) -> None:
        features, _ = self._outputs(images)
        draw = Stream.named(seed, 0, "feature svm").generator()
        chosen = np.sort(draw.permutation(len(features))[: self.max_samples])
        self.normaliser_ = Normaliser.of(features)
        self.machine_ = self._machine().fit(self.normaliser_(features[chosen]))

    def _machine(self) -> OneClassSVM:
        return OneClassSVM(nu=self.nu, gamma="auto" if self.gamma is None else self.gamma)

    def _novelty(self, features: FloatArray, logits: FloatArray) -> FloatArray:
        return self.machine_.score(self.normaliser_(features))

    def _state_dict(self) -> dict[str, Array]:
        machine = {f"machine.{name}": values for name, values in self.machine_.state_dict().items()}
        scaling = {"features.mean": self.normaliser_.mean, "features.scale": self.normaliser_.scale}
        return super()._state_dict() | scaling | machine

    def _load_state_dict(self, state: StateArrays) -> None:
        super()._load_state_dict(state)
        machine = self._machine()
        machine.load_state_dict(state.part("machine."))
        self.normaliser_ = Normaliser.restored(state, "features.mean", "features.scale", machine.width_)
        self.machine_ = machine
