"""Generated tables of the documentation: `python docs/tables.py` updates them.

A table is between ``<!-- table: name argument -->`` and ``<!-- end -->``. `tests/docs` checks that all are up to date.
"""

import csv
import html
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete
from metric_coverage import coverage_text, shown
from metric_intervals import NONE as NO_INTERVAL
from metric_intervals import interval_text, range_text
from published_values.pivots import pivot
from published_values.study_outcomes import published_summary, study_outcomes

from offnominal.agents import expert_cards
from offnominal.agents.selection import LEARNED
from offnominal.agents.training.ppo_settings import POPULATION_ALGORITHMS as ALGORITHMS
from offnominal.anomalies import anomalies, camera_anomalies, make_anomaly
from offnominal.anomalies.catalogue import anomalies_with
from offnominal.anomalies.matched_strengths import DETECTABILITY, matched_strengths
from offnominal.anomalies.plausibility import plausible_range
from offnominal.anomalies.strengths import (
    CALIBRATED,
    Strength,
    beyond_limits,
    calibrated_strengths,
    calibration_policies,
    published_strengths,
    strengths_table,
)
from offnominal.datasets.anomaly_gym.defects import DEFECTS
from offnominal.detectors.catalogue import make_detector
from offnominal.detectors.weights_in_names import name_with_weights
from offnominal.evaluation.metric import Metric
from offnominal.evaluation.metrics import METRIC_GROUPS
from offnominal.laws.learning import learning_data, trained_detectors
from offnominal.laws.reference_data import REFERENCE_IMAGES, REFERENCE_SYMBOLS, REFERENCE_TABLES, REFERENCE_WORLDS
from offnominal.reports.tables import markdown
from offnominal.worlds import PhysicsParameter, make_world, worlds
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.scenes.visibility import visible_shares
from offnominal.worlds.road.scenes.visibility_counting import PUBLISHED, VisibleFrames, published_once

ROOT = Path(__file__).parents[1]
TABLE = re.compile(r"(<!-- table: (?P<name>\w+) ?(?P<argument>\S*) -->\n).*?(<!-- end -->)", re.DOTALL)
Row = dict[str, Any]
STREAM_ALARMS = ("Bocpd", "EpisodeMaximum", "EDetector", "ACI, confirmed", "ConformalPID, confirmed")
"""Alarms of the table of faults in streams: one or two of each kind."""
STREAM_PAIRS = ("EpisodeMaximum", "ACI, confirmed", "RecencyWeighted, confirmed", "ConformalPID, confirmed")
"""Alarms of the table of net detection: a fixed threshold, and adaptive ones with confirmations."""
STREAM_AFTER = ("EpisodeMaximum", "EpisodeEwma", "EpisodeCusum", "EDetector", "ACI", "ACI, confirmed")
"""Alarms of the short table of alarms after faults."""


def world_rows(pages: str) -> list[Row]:
    """Return the worlds; `pages` is the folder of their pages, relative to the document."""
    return [world_row(id, pages) for id in worlds.ids()]


def world_row(id: str, pages: str) -> Row:
    """Return one world; `pages` is the folder of the pages, relative to the document."""
    world = make_world(id, 1)
    card = world.card
    address = card.page if "/" in card.page else f"{pages}{card.page}.md"
    return {
        "world": f"[`{card.id}`]({address})" if card.page else f"`{card.id}`",
        "task": card.summary,
        "observation": " × ".join(map(str, world.observation_space.shape)),
        "action": _actions(id),
        "steps": card.max_steps,
        "dt": f"{card.dt:.3g} s",
    }


def published_defect_rows(_: str) -> list[Row]:
    """Return the known defects of the published recordings of Anomaly-Gym."""
    return [
        {
            "worlds": ", ".join(world.rstrip("-") for world in defect.worlds),
            "splits": ", ".join(f"`{split.rstrip('@/')}`" for split in defect.splits) or "all",
            "defect": defect.text,
        }
        for defect in DEFECTS
    ]


def signal_rows(_: str) -> list[Row]:
    """Return the signal anomalies, both signals of a kind in one row."""
    listed = [make_anomaly(spec.id) for spec in anomalies if not spec.id.startswith(("dynamics/", "camera/"))]
    rows: dict[str, Row] = {}
    for anomaly in sorted(listed, key=lambda each: (each.code, each.target != "observation")):
        named = rows.setdefault(anomaly.kind, {"anomaly": ""})["anomaly"]
        rows[anomaly.kind] = {
            "anomaly": f"{named}<br>`{anomaly.id}`" if named else f"`{anomaly.id}`",
            "effect": f"`{anomaly.formula}`",
            "neutral": f"{anomaly.symbol} = {anomaly.neutral:g}",
            "allowed": _allowed(anomaly.minimum, whole=anomaly.integer),
        }
    return list(rows.values())


def camera_rows(_: str) -> list[Row]:
    """Return the camera anomalies."""
    return [
        {
            "anomaly": f"`{each.id}`",
            "effect": f"`{each.formula}`" if each.formula.startswith("p'") else each.formula,
            "neutral": f"{each.symbol} = {each.neutral:g}",
            "allowed": _allowed(each.minimum, each.maximum, whole=each.integer),
            "typical": f"{each.typical:g}",
        }
        for each in map(make_anomaly, camera_anomalies())
    ]


def _allowed(minimum: float, maximum: float = np.inf, *, whole: bool = False) -> str:
    number = "whole number" if whole else "number"
    if np.isfinite(maximum):
        return f"{minimum:g} … {maximum:g}"
    return f"any {number}" if np.isinf(minimum) else f"{number} ≥ {minimum:g}"


def physics_parameter_rows(world: str) -> list[Row]:
    """Return the physics parameters of one world; without one, of all worlds, equal physics parameters in one row."""
    places: dict[PhysicsParameter, list[str]] = {}
    for id in [world] if world else worlds.ids():
        for physics_parameter in make_world(id, 1).card.physics_parameters:
            shared = replace(physics_parameter, plausible=(-math.inf, math.inf), range_of="")
            places.setdefault(shared, []).append(id)
    return [
        {
            "anomaly": f"`dynamics/{physics_parameter.name}`",
            **({} if world else {"worlds": _family(places[physics_parameter])}),
            "parameter": physics_parameter.summary,
            "unit": physics_parameter.unit,
            "neutral": f"{physics_parameter.neutral:g}",
            "allowed": _allowed(physics_parameter.minimum),
            "several at once": {"add": "deviations add", "multiply": "factors multiply"}[physics_parameter.combine],
        }
        for physics_parameter in sorted(places, key=lambda physics_parameter: physics_parameter.name)
    ]


def _family(ids: list[str]) -> str:
    """Return a short list of worlds."""
    families = {id.partition("-")[0] for id in ids}
    whole = {id for id in worlds.ids() if id.partition("-")[0] in families} == set(ids)
    names = [id.split("-")[1] for id in worlds.ids()]
    short = [id.split("-", 1)[1] if names.count(id.split("-")[1]) > 1 else id.split("-")[1] for id in ids]
    return f"all {', '.join(sorted(families))}" if whole else ", ".join(short)


def observation_rows(world: str) -> list[Row]:
    """Return the channels of the observation."""
    channels = make_world(world, 1).card.observation
    return [{"index": index, "name": each.name, "unit": each.unit} for index, each in enumerate(channels)]


def action_rows(world: str) -> list[Row]:
    """Return the channels of the action with their limits."""
    made = make_world(world, 1)
    if isinstance(made.action_space, Discrete):
        return [{"name": each.name, "values": each.unit} for each in made.card.action]
    return [
        {
            "index": index,
            "name": each.name,
            "unit": each.unit if each.unit[:1].isdigit() else f"1 {each.unit}",
            "range": f"{made.action_space.low[index]:g} … {made.action_space.high[index]:g}",
        }
        for index, each in enumerate(made.card.action)
    ]


def strength_rows(world: str) -> list[Row]:
    """Return the named strengths of one world, with the lowest score in brackets if a level is not attainable."""
    rows: dict[str, Row] = {}
    for line in _lines(world):
        anomaly = f"`{line.anomaly}`" + (f" {line.direction}" if line.direction else "")
        parameter = _digits(line.parameter) if line.attainable else f"– ({line.score:.2f})"
        rows.setdefault(anomaly, {"anomaly": anomaly})[line.level] = parameter
    return list(rows.values())


def comparison_rows(world: str) -> list[Row]:
    """Return our parameters and the published ones, where both exist."""
    table = published_strengths()
    rows: dict[str, Row] = {}
    for line in _lines(world):
        published = table.get((world, line.anomaly, line.level))
        if published in (None, 1.0) or (line.direction and (published > 1.0) != (line.direction == "up")):
            continue
        ours = _digits(line.parameter) if line.attainable else "–"
        row = rows.setdefault(line.anomaly, {"anomaly": f"`{line.anomaly}`"})
        row[line.level] = f"{ours} / {_digits(published)}"
    return [{level: row.get(level, "") for level in ("anomaly", *CALIBRATED)} for row in rows.values()]


def attained_rows(_: str) -> list[Row]:
    """Return the number of attainable strengths per level."""
    rows = []
    for level in CALIBRATED:
        lines = [line for line in calibrated_strengths() if line.level == level]
        reached = f"{sum(line.attainable for line in lines)} of {len(lines)}"
        rows.append({"level": f"*{level}*", "return left": f"{lines[0].target:.0%}", "attainable": reached})
    return rows


def accuracy_rows(_: str) -> list[Row]:
    """Return the accuracy of the calibrated parameters on fresh episodes."""
    rows = []
    for world in dict.fromkeys(line.world for line in calibrated_strengths()):
        lines = _lines(world)
        reached = [line for line in lines if line.attainable]
        near = [line for line in reached if abs(line.score - line.target) <= 0.01]
        rows.append(
            {
                "world": f"`{world}`",
                "levels": len(lines),
                "attainable": len(reached),
                "within 0.01": f"{len(near) / len(reached):.0%}",
                "interval, median": f"± {np.median([line.high - line.low for line in reached]) / 2:.4f}",
                "at most ± 0.02": f"{np.mean([line.high - line.low <= 0.04 for line in reached]):.0%}",
                "policies": len(calibration_policies(world)),
                "beyond limits": len(beyond_limits(lines)),
                "episodes per level, mean": f"{np.mean([line.episodes for line in lines]):.0f}",
            }
        )
    return rows


def limit_rows(world: str) -> list[Row]:
    """Return the plausible parameters of the anomalies of a world."""
    card = worlds.card(world)
    rows = []
    for anomaly in anomalies_with([each.name for each in card.physics_parameters]):
        found = plausible_range(card, make_anomaly(anomaly))
        ends = f"{_digits(found.low)} to {_digits(found.high)}"
        rows.append({"anomaly": f"`{anomaly}`", "plausible": ends, "because": found.reason})
    return rows


def severity_table(_: str) -> list[Row]:
    """Return the median change of attainable levels, in standard deviations of the nominal channel, by world."""
    rows = []
    for world in dict.fromkeys(line.world for line in calibrated_strengths()):
        row: Row = {"world": f"`{world}`"}
        for level in CALIBRATED:
            known = [
                line.signal for line in _lines(world) if line.level == level and line.attainable and line.signal > 0.0
            ]
            row[level] = _digits(float(np.median(known))) if known else "–"
        for level in DETECTABILITY:
            lines = [line for line in matched_strengths() if (line.world, line.level) == (world, level)]
            row[level] = f"{sum(line.attainable for line in lines)} of {len(lines)}" if lines else "–"
        rows.append(row)
    return rows


def _lines(world: str) -> list[Strength]:
    return sorted(strengths_table(world), key=lambda line: (line.anomaly, line.direction))


def expert_rows(_: str) -> list[Row]:
    """Return the trained policies with their evaluation; of those of `train-seeds` only the experts."""
    return [
        {
            "world": card.world,
            "id": f"**{card.algorithm}**" if card.chosen else card.algorithm,
            "return": f"{card.mean_return:.2f} ± {card.return_interval:.2f}",
            "published": _published(card.world),
            "success": f"{card.success:.1%}",
            "length": f"{card.mean_length:.1f}",
        }
        for card in expert_cards()
        if card.chosen or not LEARNED.fullmatch(card.algorithm)
    ]


def learned_rows(algorithm: str) -> list[Row]:
    """Return the policies that learned without demonstrations by an algorithm, beside the published return."""
    cards = {
        (card.world, card.settings["seed"]): card
        for card in expert_cards()
        if LEARNED.fullmatch(card.algorithm) and card.algorithm.startswith(f"{algorithm or 'tqc'}-")
    }
    published = {each["world"]: each for each in _measured("published_returns")}
    rows: list[Row] = []
    for world, seed in sorted(cards):
        card, mean, deviation = cards[world, seed], *(float(published[world][key]) for key in ("mean", "deviation"))
        rows.append(
            {
                "world": world,
                "seed": seed,
                "transitions": f"{card.steps:,}",
                "return": f"{card.mean_return:.2f} ± {card.return_interval:.2f}",
                "published, deviation": f"{mean:.2f}, {deviation:.2f}",
                "reached": "yes" if card.mean_return >= mean - deviation else "no",
                "success": f"{card.success:.1%}",
            }
        )
    return rows


def training_second_rows(_: str) -> list[Row]:
    """Return how long TQC was trained in each world without demonstrations."""
    rows: dict[str, Row] = {}
    for each in _measured("policy_training"):
        if each["algorithm"] != "tqc":
            continue
        row = rows.setdefault(each["world"], {"world": each["world"], "transitions per seed": "", "seconds": 0})
        if int(each["seconds"]) >= row["seconds"]:
            row |= {"transitions per seed": f"{int(each['steps']):,}", "seconds": int(each["seconds"])}
    return list(rows.values())


def learned_summary_rows(algorithm: str) -> list[Row]:
    """Return a row per world: the returns of its learned policies, and how many reach the published one."""
    worlds_of: dict[str, list[Row]] = {}
    for row in learned_rows(algorithm):
        worlds_of.setdefault(row["world"], []).append(row)
    return [
        {
            "world": world,
            "published, deviation": rows[0]["published, deviation"],
            "returns of the seeds": ", ".join(row["return"].partition(" ")[0] for row in rows),
            "reach it": f"{sum(row['reached'] == 'yes' for row in rows)} of {len(rows)}",
            "success of the seeds": ", ".join(row["success"] for row in rows),
        }
        for world, rows in worlds_of.items()
    ]


def learned_by_algorithm_rows(_: str) -> list[Row]:
    """Return a row per world and algorithm, for the worlds that have policies of several algorithms."""
    found = {algorithm: {row["world"]: row for row in learned_summary_rows(algorithm)} for algorithm in ALGORITHMS}
    return [
        {"world": world, "algorithm": algorithm.upper()} | {key: row[key] for key in list(row)[1:]}
        for world in found[ALGORITHMS[1]]
        for algorithm in ALGORITHMS
        if (row := found[algorithm].get(world))
    ]


def _actions(world: str) -> str:
    """Return the size of continuous actions, or the number of discrete ones."""
    space = make_world(world, 1).action_space
    return f"{space.n} discrete" if isinstance(space, Discrete) else str(space.shape[0])


def _published(world: str) -> str:
    """Return the return of the published expert, if there is one."""
    value = worlds.card(world).expert_return
    return "–" if value is None else f"{value:.2f}"


def audit_rows(alarm: str) -> list[Row]:
    """Return the rate of false alarms of one alarm, by detector and world."""
    return _audited([line for line in _audit() if line["alarm"] == alarm], "detector")


def audited_alarm_rows(detector: str) -> list[Row]:
    """Return the rate of false alarms of each alarm on the scores of one detector."""
    return _audited([line for line in _audit() if line["detector"] == detector], "alarm")


def audit_verdict_rows(_: str) -> list[Row]:
    """Return the number of guarantees of each alarm by verdict."""
    rows: dict[str, Row] = {}
    for line in _audit():
        if line["guarantee"]:
            row = rows.setdefault(line["alarm"], {"alarm": line["alarm"], "kept": 0, "undecided": 0, "broken": 0})
            row[line["verdict"].partition(":")[0]] += 1
    return list(rows.values())


def adaptive_alarm_rows(_: str) -> list[Row]:
    """Return false alarms and detection of alarms on days that differ, in per cent, with verdicts."""
    names = {"false": "false alarms", "detected": "detected", "net": "net detection", "lower": "lower than fixed"}
    return [
        {"days": each["condition"], "alarm": each["alarm"]}
        | {text: _points(*(float(each[name + end]) for end in ("", "_low", "_high"))) for name, text in names.items()}
        | {"verdict": "–" if each["alarm"] == "EpisodeMaximum" else each["verdict"]}
        for each in _measured("adaptive_alarms")
    ]


def stream_alarm_rows(_: str) -> list[Row]:
    """Return the alarms of the study of streams: means over worlds and conditions, and promises that were kept."""
    return [
        {
            "alarm": each["alarm"],
            "kind": each["family"],
            "false alarms ÷ promised": f"{float(each['excess']):.2f}",
            "net detection": f"{float(each['net_detection']):.2f}",
            "delay (s)": f"{float(each['delay_s']):.1f}",
            "promises kept": f"{each['kept']} of {each['judged']}" if int(each["judged"]) else "–",
            "broken": each["broken"] if int(each["judged"]) else "–",
        }
        for each in _measured("streams_alarms")
    ]


def stream_condition_rows(number: str) -> list[Row]:
    """Return a number of each alarm in each condition, the mean over worlds."""
    rows: dict[str, Row] = {}
    for each in _measured("streams_conditions"):
        rows.setdefault(each["alarm"], {"alarm": each["alarm"]})[each["condition"]] = f"{float(each[number]):.2f}"
    return list(rows.values())


def stream_promise_rows(world: str) -> list[Row]:
    """Return the verdicts about the promises of alarms in one world: false alarms per hour, with intervals."""
    rows: dict[str, Row] = {}
    for each in _measured("streams_promises"):
        if each["world"] == world:
            value, low, high = (float(each[f"false_alarms_h{end}"]) for end in ("", "_low", "_high"))
            shown = f"{value:.1f} [{low:.1f}, {high:.1f}] {each['verdict']}"
            about = {"alarm": each["alarm"], "promised": f"{float(each['promised_h']):.1f}"}
            rows.setdefault(each["alarm"], about)[each["condition"]] = shown
    return list(rows.values())


def stream_outcome_rows(world: str) -> list[Row]:
    """Return net detection and mean delay of each alarm in one world, with intervals."""
    rows: dict[str, Row] = {}
    for each in _measured("streams_outcomes"):
        if each["world"] == world:
            net, low, high = (float(each[f"net_detection{end}"]) for end in ("", "_low", "_high"))
            shown = f"{net:.2f} [{low:.2f}, {high:.2f}], {float(each['delay_s']):.1f} s"
            rows.setdefault(each["alarm"], {"alarm": each["alarm"]})[each["condition"]] = shown
    return list(rows.values())


def stream_net_rows(_: str) -> list[Row]:
    """Return the net detection of a fixed threshold and of adaptive alarms in each world and condition."""
    rows: dict[tuple[str, str], Row] = {}
    for each in _measured("streams_outcomes"):
        if each["alarm"] in STREAM_PAIRS:
            about = {"world": f"`{each['world']}`", "condition": each["condition"]}
            net, low, high = (float(each[f"net_detection{end}"]) for end in ("", "_low", "_high"))
            row = rows.setdefault((each["world"], each["condition"]), about)
            row[each["alarm"]] = f"{net:.2f} [{low:.2f}, {high:.2f}]"
    return list(rows.values())


def stream_after_fault_rows(argument: str) -> list[Row]:
    """Return alarms per hour in nominal units of streams with faults, in brackets those of their twins.

    The argument is a world; with ``/some`` after it, only some alarms are shown.
    """
    world, _, some = argument.partition("/")
    rows: dict[str, Row] = {}
    for each in _measured("streams_outcomes"):
        if each["world"] == world and (not some or each["alarm"] in STREAM_AFTER):
            row = rows.setdefault(each["alarm"], {"alarm": each["alarm"]})
            row[each["condition"]] = f"{float(each['after_faults_h']):.1f} ({float(each['false_alarms_h']):.1f})"
    return list(rows.values())


def stream_null_rows(_: str) -> list[Row]:
    """Return the net detection of each null with each alarm: mean, largest, and how many intervals are above 0."""
    rows: dict[str, Row] = {}
    for each in _measured("streams_nulls"):
        row = rows.setdefault(each["alarm"], {"alarm": each["alarm"], "clock": "–", "restarts": "–", "drift": "–"})
        mean, largest = (float(each[name]) for name in ("mean", "largest"))
        row[each["null"]] = f"{mean:.3f} (up to {largest:.3f}), {each['above_0']} of {each['cells']}"
    return list(rows.values())


def stream_fault_rows(world: str) -> list[Row]:
    """Return the net detection of some alarms by fault in one world, mean over conditions."""
    rows: dict[str, Row] = {}
    for each in _measured("streams_faults"):
        if each["world"] == world and each["alarm"] in STREAM_ALARMS:
            row = rows.setdefault(each["fault"], {"fault": f"`{each['fault']}`"})
            row[each["alarm"]] = f"{float(each['net_detection']):.2f}"
    return list(rows.values())


def _points(value: float, low: float, high: float) -> str:
    return f"{100.0 * value:.1f} [{100.0 * low:.1f}, {100.0 * high:.1f}]"


def _audit() -> list[dict[str, str]]:
    with (ROOT / "docs" / "measured" / "alarms.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def quickstart_table(_: str) -> str:
    """Return the leaderboard of the quickstart, as it was measured."""
    with (ROOT / "docs" / "measured" / "quickstart.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    rows = [
        {name: value for name, value in line.items() if name not in ("worlds", "faults", "scale", "experts")}
        for line in lines
    ]
    note = (
        f"*Mean over {lines[0]['worlds']} worlds and {lines[0]['faults']} faults, with 95 % intervals: what "
        "`offnominal quickstart` computes. Ordered by net detection; detectors that share a letter are tied.*"
    )
    return f"{markdown(rows, escape=False)}\n\n{note}"


def pivot_table(name: str) -> str:
    """Return a table of an appendix that is made from files of measured values, and their names."""
    rows, source = pivot(name)
    return f"{markdown(rows, escape=False)}\n\n{source}"


def latency_rows(names: str) -> list[Row]:
    """Return the latency of some detectors, from the benchmark of one transition."""
    text = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    section = text.partition("\n## One transition\n")[2].partition("\n## ")[0]
    found = {cells[1].strip(): cells for cells in (line.split("|") for line in section.splitlines() if line[:1] == "|")}
    return [
        {"detector": name, "median": f"{found[name][4].strip()} ms", "99th percentile": f"{found[name][5].strip()} ms"}
        for name in names.split(",")
    ]


def _audited(lines: list[dict[str, str]], name: str) -> list[Row]:
    rows: dict[str, Row] = {}
    for line in lines:
        rate = f"{float(line['rate']):.3f} ± {float(line['error']):.3f}"
        broken = " broken" if line["verdict"] == "broken" else ""
        world = line["world"].removesuffix("-v0").split("-")[1]
        rows.setdefault(line[name], {name: line[name]})[world] = rate + broken
    return list(rows.values())


def _digits(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def world_gallery(_: str) -> str:
    """Return one figure per world, with its clip and a link to its page."""
    return _gallery(
        _figure(
            f"worlds/{id}", f"{id}: {card.summary}", f'<a href="{_page(card.page)}"><code>{id}</code></a>', card.summary
        )
        for id, card in ((id, worlds.card(id)) for id in worlds.ids())
    )


def anomaly_gallery(kind: str) -> str:
    """Return one figure per anomaly of a kind, with its clip."""
    return _gallery(
        _figure(
            f"anomalies/{spec.id.replace('/', '-')}",
            f"{spec.id}: {spec.summary}",
            f"<code>{spec.id}</code>",
            spec.summary,
        )
        for spec in anomalies
        if spec.id.startswith(f"{kind}/")
    )


def _page(page: str) -> str:
    return f"../../worlds/{page}/" if "/" not in page else page


def _gallery(figures: Iterable[str]) -> str:
    return '<div class="gallery">\n' + "\n".join(figures) + "\n</div>"


def _figure(clip: str, alt: str, name: str, summary: str) -> str:
    """Return a figure; without an image where the clip does not exist."""
    path = f"assets/gallery/{clip}.webp"
    there = (ROOT / "docs" / path).exists()
    image = f'<img src="../../{path}" alt="{html.escape(alt)}" loading="lazy">' if there else ""
    return f"<figure>{image}<figcaption>{name}<br>{html.escape(summary)}</figcaption></figure>"


def metric_sections(group: str) -> str:
    """Return one section per metric of a group."""
    return "\n\n".join(map(_metric_section, METRIC_GROUPS[group].values()))


def _metric_section(metric: Metric) -> str:
    better = "higher" if metric.higher else "lower"
    random = "" if metric.random_value is None else f"; random scores have {metric.random_value:g}"
    facts = {
        "Formula": metric.formula,
        "Range": f"{range_text(metric)}; {better} is better{random}",
        "Use": metric.use.removesuffix("."),
        "Interval": interval_text(metric),
        "Coverage": coverage_text(metric.name) or ("" if metric.name in NO_INTERVAL else "not measured"),
        "Column": f"`{metric.name}`",
    }
    lines = "\n".join(f"- **{name}:** {fact}." for name, fact in facts.items() if fact)
    label = metric.label[:1].upper() + metric.label[1:]
    return f"### {label} {{ #{metric.name} }}\n\n{metric.meaning}\n\n{lines}"


def attack_rows(_: str) -> list[Row]:
    """Return the attacks of `make attacks`: the cases tried and those that held, and their sums."""
    with (ROOT / "docs" / "measured" / "attacks.csv").open(encoding="utf-8") as file:
        attacks = list(csv.DictReader(file))
    rows: list[Row] = [
        {"attack": each["attack"], "tried": f"{int(each['tried']):,}", "held": f"{int(each['held']):,}"}
        for each in attacks
    ]
    sums = (sum(int(each[column]) for each in attacks) for column in ("tried", "held"))
    return [
        *rows,
        {"attack": "**All**", **{name: f"**{n:,}**" for name, n in zip(("tried", "held"), sums, strict=True)}},
    ]


REFERENCE_KINDS = {
    "rows": (*REFERENCE_TABLES, *REFERENCE_WORLDS),
    "images": REFERENCE_IMAGES,
    "symbols": REFERENCE_SYMBOLS,
}


def learning_rows(kind: str) -> list[Row] | str:
    """Return the trained AUROC of every detector on reference data of a kind, with the larger of the other two."""
    rows: dict[str, Row] = {}
    measured = [each for each in _measured("learning") if each["data"] in REFERENCE_KINDS[kind]]
    names = list(dict.fromkeys(each["data"] for each in measured))
    for each in measured:
        row = rows.setdefault(
            each["detector"], {"detector": _with_weights(each["detector"])} | {f"`{name}`": "" for name in names}
        )
        other = max(each["untrained"], each["gaussian"])
        shown = f"{each['trained']} / {other}"
        row[f"`{each['data']}`"] = shown if each["learned"] == "yes" else f"**{shown}**"
    return list(rows.values()) or f"No detector of {kind} was measured yet."


def _with_weights(id: str) -> str:
    """Return the id of a detector of the benchmark of learning, which trains small encoders, as code."""
    name, _, weights = name_with_weights(id, id, {}).partition(" ")
    return f"`{name}` {weights}".strip()


def learning_missing(_: str) -> str:
    """Return the trained detectors that have no row in the tables above, or not all."""
    known = {(each["detector"], each["data"]) for each in _measured("learning")}
    missing = [
        f"`{name}` on `{data}`"
        for name in trained_detectors()
        for data in learning_data(make_detector(name)) or ["nothing"]
        if (name, data) not in known
    ]
    return f"Not measured yet: {', '.join(missing)}." if missing else "All trained detectors were measured."


def modern_rows(_: str) -> list[Row]:
    """Return the methods of the search on tables with those that are not in the paper, best mean rank first."""
    beside = {"this run": "comparison-modern"}
    return [
        {
            "method": f"**{each['name']}**" if each["from"] in beside else each["name"],
            "mean rank": each["mean rank"],
            "AUC": each["AUC"],
            "TPR@5": each["TPR@5"],
            "from": beside.get(each["from"], each["from"].removeprefix("shipped ")),
        }
        for each in _measured("comparison_modern")
    ]


def pidforest_rows(_: str) -> list[Row]:
    """Return the AUC of PIDForest with and without the errors of its public code, beside the published one."""
    published = {
        each["table"]: each["published"] for each in _measured("published/comparison-IV") if each["method"] == "pidf"
    }
    return [
        {
            "table": each["table"],
            "right": each["right"],
            "with the errors": each["with_errors"],
            "published": published[each["table"]],
        }
        for each in _measured("pidforest")
    ]


def _measured(name: str) -> list[dict[str, str]]:
    """Return the rows of a file of measured results."""
    with (ROOT / "docs" / "measured" / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def convergence_rows(_: str) -> list[Row]:
    """Return AUC and nominal score of every method and number of steps, a column per table."""
    rows: dict[tuple[str, str], Row] = {}
    measured = _measured("convergence")
    names = list(dict.fromkeys(each["table"] for each in measured))
    for each in measured:
        row = rows.setdefault(
            (each["method"], each["steps"]),
            {"method": each["method"], "steps": each["steps"] or "–"} | dict.fromkeys(names, ""),
        )
        row[each["table"]] = f"{each['auc']} ({each['nominal']})"
    return list(rows.values())


def coverage_rows(_: str) -> list[Row]:
    """Return how often intervals contain the true value, by number and number of episodes."""
    with (ROOT / "docs" / "measured" / "coverage.csv").open(encoding="utf-8") as file:
        measured = list(csv.DictReader(file))
    rows: dict[str, Row] = {}
    for each in measured:
        row = rows.setdefault(each["number"], {"number": each["number"]} | {f"n = {n}": "–" for n in (10, 20, 50)})
        row[f"n = {each['episodes']}"] = shown(float(each["coverage"]), plain=each["percentiles"])
    return list(rows.values())


def comparison_coverage_rows(_: str) -> list[Row]:
    """Return how often intervals of differences from published values contain the true difference, in simulations."""
    with (ROOT / "docs" / "measured" / "comparison_coverage.csv").open(encoding="utf-8") as file:
        measured = [row for row in csv.DictReader(file) if row["coverage"]]
    shares = ("coverage", "largest", "normal")
    return [
        {
            "value": row["number"],
            "n": row["n"],
            **{name: f"{float(row[name]):.2f}" if row[name] else "–" for name in shares},
        }
        for row in measured
    ]


def scene_visibility_rows(type_: str) -> list[Row]:
    """Return in which share of frames anomalies of a type are visible, by preset, and as published."""
    found: dict[str, list[VisibleFrames]] = {}
    for each in _measured("scene_visibility"):
        if each["type"] == type_ and each["label"]:
            counts = (int(each[name]) for name in ("cameras", "frames", "camera", "lidar"))
            found.setdefault(each["preset"], []).append(VisibleFrames(Label[each["label"]], *counts))
    names = ("camera", "lidar", "camera, counted as published")
    rows: list[Row] = []
    for preset, scenes in found.items():
        camera, lidar = visible_shares({type_: scenes})
        shares = [(each.share, each.low, each.high) for each in (camera, lidar)]
        shares.append((camera.counted, camera.counted_low, camera.counted_high))
        shown = {name: _share(len(scenes), *each) for name, each in zip(names, shares, strict=True)}
        rows.append({"preset": f"`{preset}`", "scenes": len(scenes), **shown})
    once = published_once() if type_ == "content" else PUBLISHED[type_]
    published = {name: f"{100.0 * each:.1f} %" for name, each in zip(names, (*once, PUBLISHED[type_][0]), strict=True)}
    return [*rows, {"preset": "*published*", "scenes": "", **published}]


def _share(scenes: int, share: float, low: float, high: float) -> str:
    """Return a share; with few scenes an interval would be wrong."""
    interval = f" [{100.0 * low:.1f}, {100.0 * high:.1f}]" if scenes >= 10 else ""
    return f"{100.0 * share:.1f} %{interval}"


TABLES: dict[str, Callable[[str], list[Row] | str]] = {
    "worlds": world_rows,
    "signals": signal_rows,
    "published_defects": published_defect_rows,
    "cameras": camera_rows,
    "physics_parameters": physics_parameter_rows,
    "observation": observation_rows,
    "action": action_rows,
    "strengths": strength_rows,
    "comparison": comparison_rows,
    "accuracy": accuracy_rows,
    "attained": attained_rows,
    "limits": limit_rows,
    "severity": severity_table,
    "experts": expert_rows,
    "learned": learned_rows,
    "learned_summary": learned_summary_rows,
    "learned_by_algorithm": learned_by_algorithm_rows,
    "training_seconds": training_second_rows,
    "longitudinal_response": lambda _: _measured("longitudinal_response"),
    "attacks": attack_rows,
    "audit": audit_rows,
    "audited_alarms": audited_alarm_rows,
    "adaptive_alarms": adaptive_alarm_rows,
    "audit_verdicts": audit_verdict_rows,
    "stream_alarms": stream_alarm_rows,
    "stream_conditions": stream_condition_rows,
    "stream_promises": stream_promise_rows,
    "stream_outcomes": stream_outcome_rows,
    "stream_net": stream_net_rows,
    "stream_after_faults": stream_after_fault_rows,
    "stream_nulls": stream_null_rows,
    "stream_faults": stream_fault_rows,
    "quickstart": quickstart_table,
    "pivot": pivot_table,
    "learning": learning_rows,
    "learning_missing": learning_missing,
    "convergence": convergence_rows,
    "modern": modern_rows,
    "pidforest": pidforest_rows,
    "latency": latency_rows,
    "metrics": metric_sections,
    "published_summary": published_summary,
    "study_outcomes": study_outcomes,
    "coverage": coverage_rows,
    "comparison_coverage": comparison_coverage_rows,
    "scene_visibility": scene_visibility_rows,
    "world_gallery": world_gallery,
    "anomaly_gallery": anomaly_gallery,
}


def pages() -> list[Path]:
    """Return every page."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def refreshed(text: str) -> str:
    """Return a page with up-to-date tables."""

    def fill(found: re.Match[str]) -> str:
        made = TABLES[found["name"]](found["argument"])
        return f"{found[1]}\n{made if isinstance(made, str) else markdown(made, escape=False)}\n\n{found[4]}"

    return TABLE.sub(fill, text)


if __name__ == "__main__":
    for page in pages():
        page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")
