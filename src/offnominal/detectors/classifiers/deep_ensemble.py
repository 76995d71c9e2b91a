"""Deep Ensemble: several classifiers that are trained with different seeds."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import logsumexp

from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.classifiers.class_images import ClassImages
from offnominal.detectors.classifiers.image_classifier import ImageClassifier
from offnominal.detectors.classifiers.logit_scores import log_wrong
from offnominal.detectors.parameters import Range
from offnominal.detectors.state_arrays import StateArrays

MOST_MEMBERS = 1000


@dataclass(kw_only=True, eq=False)
class DeepEnsemble(ImageClassifier):
    """Doubt in the most probable class, averaged over networks (Lakshminarayanan et al. 2017).

    The score is the logarithm of one minus the largest mean softmax. It is computed from logarithms, so that images of
    which all members are certain have different scores.

    Args:
        n_members: Number of networks.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {"n_members": Range(1, MOST_MEMBERS)}

    n_members: int = 5

    def _fit_scores(self, images: ClassImages, labels: IntArray, seed: int) -> None:
        """Train the other members; the first one is the network of the base class."""
        self.members_: list[DeepEnsemble] = []
        for number in range(1, self.n_members):
            member = copy(self)
            member._train(images, labels, seed + number)
            self.members_.append(member)

    def _score(self, images: ClassImages) -> FloatArray:
        logits = [member._outputs(images)[1] for member in (self, *self.members_)]
        doubts = logsumexp(log_wrong(np.stack(logits)), axis=0) - np.log(self.n_members)
        return np.asarray(doubts.min(axis=1))

    def _novelty(self, features: FloatArray, logits: FloatArray) -> FloatArray:
        return np.asarray(log_wrong(logits).min(axis=1))

    def _state_dict(self) -> dict[str, Array]:
        arrays = super()._state_dict()
        for number, member in enumerate(self.members_, start=1):
            arrays |= {f"{number}.{name}": values for name, values in ImageClassifier._state_dict(member).items()}
        return arrays

    def _load_state_dict(self, state: StateArrays) -> None:
        super()._load_state_dict(state)
        self.members_ = []
        for number in range(1, self.n_members):
            member = copy(self)
            arrays = StateArrays(state.part(f"{number}."), state.owner)
            ImageClassifier._load_state_dict(member, arrays)
            arrays.require_all_taken()
            self.members_.append(member)
