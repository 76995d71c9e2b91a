"""The numbers by which detectors are compared, and which way each is better."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.core.errors import UnknownName, did_you_mean


@dataclass(frozen=True, slots=True)
class Metric:
    """A number by which detectors are compared.

    Args:
        name: Column of the results.
        label: What people call it.
        meaning: One sentence.
        higher: Whether more is better.
        chance: What a score reaches that knows nothing; None if that depends on the data.
        unit: Empty for shares.
    """

    name: str
    label: str
    meaning: str
    higher: bool = True
    chance: float | None = None
    unit: str = ""


METRICS = {
    metric.name: metric
    for metric in (
        Metric(
            "matched_auroc",
            "Time-matched AUROC",
            "Probability that a faulty step scores higher than a nominal step of the same age.",
            chance=0.5,
        ),
        Metric(
            "auroc",
            "AUROC",
            "Probability that a faulty step scores higher than a healthy one of its episode. The clock does well.",
        ),
        Metric(
            "excess_auroc",
            "Excess AUROC",
            "AUROC minus that of the nominal scores with the same onsets, so minus what the clock explains.",
            chance=0.0,
        ),
        Metric("average_precision", "Average precision", "Area under precision against recall, of steps."),
        Metric(
            "fpr95",
            "FPR at 95 % TPR",
            "Share of healthy steps in alarm when 95 % of the faulty ones are.",
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
