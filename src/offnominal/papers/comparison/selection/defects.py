"""Methods with an error of the original: evidence of what its published values are due to."""

from __future__ import annotations

import math
from collections.abc import Iterable

from offnominal.papers.comparison.selection.protocols import Row

AS_PUBLISHED = {"dsvp": "dsvd", "lodp": "loda", "pidp": "pidf"}
"""Methods of our studies that have an error of the original, and the method that they stand for."""
INVERTED = ("mgal",)
"""Methods whose scores have the wrong sign in the original; their AUC follows from ours."""


def inverted(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of a method as if its scores had the opposite sign; of the metrics only the AUC is known.

    Example:
        >>> inverted([{"configuration": "{}", "test_auc": 0.75, "test_tpr5": 0.5}])
        [{'configuration': '{}', 'test_auc': 0.25, 'test_tpr5': nan}]
    """
    return [{name: _inverted(name, value) for name, value in row.items()} for row in rows]


def _inverted(name: str, value: object) -> object:
    if not name.startswith(("validation_", "test_")):
        return value
    return 1.0 - value if name.endswith("_auc") and isinstance(value, float) else math.nan
