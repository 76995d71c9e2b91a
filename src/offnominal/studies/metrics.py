"""The metrics of leaderboards and of alarms, with their definitions."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.core.errors import UnknownName, did_you_mean


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of leaderboards or of alarms.

    Args:
        name: Column of the results.
        label: Name in tables and figures.
        meaning: One sentence.
        higher: Whether higher is better.
        random_value: Expected value of random scores; None if it depends on the data.
        unit: Empty for rates.
        centre: Value in the middle of a diverging colour scale; None for a scale from worst to best.
    """

    name: str
    label: str
    meaning: str
    higher: bool = True
    random_value: float | None = None
    unit: str = ""
    centre: float | None = None

    @property
    def heading(self) -> str:
        """Label with its unit, for columns and axes.

        Example:
            >>> METRICS["equal_cost_mean_delay"].heading
            'Delay at equal cost (steps)'
        """
        return f"{self.label} ({self.unit})" if self.unit else self.label


METRICS = {
    metric.name: metric
    for metric in (
        Metric(
            "matched_auroc",
            "Time-matched AUROC",
            "Probability that a faulty step scores higher than a nominal step at the same time of its episode.",
            random_value=0.5,
            centre=0.5,
        ),
        Metric(
            "auroc",
            "AUROC",
            "Probability that a faulty step scores higher than a nominal one of its episode. Time alone scores high.",
            centre=0.5,
        ),
        Metric(
            "excess_auroc",
            "Excess AUROC",
            "AUROC minus the AUROC of nominal scores with the same onsets, which elapsed time explains.",
            random_value=0.0,
            centre=0.0,
        ),
        Metric("average_precision", "Average precision", "Area under precision against recall, of steps."),
        Metric(
            "fpr95",
            "FPR at 95 % TPR",
            "False-positive rate of steps at the threshold that detects 95 % of the faulty steps.",
            higher=False,
        ),
        Metric(
            "equal_cost_mean_delay",
            "Delay at equal cost",
            "Mean steps from onset to alarm, capped at 20, with a threshold that spends 1 false alarm in 1,000 steps.",
            higher=False,
            unit="steps",
        ),
    )
}

TIMING_METRICS = {
    metric.name: metric
    for metric in (
        Metric(
            "median_delay",
            "median delay",
            "Steps from onset to first alarm within which at least half of the faults are detected. A miss is no "
            "delay: the median does not exist where more than half are missed.",
            higher=False,
            unit="steps",
        ),
        Metric(
            "mean_delay",
            "mean delay up to 20",
            "Mean steps from onset to first alarm. A longer delay and a miss count as 20 steps.",
            higher=False,
            unit="steps",
        ),
        Metric("within_10", "within 10 steps", "Share of faults with an alarm at most 10 steps after the onset."),
        Metric("miss_rate", "missed", "Share of faults without an alarm after the onset.", higher=False),
        Metric("early_rate", "early", "Share of faulty episodes with an alarm before the onset.", higher=False),
        Metric(
            "false_alarms",
            "false per 1,000 steps",
            "Steps in alarm per 1,000 steps of nominal test episodes.",
            higher=False,
        ),
    )
}
"""The metrics of alarms, from onsets to alarms and on nominal episodes."""


def metric_named(name: str) -> Metric:
    """Return a metric by its column, or raise :class:`UnknownName` with the nearest right one.

    Example:
        >>> metric_named("fpr95").higher
        False
    """
    if name not in METRICS:
        raise UnknownName(f"no metric {name!r}.{did_you_mean(name, METRICS)} There are: {', '.join(METRICS)}.")
    return METRICS[name]
