"""The page of a reviewed recording."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from offnominal._version import __version__
from offnominal.core.plot_style import pyplot
from offnominal.core.rounding import fixed, significant
from offnominal.evaluation.delays import median_delay
from offnominal.reports.save_figures import save_figures
from offnominal.reports.study_tables import StudyTable
from offnominal.reports.table_report import write_table_report
from offnominal.studies.results import RunResults
from offnominal.watch.log_review.figure import review_figure, shown_time
from offnominal.watch.log_review.review import LogReview
from offnominal.watch.tuning.allowed_rate import HOURS, time_text

Row = dict[str, Any]
CAPTION = "Score of {detector} over time. Dashed: threshold. Orange: events. Blue: the alarm is raised."
EXPLANATION = (
    "The earlier part of the recording trained the detector and calibrated the alarm; this page is about the later "
    "part, which neither has seen. An event is a labelled interval, and its delay the time to the first alarm in it. "
    "The promise is about windows: the rate counts windows without a label that have an alarm, however often it is "
    "raised in one. The list of false alarms has each alarm that begins at a step without a label. The brackets after "
    "a rate are two bounds, each with a confidence of 95 %: an interval of 90 %."
)


def write_log_page(review: LogReview, folder: Path | str) -> Path:
    """Write page, tables and figure of a review into a folder; return the page.

    Example:
        >>> import tempfile
        >>> import numpy as np
        >>> from offnominal.core import Episode
        >>> from offnominal.watch import review_log
        >>> values = np.random.default_rng(0).normal(size=(4001, 2))
        >>> log = [Episode(values, np.zeros((4000, 0)), np.zeros(4000), np.zeros(4000, bool))]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_log_page(review_log(log, "1/hour", period=1.0), folder).name
        'page.html'
    """
    folder = Path(folder)
    for part in ("tables", "figures"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    save_figures(pyplot(), {"log": lambda plt: review_figure(plt, review)}, folder / "figures", dpi=160)
    manifest = {
        "versions": {"python": platform.python_version(), "offnominal": __version__},
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    summary = f"{review.detector} with a threshold for windows, in the later part of the recording."
    rows, none = pa.table({"key": [review.name]}), pa.table({})
    results = RunResults("log-review", f"Alarms in {review.name}", summary, "", manifest, rows, none)
    captions = {"log": CAPTION.format(detector=review.detector)}
    facts = {"events": len(review.events), "windows with a false alarm": review.rate.alarms}
    return write_table_report(
        results, review.recommendation, review_tables(review), captions, folder, facts=facts, explanation=EXPLANATION
    )


def overview(review: LogReview) -> list[Row]:
    """Return the result in few lines."""
    parts, rate = review.parts, review.rate
    seen = sum(event.delay is not None for event in review.events)
    delay = median_delay([float("inf") if event.delay is None else event.delay for event in review.events])
    events = f"{seen} of {len(review.events)}" if review.events else "no labelled event in this part"
    if review.events and delay is not None:
        events += ", more than half missed" if delay == float("inf") else f", median delay {significant(delay)} s"
    per_day = [significant(value * HOURS["day"]) for value in (rate.rate, rate.lower, rate.upper)]
    false = "not counted: no whole window without a label"
    if rate.hours > 0.0:
        false = f"{rate.alarms} in {time_text(rate.hours)}, {per_day[0]} per day, 90 % interval "
        false += f"[{per_day[1]}, {per_day[2]}]"
    drift = "not tested: too few windows"
    if review.order is not None:
        drift = f"{'yes' if review.order.rejected else 'not shown'} (p = {significant(review.order.p, 2)})"
    lengths = ", ".join(time_text(parts.hours(each)) for each in (parts.training, parts.calibration, parts.reviewed))
    return [
        {"what": "Events detected", "found": events},
        {"what": "Windows with a false alarm", "found": false},
        {"what": "Promised", "found": f"at most {significant(review.promised * HOURS['day'])} per day"},
        {"what": "Change with time", "found": drift},
        {"what": "Training, calibration, review", "found": lengths},
    ]


def review_tables(review: LogReview) -> list[StudyTable]:
    """Return every table of a review."""
    found = overview(review)
    return [
        StudyTable("overview", "Result", found, found, note=" ".join(notes(review))),
        event_table(review),
        _times("false_alarms", "False alarms", review.false_alarms.tolist()),
    ]


def notes(review: LogReview) -> list[str]:
    """Return the promise and the test of the order of time in words."""
    said = [f"Promise: {review.guarantee}."]
    return said if review.order is None else [*said, f"Order of time: {review.order}."]


def event_table(review: LogReview) -> StudyTable:
    """Return the events with their delays in seconds and their channels."""
    rows, numbers = [], []
    for event in review.events:
        channels = ", ".join(f"{name} {fixed(100.0 * share, 0)} %" for name, share in event.channels)
        delay = "missed" if event.delay is None else significant(event.delay)
        about = {"begin": shown_time(event.begin), "length s": significant(event.length), "delay s": delay}
        rows.append({**about, "channels": channels})
        numbers.append({"begin_s": event.begin, "length_s": event.length, "delay_s": event.delay, "channels": channels})
    return StudyTable("events", "Events", rows, numbers)


def _times(name: str, title: str, seconds: Sequence[float]) -> StudyTable:
    rows = [{"begin": shown_time(each)} for each in seconds]
    return StudyTable(name, title, rows, [{"begin_s": each} for each in seconds])
