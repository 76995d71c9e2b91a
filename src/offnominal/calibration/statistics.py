"""The statistics of a calibration: curves that fall, and where they cross a level."""

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
        """The 95 % interval."""
        return self.value - Z95 * self.error, self.value + Z95 * self.error


@dataclass(frozen=True, slots=True)
class Parabola:
    """A curve near a point: height + slope * z + bend * z^2, z = x - centre.

    Args:
        centre: Where it was fitted around.
        weights: Height, slope and bend.
        covariance: Theirs.
    """

    centre: float
    weights: FloatArray
    covariance: FloatArray

    @property
    def slope(self) -> float:
        """Its slope at the centre."""
        return float(self.weights[1])

    def at(self, x: float) -> Measurement:
        """Return its value somewhere."""
        lever = (x - self.centre) ** np.arange(3)
        return Measurement(float(lever @ self.weights), float(np.sqrt(lever @ self.covariance @ lever)))

    def crossing(self, level: float) -> float:
        """Return where it falls through a level nearest its centre; its tangent decides if it nowhere does."""
        height, slope, bend = self.weights
        gap = height - level
        inside = slope * slope - 4.0 * bend * gap
        if slope >= 0.0 or inside <= 0.0:
            return self.centre + float(gap / max(-slope, 1e-6))
        return self.centre + float(2.0 * gap / (-slope + np.sqrt(inside)))


def mean(scores: FloatArray, control_variates: FloatArray) -> Measurement:
    """Return the mean score, freed of luck as by :func:`adjusted`."""
    if len(scores) < 2:
        return Measurement(float(np.mean(scores)), np.inf)
    used = _usable_columns(control_variates)
    freed = adjusted(scores, control_variates)
    spread = float(np.std(freed, ddof=1)) * float(np.sqrt(len(scores) / max(len(scores) - used.shape[1], 1)))
    return Measurement(float(np.mean(freed)), spread / float(np.sqrt(len(scores))))


def adjusted(scores: FloatArray, control_variates: FloatArray) -> FloatArray:
    """Return scores freed of what luck explains.

    Luck is known numbers of each episode that are zero on average over all episodes, such as how its nominal twin
    fared; taking a multiple of them away changes no expectation, only the scatter.

    Args:
        scores: (n,): normalised scores of faulty episodes.
        control_variates: (n, k): the known numbers.

    Example:
        >>> adjusted(np.array([0.7, 0.9, 0.5]), np.array([[0.0], [0.2], [-0.2]]))
        array([0.7, 0.7, 0.7])
    """
    used = _usable_columns(control_variates)
    centred = used - used.mean(axis=0)
    share, *_ = np.linalg.lstsq(centred, scores - scores.mean(), rcond=None)
    freed: FloatArray = scores - used @ share
    return freed


def _usable_columns(control_variates: FloatArray) -> FloatArray:
    """Return all columns, or the first only if there are too few episodes to learn what the others are worth."""
    return (
        control_variates
        if len(control_variates) >= EPISODES_PER_COLUMN * control_variates.shape[1]
        else control_variates[:, :1]
    )


def parabola(x: FloatArray, scores: FloatArray) -> Parabola:
    """Fit a parabola by least squares; its errors allow for scatter that differs along it.

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
    """Return the nearest curve that never rises.

    Example:
        >>> falling(np.array([1.0, 0.8, 0.9, 0.2]), np.ones(4))
        array([1.  , 0.85, 0.85, 0.2 ])
    """
    fitted: FloatArray = isotonic_regression(heights, weights=weights, increasing=False).x
    return fitted


def first_crossing(x: FloatArray, heights: FloatArray, weights: FloatArray, level: float) -> float | None:
    """Return where a curve first comes down to a level, or None if it never does.

    Only the part up to the lowest point counts: beyond it some faults harm less the stronger they are.

    Example:
        >>> first_crossing(np.arange(4.0), np.array([1.0, 0.8, 0.6, 0.9]), np.ones(4), 0.7)
        1.5
    """
    lowest = int(np.argmin(heights))
    if heights[lowest] > level:
        return None
    return crossing(x[: lowest + 1], falling(heights[: lowest + 1], weights[: lowest + 1]), level)


def crossing(x: FloatArray, curve: FloatArray, level: float) -> float:
    """Return where a falling curve has a level: the first or last point if it lies wholly below or above."""
    below = int(np.argmax(curve <= level))
    if curve[below] > level:
        return float(x[-1])
    if below == 0:
        return float(x[0])
    share = (curve[below - 1] - level) / (curve[below - 1] - curve[below])
    return float(x[below - 1] + share * (x[below] - x[below - 1]))
