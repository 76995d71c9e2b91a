"""EAM: an ensemble over masks of the confidence in their classes (Grcić et al., 2023)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from offnominal.detectors.parameters import Range
from offnominal.detectors.scenes.rba import RbA


@dataclass(kw_only=True, eq=False)
class EAM(RbA):
    """Minus the sum over masks of the mask times the largest class probability of its query.

    The network is that of :class:`RbA` with queries; a pixel that no mask claims with a sure class is anomalous. The
    published method is trained with outliers of other datasets; by default this one is trained without.

    Args:
        n_queries: Number of queries, at least one.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {"n_queries": Range(1, 1_000)}

    n_queries: int = 50
    max_outliers: int = 0
    outlier_weight: float = 0.0

    def _pixel_scores(self, logits: Tensor) -> Tensor:
        return -logits[-1]
