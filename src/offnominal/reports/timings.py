"""Delays and false alarms of alarms, in one table."""

from __future__ import annotations

import math
from typing import Any

from offnominal.evaluation.delays import HALF_MISSED
from offnominal.evaluation.metrics import metrics_at
from offnominal.studies.timings import Numbers, over, timings

TIMING = {name: metric.heading for name, metric in metrics_at("timing").items()}
"""Headings by name."""

Row = dict[str, Any]


def timing_rows(table: Any) -> list[Row]:
    """Return one row per alarm and detector over worlds and faults, with equal weights.

    Median delays are combined by their median, other numbers by their mean. A median delay is infinite where more than
    half of the faults are missed.
    """
    groups: dict[tuple[str, str], list[Numbers]] = {}
    for (alarm, _, _, name), numbers in timings(table).items():
        groups.setdefault((alarm, name), []).append(numbers)
    rows = []
    for (alarm, name), several in groups.items():
        found = over(several)
        rows.append({"alarm": alarm, "detector": name, **{label: found[key] for key, label in TIMING.items()}})
    return rows


def readable(row: Row) -> Row:
    """Return a row of timing for documents and pages."""
    return {name: HALF_MISSED if value == math.inf else value for name, value in row.items()}


def for_files(row: Row) -> Row:
    """Return a row of timing for files: an undefined median delay is None."""
    return {name: None if value == math.inf else value for name, value in row.items()}
