"""Anomaly scores as images: score maps of sensors, and hits, misses and false alarms of voxels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from offnominal.core.checks import require_shape
from offnominal.core.types import Array, BoolArray
from offnominal.reports.scene_view.top_view import Image

Colour = tuple[int, int, int]

HIT, MISS, FALSE_ALARM, TRUTH = (0, 190, 120), (30, 120, 255), (240, 70, 30), (235, 20, 20)
OUTCOMES: dict[str, Colour] = {"hit": HIT, "miss": MISS, "false alarm": FALSE_ALARM}
# Colours of scores from low to high; the first is transparent on an image.
RAMP: NDArray[np.float64] = np.array(
    [(20, 18, 40), (87, 20, 110), (165, 44, 96), (231, 109, 84), (250, 185, 80), (252, 250, 180)]
)
LOW_GREY, HIGH_GREY = 226, 120
DARKENED = 0.55


@dataclass(frozen=True)
class ScoreScale:
    """Scale of the scores of one detector.

    Args:
        low: Score with the first colour; lower ones have it too.
        threshold: Score above which an element counts as anomalous.
        high: Score with the last colour.
    """

    low: float
    threshold: float
    high: float

    @classmethod
    def of(cls, scores: NDArray[np.float32], positive: BoolArray, false_alarm_rate: float) -> ScoreScale:
        """Return the scale of scored elements; at most a share of the normal ones exceeds the threshold.

        Args:
            scores: (n,): scores.
            positive: (n,): whether an element is anomalous.
            false_alarm_rate: Share of normal elements that may exceed the threshold.

        Example:
            >>> scale = ScoreScale.of(np.arange(100, dtype=np.float32), np.zeros(100, np.bool_), 0.05)
            >>> scale.low, scale.threshold
            (49.5, 94.0)
        """
        require_shape("scores", scores, "n")
        require_shape("positive", positive, len(scores))
        normal = np.sort(scores[np.logical_not(positive)])
        if not len(normal):
            low = float(scores.min()) if len(scores) else 0.0
            return cls(low, low, low + 1.0)
        low, n = float(np.median(normal)), len(normal)
        threshold = float(normal[max(0, n - 1 - int(false_alarm_rate * n))])
        high = max(threshold + 0.5 * (threshold - low), float(np.quantile(scores, 0.999)))
        return cls(low, threshold, high if high > low else low + 1.0)

    def levels(self, scores: Array) -> NDArray[np.float64]:
        """Return scores as numbers from 0 to 1."""
        levels: NDArray[np.float64] = np.clip(
            (np.asarray(scores, np.float64) - self.low) / (self.high - self.low), 0.0, 1.0
        )
        return levels

    def colours(self, scores: Array) -> Image:
        """Return the colour of each score."""
        return ramp_colours(self.levels(scores))

    def outcome_colours(self, scores: Array, positive: BoolArray) -> Image:
        """Return hits, misses and false alarms in their colours, and other elements in grey, darker for higher scores.

        Args:
            scores: (n,): scores.
            positive: (n,): whether an element is anomalous.
        """
        require_shape("scores", scores, "n")
        require_shape("positive", positive, len(scores))
        exceeds = np.asarray(scores) > self.threshold
        grey = LOW_GREY - (LOW_GREY - HIGH_GREY) * self.levels(scores)
        found = np.repeat(grey.astype(np.uint8)[:, None], 3, axis=1)
        found[exceeds & positive], found[~exceeds & positive], found[exceeds & ~positive] = HIT, MISS, FALSE_ALARM
        return found


def ramp_colours(levels: Array) -> Image:
    """Return the colours of levels from 0 to 1.

    Example:
        >>> ramp_colours(np.array([0.0, 1.0])).tolist()
        [[20, 18, 40], [252, 250, 180]]
    """
    places = np.linspace(0.0, 1.0, len(RAMP))
    return np.stack([np.interp(levels, places, RAMP[:, k]) for k in range(3)], axis=-1).astype(np.uint8)


def draw_score_map(image: Image, scores: Array, truth: BoolArray | None, scale: ScoreScale) -> Image:
    """Return an image in grey below the colours of its scores, with outlines of hits, misses and false alarms.

    Args:
        image: (height, width, 3): the image.
        scores: (height, width): scores.
        truth: (height, width): where an anomaly is; None if it is not known.
        scale: Scale of the scores.
    """
    levels = scale.levels(scores)[..., None]
    grey = DARKENED * image.mean(axis=2, keepdims=True)
    opacity = np.sqrt(levels)
    drawn: Image = ((1.0 - opacity) * grey + opacity * scale.colours(scores)).astype(np.uint8)
    if truth is None:
        return drawn
    exceeds = np.asarray(scores) > scale.threshold
    for mask, colour in ((exceeds & ~truth, FALSE_ALARM), (~exceeds & truth, MISS), (exceeds & truth, HIT)):
        drawn[outline(mask)] = colour
    return drawn


def outline(mask: BoolArray) -> BoolArray:
    """Return the pixels of a mask with a neighbour outside it.

    Example:
        >>> outline(np.ones((3, 3), np.bool_)).sum(), outline(np.zeros((3, 3), np.bool_)).sum()
        (np.int64(0), np.int64(0))
    """
    padded = np.pad(mask, 1, mode="edge")
    inside = padded[2:, 1:-1] & padded[:-2, 1:-1] & padded[1:-1, 2:] & padded[1:-1, :-2]
    return np.asarray(mask & ~inside)


def reduce_max(values: Array, height: int, width: int) -> Array:
    """Return an array (height, width) with the largest value of each block; small arrays are enlarged.

    Example:
        >>> reduce_max(np.array([[1, 2, 3, 4]]), 2, 2).tolist()
        [[2, 4], [2, 4]]
    """
    rows, columns = (np.arange(n) * size // n for n, size in zip((height, width), values.shape, strict=True))
    found: Array = np.maximum.reduceat(np.maximum.reduceat(values, rows, axis=0), columns, axis=1)
    return found
