"""The rows of an evaluation, as result stores and pages hold them: one per split, and one per split and alarm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from offnominal.evaluation.evaluation_report import EvaluationReport, columns_of
from offnominal.evaluation.metrics import REPLICATED
from offnominal.evaluation.outcome_steps import outcome_steps

DIRECTIONS = ("-up", "-down")
OWN = "labelled"
"""Kind of the faults of own labels in figures."""


def evaluation_rows(reports: Mapping[str, EvaluationReport]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a detector.

    Rows without an alarm hold discrimination metrics and their bootstrap replicates; rows with one hold its delays and
    false alarms, and the step of each outcome.

    Args:
        reports: Reports of the same splits by name of the alarm; ``""`` without alarms.
    """
    for number, line in enumerate(next(iter(reports.values())).lines):
        about = {**split_columns(line.split), "alarm": None, **line.counts}
        names = [name for name in REPLICATED if name in line.scores]
        drawn = {f"draws_{name}": np.asarray(line.scores[name].draws, np.float32) for name in names}
        yield {**about, **columns_of(line.scores), **drawn}
        for alarm, report in reports.items():
            if alarm:
                guarantee = {} if report.guarantee is None else report.guarantee.row()
                timing = report.details[number].timing if report.details else None
                steps = {} if timing is None else outcome_steps(timing.curve)
                yield {**about, "alarm": alarm, **columns_of(report.lines[number].alarm), **steps, **guarantee}


def split_columns(split: str) -> dict[str, str]:
    """Return anomaly, kind and level of a split by its name. Splits of your own are of the kind ``labelled``.

    Example:
        >>> split_columns("action/noise@medium-up")["level"], split_columns("pump failures")["kind"]
        ('medium', 'labelled')
    """
    anomaly, _, variant = split.partition("@")
    kind = anomaly.partition("/")[0] if variant else OWN
    return {
        "split": split,
        "anomaly": anomaly,
        "kind": kind,
        "level": level_of(variant) or anomaly,
        "variant": variant,
    }


def level_of(variant: str) -> str:
    """Return a level without its direction.

    Example:
        >>> level_of("medium-up"), level_of("tiny")
        ('medium', 'tiny')
    """
    for direction in DIRECTIONS:
        variant = variant.removesuffix(direction)
    return variant
