"""Scores of class logits: low probability, low logit, high energy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from offnominal.core.types import FloatArray
from offnominal.detectors.classifiers.image_classifier import ImageClassifier


@dataclass(kw_only=True, eq=False)
class MaxSoftmax(ImageClassifier):
    """Logarithm of the probability that the most probable class is wrong (Hendrycks and Gimpel 2017).

    The order is that of the negative largest softmax. In float32 most of those are exactly -1; the logarithm has no
    such ties.
    """

    def _novelty(self, features: FloatArray, logits: FloatArray) -> FloatArray:
        return log_doubt(logits)


@dataclass(kw_only=True, eq=False)
class MaxLogit(ImageClassifier):
    """Negative largest logit (Hendrycks et al. 2022)."""

    def _novelty(self, features: FloatArray, logits: FloatArray) -> FloatArray:
        return np.asarray(-logits.max(axis=1))


@dataclass(kw_only=True, eq=False)
class Energy(ImageClassifier):
    """Negative logarithm of the summed exponentials of the logits (Liu et al. 2020)."""

    def _novelty(self, features: FloatArray, logits: FloatArray) -> FloatArray:
        return np.asarray(-logsumexp(logits, axis=1))


def log_wrong(logits: FloatArray) -> FloatArray:
    """Return the logarithm of one minus the softmax of each class, (..., classes), without cancellation.

    Example:
        >>> log_wrong(np.array([[0.0, 0.0]])).round(3)
        array([[-0.693, -0.693]])
        >>> log_wrong(np.array([[60.0, 0.0]])).round(3)
        array([[-60.,   0.]])
    """
    n_classes = logits.shape[-1]
    others = np.stack([logsumexp(np.delete(logits, number, axis=-1), axis=-1) for number in range(n_classes)], axis=-1)
    wrong: FloatArray = others - logsumexp(logits, axis=-1, keepdims=True)
    return wrong


def log_doubt(logits: FloatArray) -> FloatArray:
    """Return the logarithm of one minus the largest softmax of each row."""
    return np.asarray(log_wrong(logits).min(axis=-1))
