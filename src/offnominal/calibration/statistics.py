"""Statistics of a calibration: control variates, decreasing curves and their level crossings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression

from offnominal.core.types import FloatArray

Z95 = 1.959964
EPISODES_PER_COLUMN = 10


@dataclass(frozen=True, slots=True)
class Measurement:
    """A mean with its standard error.

    Example:
        >>> Measurement(0.9, 0.01).interval
        (0.8804, 0.9196)
    """

    value: float
    error: float

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
    reduced = adjusted(scores, control_variates)
    spread = float(np.std(reduced, ddof=1)) * float(np.sqrt(len(scores) / max(len(scores) - used.shape[1], 1)))
    return Measurement(float(np.mean(reduced)), spread / float(np.sqrt(len(scores))))


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
    centred = used - used.mean(axis=0)
    share, *_ = np.linalg.lstsq(centred, scores - scores.mean(), rcond=None)
    reduced: FloatArray = scores - used @ share
    return reduced


def _usable_columns(control_variates: FloatArray) -> FloatArray:
    """Return all columns, or only the first if there are too few episodes to fit the others."""
    return (
        control_variates
        if len(control_variates) >= EPISODES_PER_COLUMN * control_variates.shape[1]
        else control_variates[:, :1]
    )


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
