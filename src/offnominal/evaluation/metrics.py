"""The table of metrics: one definition of each for studies, reports, pages and the documentation."""

from __future__ import annotations

from typing import get_args

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.evaluation.alarm_metrics import ALARM_METRICS
from offnominal.evaluation.element_metrics import ELEMENT_METRICS
from offnominal.evaluation.metric import About, Metric, Place
from offnominal.evaluation.score_metrics import SCORE_METRICS

SECONDS = "_s"
"""End of the names of delays in seconds."""
METRICS = {metric.name: metric for metric in (*SCORE_METRICS, *ALARM_METRICS, *ELEMENT_METRICS)}
"""The table of metrics, by name."""
METRIC_GROUPS = {
    about: {name: metric for name, metric in METRICS.items() if metric.about == about} for about in get_args(About)
}
"""All metrics, by what they are about."""


def metrics_at(place: Place) -> dict[str, Metric]:
    """Return the metrics that are shown at a place, in the order of the table.

    Example:
        >>> list(metrics_at("leaderboard"))[:2]
        ['net_detection', 'matched_auroc']
    """
    return {name: metric for name, metric in METRICS.items() if place in metric.places}


LEADERBOARD = metrics_at("leaderboard")
LOG_LEADERBOARD = metrics_at("log leaderboard")
REPLICATED = LEADERBOARD | LOG_LEADERBOARD | metrics_at("replicates")
"""Metrics whose bootstrap replicates are stored: leaderboards compare detectors by them in pairs."""


def metric_named(name: str) -> Metric:
    """Return a metric of leaderboards by its column, or raise :class:`UnknownName` with the nearest right one.

    Other metrics order nothing; the error says what they are for.

    Example:
        >>> metric_named("fpr95").higher
        False
    """
    if name in METRICS and name not in REPLICATED:
        about = METRICS[name]
        raise UnknownName(
            f"detectors are not compared by {name!r} ({about.label}). {about.use} There are: {', '.join(REPLICATED)}."
        )
    if name not in REPLICATED:
        raise UnknownName(f"no metric {name!r}.{did_you_mean(name, REPLICATED)} There are: {', '.join(REPLICATED)}.")
    return REPLICATED[name]


def label_of(name: str) -> str:
    """Return the label of a column of results; delays in seconds end in ``_s``.

    Example:
        >>> label_of("median_delay_s"), label_of("within_5")
        ('median delay (s)', 'within 5')
    """
    if name.endswith(SECONDS) and name.removesuffix(SECONDS) in METRICS:
        return f"{METRICS[name.removesuffix(SECONDS)].label} (s)"
    return METRICS[name].label if name in METRICS else name.replace("_", " ")
