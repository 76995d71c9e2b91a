"""Repetitions of a comparison: splits of a table, or classes of an image set."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from offnominal.papers.comparison.selection.protocols import Row


def with_repetition_key(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row whose ``seed`` also tells its class apart: what is repeated on images is a class, not a split.

    Example:
        >>> with_repetition_key({"seed": 1, "variant": "cat"}), with_repetition_key({"seed": 1})
        ({'seed': ('cat', 1), 'variant': 'cat'}, {'seed': 1})
    """
    name = row.get("variant")
    return dict(row) if name is None else {**row, "seed": (name, row["seed"])}


def exclude_partial_failures(rows: Sequence[Row], criterion: str) -> Sequence[Row]:
    """Leave configurations that failed on a class out of the choice; rows of tables are returned as they are.

    Classes differ more than splits do: a mean over some of them could not be compared with a mean over others.

    Args:
        rows: Of one method on one table or image set.
        criterion: Validation metric to choose by.

    Example:
        >>> rows = [
        ...     {"variant": each, "configuration": "A", "failure": why} for each, why in (("cat", ""), ("dog", "no"))
        ... ]
        >>> [row["validation_auc"] for row in exclude_partial_failures(rows, "auc")]
        [nan, nan]
    """
    lost = {row["configuration"] for row in rows if row.get("variant") and row["failure"]}
    if not lost:
        return rows
    blank = {f"validation_{criterion}": math.nan}
    return [{**row, **blank} if row["configuration"] in lost else row for row in rows]
