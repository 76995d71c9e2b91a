"""Scores of an episode, and what each channel contributes to them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.detectors.contributions import Method


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExplainedScores:
    """The scores of an episode, and what each channel contributes to each score.

    Args:
        detector: Name of the detector.
        scores: (T,) scores of the episode.
        contributions: (T, channels) contribution of each channel to each score.
        channels: Names of the channels.
        n_observations: Number of leading channels that are observation channels. The others are action channels, or
            variables of the detector.
        method: How contributions relate to the score; see :data:`~offnominal.detectors.contributions.Method`.
        baseline: (T,) part of each score that belongs to no channel.
    """

    detector: str
    scores: FloatArray
    contributions: FloatArray
    channels: tuple[str, ...]
    n_observations: int
    method: Method
    baseline: FloatArray

    @property
    def exact(self) -> bool:
        """Whether contributions are the terms of the detector's own formula and add up to the score."""
        return self.method == "sum"

    def __len__(self) -> int:
        return len(self.scores)

    def require_alike(self, other: ExplainedScores) -> None:
        """Raise :class:`InvalidParameter` unless another explanation is of the same detector, channels and method."""
        mine, others = (f"{each.detector}, {len(each.channels)} channels, {each.method}" for each in (self, other))
        if mine != others or self.channels != other.channels:
            raise InvalidParameter(f"explanations differ: {mine}; and {others}. Explain all episodes in the same way.")


def shares(values: FloatArray) -> FloatArray:
    """Return values that are not negative as shares along the last axis; all zero if there is nothing to share.

    Example:
        >>> shares(np.array([[1.0, 3.0], [0.0, 0.0]])).tolist()
        [[0.25, 0.75], [0.0, 0.0]]
    """
    largest = values.max(axis=-1, keepdims=True)
    scaled = np.divide(values, largest, out=np.zeros_like(values), where=largest > 0.0)
    total = scaled.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(scaled, total, out=np.zeros_like(values), where=total > 0.0))
