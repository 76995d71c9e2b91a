"""The budget of false alarms of a run, in words: a sentence, and the definitions of metrics at this budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from offnominal.core.rounding import significant
from offnominal.evaluation.false_alarm_budget import DEFAULT, MEASURED, STEPS_COLUMN, budget_of
from offnominal.evaluation.metric import Metric
from offnominal.reports.verdicts import listed
from offnominal.studies.metric_table import world_labels

FEW = 3
"""Rates of worlds that a sentence names."""


def budget_sentence(table: Any) -> str:
    """Return at which budget the detectors of a run were compared; empty if they were not.

    Args:
        table: Rows of a run.
    """
    if MEASURED not in table.column_names or table[MEASURED].null_count == table.num_rows:
        return ""
    budget = budget_of(table)
    said = f"Net detection and net delay allow {budget}"
    return f"{said}{_by_world(table) if budget.per_hour is not None else ''}."


def _by_world(table: Any) -> str:
    """Return a budget per hour in steps, with the step lengths of the worlds."""
    rates = {world: rate for world, rate in zip(*_worlds_and_rates(table), strict=True) if rate is not None}
    shown = {world: significant(rate) for world, rate in rates.items()}
    if len(set(rates.values())) == 1:
        return f": {next(iter(shown.values()))} per 1,000 steps"
    if len(rates) <= FEW:
        return f": per 1,000 steps, {listed([f'{rate} in {world}' for world, rate in shown.items()])}"
    least, most = (shown[choose(rates, key=lambda world: rates[world])] for choose in (min, max))
    return f": {least} to {most} per 1,000 steps, by the step length of each world"


def _worlds_and_rates(table: Any) -> tuple[list[str], list[float | None]]:
    return world_labels(table).tolist(), table[STEPS_COLUMN].to_pylist()


def allowed_rates(table: Any, places: Sequence[str]) -> list[float | None]:
    """Return the budget in each world, in false alarms per 1,000 steps; None where nothing was measured at one.

    Args:
        table: Rows of a run.
        places: Its worlds.
    """
    if STEPS_COLUMN not in table.column_names:
        return [DEFAULT.false_alarms] * len(places)
    found = {world: rate for world, rate in zip(*_worlds_and_rates(table), strict=True) if rate is not None}
    return [found.get(place) for place in places]


def at_budget(metric: Metric, table: Any) -> Metric:
    """Return a metric whose definition names the budget of a run.

    Args:
        metric: The metric; its texts name the default budget.
        table: Rows of the run.
    """
    default, given = str(DEFAULT), str(budget_of(table))
    texts = {name: getattr(metric, name).replace(default, given) for name in ("meaning", "formula", "use")}
    return replace(metric, **texts)
