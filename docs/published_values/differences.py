"""Differences between our measured results and the published ones, in margins of their metrics."""

from collections.abc import Iterable
from typing import NamedTuple, cast

import numpy as np

from offnominal.studies.published_comparison import Outcome
from published_values.measured_table import MeasuredTable
from published_values.places import places_of
from published_values.rows import Row, rows_of


class Difference(NamedTuple):
    """One difference.

    Args:
        paper: Short name of the paper.
        margins: Our value minus the published one, in margins: for shares, 1 is 0.05.
        outcome: The outcome of the value.
    """

    paper: str
    margins: float
    outcome: Outcome


def differences(tables: Iterable[MeasuredTable]) -> list[Difference]:
    """Return the differences of all measured results that are not flawed."""
    return [
        Difference(table.score.paper, margins, cast(Outcome, row["outcome"]))
        for table in tables
        if table.kind == "measured"
        for row, margins in in_margins(table)
        if row["outcome"] != "flawed"
    ]


def in_margins(table: MeasuredTable) -> Iterable[tuple[Row, float]]:
    """Yield the rows of a table with values of ours, and their differences in margins."""
    alone = rows_of(table.score.lines, {})
    rules = {place: line.rule for place, line in zip(places_of(alone, alone), table.score.lines, strict=True)}
    rows = [row for row in table.rows if row["ours"] and row["published"]]
    for place, row in zip(places_of(rows, alone), rows, strict=True):
        rule = rules.get(place)
        if rule is not None:
            yield row, (float(row["ours"]) - float(row["published"])) / rule.margin


def quantiles(found: Iterable[Difference]) -> tuple[float, float, float]:
    """Return the median difference, and the median and the 90 % quantile of its size, in margins."""
    values = np.array([each.margins for each in found])
    return float(np.median(values)), float(np.median(np.abs(values))), float(np.quantile(np.abs(values), 0.9))
