"""The results of a cell on images as rows."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from offnominal.core.types import FloatArray
from offnominal.datasets.tables import TableSplit
from offnominal.studies import examples
from offnominal.studies.cell import key_of
from offnominal.studies.detector_comparison.cell import ENSEMBLES
from offnominal.studies.detector_comparison.ensembles import ensemble
from offnominal.studies.detector_comparison.image_cell import ImageCell
from offnominal.studies.detector_comparison.polarity import NEIGHBOURS
from offnominal.studies.detector_comparison.tried import Tried, tried_rows
from offnominal.studies.rows import type_of
from offnominal.studies.work import Finished, versions


def measured_rows(
    cell: ImageCell, method: str, name: str, tried: Sequence[Tried], parts: TableSplit, distances: FloatArray
) -> list[dict[str, Any]]:
    """Return a row per configuration of a method, and one per ensemble of the best.

    Args:
        cell: The cell.
        method: One of its methods.
        name: Of its class.
        tried: What came of the configurations.
        parts: Of the image set.
        distances: Of the test images; see :func:`distances_of`.
    """
    validation, test = parts.validation.anomalous, parts.test.anomalous
    both = list(tried)
    if any(each.validation is not None for each in tried):
        both += [Tried({"ensemble": size}, *ensemble(tried, validation, size=size)) for size in ENSEMBLES]
    rows = tried_rows(method, cell.images, cell.seed, both, validation, test)
    for row, each in zip(rows, both, strict=True):
        row["polarity"] = math.nan if each.test is None else goes_with(each.test, distances)
        row |= {"kind": cell.leave, "variant": name}
    return rows


def distances_of(parts: TableSplit) -> FloatArray:
    """Return how far each test image is from its fifth nearest training image."""
    from offnominal.detectors.deep.matrix_search import MatrixSearch

    train, test = (part.points.reshape(len(part), -1) for part in (parts.train, parts.test))
    distances, _ = MatrixSearch(train).nearest(test, min(NEIGHBOURS, len(train)))
    return distances[:, -1]


def goes_with(scores: FloatArray, distances: FloatArray) -> float:
    """Return Spearman's correlation of scores and distances; NaN if one of them is constant.

    Example:
        >>> goes_with(np.array([1.0, 2.0, 4.0]), np.array([3.0, 2.0, 1.0]))
        -1.0
    """
    from scipy.stats import spearmanr

    there = ~np.isnan(scores)
    scores, distances = scores[there], distances[there]
    if len(scores) < 2 or np.ptp(scores) == 0.0 or np.ptp(distances) == 0.0:
        return math.nan
    return round(float(spearmanr(scores, distances).statistic), 12)


def finished(
    cell: ImageCell, rows: Sequence[Mapping[str, Any]], cost: Mapping[str, float], *, data: str, code: str
) -> Finished:
    """Return the result of a cell as the store keeps it.

    Args:
        cell: The cell.
        rows: A mapping per configuration.
        cost: Processor time, wall time, memory and the steps scored.
        data: Hash of the images.
        code: Version of the code.
    """
    key = key_of(cell, data=data, code=code)
    about = {"key": key, "world": cell.world, "policy": cell.policy}
    full = [
        about
        | {"name": row["method"], "detector": row["method"], "parameters": "", "split": row["configuration"]}
        | {"alarm": None, **row, **cost}
        for row in rows
    ]
    names = list(dict.fromkeys(name for row in full for name in row))
    columns = {name: pa.array([_known(row.get(name)) for row in full], type_of(name)) for name in names}
    facts = {"key": key, "cell": json.dumps(cell.to_dict()), "data": data, "code": code}
    told = facts | {"versions": json.dumps(versions())}
    return Finished(cell, key, pa.table(columns).replace_schema_metadata(told), examples.SCHEMA.empty_table())


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
