"""Results by class of an image set; one configuration is selected for all classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from offnominal.papers.comparison.selection.comparison_results import ComparisonResults

MEAN = "mean"
Place = tuple[str, str, str]


def class_values(outcomes: ComparisonResults, metric: str = "auc") -> dict[Place, float]:
    """Return the test metric by (image set, class, method), and the mean over classes; nothing of tables.

    The configuration is the one with the best validation AUC over all classes.
    """
    found: dict[Place, float] = {}
    for (images, method), chosen in outcomes.chosen("mean", metric=metric).items():
        values: dict[str, list[float]] = {}
        for row in outcomes.single[images, method]:
            if row.get("variant") and row["configuration"] in chosen.configurations:
                values.setdefault(row["variant"], []).append(row[f"test_{metric}"])
        if values:
            found |= {(images, name, method): float(np.mean(each)) for name, each in values.items()}
            found[images, MEAN, method] = chosen.value
    return found


def class_rows(outcomes: ComparisonResults) -> list[dict[str, Any]]:
    """Return a row per image set and class with the test AUC of every method; none for tables."""
    values = class_values(outcomes)
    places = dict.fromkeys((images, name) for images, name, _ in values if name != MEAN)
    means = dict.fromkeys((images, MEAN) for images, _ in places)
    rows = []
    for images, name in sorted((*places, *means), key=lambda place: [*means].index((place[0], MEAN))):
        known = {method: values.get((images, name, method), math.nan) for method in outcomes.methods}
        details = {method: None if math.isnan(value) else round(value, 3) for method, value in known.items()}
        rows.append({"images": images, "class": name, **details})
    return rows
