"""The tables of a study of agents in changed worlds."""

from __future__ import annotations

import math

import numpy as np

from offnominal.reports.study_tables import Row, StudyTable
from offnominal.studies.ood_rl.outcomes import OODOutcomes, average
from offnominal.studies.ood_rl.readings import READINGS
from offnominal.studies.ood_rl.watched import KINDS, Watched

CHANCE = 0.5


def leading_watchers(outcomes: OODOutcomes) -> list[Row]:
    """Return one row per world and method, best first: mean AUC over the settings in which agents fail."""
    rows = []
    for world in outcomes.worlds:
        found = [(_means(outcomes, watched), watched) for watched in outcomes.in_world(world)]
        found.sort(key=lambda pair: -np.nan_to_num(pair[0]["auc"]))
        rows += [_leading(world, watched, means) for means, watched in found]
    return rows


def _means(outcomes: OODOutcomes, watched: Watched) -> dict[str, float]:
    failed = outcomes.failed(watched)
    return {name: average(watched.mean(name)[failed]) for name in READINGS}


def _leading(world: str, watched: Watched, means: dict[str, float]) -> Row:
    readings = {READINGS[name]: _round(value) for name, value in means.items()}
    return {
        "world": world,
        "method": watched.label,
        "AUC": readings.pop(READINGS["auc"]),
        **readings,
        "survives": _round((means["auc_equal"] - CHANCE) / (means["auc"] - CHANCE), 2)
        if means["auc"] > CHANCE + 0.01
        else None,
    }


def ood_tables(outcomes: OODOutcomes) -> list[StudyTable]:
    """Return every table of a study; the one to look at first comes first."""
    survive = (
        "Mean AUC over the settings in which agents fail; what survives of its excess over chance when only steps of "
        "the same time are compared"
    )
    tables = [
        ("methods", survive, leading_watchers(outcomes)),
        ("variances", "Where AUC varies: standard deviations, mean over failed settings", _variances(outcomes)),
        ("returns", "Returns in every setting", _returns(outcomes)),
        ("settings", "AUC in every setting, mean over agents and trials", _settings(outcomes)),
    ]
    return [StudyTable(name, title, rows, rows) for name, title, rows in tables]


def _variances(outcomes: OODOutcomes) -> list[Row]:
    """Return a row per world and method: how far evaluations of one agent, and agents, lie apart."""
    rows: list[Row] = []
    for watched in outcomes.watched:
        failed = outcomes.failed(watched)
        row: Row = {"world": watched.world, "method": watched.label, "agents": len(watched.agents)}
        row["trials"] = watched.values.shape[3]
        for name in ("auc", "auc_equal", "auc_mean"):
            told = READINGS[name]
            row[f"{told}: evaluations"] = _round(average(watched.between_evaluations(name)[failed]))
            several = len(watched.agents) > 1
            row[f"{told}: agents"] = _round(average(watched.between_agents(name)[failed])) if several else None
        rows.append(row)
    return rows


def _returns(outcomes: OODOutcomes) -> list[Row]:
    """Return a row per setting and kind of agent: what it earns, and how many of the agents fail."""
    rows: list[Row] = []
    for earned in outcomes.earned:
        for place, setting in enumerate(earned.settings):
            mean = float(earned.mean[place].mean())
            half = float(np.sqrt((earned.half[place] ** 2).sum()) / len(earned.agents))
            rows.append(
                {
                    "world": earned.world,
                    "agent": KINDS[earned.uncertainty],
                    "setting": setting.label,
                    "return": f"{mean:.1f} ± {half:.1f}",
                    "unchanged": round(float(earned.nominal.mean()), 1),
                    "length": round(float(earned.length[place].mean()), 1),
                    "agents that fail": f"{int(earned.failed[place].sum())} of {len(earned.agents)}",
                }
            )
    return rows


def _settings(outcomes: OODOutcomes) -> list[Row]:
    """Return a row per setting and method with every reading."""
    rows: list[Row] = []
    for watched in outcomes.watched:
        failed = outcomes.failed(watched)
        for place, setting in enumerate(watched.settings):
            readings = {told: _round(float(watched.mean(name)[place])) for name, told in READINGS.items()}
            told = {"world": watched.world, "method": watched.label, "setting": setting.label}
            rows.append(told | {"failed": "failed" if failed[place] else ""} | readings)
    return rows


def _round(value: float, digits: int = 3) -> float | None:
    return None if math.isnan(value) else round(float(value), digits)
