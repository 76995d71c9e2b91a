"""A made-up run with the shape of a real one: detectors of different skill, worlds, seeds, faults, alarms."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import numpy as np
import pyarrow as pa

from offnominal.alarms.guarantee_check import GuaranteeCheck
from offnominal.evaluation.alarm_budget import GRID, curve_name
from offnominal.evaluation.outcome_steps import OUTCOME_STEPS
from offnominal.studies.results import RunResults

SKILL = {
    "PE-DM": 2.1,
    "RIQN": 1.72,
    "LSTM-DM": 1.68,
    "MLP-DM": 1.45,
    "KNN": 1.1,
    "Mahalanobis": 1.0,
    "OneClassSVM": 0.75,
    "IsolationForest": 0.6,
    "PE-DM-untrained": 0.35,
    "Time": 0.0,
    "Random": 0.0,
}
SEEDLESS = ("KNN", "Mahalanobis", "Time")
WORLDS = ("SAP-Goal1-v0", "MJC-CartpoleSwingup-v0", "MJC-HalfCheetah-v0")
LEVELS = {"tiny": 0.35, "medium": 0.8, "strong": 1.3, "extreme": 1.9}
FAULTS = (
    ("observation/noise", "tiny"),
    ("observation/noise", "medium"),
    ("observation/noise", "strong"),
    ("observation/offset", "medium"),
    ("action/noise", "tiny"),
    ("action/noise", "strong"),
    ("action/offset", "medium"),
    ("action/delay", "medium"),
    ("dynamics/mass", "medium-up"),
    ("dynamics/mass", "medium-down"),
    ("dynamics/friction", "strong-down"),
    ("dynamics/gravity", "extreme-up"),
)
EASE = {"observation": 1.25, "action": 0.95, "dynamics": 0.7}
ALARMS = {"ThreeSigma": (1.1, 9.0), "Quantile 99 %": (0.9, 12.0), "EpisodeMaximum": (1.8, 0.6)}
DRAWN = (
    "auroc",
    "matched_auroc",
    "excess_auroc",
    "average_precision",
    "fpr95",
    "net_detection",
    "net_delay",
    "net_area",
)
NET = 0.02
"""Nominal episodes in alarm at the times of faults."""
COUNTS = {
    "episodes": 100,
    "never_faulty": 4,
    "nominal_episodes": 100,
    "one_class": 0,
    "steps": 14000,
    "active_steps": 6200,
}


def logistic(x):
    return 1.0 / (1.0 + np.exp(-x))


def level_of(variant):
    return variant.split("-")[0]


def discrimination(name, effect, rng):
    """Return the numbers of a split and how far each is uncertain."""
    clock = 0.78
    matched = 0.5 if name in ("Time", "Random") else float(logistic(1.1 * effect + 0.1 * rng.normal()))
    local = clock if name == "Time" else 0.5 if name == "Random" else clock + (1.0 - clock) * (2 * matched - 1)
    return {
        "matched_auroc": matched,
        "auroc": local,
        "null_auroc": clock if name != "Random" else 0.5,
        "excess_auroc": local - (clock if name != "Random" else 0.5),
        "average_precision": 0.45 + 0.5 * (2 * matched - 1),
        "fpr95": 0.95 * (2 - 2 * matched),
        **budgets(max(2 * matched - 1, 0.0)),
        "time_auroc": clock,
    }


def at_budget_per_hour(results, per_hour):
    """Return the run as if its budget was one per hour in worlds with other step lengths."""
    table = results.table
    rates = [per_hour * (1.0 + WORLDS.index(world)) / 100.0 for world in table["world"].to_pylist()]
    table = table.append_column("budget_per_1000_steps", pa.array(rates))
    return replace(results, table=table.append_column("budget_per_hour", pa.array([per_hour] * len(rates))))


def budgets(skill):
    """Return detection and delay at the budget, and their curves."""
    shares = {budget: min(skill + 0.15 * np.log10(budget) + (budget / 1000.0) ** 2, 1.0) for budget in GRID}
    shares = {budget: float(max(share, 0.0)) for budget, share in shares.items()}
    return {
        "net_detection": shares[1.0] - NET,
        "net_delay": 20.0 * (1.0 - shares[1.0] ** 1.5) + 20.0 * NET,
        "net_area": float(np.mean([shares[budget] for budget in GRID[:7]])) - NET,
        "budget_detected": shares[1.0],
        "budget_mean_delay": 20.0 * (1.0 - shares[1.0] ** 1.5),
        "budget_area": float(np.mean([shares[budget] for budget in GRID[:7]])),
        **{curve_name("detected", budget): share for budget, share in shares.items()},
        **{curve_name("delay", budget): 20.0 * (1.0 - share**1.5) for budget, share in shares.items()},
        **{curve_name("net_detected", budget): share - NET for budget, share in shares.items()},
        **{curve_name("net_delay", budget): 20.0 * (1.0 - share**1.5 + NET) for budget, share in shares.items()},
    }


def timing(effect, alarm, rng):
    strictness, false = ALARMS[alarm]
    seen = float(logistic(1.6 * effect - strictness))
    delay = float(np.clip(24.0 * (1.0 - seen) + rng.normal(0, 0.5), 0, None))
    return {
        "median_delay": None if 0.8 * (1 - seen) > 0.5 else delay,
        "mean_delay": min(delay, 20.0),
        "within_5": 0.7 * seen,
        "within_10": seen,
        "within_20": min(1.2 * seen, 1.0),
        "miss_rate": 0.8 * (1 - seen),
        "early_rate": min(false / 30, 1.0),
        "false_alarms": false * float(np.exp(rng.normal(0, 0.15))),
        "false_alarm_episodes": min(false / 15, 1.0),
    }


def outcomes(effect, alarm, kind):
    """Return the steps at which 96 episodes are detected, fail and end; only faults of the dynamics let them fail."""
    detected = round(96 * float(logistic(1.6 * effect - ALARMS[alarm][0])))
    failed = (96 - detected) // 3 if kind == "dynamics" else 0
    return {
        "detected_at": [place * place // 60 for place in range(detected)],
        "failed_at": [5 + place % 20 for place in range(failed)],
        "ended_at": [60 + place % 40 for place in range(96 - detected - failed)],
    }


def guarantee(name, alarm):
    """Return what an alarm guaranteed: kept by all detectors but Time; without a guarantee for the published ones."""
    if alarm != "EpisodeMaximum":
        return GuaranteeCheck("no guarantee", "episodes", None, 0.4, 0.05, 0.0, 100).row()
    share, n = (0.31, 100) if name == "Time" else (0.06, 30) if name == "Random" else (0.03, 400)
    error = float(np.sqrt(share * (1.0 - share) / n))
    text = "a false alarm in at most 5% of nominal episodes, on average over calibrations"
    return GuaranteeCheck(text, "episodes", 0.05, share, error, 0.0, n).row()


def with_interval(numbers, width):
    sides = (("", 0.0), ("_low", -width), ("_high", width))
    return {
        name + side: None if number is None else number + away
        for name, number in numbers.items()
        for side, away in sides
    }


def rows_of(world, name, seed, replicates, luck):
    """Return the rows of one cell; `luck` holds what detectors share in each replicate."""
    rng = np.random.default_rng([WORLDS.index(world), list(SKILL).index(name), seed])
    key = hashlib.sha256(f"{world} {name} {seed}".encode()).hexdigest()
    cell = {
        "key": key,
        "world": world,
        "policy": "tqc",
        "name": name,
        "detector": name,
        "parameters": json.dumps({}),
        "seed": seed,
    }
    cost = {
        "fit_cpu_s": float(3.0 + 40.0 * SKILL[name]),
        "score_cpu_s": float(1.0 + 4 * SKILL[name]),
        "evaluate_cpu_s": 6.5,
        "wall_s": float(10.0 + 45.0 * SKILL[name]),
        "peak_mb": 410.0,
        "steps_scored": 170000,
    }
    talent = SKILL[name] + (0.06 * rng.normal() if SKILL[name] else 0.0)
    for number, (anomaly, variant) in enumerate(FAULTS):
        kind = anomaly.split("/")[0]
        effect = talent * EASE[kind] * LEVELS[level_of(variant)]
        fault = {
            "split": f"{anomaly}@{variant}",
            "anomaly": anomaly,
            "kind": kind,
            "level": level_of(variant),
            "variant": variant,
        }
        numbers = discrimination(name, effect, rng)
        drawn = {}
        for metric in DRAWN:
            most = 20.0 if metric.endswith("delay") else 1.0
            noise = most * (0.04 * luck[number] + 0.05 * rng.normal(size=replicates))
            below = "excess" in metric or metric.startswith("net")
            drawn[f"draws_{metric}"] = np.clip(numbers[metric] + noise, -most if below else 0.0, most)
        yield {**cell, **fault, "alarm": None, **COUNTS, **with_interval(numbers, 0.03), **drawn, **cost}
        for alarm in ALARMS:
            numbers = with_interval(timing(effect, alarm, rng), 0.05)
            steps = outcomes(effect, alarm, kind)
            yield {**cell, **fault, "alarm": alarm, **numbers, **steps, **guarantee(name, alarm), **cost}


def example_rows(world, name, seed):
    rng = np.random.default_rng([9, WORLDS.index(world), list(SKILL).index(name), seed])
    key = hashlib.sha256(f"{world} {name} {seed}".encode()).hexdigest()
    for anomaly, variant in FAULTS:
        effect = SKILL[name] * EASE[anomaly.split("/")[0]] * LEVELS[level_of(variant)]
        for episode in range(2):
            length, onset = int(rng.integers(80, 200)), int(rng.integers(15, 60))
            twin = 1.0 + np.exp(rng.normal(-1.0, 0.5, length)) + (0.01 * np.arange(length) if name == "Time" else 0)
            scores = twin.copy()
            scores[onset:] += effect * (1.0 + 0.6 * np.sin(np.arange(length - onset) / 9) + rng.exponential(0.3))
            limits = {"ThreeSigma": 2.4, "Quantile 99 %": 2.2, "EpisodeMaximum": None}
            steps = {
                alarm: next((int(t) for t in np.flatnonzero(scores > (limit or 3.1))), None)
                for alarm, limit in limits.items()
            }
            yield {
                "key": key,
                "split": f"{anomaly}@{variant}",
                "episode_seed": 1000 + episode,
                "onset": onset,
                "end": length,
                "effective_onset": onset + 1,
                "scores": scores,
                "twin_scores": twin,
                "thresholds": json.dumps({alarm: limit for alarm, limit in limits.items() if limit is not None}),
                "alarms": json.dumps(steps),
                "total_reward": float(-120 - 40 * effect),
            }


def run_results(replicates=200, seeds=2, worlds=WORLDS, names=tuple(SKILL), failures=1):
    """Return a made-up run."""
    rows, examples = [], []
    for world in worlds:
        luck = np.random.default_rng([7, WORLDS.index(world)]).normal(size=(len(FAULTS), replicates))
        for name in names:
            for seed in range(1 if name in SEEDLESS else seeds):
                rows += rows_of(world, name, seed, replicates, luck)
                examples += example_rows(world, name, seed)
    lists = [pa.field(f"draws_{metric}", pa.list_(pa.float32())) for metric in DRAWN]
    lists += [pa.field(name, pa.list_(pa.int32())) for name in OUTCOME_STEPS]
    columns = dict.fromkeys(column for row in rows for column in row)
    data = {column: [row.get(column) for row in rows] for column in columns}
    typed = {field.name: field.type for field in lists}
    table = pa.table({column: pa.array(values, typed.get(column)) for column, values in data.items()})
    failed = {
        "key": "ab" * 32,
        "label": f"{WORLDS[0]}/tqc/RIQN/9",
        "error": "SimulationDiverged",
        "message": "the state became non-finite <at step 12>",
        "traceback": 'Traceback (most recent call last):\n  File "work.py", line 3, in run_cell\n    score()',
        "cell": {"world": WORLDS[0], "name": "RIQN", "seed": 9},
        "time": "2026-01-01T00:00:00Z",
    }
    manifest = {
        "study": "synthetic",
        "scale": "quick",
        "keys": sorted({row["key"] for row in rows}),
        "versions": {"offnominal": "0.5.0", "python": "3.11.9", "numpy": "2.3.0", "torch": "2.13.0"},
        "commit": "0123456789abcdef",
        "hardware": {"machine": "x86_64", "cpu": "made up", "cores": 2, "memory_gb": 8},
        "seeds": list(range(seeds)),
        "wall_s": 812.4,
        "cpu_s": 1502.0,
        "peak_mb": 611.0,
        "started": "2026-01-01T00:00:00Z",
        "finished": "2026-01-01T00:13:32Z",
    }
    return RunResults(
        name="synthetic",
        title="Eight detectors and three baselines on made-up faults",
        summary="A made-up run, to look at a report before there are results. None of its numbers was measured.",
        scale="quick",
        manifest=manifest,
        table=table,
        examples=pa.Table.from_pylist(examples),
        failures=[failed] * failures,
    )
