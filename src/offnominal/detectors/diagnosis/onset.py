"""Estimated onset of a change in scores, with a confidence interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from offnominal.core.rounding import fixed
from offnominal.core.types import FloatArray

UNSEEN = 0.3
"""Share of the steps after a change whose scores are nominal."""
REFITS = 3


@dataclass(frozen=True, slots=True)
class Onset:
    """The estimated onset of a fault: the first transition whose score is no longer nominal.

    Args:
        step: The most likely transition.
        low: First transition of the interval.
        high: Last transition of the interval.
        coverage: Stated probability that the interval has the true onset.
        p_value: Share of nominal episodes, and this one, with at least as strong a change.

    Example:
        >>> print(Onset(87, 85, 90, 0.9, 0.02))
        87 (90 % interval 85 to 90)
    """

    step: int
    low: int
    high: int
    coverage: float
    p_value: float

    def __str__(self) -> str:
        return f"{self.step} ({fixed(100.0 * self.coverage, 0)} % interval {self.low} to {self.high})"


def change_likelihood(normal_scores: FloatArray) -> FloatArray:
    """Return the log-likelihood ratio of a change at each transition against no change.

    Before the change, scores are standard normal. From the change on, they are normal with a higher mean and a variance
    of at least one, both fitted, except for three tenths of the steps, which are nominal still. The change lasts to the
    end of the episode.

    Args:
        normal_scores: (T,) scores as normal scores; see :class:`NominalReference`.

    Example:
        >>> change_likelihood(np.array([0.0, 0.0, 3.0, 3.0])).round(1).tolist()
        [5.9, 7.1, 8.3, 4.1]
    """
    count = np.arange(len(normal_scores), 0, -1)
    mean = np.cumsum(normal_scores[::-1])[::-1] / count
    square = np.cumsum(np.square(normal_scores[::-1]))[::-1] / count
    variance = np.maximum(square - np.square(mean), 1.0)
    raised = np.maximum(mean, 0.0)
    first = np.where(mean > 0.0, 0.5 * count * (np.square(raised) + variance - 1.0 - np.log(variance)), 0.0)
    ratio: FloatArray = first
    for _ in range(REFITS):
        step = int(np.argmax(ratio))
        ratio = _ratios(normal_scores, float(raised[step]), float(variance[step]))
    return ratio


def _ratios(normal_scores: FloatArray, mean: float, variance: float) -> FloatArray:
    """Return the log-likelihood ratio of a change at each transition to a known distribution."""
    gain = 0.5 * (np.square(normal_scores) - np.square(normal_scores - mean) / variance - np.log(variance))
    each = np.log((1.0 - UNSEEN) * np.exp(gain) + UNSEEN)
    total: FloatArray = np.cumsum(each[::-1])[::-1]
    return total


def likeliest_steps(likelihood: FloatArray, *, coverage: float, inflation: float) -> tuple[int, int, int]:
    """Return the most likely change, and the first and last transition that are nearly as likely.

    For independent scores with known distributions, the likelihood ratio of a wrong change against the true one is a
    martingale with mean one on each side. By Ville's inequality it exceeds 2 / (1 - coverage) anywhere with a
    probability of at most 1 - coverage, which is the tolerated difference.

    Args:
        likelihood: (T,) log-likelihood ratios.
        coverage: Probability that the interval has the true change.
        inflation: Variance of a sum of scores relative to that of independent ones.
    """
    step = int(np.argmax(likelihood))
    near = np.flatnonzero(likelihood >= likelihood[step] - inflation * math.log(2.0 / (1.0 - coverage)))
    return step, int(near[0]), int(near[-1])
