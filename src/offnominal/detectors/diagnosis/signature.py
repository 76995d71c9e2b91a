"""The signature of a fault: its channels, and the shape of its scores over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.detectors.diagnosis.explained_scores import shares
from offnominal.detectors.diagnosis.explanation import Explanation
from offnominal.detectors.diagnosis.nominal_reference import HIGHEST

ENDS = (1, 3, 6, 11, 21, 41, 81)
"""Steps since the onset at which the parts of the shape end."""
N_SHAPE = len(ENDS) + 2


@dataclass(frozen=True, slots=True, eq=False)
class Signature:
    """Signature of a fault.

    Args:
        first: (channels,) shares of the channels at the onset.
        later: (channels,) shares of the channels over all steps since the onset.
        shape: Means of the normal scores in 7 parts since the onset, their deviation and their correlation with the
            next step; scores in units of the largest normal score.
    """

    first: FloatArray
    later: FloatArray
    shape: FloatArray

    @classmethod
    def of(cls, explanation: Explanation, *, onset: int | None = None) -> Signature:
        """Return the signature of an episode.

        Args:
            explanation: Explanation with a nominal reference.
            onset: Onset, if it is known; the estimated one if None.

        Raises:
            InvalidParameter: There is no nominal reference, or no onset.
        """
        if explanation.nominal is None:
            raise InvalidParameter("the explanation has no nominal reference; call explain with nominal=...")
        if onset is None and explanation.onset is None:
            raise InvalidParameter("no change was found in the scores, so there is no signature; give its onset.")
        if onset is None:
            assert explanation.onset is not None
            onset = explanation.onset.step
        if not 0 <= onset < len(explanation):
            raise InvalidParameter(
                f"the onset is {onset}; the episode has the transitions 0 to {len(explanation) - 1}."
            )
        standard = np.maximum(explanation.nominal.standardised(explanation.contributions[onset:]), 0.0)
        each = shares(np.where(explanation.contributions[onset:] > 0.0, standard, 0.0))
        weights = 0.5 ** np.arange(len(each))
        scores = explanation.nominal.normal_scores(explanation.scores)[onset:] / HIGHEST
        return cls(shares(weights @ each), shares(each.mean(axis=0)), _shape(scores))

    def distance(self, other: Signature) -> float:
        """Return the distance to another signature, from 0 to about 1.

        The squared distance is the mean of three: the squared Hellinger distances of the channels at the onset and of
        the channels over all steps, and the mean squared difference of the shapes.
        """
        parts = (
            1.0 - np.sqrt(self.first * other.first).sum(),
            1.0 - np.sqrt(self.later * other.later).sum(),
            np.square(self.shape - other.shape).mean(),
        )
        return float(np.sqrt(max(float(np.mean(parts)), 0.0)))

    def values(self) -> list[float]:
        """Return all numbers in one list."""
        return [*self.first.tolist(), *self.later.tolist(), *self.shape.tolist()]

    @classmethod
    def from_values(cls, values: FloatArray) -> Signature:
        """Return a signature from the result of :meth:`values`."""
        if np.ndim(values) != 1 or len(values) < N_SHAPE or (len(values) - N_SHAPE) % 2:
            raise InvalidParameter(f"values has shape {np.shape(values)}; expected (2 n + {N_SHAPE},) of n channels.")
        n = (len(values) - N_SHAPE) // 2
        return cls(values[:n], values[n : 2 * n], values[2 * n :])


def _shape(scores: FloatArray) -> FloatArray:
    """Return the shape of scores since the onset; parts after the end of the episode repeat the last one."""
    parts: list[float] = []
    begin = 0
    for end in ENDS:
        part = scores[begin:end]
        parts.append(float(part.mean()) if part.size else parts[-1])
        begin = end
    centred = scores - scores.mean()
    power = float(centred @ centred)
    correlation = float(centred[1:] @ centred[:-1]) / power if power > 0.0 else 0.0
    return np.array([*parts, float(scores.std()), correlation])
