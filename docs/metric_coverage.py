"""Measured coverage of the interval of each metric, from `docs/measured/coverage.csv`."""

import csv
from collections.abc import Mapping
from pathlib import Path

from offnominal.core.rounding import fixed

FILE = Path(__file__).parent / "measured" / "coverage.csv"
NARROW = 0.93
"""An interval with a lower coverage is called too narrow."""
MEASURED_AS: Mapping[str, tuple[str, ...]] = {
    "net_detection": ("Net detection",),
    "matched_auroc": ("Time-matched AUROC",),
    "net_delay": ("Net delay",),
    "net_area": ("Net area",),
    "auroc": ("AUROC",),
    "excess_auroc": ("Excess AUROC",),
    "average_precision": ("Average precision",),
    "fpr95": ("FPR at 95 % TPR",),
    "budget_detected": ("Detection at budget",),
    "budget_mean_delay": ("Delay at budget",),
    "budget_area": ("Area over budgets",),
    "null_auroc": ("Null AUROC",),
    "episode_auroc": ("AUROC of episodes",),
    "pooled_auroc": ("Pooled AUROC",),
    "pooled_average_precision": ("Pooled average precision",),
    "pooled_fpr95": ("Pooled FPR at 95 % TPR",),
    "median_delay": ("Median delay",),
    "mean_delay": ("Mean delay",),
    "within_10": ("Within 10 steps",),
    "within_20": ("Within 10 steps",),
    "miss_rate": ("Missed",),
    "early_rate": ("Early",),
    "false_alarms": ("Rate of false alarms",),
    "false_alarms_per_hour": ("Rate of false alarms",),
    "steps_in_alarm": ("Steps in alarm",),
    "detected_before_failure": ("Detected before failure",),
    "lead_time_before_failure": ("Lead time before failure",),
    "false_alarm_episodes": ("Episodes with a false alarm",),
    "recovery_alarm": ("Alarm after recovery",),
    "net_recovery_alarm": ("Net alarm after recovery",),
    "recovery_steps_in_alarm": ("Steps in alarm after recovery",),
    "event_detected": ("Detected events",),
    "event_median_delay": ("Median delay of events",),
    "event_false_alarms": ("False alarms between events",),
    "event_false_alarms_per_hour": ("False alarms between events",),
    "f1": ("Scenes: F1",),
    "ppv": ("Scenes: PPV",),
    "recall": ("Scenes: recall",),
    "f1_star": ("Scenes: F1*",),
    "ppv_star": ("Scenes: PPV*",),
    "siou": ("Scenes: SIoU",),
    "tnr_at_tpr": ("Novelty, frames: TNR at TPR 95", "Novelty, episodes: TNR at TPR 95"),
    "ppv_at_tpr": ("Novelty, frames: PPV at TPR 95", "Novelty, episodes: PPV at TPR 95"),
    "tpr_at_ppv": ("Novelty, frames: TPR at a required PPV", "Novelty, episodes: TPR at a required PPV"),
    "delay_at_tpr": ("Novelty, episodes: delay at TPR 95",),
    "accuracy_all": ("Clustering accuracy",),
}
"""Numbers of the file that a metric is, or is a multiple of; metrics without an interval are left out."""


def measured_coverage() -> dict[str, dict[int, float]]:
    """Return the measured coverage by number, then by number of units."""
    found: dict[str, dict[int, float]] = {}
    with FILE.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["number"], {})[int(row["episodes"])] = float(row["coverage"])
    return found


def coverage_text(metric: str) -> str:
    """Return how often the interval of a metric contains the true value; empty if it was not measured.

    Args:
        metric: Name of the metric.
    """
    measured, names = measured_coverage(), MEASURED_AS.get(metric, ())
    parts = []
    for name in (name for name in names if name in measured):
        about = f"of {name.partition(':')[0].removeprefix('Novelty, ')} " if len(names) > 1 else ""
        parts.append(about + "; ".join(f"{shown(value)} at n = {n}" for n, value in measured[name].items()))
    return "; ".join(parts).replace(", too narrow at", " (too narrow) at")


def shown(coverage: float, *, plain: str = "") -> str:
    """Return a coverage with two digits; one that is too narrow with three, and called so.

    Args:
        coverage: The coverage.
        plain: That of percentiles, which stands behind it in brackets.

    Example:
        >>> shown(0.951, plain="0.892"), shown(0.929)
        ('0.95 (0.89)', '0.929, too narrow')
    """
    narrow = coverage < NARROW
    beside = f" ({fixed(float(plain), 2)})" if plain else ""
    return fixed(coverage, 3 if narrow else 2) + beside + (", too narrow" if narrow else "")
