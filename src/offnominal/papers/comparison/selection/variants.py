"""Variants of autoencoders: what they are trained by, what variance they have, and what they score by."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.papers.comparison.selection.protocols import Row, mean_protocol

AUTOENCODERS = ("aae", "vae", "wae")


def variants(outcomes: ComparisonResults, metric: str = "auc") -> tuple[list[str], FloatArray]:
    """Return the variants that were tried on every table, and what each shows there, (tables, variants).

    Of each variant the configuration is taken whose validation metric, averaged over seeds, is best.

    Args:
        outcomes: Of a run.
        metric: To choose by on validation points and to report on test points.
    """
    parted: dict[str, dict[str, list[Row]]] = {}
    for (table, method), rows in outcomes.single.items():
        if method in AUTOENCODERS:
            for row in rows:
                name = variant_name(method, json.loads(row["configuration"]))
                parted.setdefault(name, {}).setdefault(table, []).append(row)
    values = {name: [_best(rows, table, metric) for table in outcomes.tables] for name, rows in parted.items()}
    names = sorted(name for name, found in values.items() if not any(map(math.isnan, found)))
    return names, np.array([values[name] for name in names]).T.reshape(len(outcomes.tables), len(names))


def variant_name(method: str, configuration: Mapping[str, object]) -> str:
    """Return loss, variance (and v for a VampPrior) and score.

    Example:
        >>> variant_name("wae", {"variance": "scalar", "prior": "vamp", "score_name": "mean"})
        'wae-scalar[v]-mean'
    """
    vamp = "[v]" if configuration.get("prior") == "vamp" else ""
    # AAE weighs the discriminator in eleven ways; they are one score.
    by = str(configuration.get("score_name", "")).partition("-")[0]
    return f"{method}-{configuration.get('variance', '')}{vamp}-{by}"


def _best(rows: Mapping[str, list[Row]], table: str, metric: str) -> float:
    return mean_protocol(rows[table], criterion=metric, metric=metric).value if table in rows else math.nan
