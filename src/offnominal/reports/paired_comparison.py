"""The paired comparison of two detectors as sentences and rows."""

from __future__ import annotations

from typing import Any

from offnominal.core import rounding
from offnominal.evaluation.estimate import Estimate
from offnominal.studies.paired_comparison import PairedComparison, PairedDifference

Row = dict[str, Any]


def comparison_sentence(found: PairedComparison) -> str:
    """Return which detector is better, by how much, and on how many faults.

    Example:
        >>> from offnominal.evaluation.metrics import METRICS
        >>> overall = PairedDifference(Estimate(0.8), Estimate(0.7), "win", 3, 1, 0)
        >>> comparison_sentence(PairedComparison(METRICS["auroc"], "KNN", "LOF", (), 0, overall, {}))
        'KNN is better than LOF: AUROC 0.800 and 0.700, difference +0.100. It is better on 3 faults, equal on 1 and ...'
    """
    overall, metric = found.overall, found.metric
    numbers = f"{metric.label} {overall.first} and {overall.second}, difference {signed(overall.difference)}"
    counts = (overall.wins, overall.ties, overall.losses)
    if found.better is None:
        split = f"{found.first} is better on {counts[0]} faults, equal on {counts[1]} and worse on {counts[2]}."
        return f"{found.first} and {found.second} are tied: {numbers}, whose interval contains 0. {split}"
    worse = found.second if found.better == found.first else found.first
    won, lost = (counts[0], counts[2]) if found.better == found.first else (counts[2], counts[0])
    split = f"It is better on {won} faults, equal on {counts[1]} and worse on {lost}."
    return f"{found.better} is better than {worse}: {numbers}. {split}"


def comparison_rows(found: PairedComparison) -> list[Row]:
    """Return one row for all faults, and one per kind, level and world; groups of a single value are left out."""
    rows = [_row(found, "all", "", found.overall)]
    for column in ("kind", "level", "world"):
        groups = list(found.groups[column].items())
        for number, (value, group) in enumerate(groups if len(groups) > 1 else []):
            rows.append(_row(found, "" if number else column, value, group))
    return rows


def pair_rows(found: PairedComparison) -> list[Row]:
    """Return one row per fault: both values and the difference with intervals, and the outcome for the first one."""
    return [
        {
            "world": pair.world,
            "fault": pair.split,
            **pair.first.columns(found.first),
            **pair.second.columns(found.second),
            **pair.difference.columns("difference"),
            "outcome": pair.outcome,
        }
        for pair in found.pairs
    ]


def pair_table(found: PairedComparison) -> dict[str, list[Row]]:
    """Return one readable row per fault, by world."""
    rows: dict[str, list[Row]] = {}
    for pair in found.pairs:
        row = {
            "fault": pair.split,
            f"{found.first} / {found.second}": " / ".join(
                str(Estimate(each.value)) for each in (pair.first, pair.second)
            ),
            "difference": signed(pair.difference),
            "": pair.outcome,
        }
        rows.setdefault(pair.world, []).append(row)
    return rows


def comparison_data(found: PairedComparison) -> Row:
    """Return the whole comparison as plain data, for JSON."""
    groups: dict[str, Any] = {
        column: {value: _numbers(group) for value, group in members.items()} for column, members in found.groups.items()
    }
    return {
        "metric": found.metric.name,
        "first": found.first,
        "second": found.second,
        "better": found.better,
        "overall": _numbers(found.overall),
        **groups,
        "faults": pair_rows(found),
        "left_out": found.left_out,
    }


def signed(difference: Estimate) -> str:
    """Return a difference with its sign and its interval.

    Example:
        >>> signed(Estimate(0.25)), signed(Estimate(-0.5))
        ('+0.250', '-0.500')
    """
    if difference.value is None:
        return "–"
    value, low, high = rounding.signed(difference.value, 3), difference.low, difference.high
    return value if low is None or high is None else f"{value} [{rounding.signed(low, 3)}, {rounding.signed(high, 3)}]"


def _row(found: PairedComparison, part: str, value: str, group: PairedDifference) -> Row:
    return {
        "faults": part,
        "": value,
        f"{found.first} minus {found.second}": signed(group.difference),
        "wins": group.wins,
        "ties": group.ties,
        "losses": group.losses,
    }


def _numbers(group: PairedDifference) -> Row:
    return {
        "first": group.first.value,
        "second": group.second.value,
        **group.difference.columns("difference"),
        "outcome": group.outcome,
        "wins": group.wins,
        "ties": group.ties,
        "losses": group.losses,
    }
