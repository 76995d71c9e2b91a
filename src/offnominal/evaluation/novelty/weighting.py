"""Named weightings of normal and novel elements: precision depends on how frequent novelty is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.checks import number_in, require_shape
from offnominal.core.types import FloatArray


@dataclass(frozen=True, slots=True)
class Weighting:
    """Share of the total weight that novel elements have.

    A test set rarely has the frequency of novelty that an agent meets. With a weighting, precision is that of a
    population with the given share of novel elements, whatever the test set has. TPR, TNR and AUROC are the same with
    every weighting.

    Args:
        name: Name in tables.
        novel: Share of novel elements, between 0 and 1.

    Example:
        >>> everything = np.ones(1)  # TPR and FPR are 1
        >>> FRAME_WEIGHTING.precision(everything, everything), str(EPISODE_WEIGHTING)
        (array([0.25]), '15/85 (episode)')
    """

    name: str
    novel: float

    def __post_init__(self) -> None:
        number_in("novel", self.novel, 0.0, 1.0, open_low=True, open_high=True)

    def precision(self, tpr: FloatArray, fpr: FloatArray) -> FloatArray:
        """Return the precision at some true-positive and false-positive rates; NaN where nothing is detected."""
        require_shape("fpr", fpr, *tpr.shape)
        found = self.novel * tpr
        with np.errstate(invalid="ignore"):
            precision: FloatArray = found / (found + (1.0 - self.novel) * fpr)
        return precision

    def __str__(self) -> str:
        return f"{100.0 * (1.0 - self.novel):.0f}/{100.0 * self.novel:.0f} ({self.name})"


FRAME_WEIGHTING = Weighting("frame", 0.25)
"""Frames: 75 % normal, 25 % novel."""
EPISODE_WEIGHTING = Weighting("episode", 0.85)
"""Episodes: 15 % normal, 85 % novel."""
