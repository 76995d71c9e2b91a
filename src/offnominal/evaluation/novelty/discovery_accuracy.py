"""Accuracy of category discovery: clusters matched with the true classes of the rows without a label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.core.types import Array, IntArray
from offnominal.detectors.discovery.matching import Matching
from offnominal.evaluation.bootstrap import REPLICATES, Resamples
from offnominal.evaluation.errors import InvalidLabels
from offnominal.evaluation.estimate import Estimate


@dataclass(frozen=True, slots=True, eq=False)
class DiscoveryAccuracy:
    """Hungarian accuracy of clusters, with one matching for all classes.

    Args:
        all: Share of all rows in the cluster of their class.
        labelled: The same among rows of classes that have labelled rows.
        new: The same among rows of new classes; undefined without any.
        classes: (c,): true classes.
        confusion: (c, k): rows of each class in each cluster; column i is matched with class i.
    """

    all: Estimate
    labelled: Estimate
    new: Estimate
    classes: IntArray
    confusion: IntArray

    def numbers(self) -> dict[str, Estimate]:
        """Return the accuracies by name."""
        return {"accuracy_all": self.all, "accuracy_labelled": self.labelled, "accuracy_new": self.new}

    def by_class(self) -> dict[int, float]:
        """Return the accuracy of each class."""
        shares = self.confusion.diagonal()[: len(self.classes)] / self.confusion.sum(axis=1)
        return dict(zip(self.classes.tolist(), shares.tolist(), strict=True))


def measure_discovery(
    true: Array,
    clusters: Array,
    labelled_classes: Sequence[int],
    *,
    episodes: Sequence[Any] | None = None,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> DiscoveryAccuracy:
    """Measure how well clusters agree with true classes.

    The rows are those without a label that were clustered: the protocol is transductive. The matching is made once for
    all rows; intervals keep it and draw episodes.

    Args:
        true: (n,): true classes.
        clusters: (n,): clusters.
        labelled_classes: Classes that had labelled rows.
        episodes: (n,): episode of each row, for the bootstrap; each row is one of its own if None.
        replicates: Bootstrap replicates over episodes.
        seed: Seed of the bootstrap.

    Example:
        >>> true, clusters = np.array([0, 0, 1, 1, 2, 2]), np.array([4, 4, 7, 7, 7, 3])
        >>> found = measure_discovery(true, clusters, [0, 1], replicates=0)
        >>> found.all, found.labelled, found.new
        (Estimate(0.833), Estimate(1.000), Estimate(0.500))
    """
    given, found = np.asarray(true), np.asarray(clusters)
    matching = Matching.of(given, found)
    if episodes is not None and len(episodes) != len(given):
        raise InvalidLabels(f"there are episodes of {len(episodes)} rows; expected {len(given)}.")
    right = matching.agreement(given, found)
    owner = np.arange(len(given)) if episodes is None else _numbered(episodes)
    resamples = Resamples.draw(int(owner.max()) + 1, replicates, seed=seed)
    known = np.isin(given, np.asarray(labelled_classes))
    shares = []
    for chosen in (np.ones(len(given), bool), known, ~known):
        hits, rows = (np.bincount(owner[each], minlength=len(resamples)) for each in (chosen & right, chosen))
        shares.append(resamples.ratio(hits.astype(np.float64), rows.astype(np.float64)))
    every, labelled, new = shares
    return DiscoveryAccuracy(every, labelled, new, matching.classes, matching.confusion)


def _numbered(episodes: Sequence[Any]) -> IntArray:
    numbers = {episode: number for number, episode in enumerate(dict.fromkeys(episodes))}
    return np.array([numbers[episode] for episode in episodes], np.int64)
