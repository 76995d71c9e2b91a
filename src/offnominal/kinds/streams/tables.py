"""The tables of a study of streams."""

from __future__ import annotations

from typing import Any

from offnominal.alarms.guarantee_check import BROKEN, KEPT, NO_GUARANTEE
from offnominal.core.rounding import fixed, significant
from offnominal.kinds.streams.promises import ARITHMETIC
from offnominal.kinds.streams.results import Row, StreamResults, mean_of
from offnominal.reports.study_tables import StudyTable

NUMBERS = (
    "false_alarms_h",
    "alarm_events_h",
    "after_faults_h",
    "detected",
    "chance",
    "net_detection",
    "delay_s",
    "middle_delay_s",
    "event_f1",
    "nab",
)
PROMISE_NOTE = (
    "Judged in streams without faults: kept if the 95 % interval ends at most a fifth of the promised rate above it, "
    "broken if the whole interval is above it, else undecided. Intervals here are bootstraps over streams; verdicts use"
    " the wider t interval of the mean over streams, as judged. Promises with a confidence are judged by the mean over "
    "calibrations, which is weaker. A share in the long run is kept if every stream is within the stated error, which "
    "is wide over few units. A promise about any data is arithmetic: no stream can break it, and it is not counted."
)
NULL_NOTE = (
    "Nulls know the time since the stream began, the starts of the world in the last unit, or the size of the drift, "
    "and nothing else. Restarts can tell of faults. Clock and drift are the same in a stream and its twin, so that the "
    "net detection of alarms that learn from no confirmation is 0 by construction, and no evidence. Alarms that learn "
    "from confirmed units can have other thresholds in a stream with faults than in its twin: a value below 0 shows "
    "that the twin is a biased control of them. Alarms that refuse constant scores are left out."
)


def stream_tables(found: StreamResults) -> list[StudyTable]:
    """Return every table of a study of streams."""
    return [
        alarm_table(found),
        condition_table(found),
        promise_table(found),
        outcome_table(found),
        null_table(found),
        fault_table(found),
        series_table(found),
    ]


def alarm_table(found: StreamResults) -> StudyTable:
    """Return the means of each alarm over worlds, conditions and detectors, and how many promises were kept."""
    rows: list[Row] = []
    numbers: list[Row] = []
    for alarm in found.alarms:
        verdicts = [row["verdict_name"] for row in found.chosen(alarm=alarm)]
        numbers.append(
            {
                "alarm": alarm,
                "family": found.chosen(alarm=alarm)[0]["family_name"],
                "excess": found.excess(alarm=alarm),
                **{name: found.mean(name, alarm=alarm) for name in ("net_detection", "delay_s", "detected", "chance")},
                "kept": verdicts.count(KEPT),
                "broken": verdicts.count(BROKEN),
                "judged": sum(verdict not in (NO_GUARANTEE, ARITHMETIC) for verdict in verdicts),
            }
        )
        rows.append(shown_alarm(numbers[-1]))
    title = "Alarms: means over worlds and conditions"
    return StudyTable("alarms", title, rows, numbers, label="Alarms")


def shown_alarm(row: Row) -> Row:
    """Return the row of an alarm for documents."""
    judged = row["judged"]
    return {
        "alarm": row["alarm"],
        "kind": row["family"],
        "false alarms ÷ promised": _shown(row["excess"], 2),
        "net detection": _shown(row["net_detection"], 2),
        "delay s": _shown(row["delay_s"], 1),
        "promises kept": f"{row['kept']} of {judged}" if judged else "–",
        "broken": str(row["broken"]) if judged else "–",
    }


def condition_table(found: StreamResults) -> StudyTable:
    """Return the false alarms of each alarm in each condition, in multiples of what was promised."""
    rows: list[Row] = []
    numbers: list[Row] = []
    for alarm in found.alarms:
        row: Row = {"alarm": alarm}
        for condition in found.conditions:
            wanted = {"alarm": alarm, "condition_name": condition}
            excess, net = found.excess(**wanted), found.mean("net_detection", **wanted)
            row[condition] = None if excess is None or net is None else f"{significant(excess)} ({fixed(net, 2)})"
            numbers.append({"alarm": alarm, "condition": condition, "excess": excess, "net_detection": net})
        rows.append(row)
    title = "False alarms, in multiples of the promised rate; in brackets net detection"
    return StudyTable("conditions", title, rows, numbers, label="Conditions")


def promise_table(found: StreamResults) -> StudyTable:
    """Return what each alarm promised, what was measured in streams without faults, and the verdict."""
    rows: list[Row] = []
    numbers: list[Row] = []
    for each in found.rows:
        if each["verdict_name"] == NO_GUARANTEE:
            continue
        about = _about(each)
        rate = {end: each[f"false_alarms_h{end}"] for end in ("", "_low", "_high")}
        promised = f"{significant(each['promised_h'])} per hour"
        low, high = each.get("judged_h_low"), each.get("judged_h_high")
        shown = None if low is None or high is None else f"[{significant(low)}, {significant(high)}]"
        about_rate = {"promised": promised, "measured": _interval(rate), "judged": shown}
        rows.append({**about, **about_rate, "verdict": each["verdict_name"]})
        numbers.append(
            {
                **about,
                "promise": each["promise_name"],
                "promised_h": each["promised_h"],
                **{f"false_alarms_h{end}": value for end, value in rate.items()},
                "judged_h_low": low,
                "judged_h_high": high,
                "verdict": each["verdict_name"],
                "nominal_h": each["nominal_h"],
            }
        )
    return StudyTable("promises", "Promises, and whether they were kept", rows, numbers, PROMISE_NOTE, label="Promises")


def outcome_table(found: StreamResults) -> StudyTable:
    """Return all numbers of each alarm in each condition of each world."""
    rows: list[Row] = []
    numbers: list[Row] = []
    for each in found.rows:
        about = _about(each)
        rows.append(
            {
                **about,
                "false alarms /h": significant(each["false_alarms_h"]),
                "after faults /h": significant(each["after_faults_h"]),
                "detected": _shown(each["detected"], 2),
                "by chance": _shown(each["chance"], 2),
                "net detection": _interval({end: each[f"net_detection{end}"] for end in ("", "_low", "_high")}, 2),
                "delay s": _interval({end: each[f"delay_s{end}"] for end in ("", "_low", "_high")}, 1),
                "event F1": _shown(each["event_f1"], 2),
                "NAB": _shown(each["nab"], 0),
            }
        )
        ends = [f"{name}{end}" for name in NUMBERS for end in ("", "_low", "_high")]
        values = {name: each[name] for name in ends if name in each}
        numbers.append({**about, **values, **{name: each[name] for name in ("faults", "restarts_h", "nominal_h")}})
    note = "Delay: mean time to an alarm that the twin without faults does not have; a miss counts as the whole fault."
    return StudyTable("outcomes", "False alarms, detection and delay", rows, numbers, note, label="Outcomes")


def null_table(found: StreamResults) -> StudyTable:
    """Return the net detection of each null with each alarm: the mean, and the largest of any world and condition."""
    rows: list[Row] = []
    numbers: list[Row] = []
    for null in dict.fromkeys(row["name"] for row in found.nulls):
        for alarm in found.alarms:
            here = [row for row in found.nulls if (row["name"], row["alarm"]) == (null, alarm)]
            if not here:
                continue
            values = [row["net_detection"] for row in here]
            above = sum((row["net_detection_low"] or 0.0) > 0.0 for row in here)
            mean, largest = mean_of(values), max((value for value in values if value is not None), default=None)
            numbers.append(
                {"null": null, "alarm": alarm, "mean": mean, "largest": largest, "above_0": above, "cells": len(here)}
            )
            shown = {
                "net detection": _shown(mean, 3),
                "largest": _shown(largest, 3),
                "above 0": f"{above} of {len(here)}",
            }
            rows.append({"null": null, "alarm": alarm, **shown})
    title = "Nulls: net detection of the clock, the restarts and the drift alone"
    return StudyTable("nulls", title, rows, numbers, NULL_NOTE, label="Nulls")


def fault_table(found: StreamResults) -> StudyTable:
    """Return the net detection of each alarm by kind of fault, the mean over conditions."""
    rows: list[Row] = []
    numbers: list[Row] = []
    places = dict.fromkeys((row["world"], row["split"]) for row in found.faults)
    for world, split in places:
        here = [row for row in found.faults if (row["world"], row["split"]) == (world, split)]
        row: Row = {"world": world, "fault": split}
        for alarm in found.alarms:
            values = [each["net_detection"] for each in here if each["alarm"] == alarm]
            row[alarm] = _shown(mean_of(values), 2)
            numbers.append({"world": world, "fault": split, "alarm": alarm, "net_detection": mean_of(values)})
        rows.append(row)
    return StudyTable("faults", "Net detection by fault, mean over conditions", rows, numbers, label="Faults")


def series_table(found: StreamResults) -> StudyTable:
    """Return the volume under the surface of precision and recall of each detector, which needs no alarm."""
    rows: list[Row] = []
    for world in found.worlds:
        for name in found.names:
            row: Row = {"world": world, "detector": name}
            for condition in found.conditions:
                row[condition] = found.mean("vus_pr", world=world, name=name, condition_name=condition)
            rows.append(row)
    shown = [
        {key: _shown(value, 2) if isinstance(value, float) else value for key, value in row.items()} for row in rows
    ]
    title = "VUS-PR of the largest scores of units, mean over streams"
    return StudyTable("series", title, shown, rows, label="VUS-PR")


def _about(row: Row) -> Row:
    return {
        "world": row["world"],
        "condition": row["condition_name"],
        "detector": row["name"],
        "seed": row["seed"],
        "alarm": row["alarm"],
    }


def _shown(value: Any, digits: int) -> str | None:
    return None if value is None else f"{value:.{digits}f}"


def _interval(ends: dict[str, float | None], digits: int | None = None) -> str | None:
    parts = [
        None if value is None else significant(value) if digits is None else f"{value:.{digits}f}"
        for value in ends.values()
    ]
    if parts[0] is None:
        return None
    return parts[0] if None in parts else f"{parts[0]} [{parts[1]}, {parts[2]}]"
