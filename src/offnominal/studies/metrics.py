"""The metrics of studies: one definition of each for leaderboards, report pages and the documentation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from offnominal.core.errors import UnknownName, did_you_mean


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of studies.

    Args:
        name: Column of the results.
        label: Name in tables and figures.
        meaning: The definition in one or two sentences.
        formula: The definition as a formula.
        use: When to read it, and what to read beside it.
        higher: Whether higher is better.
        random_value: Expected value of random scores; None if it depends on the data.
        low: Smallest possible value.
        high: Largest possible value; None if there is none.
        unit: Empty for rates.
        centre: Value in the middle of a diverging colour scale; None for a scale from worst to best.

    Example:
        >>> METRICS["fpr95"].label, METRICS["fpr95"].range
        ('FPR at 95 % TPR', '0 to 1')
    """

    name: str
    label: str
    meaning: str
    formula: str
    use: str
    higher: bool = True
    random_value: float | None = None
    low: float = 0.0
    high: float | None = 1.0
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

    @property
    def range(self) -> str:
        """Possible values as text, with the unit."""
        values = f"{self.low:g} to {self.high:g}" if self.high is not None else f"{self.low:g} or more"
        return f"{values} {self.unit}".rstrip()


def _by_name(*metrics: Metric) -> dict[str, Metric]:
    return {metric.name: metric for metric in metrics}


METRICS = _by_name(
    Metric(
        "matched_auroc",
        "Time-matched AUROC",
        "Probability that a faulty step scores higher than a nominal step at the same time of its episode.",
        "mean over the faulty steps t of each episode of P(sₜ > s′ₜ) + ½ P(sₜ = s′ₜ), s′ₜ: nominal score at step t; "
        "then the mean over episodes",
        "First choice to compare detectors: elapsed time has no effect, and no threshold is needed.",
        random_value=0.5,
        centre=0.5,
    ),
    Metric(
        "auroc",
        "AUROC",
        "Probability that a faulty step scores higher than a nominal one of its episode. Time alone scores high.",
        "P(s⁺ > s⁻) + ½ P(s⁺ = s⁻) within each episode, then the mean over episodes",
        "To compare with published results. Read the excess or the time-matched AUROC beside it.",
        centre=0.5,
    ),
    Metric(
        "excess_auroc",
        "Excess AUROC",
        "AUROC minus the AUROC of nominal scores with the same onsets, which elapsed time explains.",
        "AUROC(faulty episodes) − AUROC(nominal episodes with the same onsets)",
        "How much of an AUROC is due to the fault; compares with published AUROCs.",
        random_value=0.0,
        low=-1.0,
        centre=0.0,
    ),
    Metric(
        "average_precision",
        "Average precision",
        "Area under precision against recall, of steps.",
        "Σₖ (Rₖ − Rₖ₋₁) Pₖ over the thresholds k of each episode, then the mean over episodes",
        "If faulty steps are rare and false alarms are expensive. Depends on the share of faulty steps.",
    ),
    Metric(
        "fpr95",
        "FPR at 95 % TPR",
        "False-positive rate of steps at the threshold that detects 95 % of the faulty steps.",
        "P(s⁻ ≥ τ) with the largest τ for which P(s⁺ ≥ τ) ≥ 0.95 in each episode, then the mean over episodes",
        "If almost every faulty step must be detected. One threshold only: it says nothing about others.",
        higher=False,
    ),
    Metric(
        "equal_cost_mean_delay",
        "Delay at equal cost",
        "Mean steps from onset to alarm, capped at 20, with a threshold that spends 1 false alarm in 1,000 steps.",
        "mean of min(delay, 20) at the lowest τ with at most 1 of 1,000 nominal steps above it",
        "To compare how soon detectors react, at the same rate of false alarms and without the choice of an alarm.",
        higher=False,
        high=20.0,
        unit="steps",
    ),
)
"""The metrics of leaderboards: those of scores, without an alarm."""

TIMING_METRICS = _by_name(
    Metric(
        "median_delay",
        "median delay",
        "Number of steps within which at least half of the faults are detected. Undefined where more than half are "
        "missed, shown as “> 50 % missed”.",
        "smallest d with P(delay ≤ d) ≥ ½; the delay of a missed fault is infinite",
        "The typical delay of an alarm. Read the share of missed faults and the early alarms beside it.",
        higher=False,
        high=None,
        unit="steps",
    ),
    Metric(
        "mean_delay",
        "mean delay up to 20",
        "Mean of the delay and 20 steps, whichever is smaller. Missed faults are censored at the end of their episode.",
        "Σ S(d) for d = 0 … 19; S(d): Kaplan–Meier estimate of P(delay > d)",
        "Defined even if most faults are missed, so that all detectors and faults can be compared.",
        higher=False,
        high=20.0,
        unit="steps",
    ),
    Metric(
        "within_10",
        "within 10 steps",
        "Share of the faults that are detected at most 10 steps after their onset.",
        "P(delay ≤ 10)",
        "If an alarm is of use only for a limited time. `within_5` and others are the same for other times.",
    ),
    Metric(
        "miss_rate",
        "missed",
        "Share of the faulty episodes without an alarm from the onset on.",
        "P(no alarm at or after the onset)",
        "Read it before any delay: delays are about detected faults.",
        higher=False,
    ),
    Metric(
        "early_rate",
        "early",
        "Share of the faulty episodes with an alarm before the onset.",
        "P(alarm before the onset)",
        "An alarm that is always raised detects everything at once. This rate shows it.",
        higher=False,
    ),
    Metric(
        "false_alarms",
        "false per 1,000 steps",
        "Steps in alarm per 1,000 steps of nominal episodes.",
        "1000 · (nominal steps in alarm) / (nominal steps)",
        "The cost of an alarm while nothing is wrong.",
        higher=False,
        high=1000.0,
    ),
)
"""Delays and false alarms of an alarm, by fault."""

FALSE_ALARM_METRICS = _by_name(
    Metric(
        "false_alarm_episodes",
        "Episodes with a false alarm",
        "Share of the nominal episodes with an alarm at any step.",
        "P(alarm in a nominal episode)",
        "Compare it with the guarantee of an alarm, such as 5 % of nominal episodes.",
        higher=False,
    ),
)
"""Metrics of an alarm on nominal episodes, beside the false alarms per step."""

EVENT_METRICS = _by_name(
    Metric(
        "event_detected",
        "Detected events",
        "Share of the events with an alarm at one of their steps. An event is an interval of faulty steps.",
        "(events with an alarm) / (events)",
        "For recordings with several faults each, such as your own logs.",
    ),
    Metric(
        "event_median_delay",
        "Median delay of events",
        "Number of steps within which at least half of the events are detected; undefined where more are missed.",
        "smallest d with P(delay ≤ d) ≥ ½; the delay of a missed event is infinite",
        "As the median delay, for recordings with several faults.",
        higher=False,
        high=None,
        unit="steps",
    ),
    Metric(
        "event_false_alarms",
        "False alarms between events",
        "Alarms that begin at a nominal step, per 1,000 nominal steps. An alarm of ten steps counts once.",
        "1000 · (alarms that begin at a nominal step) / (nominal steps)",
        "How often an operator is called without reason. `event_false_alarms_per_hour` is the same per hour.",
        higher=False,
        high=1000.0,
        unit="per 1,000 steps",
    ),
)
"""Metrics of recordings with several labelled intervals."""

SCENE_METRICS = _by_name(
    Metric(
        "f1",
        "F1",
        "Harmonic mean of precision and recall of voxels, pixels or points at the threshold of the validation scenes.",
        "2 · PPV · recall / (PPV + recall)",
        "One threshold for all scenes, chosen before the test.",
    ),
    Metric(
        "ppv",
        "PPV (precision)",
        "Share of the detected voxels, pixels or points that are anomalous.",
        "TP / (TP + FP)",
        "With the recall, at the same threshold.",
    ),
    Metric(
        "recall",
        "Recall (TPR)",
        "Share of the anomalous voxels, pixels or points that are detected.",
        "TP / (TP + FN)",
        "With the precision, at the same threshold.",
    ),
    Metric(
        "f1_star",
        "F1*",
        "Mean F1 of connected components over eleven required overlaps, as in SegmentMeIfYouCan.",
        "mean of F1(λ) for λ = 0.25, 0.30, …, 0.75; a true component is found if its sIoU is at least λ",
        "Objects count alike, whatever their size.",
    ),
    Metric(
        "ppv_star",
        "PPV*",
        "Mean share of the detected connected components that lies on true ones.",
        "mean over detected components k of |k ∩ truth| / |k|",
        "How much of what is detected is an anomaly, with equal weights of the components.",
    ),
    Metric(
        "siou",
        "sIoU",
        "Mean adjusted intersection over union of the true connected components.",
        "mean over true components k of |k ∩ D| / |k ∪ (D without other true components)|; D: detected components at k",
        "How well the outline of a detected object matches.",
    ),
)
"""Metrics of driving scenes at one threshold; the elements are voxels, pixels or points."""

NOVELTY_METRICS = _by_name(
    Metric(
        "tnr_at_tpr",
        "TNR at TPR 95",
        "Share of the normal frames or episodes without an alarm at the threshold that detects 95 % of the novel ones.",
        "P(s⁻ < τ) with the largest τ for which P(s⁺ ≥ τ) ≥ 0.95",
        "If almost every novelty must be detected. It is 1 − FPR at 95 % TPR.",
    ),
    Metric(
        "ppv_at_tpr",
        "PPV at TPR 95",
        "Precision at the threshold that detects 95 % of the novel frames; normal and novel frames weigh 75 to 25.",
        "w⁺ TPR / (w⁺ TPR + w⁻ FPR)",
        "As the TNR, in terms of alarms. Depends on the weights.",
    ),
    Metric(
        "tpr_at_ppv",
        "TPR at a required PPV",
        "Largest share of novel elements that is detected by a threshold with a precision of 80 % (frames) or 95 % "
        "(episodes). Undefined if no threshold has it.",
        "max TPR(τ) over all τ with PPV(τ) ≥ the requirement",
        "If few alarms may be wrong.",
    ),
    Metric(
        "delay_at_tpr",
        "Delay at TPR 95",
        "Mean number of frames before the first alarm at the threshold that detects 95 % of the novel episodes. An "
        "episode without an alarm counts with its full length, as published.",
        "mean over types of novelty of the mean number of frames before the first alarm",
        "To compare with published delays. `median_delay` treats misses as infinite.",
        higher=False,
        high=None,
        unit="frames",
    ),
    Metric(
        "accuracy_all",
        "Clustering accuracy",
        "Share of the frames without a label whose cluster is matched with their class. `accuracy_labelled` and "
        "`accuracy_new` are about frames of known and of new classes.",
        "max over one-to-one matchings m of clusters and classes of P(m(cluster) = class)",
        "Discovery of new categories.",
    ),
)
"""Metrics of novelty detection and of the discovery of new categories."""

METRIC_GROUPS: Mapping[str, dict[str, Metric]] = {
    "scores": METRICS,
    "alarms": TIMING_METRICS | FALSE_ALARM_METRICS,
    "events": EVENT_METRICS,
    "scenes": SCENE_METRICS,
    "novelty": NOVELTY_METRICS,
}
"""All metrics, by what they are about."""


def metric_named(name: str) -> Metric:
    """Return a metric of leaderboards by its column, or raise :class:`UnknownName` with the nearest right one.

    Example:
        >>> metric_named("fpr95").higher
        False
    """
    if name not in METRICS:
        raise UnknownName(f"no metric {name!r}.{did_you_mean(name, METRICS)} There are: {', '.join(METRICS)}.")
    return METRICS[name]
