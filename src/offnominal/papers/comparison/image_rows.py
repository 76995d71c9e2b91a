"""The results of a cell on images as rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from offnominal.core.types import FloatArray
from offnominal.datasets.tables import TableSplit
from offnominal.papers.comparison.configuration_result import ConfigurationResult, configuration_rows
from offnominal.papers.comparison.ensembles import ensemble
from offnominal.papers.comparison.image_cell import ImageCell
from offnominal.papers.comparison.polarity import NEIGHBOURS, rank_correlation
from offnominal.papers.comparison.table_cell import ENSEMBLES


def image_rows(
    cell: ImageCell,
    method: str,
    name: str,
    results: Sequence[ConfigurationResult],
    parts: TableSplit,
    distances: FloatArray,
) -> list[dict[str, Any]]:
    """Return a row per configuration of a method, and one per ensemble of the best.

    Args:
        cell: The cell.
        method: One of its methods.
        name: Of its class.
        results: What came of the configurations.
        parts: Of the image set.
        distances: Of the test images; see :func:`image_distances`.
    """
    validation, test = parts.validation.anomalous, parts.test.anomalous
    both = list(results)
    if any(each.validation is not None for each in results):
        both += [
            ConfigurationResult({"ensemble": size}, *ensemble(results, validation, size=size)) for size in ENSEMBLES
        ]
    rows = configuration_rows(method, cell.images, cell.seed, both, validation, test)
    for row, each in zip(rows, both, strict=True):
        row["polarity"] = math.nan if each.test is None else rank_correlation(each.test, distances)
        row |= {"kind": cell.leave, "variant": name}
    return rows


def image_distances(parts: TableSplit) -> FloatArray:
    """Return how far each test image is from its fifth nearest training image."""
    from offnominal.detectors.rows.matrix_search import MatrixSearch

    train, test = (part.points.reshape(len(part), -1) for part in (parts.train, parts.test))
    distances, _ = MatrixSearch(train).nearest(test, min(NEIGHBOURS, len(train)))
    return distances[:, -1]
