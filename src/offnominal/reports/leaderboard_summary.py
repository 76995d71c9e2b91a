"""The leaderboard of a study on faults for the terminal: one metric, the median delay and the false alarms."""

from __future__ import annotations

from typing import Any

from offnominal.evaluation.delays import MEDIAN_DELAY
from offnominal.evaluation.metrics import METRICS
from offnominal.reports.default_alarm import default_alarm
from offnominal.reports.leaderboard import metrics_of
from offnominal.reports.timings import readable
from offnominal.studies.leaderboards import leaderboard
from offnominal.studies.results import RunResults
from offnominal.studies.timings import Numbers, over, timings

TIMING = {name: METRICS[name].heading for name in (MEDIAN_DELAY, "false_alarms")}


def summary_rows(results: RunResults, metric: str | None = None) -> list[dict[str, Any]]:
    """Return one row per detector, best first: rank, ties, the metric with its interval, delay and false alarms.

    Args:
        results: The run.
        metric: One of :data:`~offnominal.evaluation.metrics.METRICS`; the first one of the run if None.
    """
    metrics = metrics_of(results)
    if metric is None and not metrics:
        return []
    chosen = metric or metrics[0]
    timing = _timings(results, default_alarm(results.table))
    return [
        {"rank": each.rank, "detector": each.name, "ties": each.tie, METRICS[chosen].label: str(each.estimate)}
        | (readable({label: timing.get(each.name, {}).get(name) for name, label in TIMING.items()}) if timing else {})
        for each in leaderboard(results.table, chosen)
    ]


def _timings(results: RunResults, alarm: str | None) -> dict[str, Numbers]:
    """Return the timing of each detector with an alarm, over worlds and faults."""
    groups: dict[str, list[Numbers]] = {}
    if alarm is not None:
        for (one, _, _, name), numbers in timings(results.table).items():
            if one == alarm:
                groups.setdefault(name, []).append(numbers)
    return {name: over(found) for name, found in groups.items()}
