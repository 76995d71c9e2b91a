"""Which interval each metric has, and what its bootstrap draws, as the page of metrics says it."""

from collections.abc import Mapping

from offnominal.evaluation.metric import Metric

PAIRED = frozenset(
    {
        "net_detection",
        "matched_auroc",
        "net_delay",
        "net_area",
        "excess_auroc",
        "budget_detected",
        "budget_mean_delay",
        "budget_area",
        "episode_auroc",
        "net_recovery_alarm",
    }
)
"""Metrics whose bootstrap draws faulty and, independently, nominal episodes."""
NOMINAL = frozenset({"null_auroc", "false_alarms", "false_alarms_per_hour", "steps_in_alarm", "false_alarm_episodes"})
"""Metrics of nominal episodes alone."""
SHARES = frozenset(
    {
        "net_detection",
        "budget_detected",
        "within_10",
        "within_20",
        "miss_rate",
        "early_rate",
        "detected_before_failure",
        "false_alarm_episodes",
        "recovery_alarm",
        "net_recovery_alarm",
    }
)
"""Shares of episodes, whose interval is at least as wide as that of Clopper and Pearson."""
NONE = frozenset({"time_auroc"})
"""Metrics without an interval: nothing in them is measured with a detector."""
UNITS: Mapping[str, str] = {
    "false_alarms": "per 1,000 steps",
    "false_alarms_per_hour": "per hour",
    "steps_in_alarm": "per 1,000 steps",
    "event_false_alarms_per_hour": "per hour",
}
"""Units of metrics whose label has the unit already."""
FEWEST_FAILURES = 5


def interval_text(metric: Metric) -> str:
    """Return the interval of a metric in words.

    Args:
        metric: The metric.
    """
    if metric.name in NONE:
        return "none"
    about = {"events": "recordings; of one long recording, blocks", "scenes": "scenes", "novelty": "episodes"}
    drawn = about.get(metric.about, "faulty episodes")
    if metric.name.removeprefix("net_") in ("recovery_alarm", "recovery_steps_in_alarm"):
        drawn = "faulty episodes"
    if metric.name in NOMINAL:
        drawn = "nominal episodes"
    if metric.name in PAIRED:
        drawn = "faulty and nominal episodes"
    text = f"bootstrap over {drawn}"
    if metric.name in SHARES:
        text += ", at least that of Clopper and Pearson"
    if metric.name == "lead_time_before_failure":
        text += f"; none with fewer than {FEWEST_FAILURES} failures"
    return text


def range_text(metric: Metric) -> str:
    """Return the range of a metric with its unit."""
    unit = UNITS.get(metric.name, "")
    return metric.range if metric.range.endswith(unit) else f"{metric.range} {unit}"
