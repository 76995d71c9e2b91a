"""The tables of the report."""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.rounding import fixed
from offnominal.papers.ood_rl.detection_results import KINDS, DetectionResults
from offnominal.papers.ood_rl.results import OODResults, average
from offnominal.papers.ood_rl.separation import SEPARATION_METRICS
from offnominal.reports.study_tables import Row, StudyTable

RANDOM_AUC = 0.5
LABELS = {"methods": "Methods", "variances": "Variances", "returns": "Returns", "settings": "Settings"}


def detection_leaderboard(outcomes: OODResults) -> list[Row]:
    """Return one row per world and method, best first: mean AUC over the settings in which agents fail."""
    rows = []
    for world in outcomes.worlds:
        found = [(_means(outcomes, detections), detections) for detections in outcomes.in_world(world)]
        found.sort(key=lambda pair: -np.nan_to_num(pair[0]["auc"]))
        rows += [_leading(world, detections, means) for means, detections in found]
    return rows


def _means(outcomes: OODResults, detections: DetectionResults) -> dict[str, float]:
    failed = outcomes.failed(detections)
    return {name: average(detections.mean(name)[failed]) for name in SEPARATION_METRICS}


def _leading(world: str, detections: DetectionResults, means: dict[str, float]) -> Row:
    readings = {SEPARATION_METRICS[name]: _round(value) for name, value in means.items()}
    return {
        "world": world,
        "method": detections.label,
        "AUC": readings.pop(SEPARATION_METRICS["auc"]),
        **readings,
        "survives": _round((means["auc_equal"] - RANDOM_AUC) / (means["auc"] - RANDOM_AUC), 2)
        if means["auc"] > RANDOM_AUC + 0.01
        else None,
    }


def report_tables(outcomes: OODResults) -> list[StudyTable]:
    """Return every table of a run, the most important one first."""
    survive = (
        "Mean AUC over the settings in which agents fail; share of its excess over 0.5 that remains when only steps of "
        "the same time are compared"
    )
    tables = [
        ("methods", survive, detection_leaderboard(outcomes)),
        ("variances", "Where AUC varies: standard deviations, mean over failed settings", _variances(outcomes)),
        ("returns", "Returns in every setting", _returns(outcomes)),
        ("settings", "AUC in every setting, mean over agents and trials", _settings(outcomes)),
    ]
    aurocs = tuple(SEPARATION_METRICS[name] for name in SEPARATION_METRICS if name.startswith("auc"))
    shaded = {"methods": ("AUC", *aurocs), "settings": aurocs}
    return [
        StudyTable(name, title, rows, rows, label=LABELS[name], auroc=shaded.get(name, ()))
        for name, title, rows in tables
    ]


def _variances(outcomes: OODResults) -> list[Row]:
    """Return a row per world and method: standard deviations over evaluations of one agent, and over agents."""
    rows: list[Row] = []
    for detections in outcomes.detections:
        failed = outcomes.failed(detections)
        row: Row = {"world": detections.world, "method": detections.label, "agents": len(detections.agents)}
        row["trials"] = detections.values.shape[3]
        for name in ("auc", "auc_equal", "auc_mean"):
            common = SEPARATION_METRICS[name]
            row[f"{common}: evaluations"] = _round(average(detections.between_evaluations(name)[failed]))
            several = len(detections.agents) > 1
            row[f"{common}: agents"] = _round(average(detections.between_agents(name)[failed])) if several else None
        rows.append(row)
    return rows


def _returns(outcomes: OODResults) -> list[Row]:
    """Return a row per setting and kind of agent: its return, and the number of agents that fail."""
    rows: list[Row] = []
    for returns in outcomes.returns:
        for place, setting in enumerate(returns.settings):
            mean = float(returns.mean[place].mean())
            half = float(np.sqrt((returns.half[place] ** 2).sum()) / len(returns.agents))
            rows.append(
                {
                    "world": returns.world,
                    "agent": KINDS[returns.uncertainty],
                    "setting": setting.label,
                    "return": f"{fixed(mean, 1)} ± {fixed(half, 1)}",
                    "unchanged": _round(float(returns.nominal.mean()), 1),
                    "length": _round(float(returns.length[place].mean()), 1),
                    "agents that fail": f"{int(returns.failed[place].sum())} of {len(returns.agents)}",
                }
            )
    return rows


def _settings(outcomes: OODResults) -> list[Row]:
    """Return a row per setting and method with every reading."""
    rows: list[Row] = []
    for detections in outcomes.detections:
        failed = outcomes.failed(detections)
        for place, setting in enumerate(detections.settings):
            readings = {
                common: _round(float(detections.mean(name)[place])) for name, common in SEPARATION_METRICS.items()
            }
            common = {"world": detections.world, "method": detections.label, "setting": setting.label}
            rows.append(common | {"failed": "failed" if failed[place] else ""} | readings)
    return rows


def _round(value: float, digits: int = 3) -> float | None:
    return None if math.isnan(value) else float(fixed(value, digits))
