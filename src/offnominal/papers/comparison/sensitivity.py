"""Sensitivity of a method to a parameter, and variants of autoencoders."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.papers.comparison.comparison_results import VARIANTS, ComparisonResults
from offnominal.papers.comparison.protocols import Row, mean_protocol

MOST = 6
"""Values that are looked at one by one; neighbouring ones are taken together where there are more."""


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """The test metric by the value of one parameter, averaged over seeds and tables.

    Attributes:
        parameter: Its name.
        values: Values of the parameter; the middle one where neighbouring values are merged.
        drawn: (values,) mean over all configurations with that value: all else is luck.
        chosen: (values,) of the configuration that validation labels choose among them: all else is tuned.
    """

    parameter: str
    values: tuple[Any, ...]
    drawn: FloatArray
    chosen: FloatArray


def parameters_of(outcomes: ComparisonResults, method: str) -> dict[str, tuple[Any, ...]]:
    """Return the values that a run tried of each parameter that varies, sorted."""
    if method not in outcomes.methods:
        raise InvalidParameter(f"the run has no method {method!r}; it has {', '.join(outcomes.methods)}.")
    tried = [json.loads(text) for text in {row["configuration"] for _, rows in _of(outcomes, method) for row in rows}]
    names = sorted({name for configuration in tried for name in configuration})
    values = {name: {each[name] for each in tried if name in each} for name in names}
    return {name: tuple(sorted(found, key=_order)) for name, found in values.items() if len(found) > 1}


def sensitivity(
    outcomes: ComparisonResults,
    method: str,
    parameter: str,
    *,
    where: Mapping[str, Any] | None = None,
    metric: str = "auc",
) -> Effect:
    """Return how the test metric of a method goes with one of its parameters.

    Args:
        outcomes: Of a run.
        method: Its name.
        parameter: To look at.
        where: Only configurations with these values of other parameters.
        metric: To report; configurations are chosen by the same.
    """
    varying = parameters_of(outcomes, method)
    if parameter not in varying:
        raise InvalidParameter(f"{method} does not vary {parameter!r}; it varies {', '.join(varying) or 'nothing'}.")
    ensemble_rows = _taken_together(varying[parameter])
    drawn, chosen = np.full((2, len(outcomes.tables), len(ensemble_rows)), math.nan)
    for i, (_, rows) in enumerate(_of(outcomes, method)):
        parted = _parted(rows, parameter, where or {})
        for j, values in enumerate(ensemble_rows):
            own = [row for value in values for row in parted.get(value, ())]
            known = [row[f"test_{metric}"] for row in own if not math.isnan(row[f"test_{metric}"])]
            if known:
                drawn[i, j] = np.mean(known)
                chosen[i, j] = mean_protocol(own, criterion=metric, metric=metric).value
    # A mean over some tables only could not be compared with the others.
    middles = tuple(values[len(values) // 2] for values in ensemble_rows)
    return Effect(parameter, middles, drawn.mean(axis=0), chosen.mean(axis=0))


def _of(outcomes: ComparisonResults, method: str) -> list[tuple[str, Sequence[Row]]]:
    return [(table, rows) for (table, name), rows in outcomes.single.items() if name == method]


def _parted(rows: Sequence[Row], parameter: str, where: Mapping[str, Any]) -> dict[Any, list[Row]]:
    parted: dict[Any, list[Row]] = {}
    for row in rows:
        configuration = json.loads(row["configuration"])
        if parameter in configuration and all(configuration.get(name) == value for name, value in where.items()):
            parted.setdefault(configuration[parameter], []).append(row)
    return parted


def _taken_together(values: Sequence[Any]) -> list[tuple[Any, ...]]:
    if len(values) <= MOST:
        return [(value,) for value in values]
    return [tuple(values[k] for k in part) for part in np.array_split(np.arange(len(values)), MOST)]


def _order(value: Any) -> tuple[bool, Any]:
    """Sort numbers by size and before words."""
    is_number = isinstance(value, int | float)
    return not is_number, value if is_number else str(value)


AUTOENCODERS = {"aae": "aae", "vae": "vae", "wae": "wae", **VARIANTS}
"""Methods with variants, and their loss."""


def variants(outcomes: ComparisonResults, metric: str = "auc") -> tuple[list[str], FloatArray]:
    """Return the variants that were tried on every table, and what each shows there, (tables, variants).

    Of each variant the configuration is taken whose validation metric, averaged over seeds, is best.

    Args:
        outcomes: Of a run.
        metric: To choose by on validation points and to report on test points.
    """
    parted: dict[str, dict[str, list[Row]]] = {}
    for (table, method), rows in {**outcomes.single, **outcomes.variant_rows}.items():
        if method in AUTOENCODERS:
            for row in rows:
                name = variant_name(AUTOENCODERS[method], json.loads(row["configuration"]))
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
