"""The table and the page section of faults that end or come again: detection per activation, alarms after recovery."""

from __future__ import annotations

from typing import Any

import pyarrow.compute as pc

from offnominal.core.rounding import fixed
from offnominal.evaluation.delays import HALF_MISSED
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.evaluation_rows import OWN
from offnominal.evaluation.metrics import METRICS
from offnominal.reports.default_alarm import default_alarm
from offnominal.reports.sections import PageSection
from offnominal.reports.study_tables import StudyTable
from offnominal.reports.table_section import table_section
from offnominal.studies.leaderboards import leaderboard
from offnominal.studies.metric_table import MetricTable
from offnominal.studies.results import STUDY, RunResults
from offnominal.studies.timings import over, timings

NAME = "schedules"
SCORES = ("net_detection", "matched_auroc")
DELAYS = ("median_delay", "within_20")
EVENTS = ("event_detected", "event_within_10", "event_false_alarms")
AFTER = ("recovery_steps_in_alarm", "recovery_alarm", "net_recovery_alarm")
HEADINGS = {
    "median_delay": "median delay",
    "within_20": "in 20 steps",
    "event_detected": "activations detected",
    "event_within_10": "activations in 10 steps",
    "event_false_alarms": "false between (per 1,000)",
    "recovery_steps_in_alarm": "in alarm of 20 after recovery",
    "recovery_alarm": "alarm after recovery",
    "net_recovery_alarm": "net alarm after recovery",
}
NOTE = (
    "Means over faults and worlds of one level or schedule; delays, activations and recovery with the alarm {alarm}. "
    "An activation is an uninterrupted interval of faulty steps, and its delay counts from its first step; other "
    "delays count from the first faulty step of the episode, of a ramp from its start. False between: alarms that "
    "begin at nominal steps. Net alarm after recovery: episodes with an alarm more than 20 steps after the last faulty "
    "one, less nominal episodes with an alarm at the same steps. A dash: no fault of the level ends before its episode."
)
Row = dict[str, Any]


def schedule_table(results: RunResults) -> StudyTable | None:
    """Return one row per level and detector, or None if every injected fault of the run lasts to the end.

    Args:
        results: The run.
    """
    table = results.table
    alarm = default_alarm(table) if results.kind == STUDY else None
    if alarm is None or not _some_end(table):
        return None
    measured = {name: MetricTable.of(table, name) for name in SCORES if name in table.column_names}
    scores = {(name, level): _scores(measured.get(name), name, level) for name in SCORES for level in _levels(table)}
    timed = timings(table.filter(pc.equal(table["alarm"], alarm)), (*DELAYS, *EVENTS, *AFTER))
    levels = dict(zip(table["split"].to_pylist(), table["level"].to_pylist(), strict=True))
    rows: list[Row] = []
    numbers: list[Row] = []
    for level in _levels(table):
        for detector in scores[SCORES[0], level] | scores[SCORES[1], level]:
            found = over(
                each for (_, _, split, name), each in timed.items() if name == detector and levels[split] == level
            )
            ranked = {name: scores[name, level].get(detector) for name in SCORES}
            about = {"level": level, "detector": detector}
            shown = {METRICS[name].label: None if each is None else str(each) for name, each in ranked.items()}
            rows.append(about | shown | {HEADINGS[name]: _text(name, found.get(name)) for name in HEADINGS})
            plain = {name: None if each is None else each.value for name, each in ranked.items()}
            finite = {name: None if found.get(name) == float("inf") else found.get(name) for name in HEADINGS}
            numbers.append(about | {"alarm": alarm} | plain | finite)
    title = "Faults by schedule: detection, activations and recovery"
    return StudyTable(NAME, title, rows, numbers, note=NOTE.format(alarm=f"“{alarm}”"), label="Schedules")


def schedule_section(results: RunResults) -> PageSection | None:
    """Return the section of a page with this table, or None."""
    table = schedule_table(results)
    return None if table is None else table_section(table)


def _some_end(table: Any) -> bool:
    """Whether an injected fault ends before its episode."""
    if not {"event_detected", "kind"} <= set(table.column_names):
        return False
    ended = pc.and_(pc.is_valid(table["event_detected"]), pc.not_equal(table["kind"], OWN))
    return bool(pc.any(ended).as_py())


def _levels(table: Any) -> list[str]:
    return [level for level in dict.fromkeys(table["level"].to_pylist()) if level]


def _scores(measured: MetricTable | None, metric: str, level: str) -> dict[str, Estimate]:
    if measured is None:
        return {}
    return {each.name: each.estimate for each in leaderboard(measured, metric, level=level)}


def _text(name: str, value: float | None) -> str | None:
    if value is None:
        return None
    if value == float("inf"):
        return HALF_MISSED
    return fixed(value, 1 if METRICS[name].unit else 2) if name in METRICS else fixed(value, 2)
