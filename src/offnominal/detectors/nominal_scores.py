"""Nominal scores of a detector, which make its scores comparable with those of other detectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from offnominal.core.errors import DamagedFile
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.state_arrays import StateArrays

if TYPE_CHECKING:
    from torch import Tensor

MAX_NOMINAL = 4096
"""Largest number of nominal scores that are kept."""
ROUNDING = 1e-5
"""Relative difference up to which scores are tied: a score online and in a batch differ by rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class NominalScores:
    """Sorted scores of nominal data that a detector was not fitted to.

    Args:
        values: Sorted scores; none if the detector gave none.

    Example:
        >>> nominal = NominalScores.of(np.array([2.0, 1.0, 4.0, 3.0]))
        >>> nominal.ranks(np.array([0.0, 2.0, 2.5, 4.0, 40.0])).round(3).tolist()
        [0.0, 0.3, 0.4, 0.7, 0.995]
        >>> nominal.scaled(np.array([1.0, 2.5, 7.0])).tolist()
        [0.0, 0.5, 2.0]
    """

    values: FloatArray

    @classmethod
    def of(cls, scores: Array) -> NominalScores:
        """Return the nominal scores of a detector: all of them, or evenly spaced quantiles if there are many."""
        values = np.sort(np.asarray(scores, np.float64))
        kept = np.linspace(0, len(values) - 1, min(MAX_NOMINAL, len(values))).astype(np.int64)
        return cls(values[kept])

    @classmethod
    def restored(cls, state: StateArrays, name: str, *, empty: bool = False) -> NominalScores:
        """Return the nominal scores from a state dict, or raise :class:`DamagedFile` unless they are sorted.

        Args:
            state: The state dict.
            name: Name of the array.
            empty: Whether there may be none.
        """
        values = state.floats(name, (name,), empty=empty)
        if (np.diff(values) < 0.0).any():
            raise DamagedFile(f"the nominal scores {name} are not sorted.")
        return cls(values)

    def __len__(self) -> int:
        return len(self.values)

    def ranks(self, scores: FloatArray) -> FloatArray:
        """Return the ranks of scores among the nominal scores, from 0 to 1; ties have equal ranks.

        Above the largest nominal score the rank still increases, with a decreasing slope, so larger scores keep larger
        ranks. Scores that differ by rounding are tied.
        """
        nominal, count = self.values, len(self.values)
        margin = ROUNDING * np.abs(scores)
        below, up_to = np.searchsorted(nominal, scores - margin), np.searchsorted(nominal, scores + margin, "right")
        top = nominal[-1]
        width = top - nominal[count // 2]
        beyond = np.maximum(scores - top, 0.0) / (width if width > 0.0 else 1.0)
        result: FloatArray = (0.5 * (below + up_to) + beyond / (1.0 + beyond)) / (count + 1)
        return result

    def torch_ranks(self, scores: Tensor) -> Tensor:
        """Return the same as :meth:`ranks` by torch operators."""
        import torch

        nominal, count = torch.from_numpy(self.values), len(self.values)
        margin = ROUNDING * scores.abs()
        below, up_to = (nominal < (scores - margin)[:, None]).sum(1), (nominal <= (scores + margin)[:, None]).sum(1)
        top = float(self.values[-1])
        width = top - float(self.values[count // 2])
        beyond = (scores - top).clamp(min=0.0) / (width if width > 0.0 else 1.0)
        return (0.5 * (below + up_to) + beyond / (1.0 + beyond)) / (count + 1)

    def scaled(self, scores: FloatArray) -> FloatArray:
        """Return scores in units of the nominal range: 0 is the smallest nominal score, 1 the largest; no limits."""
        low, high = self.values[0], self.values[-1]
        result: FloatArray = (scores - low) / (high - low if high > low else 1.0)
        return result
