"""The data of a page: every number it can show, compact enough for one file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pyarrow.compute as pc

from offnominal.core.types import BoolArray
from offnominal.evaluation.delays import HALF_MISSED
from offnominal.evaluation.metric import Metric
from offnominal.evaluation.metrics import METRICS, metrics_at
from offnominal.reports.budget_curves import curve_data
from offnominal.reports.budget_text import at_budget, budget_sentence
from offnominal.reports.colours import colours, is_baseline
from offnominal.reports.default_alarm import default_alarm
from offnominal.reports.example_curves import default_example, select_examples
from offnominal.reports.guarantees import guarantee_data
from offnominal.reports.incidence_curves import incidence_data
from offnominal.reports.leaderboard import metrics_of
from offnominal.reports.page_numbers import rounded
from offnominal.reports.pairs import FaultDraws, pair_differences, pair_outcomes
from offnominal.reports.timings import TIMING
from offnominal.reports.verdicts import run_verdicts
from offnominal.studies.friedman import friedman
from offnominal.studies.guarantees import guarantees
from offnominal.studies.leaderboards import leaderboard, mean_of, over_training_runs
from offnominal.studies.metric_table import MetricTable, world_labels
from offnominal.studies.results import RunResults
from offnominal.studies.timings import Numbers, timings

LEVEL_ORDER = ("tiny", "light", "medium", "strong", "extreme")
KIND_ORDER = ("observation", "action", "dynamics")
Sides = tuple[list[str], list[str], list[str]]
"""Worlds, kinds and levels."""


def payload(results: RunResults) -> dict[str, Any]:
    """Return the data of a page, ready for JSON.

    Leaderboards, ties and average ranks are computed for every choice of world, kind and level, because the bootstrap
    replicates that they need are too large for a page.
    """
    table = results.table
    light = table.select([name for name in table.column_names if not name.startswith("draws_")])
    plain = light.filter(pc.is_null(table["alarm"]))
    measured = {name: over_training_runs(MetricTable.of(table, name)) for name in metrics_of(results)}
    faults = _faults(plain)
    names = _ordered_names(measured)
    world_ids = list(dict.fromkeys(fault["world"] for fault in faults))
    kinds = in_order({fault["kind"] for fault in faults}, KIND_ORDER)
    levels = in_order({fault["level"] for fault in faults}, LEVEL_ORDER)
    sides = (world_ids, kinds, levels)
    leaderboards, ranks = _standings(measured, names, sides)
    judged = run_verdicts(table)
    examples = select_examples(results.examples, _cells(plain))
    return {
        "names": names,
        "colours": colours(names),
        "baselines": [name for name in names if is_baseline(_detector(plain, name))],
        "worlds": world_ids,
        "kinds": kinds,
        "levels": levels,
        "metrics": [_described(at_budget(METRICS[name], light)) for name in measured],
        "budget": budget_sentence(light),
        "verdicts": [] if judged is None else judged.parts(),
        "judged": judged is not None and judged.judged,
        "too_little": [] if judged is None else list(judged.found.detects_too_little),
        "leaderboards": leaderboards,
        "ranks": ranks,
        "faults": faults,
        "numbers": {name: _numbers(found, faults, names) for name, found in measured.items()},
        "extras": _extras(plain, faults, names),
        "timing": _timing(light, faults, names),
        "curves": curve_data(light, names, world_ids),
        "incidence": incidence_data(light, names, world_ids),
        "guarantees": guarantee_data(guarantees(light), names, world_ids),
        "cost": _cost(plain, names),
        "examples": examples | {"default": default_example(examples["rows"], names)},
        "pairs": _pairs(measured, faults, names, sides),
        "half_missed": HALF_MISSED,
    }


def in_order(found: Iterable[str], order: Sequence[str]) -> list[str]:
    """Return names in a given order, then all others alphabetically.

    Example:
        >>> in_order({"strong", "odd", "tiny"}, LEVEL_ORDER)
        ['tiny', 'strong', 'odd']
    """
    return sorted(found, key=lambda name: (order.index(name) if name in order else len(order), name))


def _described(metric: Metric) -> dict[str, Any]:
    return {field: getattr(metric, field) for field in metric.__slots__ if field not in ("about", "places")}


def _ordered_names(measured: dict[str, MetricTable]) -> list[str]:
    """Return the detectors, best first by the first metric, so that every figure lists them alike."""
    first = next(iter(measured), None)
    return [] if first is None else [standing.name for standing in leaderboard(measured[first], first)]


def _detector(plain: Any, name: str) -> str:
    where = plain["name"].index(name).as_py()
    return str(plain["detector"][where].as_py())


def _cells(plain: Any) -> dict[str, tuple[str, str, int]]:
    columns = (
        plain["key"].to_pylist(),
        world_labels(plain).tolist(),
        plain["name"].to_pylist(),
        plain["seed"].to_pylist(),
    )
    return {key: (world, name, seed) for key, world, name, seed in zip(*columns, strict=True)}


def _faults(plain: Any) -> list[dict[str, str]]:
    rows = plain.select(["split", "anomaly", "kind", "level", "variant"]).to_pylist()
    worlds = world_labels(plain).tolist()
    found = {(world, row["split"]): {"world": world} | row for world, row in zip(worlds, rows, strict=True)}
    order = {world: number for number, world in enumerate(dict.fromkeys(worlds))}
    return sorted(
        found.values(),
        key=lambda fault: (
            order[fault["world"]],
            in_order([fault["kind"], *KIND_ORDER], KIND_ORDER).index(fault["kind"]),
            fault["anomaly"],
            LEVEL_ORDER.index(fault["level"]) if fault["level"] in LEVEL_ORDER else len(LEVEL_ORDER),
            fault["variant"],
        ),
    )


def _standings(
    measured: dict[str, MetricTable], names: list[str], sides: Sides
) -> tuple[dict[str, Any], dict[str, Any]]:
    leaderboards: dict[str, Any] = {metric: {} for metric in measured}
    ranks: dict[str, Any] = {metric: {} for metric in measured}
    place = {name: number for number, name in enumerate(names)}
    for choice in product(*(range(-1, len(side)) for side in sides)):
        world, kind, level = (None if i < 0 else side[i] for i, side in zip(choice, sides, strict=True))
        key = ",".join(map(str, choice))
        for metric, everything in measured.items():
            part = everything.where(world=world, kind=kind, level=level)
            if not np.isfinite(part.values).any():
                continue
            leaderboards[metric][key] = [
                [
                    place[standing.name],
                    *(rounded(x) for x in (standing.estimate.value, standing.estimate.low, standing.estimate.high)),
                    standing.rank,
                    standing.tie,
                    standing.blocks,
                ]
                for standing in leaderboard(part, metric)
            ]
            compared = friedman(part, metric)
            if compared is not None:
                ranks[metric][key] = {
                    "names": [place[name] for name in compared.names],
                    "ranks": [rounded(rank) for rank in compared.ranks],
                    "blocks": compared.blocks,
                    "p": float(f"{compared.p_value:.2g}"),
                    "cd": compared.critical_difference,
                    "bars": compared.bars(),
                }
    return leaderboards, ranks


def _numbers(pooled: MetricTable, faults: list[dict[str, str]], names: list[str]) -> list[list[Any]]:
    """Return (value, low, high) for each fault and detector; None where there is none."""
    where: dict[tuple[str, str, str], list[int]] = {}
    for row, key in enumerate(zip(pooled.world, pooled.split, pooled.name, strict=True)):
        if not np.isnan(pooled.values[row]):
            where.setdefault(key, []).append(row)

    def number(chosen: list[int] | None) -> list[float | None] | None:
        if not chosen:
            return None
        found = pooled.estimate(chosen[0]) if len(chosen) == 1 else mean_of(pooled.take(np.array(chosen)))
        return [rounded(found.value), rounded(found.low), rounded(found.high)]

    return [[number(where.get((fault["world"], fault["split"], name))) for name in names] for fault in faults]


def _pairs(
    measured: dict[str, MetricTable], faults: list[dict[str, str]], names: list[str], sides: Sides
) -> dict[str, Any]:
    """Return outcomes and differences of all pairs of detectors, in the order of ``itertools.combinations``.

    The first metric has the differences of every choice of world, kind and level; the others, to save space, those of
    everything, of one world, of one kind and of one level.
    """
    worlds = [fault["world"] for fault in faults]
    choices = {choice: _chosen(faults, sides, choice) for choice in product(*(range(-1, len(side)) for side in sides))}
    found: dict[str, Any] = {}
    for number, (metric, pooled) in enumerate(measured.items()):
        drawn = FaultDraws.of(pooled, faults, names)
        differences = {}
        for choice, chosen in choices.items():
            if chosen.any() and (not number or sum(place >= 0 for place in choice) < 2):
                differences[",".join(map(str, choice))] = pair_differences(drawn, worlds, chosen)
        outcomes = pair_outcomes(drawn, higher=METRICS[metric].higher)
        found[metric] = {"outcomes": outcomes, "differences": differences}
    return found


def _chosen(faults: list[dict[str, str]], sides: Sides, choice: Sequence[int]) -> BoolArray:
    """Return which faults a choice of world, kind and level keeps; -1 stands for all."""
    wanted = {
        name: side[place]
        for name, side, place in zip(("world", "kind", "level"), sides, choice, strict=True)
        if place >= 0
    }
    return np.array([all(fault[name] == value for name, value in wanted.items()) for fault in faults], np.bool_)


def _extras(plain: Any, faults: list[dict[str, str]], names: list[str]) -> dict[str, Any]:
    """Return values that are shown for a single fault only."""
    found: dict[str, Any] = {}
    for column, metric in metrics_at("fault").items():
        if column not in plain.column_names or plain[column].null_count == plain.num_rows:
            continue
        sums: dict[tuple[str, str, str], list[float]] = {}
        keys = zip(world_labels(plain), plain["split"].to_pylist(), plain["name"].to_pylist(), strict=True)
        for key, value in zip(keys, plain[column].to_pylist(), strict=True):
            if value is not None:
                sums.setdefault(key, []).append(value)
        found[metric.label] = [
            [_average(sums.get((fault["world"], fault["split"], name))) for name in names] for fault in faults
        ]
    return found


def _average(values: list[float] | None) -> float | None:
    return rounded(float(np.mean(values))) if values else None


def _timing(table: Any, faults: list[dict[str, str]], names: list[str]) -> dict[str, Any]:
    found = timings(table)
    alarms = list(dict.fromkeys(key[0] for key in found))
    numbers = {
        alarm: [
            [_rounded_row(found.get((alarm, fault["world"], fault["split"], name))) for name in names]
            for fault in faults
        ]
        for alarm in alarms
    }
    columns = [
        {"name": name, "label": metric.heading, "meaning": metric.meaning}
        for name, metric in metrics_at("timing").items()
    ]
    return {"columns": columns, "alarms": numbers, "default": default_alarm(table)}


def _rounded_row(numbers: Numbers | None) -> list[float | None] | None:
    """Return the numbers in the order of their columns, exactly, because pages compute their means over faults.

    A median delay that does not exist is None.
    """
    return None if numbers is None else [_finite(numbers[name]) for name in TIMING]


def _finite(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)


def _cost(plain: Any, names: list[str]) -> list[dict[str, float | None]]:
    """Return the cost of each detector: CPU seconds per fit, CPU microseconds per scored step, memory."""
    wanted = ("fit_cpu_s", "score_cpu_s", "steps_scored", "peak_mb")
    columns = [column for column in wanted if column in plain.column_names]
    once = {row["key"]: row for row in plain.select(["key", "name", *columns]).to_pylist()}
    cost = []
    for name in names:
        rows = [row for row in once.values() if row["name"] == name]
        fit, score, steps, peak = ([row[c] for row in rows if row.get(c) is not None] for c in wanted)
        cost.append(
            {
                "fit": rounded(float(np.mean(fit))) if fit else None,
                "score": rounded(1e6 * sum(score) / sum(steps)) if steps and sum(steps) else None,
                "peak": rounded(max(peak)) if peak else None,
            }
        )
    return cost
