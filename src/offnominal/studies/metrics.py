"""The metrics of leaderboards."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.core.errors import UnknownName, did_you_mean


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of leaderboards.

    Args:
        name: Column of the results.
        label: Name in tables and figures.
        meaning: One sentence.
        higher: Whether higher is better.
        random_value: Expected value of random scores; None if it depends on the data.
        unit: Empty for rates.
    """

    name: str
    label: str
    meaning: str
    higher: bool = True
    random_value: float | None = None
    unit: str = ""


METRICS = {
    metric.name: metric
    for metric in (
        Metric(
            "matched_auroc",
            "Time-matched AUROC",
            "Probability that a faulty step scores higher than a nominal step at the same time of its episode.",
            random_value=0.5,
        ),
        Metric(
            "auroc",
            "AUROC",
            "Probability that a faulty step scores higher than a nominal one of its episode. Time alone scores high.",
        ),
        Metric(
            "excess_auroc",
            "Excess AUROC",
            "AUROC minus the AUROC of nominal scores with the same onsets, which elapsed time explains.",
            random_value=0.0,
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


def metric_named(name: str) -> Metric:
    """Return a metric by its column, or raise :class:`UnknownName` with the nearest right one.

    Example:
        >>> metric_named("fpr95").higher
        False
    """
    if name not in METRICS:
        raise UnknownName(f"no metric {name!r}.{did_you_mean(name, METRICS)} There are: {', '.join(METRICS)}.")
    return METRICS[name]
