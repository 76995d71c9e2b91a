"""Untrained baselines among the detectors of a run."""

from __future__ import annotations

from typing import Any

from offnominal.detectors.catalogue import UNTRAINED


def untrained_names(table: Any) -> set[str]:
    """Return the names of the detectors of a run that are networks with random weights.

    Args:
        table: Rows of a run, see :class:`~offnominal.studies.results.RunResults`.

    Example:
        >>> import pyarrow as pa
        >>> untrained_names(pa.table({"name": ["A", "B"], "detector": ["PE-DM", "PE-DM-untrained"]}))
        {'B'}
    """
    if not {"name", "detector"} <= set(table.column_names):
        return set()
    pairs = zip(table["name"].to_pylist(), table["detector"].to_pylist(), strict=True)
    return {name for name, detector in set(pairs) if detector.endswith(UNTRAINED)}
