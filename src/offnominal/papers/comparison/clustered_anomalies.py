"""Tables whose anomalies are close together, in the manner of Emmott et al. (2013)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from offnominal.core.checks import number_in
from offnominal.core.streams import Stream
from offnominal.datasets.tables.table import Table
from offnominal.datasets.tables.table_split import paper_scale

FEWEST = 10
"""Smallest number of anomalies that are kept, if there are as many."""


def clustered_anomalies(table: Table, fraction: float, seed: int) -> Table:
    """Return a table with a random anomaly and those nearest to it.

    Distances are Euclidean, between columns that are scaled by all rows of the table.

    Args:
        table: The table.
        fraction: Fraction of the anomalies that are kept, but at least ten of them.
        seed: Of the random anomaly.

    Example:
        >>> anomalous = np.concatenate([np.zeros(10), np.full(30, 9.0)])[:, None] + np.arange(40.0)[:, None] / 100
        >>> table = Table("mine", normal=np.full((20, 1), 4.0), anomalous=anomalous)
        >>> kept = [clustered_anomalies(table, 0.25, seed).anomalous for seed in range(20)]
        >>> max(float(np.ptp(each).round(2)) for each in kept)
        0.09
    """
    number_in("clustered", fraction, 0.0, 1.0, open_low=True)
    if fraction == 1.0:
        return table
    scale = paper_scale(np.concatenate([table.normal, table.anomalous]))
    points = scale.apply(table.anomalous)
    centre = points[Stream.named(seed, 0, "table/clustered").integer(0, len(points) - 1)]
    kept = max(min(FEWEST, len(points)), round(fraction * len(points)))
    nearest = np.argsort(np.square(points - centre).sum(axis=1), kind="stable")[:kept]
    chosen = np.sort(nearest)
    difficulty = table.difficulty[chosen] if len(table.difficulty) else table.difficulty
    return replace(table, anomalous=table.anomalous[chosen], difficulty=difficulty)
