"""Statistics of a calibration: control variates, decreasing curves and their level crossings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.stats import t

from offnominal.core.types import FloatArray

Z95 = 1.959964
EPISODES_PER_COLUMN = 10


@dataclass(frozen=True, slots=True)
class Measurement:
    """A mean with its standard error.

    Args:
        value: The mean.
        error: Its standard error.
        twin_weight: Weight of the nominal twins that were subtracted as the first control variate.

    Example:
        >>> Measurement(0.9, 0.01).interval
        (0.8804, 0.9196)
    """

    value: float
    error: float
    twin_weight: float = 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval."""
        return self.value - Z95 * self.error, self.value + Z95 * self.error


@dataclass(frozen=True, slots=True)
class Parabola:
    """Parabola around a point: height + slope * z + bend * z^2, z = x - centre.

    Args:
        centre: Centre of the fit.
        weights: Height, slope and bend.
        covariance: Covariance of the weights.
    """

    centre: float
    weights: FloatArray
    covariance: FloatArray

    @property
    def slope(self) -> float:
        """Slope at the centre."""
        return float(self.weights[1])

    def at(self, x: float) -> Measurement:
        """Return the value at x."""
        lever = (x - self.centre) ** np.arange(3)
        return Measurement(float(lever @ self.weights), float(np.sqrt(lever @ self.covariance @ lever)))

    def crossing(self, level: float) -> float:
        """Return the crossing with a level that is nearest to the centre; that of the tangent if there is none."""
        height, slope, bend = self.weights
        gap = height - level
        inside = slope * slope - 4.0 * bend * gap
        if slope >= 0.0 or inside <= 0.0:
            return self.centre + float(gap / max(-slope, 1e-6))
        return self.centre + float(2.0 * gap / (-slope + np.sqrt(inside)))


def mean(scores: FloatArray, control_variates: FloatArray) -> Measurement:
    """Return the mean score, with control variates as in :func:`adjusted`."""
    if len(scores) < 2:
        return Measurement(float(np.mean(scores)), np.inf)
    used = _usable_columns(control_variates)
    weights = _weights(scores, used)
    reduced = scores - used @ weights
    spread = float(np.std(reduced, ddof=1)) * float(np.sqrt(len(scores) / max(len(scores) - used.shape[1], 1)))
    return Measurement(float(np.mean(reduced)), spread / float(np.sqrt(len(scores))), float(weights[0]))


@dataclass(frozen=True, slots=True)
class PolicyMean:
    """Mean of a score over policies.

    Args:
        value: Mean over the policies.
        error: Its standard error for these policies: that of the episodes and of the reference returns.
        deviation: Standard deviation of the score over the policies; NaN for a single one.
        policies: Number of policies.
    """

    value: float
    error: float
    deviation: float
    policies: int

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval for these policies."""
        return Measurement(self.value, self.error).interval

    @property
    def population_interval(self) -> tuple[float, float]:
        """95 % confidence interval for the mean over all policies that such trainings give, by Student's t."""
        if self.policies < 2:
            return np.nan, np.nan
        half = float(t.ppf(0.975, self.policies - 1)) * self.deviation / float(np.sqrt(self.policies))
        return self.value - half, self.value + half


def mean_over_policies(
    each: Sequence[Measurement], reference_errors: FloatArray, random_errors: FloatArray
) -> PolicyMean:
    """Return the mean of the scores of policies, each with the same weight.

    A score is (return - random) / (nominal - random), so that errors of the two reference returns count, too: that of
    the nominal return as far as the twins do not cancel it, that of random actions for the share that is lost.

    Args:
        each: Score of each policy.
        reference_errors: Standard error of the nominal return of each, in scores.
        random_errors: Standard error of the mean return of random actions, in scores of each policy.

    Example:
        >>> found = mean_over_policies([Measurement(0.8, 0.03), Measurement(0.6, 0.04)], np.zeros(2), np.zeros(2))
        >>> round(found.value, 3), round(found.error, 3), round(found.deviation, 3)
        (0.7, 0.025, 0.141)
    """
    values = np.array([one.value for one in each])
    own = np.array([one.error for one in each])
    nominal = np.array([one.twin_weight - one.value for one in each]) * reference_errors
    shared = float(np.mean((1.0 - values) * random_errors))
    error = float(np.sqrt(np.sum(own**2 + nominal**2) / len(each) ** 2 + shared**2))
    deviation = float(np.std(values, ddof=1)) if len(each) > 1 else np.nan
    return PolicyMean(float(np.mean(values)), error, deviation, len(each))


def adjusted(scores: FloatArray, control_variates: FloatArray) -> FloatArray:
    """Return scores with the variance explained by control variates removed.

    A control variate is a known number of each episode whose expectation is zero, such as the score of its nominal twin
    minus one. Subtracting a multiple of it reduces the variance and leaves the expectation unchanged.

    Args:
        scores: (n,): normalised scores of faulty episodes.
        control_variates: (n, k): control variates.

    Example:
        >>> adjusted(np.array([0.7, 0.9, 0.5]), np.array([[0.0], [0.2], [-0.2]]))
        array([0.7, 0.7, 0.7])
    """
    used = _usable_columns(control_variates)
    reduced: FloatArray = scores - used @ _weights(scores, used)
    return reduced


def _weights(scores: FloatArray, used: FloatArray) -> FloatArray:
    """Return the weights of control variates, by least squares."""
    weights: FloatArray
    weights, *_ = np.linalg.lstsq(used - used.mean(axis=0), scores - scores.mean(), rcond=None)
    return weights


def _usable_columns(control_variates: FloatArray) -> FloatArray:
    """Return the first columns, as many as the number of episodes allows to fit."""
    return control_variates[:, : max(1, len(control_variates) // EPISODES_PER_COLUMN)]


def parabola(x: FloatArray, scores: FloatArray) -> Parabola:
    """Fit a parabola by least squares, with a heteroscedasticity-robust covariance.

    Example:
        >>> x = np.linspace(0.0, 2.0, 21)
        >>> parabola(x, 1.0 - 0.3 * x).crossing(0.55)
        1.5
    """
    centre = float(np.mean(x))
    lever = (x - centre)[:, None] ** np.arange(3)
    inverse = np.linalg.pinv(lever.T @ lever)
    weights = inverse @ lever.T @ scores
    residual = scores - lever @ weights
    middle = (lever * residual[:, None] ** 2).T @ lever
    return Parabola(centre, weights, inverse @ middle @ inverse * len(x) / max(len(x) - 3, 1))


def falling(heights: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the nearest curve that never increases (isotonic regression).

    Example:
        >>> falling(np.array([1.0, 0.8, 0.9, 0.2]), np.ones(4))
        array([1.  , 0.85, 0.85, 0.2 ])
    """
    fitted: FloatArray = isotonic_regression(heights, weights=weights, increasing=False).x
    return fitted


def first_crossing(x: FloatArray, heights: FloatArray, weights: FloatArray, level: float) -> float | None:
    """Return the first crossing of a decreasing curve with a level, or None if there is none.

    Only the part up to the minimum is used: beyond it, some stronger faults do less harm.

    Example:
        >>> first_crossing(np.arange(4.0), np.array([1.0, 0.8, 0.6, 0.9]), np.ones(4), 0.7)
        1.5
    """
    lowest = int(np.argmin(heights))
    if heights[lowest] > level:
        return None
    return crossing(x[: lowest + 1], falling(heights[: lowest + 1], weights[: lowest + 1]), level)


def crossing(x: FloatArray, curve: FloatArray, level: float) -> float:
    """Return the crossing of a decreasing curve with a level; its first or last point if it is below or above."""
    below = int(np.argmax(curve <= level))
    if curve[below] > level:
        return float(x[-1])
    if below == 0:
        return float(x[0])
    share = (curve[below - 1] - level) / (curve[below - 1] - curve[below])
    return float(x[below - 1] + share * (x[below] - x[below - 1]))
