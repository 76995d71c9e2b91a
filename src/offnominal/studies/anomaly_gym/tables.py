"""The tables of the Anomaly-Gym paper: ours, and what is printed."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from offnominal.evaluation.estimate import Estimate, average
from offnominal.studies.comparison import Comparison
from offnominal.studies.measured import Measured
from offnominal.studies.papers import Printed
from offnominal.studies.results import RunResults
from offnominal.studies.summary import pivot

LEVELS = ("tiny", "strong")
DETECTORS = ("PE-DM", "MLP-DM", "LSTM-DM", "KNN", "OC-SVM", "iF", "RIQN")
METRICS = {
    "auroc": "AUROC",
    "average_precision": "AUPR",
    "fpr95": "FPR95",
    "pooled_auroc": "global AUROC",
    "pooled_average_precision": "global AUPR",
    "pooled_fpr95": "global FPR95",
}
# Share of episodes with an alarm before the fault, over all detectors of the printed table.
PRINTED_EARLY = {"3 sigma": (0.34, 0.41), "95 % of steps": (0.54, 0.71), "maximum": (0.06, 0.06)}
NULL_NOTE = "the printed value is near what this score reaches on nominal episodes with made-up onsets"
SAP_NOTE = "in the original, constant channels were divided by 1e-6 and two faults leaked into later episodes"
RIQN_NOTE = "the original learned from the first episode only and took the channel for the time"
EARLY_NOTE = "print gives the range over detectors"


def table_12(results: RunResults) -> list[Comparison]:
    """Compare every metric of every detector, world and level."""
    return [line for metric in METRICS for line in _by_world(results, metric)]


def table_3(results: RunResults) -> list[Comparison]:
    """Compare the mean over worlds of each detector and level; print is averaged over the same worlds."""
    lines = []
    for (level, detector), group in _grouped(_by_world(results, "auroc")).items():
        values = [line.printed for line in group if line.printed is not None]
        printed = float(np.mean(values)) if len(values) == len(group) else None
        ours = average([line.ours for line in group])
        labels = {"level": level, "detector": detector, "worlds": str(len(group))}
        lines.append(Comparison(labels, ours, printed, note=_note("", level, detector)))
    return lines


def table_4(results: RunResults) -> list[Comparison]:
    """Compare how often the thresholds call before the fault, and say how soon they call after it."""
    numbers: dict[str, tuple[str, Callable[[list[float]], Any]]] = {
        "early_rate": ("early", np.mean),
        "miss_rate": ("missed", np.mean),
        "median_delay": ("median delay", np.median),
    }
    rows = [row for row in results.table.select(["alarm", "name", *numbers]).to_pylist() if row["name"] in DETECTORS]
    lines = []
    for alarm in dict.fromkeys(row["alarm"] for row in rows if row["alarm"] is not None):
        for column, (title, middle) in numbers.items():
            values = [row[column] for row in rows if row["alarm"] == alarm and row[column] is not None]
            span = PRINTED_EARLY.get(alarm) if column == "early_rate" else None
            printed = None if span is None else float(np.mean(span))
            ours = Estimate(float(middle(values)) if values else None)
            labels = {"alarm": alarm, "number": title}
            lines.append(Comparison(labels, ours, printed, span=span, note=EARLY_NOTE if span else ""))
    return lines


def table_5(results: RunResults) -> list[Comparison]:
    """Say how each detector does under each policy; the paper's numbers for it are not known to us."""
    measured = Measured.of(results.table, "auroc")
    found = pivot(measured, "auroc", "world", "name")
    return [
        Comparison({"world and policy": place, "detector": name}, ours, None) for (place, name), ours in found.items()
    ]


TABLES = [
    Printed(3, "local AUROC of each detector, mean over worlds", "anomaly-gym", table_3),
    Printed(4, "timing under the printed thresholds and ours", "anomaly-gym", table_4),
    Printed(5, "local AUROC under other policies", "anomaly-gym-policies", table_5),
    Printed(12, "every metric of every detector, world and level", "anomaly-gym", table_12),
]


def _by_world(results: RunResults, metric: str) -> list[Comparison]:
    """Compare one metric of every detector, world and level that print has too."""
    measured, printed = Measured.of(results.table, metric), _printed()
    lines = []
    for level in LEVELS:
        for (world, detector), ours in pivot(measured.where(level=level), metric, "world", "name").items():
            if detector in DETECTORS:
                labels = {"world": world, "level": level, "detector": detector, "metric": METRICS[metric]}
                value = printed.get((world, level, detector, metric))
                lines.append(Comparison(labels, ours, value, note=_note(world, level, detector)))
    return lines


def _grouped(lines: list[Comparison]) -> dict[tuple[str, str], list[Comparison]]:
    groups: dict[tuple[str, str], list[Comparison]] = {}
    for line in lines:
        groups.setdefault((line.labels["level"], line.labels["detector"]), []).append(line)
    return groups


def _note(world: str, level: str, detector: str) -> str:
    """Return what is known to make print differ."""
    if detector == "RIQN":
        return RIQN_NOTE
    if world.startswith("SAP"):
        return SAP_NOTE
    return NULL_NOTE if level == "tiny" and detector in ("iF", "OC-SVM", "KNN") else ""


@cache
def _printed() -> dict[tuple[str, str, str, str], float]:
    """Return the printed numbers by world, level, detector and metric."""
    text = files("offnominal.studies.anomaly_gym").joinpath("printed.csv").read_text(encoding="utf-8")
    return {
        (row["world"], row["level"], row["detector"], row["metric"]): float(row["value"])
        for row in csv.DictReader(text.splitlines())
    }
