"""The table of metrics: one definition of each for studies, reports, pages and the documentation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from offnominal.core.errors import UnknownName, did_you_mean

SECONDS = "_s"
"""End of the names of delays in seconds."""
About = Literal["scores", "alarms", "events", "scenes", "novelty"]
Place = Literal["leaderboard", "log leaderboard", "replicates", "summary", "timing", "fault"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric: a line of the table.

    Args:
        name: Column of the results.
        about: What it is about.
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
        places: Where it is shown: on every leaderboard, on those of logs whose AUROC has no interval, in summaries of
            an evaluation, in tables of the timing of alarms, beside a single fault. Bootstrap replicates are stored of
            the metrics of leaderboards and of those with ``"replicates"`` among the places.
        share: Whether it is a share of the episodes of a split, whose interval is at least that of Clopper and Pearson.

    Example:
        >>> METRICS["fpr95"].label, METRICS["fpr95"].range
        ('FPR at 95 % TPR', '0 to 1')
    """

    name: str
    about: About
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
    places: tuple[Place, ...] = ()
    share: bool = False

    @property
    def heading(self) -> str:
        """Label with its unit, for columns and axes.

        Example:
            >>> METRICS["budget_mean_delay"].heading
            'Delay at budget (steps)'
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
        "budget_detected",
        "scores",
        "Detection at budget",
        "Share of the faults that are detected at most 20 steps after their onset, at 1 false alarm in 1,000 steps.",
        "P(delay ≤ 20) at the lowest τ with at most 1 false alarm per 1,000 nominal steps",
        "Leaderboards are ordered by it: what a detector detects at a price that an operator can pay.",
        places=("leaderboard", "summary"),
        share=True,
    ),
    Metric(
        "matched_auroc",
        "scores",
        "Time-matched AUROC",
        "Probability that a faulty step scores higher than a nominal step at the same time of its episode.",
        "mean over the faulty steps t of each episode of P(sₜ > s′ₜ) + ½ P(sₜ = s′ₜ), s′ₜ: nominal score at step t;"
        " then the mean over episodes",
        "To compare detectors whatever the threshold: elapsed time has no effect. Read the detection first.",
        random_value=0.5,
        centre=0.5,
        places=("leaderboard", "summary"),
    ),
    Metric(
        "auroc",
        "scores",
        "AUROC",
        "Probability that a faulty step scores higher than a nominal one of its episode. Time alone scores high.",
        "P(s⁺ > s⁻) + ½ P(s⁺ = s⁻) within each episode, then the mean over episodes",
        "To compare with published results. Read the excess or the time-matched AUROC beside it.",
        centre=0.5,
        places=("leaderboard", "summary"),
    ),
    Metric(
        "excess_auroc",
        "scores",
        "Excess AUROC",
        "AUROC minus the AUROC of nominal scores with the same onsets, which elapsed time explains.",
        "AUROC(faulty episodes) − AUROC(nominal episodes with the same onsets)",
        "How much of an AUROC is due to the fault; compares with published AUROCs.",
        random_value=0.0,
        low=-1.0,
        centre=0.0,
        places=("leaderboard", "summary"),
    ),
    Metric(
        "average_precision",
        "scores",
        "Average precision",
        "Area under precision against recall, of steps.",
        "Σₖ (Rₖ − Rₖ₋₁) Pₖ over the thresholds k of each episode, then the mean over episodes",
        "If faulty steps are rare and false alarms are expensive. Depends on the share of faulty steps.",
        places=("leaderboard",),
    ),
    Metric(
        "fpr95",
        "scores",
        "FPR at 95 % TPR",
        "False-positive rate of steps at the threshold that detects 95 % of the faulty steps.",
        "P(s⁻ ≥ τ) with the largest τ for which P(s⁺ ≥ τ) ≥ 0.95 in each episode, then the mean over episodes",
        "If almost every faulty step must be detected. One threshold only: it says nothing about others.",
        higher=False,
        places=("leaderboard",),
    ),
    Metric(
        "budget_mean_delay",
        "scores",
        "Delay at budget",
        "Mean steps from onset to alarm, at 1 false alarm in 1,000 steps; a miss costs 20 steps.",
        "mean of min(delay, 20), 20 for a miss, at the threshold of the detection at the budget",
        "To compare how soon detectors react, at the same rate of false alarms and without the choice of an alarm.",
        higher=False,
        high=20.0,
        unit="steps",
        places=("leaderboard", "summary"),
    ),
    Metric(
        "budget_area",
        "scores",
        "Area over budgets",
        "Mean detection over budgets from 0.1 to 10 false alarms in 1,000 steps.",
        "∫ P(delay ≤ 20 | budget) d log(budget) / log(100) over budgets from 0.1 to 10, by trapezoids",
        "The curve of detection against false alarms as one number, if the budget is not known.",
        places=("leaderboard",),
    ),
    Metric(
        "null_auroc",
        "scores",
        "Null AUROC",
        "AUROC of nominal scores with the onsets of the faulty episodes: what elapsed time alone explains.",
        "AUROC(nominal episodes with the same onsets)",
        "The excess AUROC is the AUROC minus this.",
        centre=0.5,
        places=("summary", "fault"),
    ),
    Metric(
        "time_auroc",
        "scores",
        "AUROC of the time baseline",
        "AUROC of the elapsed time as score.",
        "AUROC with sₜ = t",
        "1 if every fault lasts to the end of its episode; then read the time-matched AUROC.",
        centre=0.5,
        places=("fault",),
    ),
    Metric(
        "episode_auroc",
        "scores",
        "AUROC of episodes",
        "Probability that the largest score of a faulty episode is higher than that of a nominal one.",
        "P(max s⁺ > max s⁻) + ½ P(max s⁺ = max s⁻) over pairs of episodes",
        "For logs in which each episode is nominal or faulty as a whole. Longer episodes have larger maxima.",
        random_value=0.5,
        centre=0.5,
        places=("log leaderboard", "summary"),
    ),
    Metric(
        "pooled_auroc",
        "scores",
        "Pooled AUROC",
        "Probability that a faulty step of any episode scores higher than a nominal step of any faulty episode.",
        "P(s⁺ > s⁻) + ½ P(s⁺ = s⁻) over all steps of a split together",
        "For one long log: it has an interval from blocks. It also rewards episodes that differ as a whole.",
        centre=0.5,
        places=("log leaderboard", "fault"),
    ),
    Metric(
        "pooled_average_precision",
        "scores",
        "Pooled average precision",
        "Area under precision against recall, of all steps of a split together.",
        "Σₖ (Rₖ − Rₖ₋₁) Pₖ over the thresholds k of all steps",
        "To compare with published results that pool steps.",
        places=("replicates",),
    ),
    Metric(
        "pooled_fpr95",
        "scores",
        "Pooled FPR at 95 % TPR",
        "FPR at the threshold that detects 95 % of the faulty steps, of all steps of a split together.",
        "P(s⁻ ≥ τ) with the largest τ for which P(s⁺ ≥ τ) ≥ 0.95 over all steps",
        "To compare with published results that pool steps.",
        higher=False,
        places=("replicates",),
    ),
    Metric(
        "median_delay",
        "alarms",
        "median delay",
        "Number of steps within which at least half of the faults are detected. Undefined where more than half are "
        "missed, shown as “> 50 % missed”.",
        "smallest d with P(delay ≤ d) ≥ ½; the delay of a missed fault is infinite",
        "The typical delay of an alarm. Read the share of missed faults and the early alarms beside it.",
        higher=False,
        high=None,
        unit="steps",
        places=("timing", "summary"),
    ),
    Metric(
        "mean_delay",
        "alarms",
        "mean delay up to 20",
        "Mean of the delay and 20 steps, whichever is smaller. A missed fault costs 20 steps.",
        "mean of min(delay, 20), 20 for a miss; Σ (1 − F(d)) for d = 0 … 19, F: cumulative incidence of detection",
        "Defined even if most faults are missed, so that all detectors and faults can be compared.",
        higher=False,
        high=20.0,
        unit="steps",
        places=("timing",),
    ),
    Metric(
        "within_10",
        "alarms",
        "within 10 steps",
        "Share of the faults that are detected at most 10 steps after their onset.",
        "P(delay ≤ 10)",
        "If an alarm is of use only for a limited time. `within_5` and others are the same for other times.",
        places=("timing", "summary"),
    ),
    Metric(
        "within_20",
        "alarms",
        "within 20 steps",
        "Share of the faults that are detected at most 20 steps after their onset.",
        "P(delay ≤ 20)",
        "The number of an alarm beside the detection at the budget.",
        places=("timing",),
    ),
    Metric(
        "miss_rate",
        "alarms",
        "missed",
        "Share of the faulty episodes without an alarm from the onset on.",
        "P(no alarm at or after the onset)",
        "Read it before any delay: delays are about detected faults.",
        higher=False,
        places=("timing", "summary"),
    ),
    Metric(
        "early_rate",
        "alarms",
        "early",
        "Share of the faulty episodes with an alarm before the onset.",
        "P(alarm before the onset)",
        "An alarm that is always raised detects everything at once. This rate shows it.",
        higher=False,
        places=("timing", "summary"),
    ),
    Metric(
        "false_alarms",
        "alarms",
        "false alarms per 1,000 steps",
        "First alarms of nominal episodes, per 1,000 steps up to them.",
        "1000 · (nominal episodes with an alarm) / (nominal steps up to the first alarm of each)",
        "The cost of an alarm while nothing is wrong: how often an operator is called without reason.",
        higher=False,
        high=1000.0,
        places=("timing", "summary"),
    ),
    Metric(
        "steps_in_alarm",
        "alarms",
        "steps in alarm per 1,000",
        "Steps in alarm per 1,000 steps of nominal episodes; an alarm of ten steps counts ten times.",
        "1000 · (nominal steps in alarm) / (nominal steps)",
        "How long false alarms last. It says nothing about how many there are.",
        higher=False,
        high=1000.0,
    ),
    Metric(
        "detected_before_failure",
        "alarms",
        "detected before failure",
        "Share of the episodes that failed after their onset with an alarm before the failing transition.",
        "P(alarm at least one step before the failing transition) over episodes that failed",
        "Whether there is time to act. Defined only where episodes fail.",
    ),
    Metric(
        "lead_time_before_failure",
        "alarms",
        "lead time before failure",
        "Mean steps from the alarm to the failing transition, of the episodes that failed; 0 without such an alarm.",
        "mean of max(failing transition − alarm, 0), 0 for a miss",
        "How much time there is to act.",
        high=None,
        unit="steps",
    ),
    Metric(
        "false_alarm_episodes",
        "alarms",
        "Episodes with a false alarm",
        "Share of the nominal episodes with an alarm at any step.",
        "P(alarm in a nominal episode)",
        "Compare it with the guarantee of an alarm, such as 5 % of nominal episodes.",
        higher=False,
    ),
    Metric(
        "false_alarms_per_hour",
        "alarms",
        "false alarms per hour",
        "First alarms of nominal episodes, per hour up to them.",
        "3600 · (nominal episodes with an alarm) / (seconds up to the first alarm of each)",
        "The false alarms per 1,000 steps, where the time step is known.",
        higher=False,
        high=None,
        places=("summary",),
    ),
    Metric(
        "event_detected",
        "events",
        "Detected events",
        "Share of the events with an alarm at one of their steps. An event is an interval of faulty steps.",
        "(events with an alarm) / (events)",
        "For recordings with several faults each, such as your own logs.",
        places=("summary",),
    ),
    Metric(
        "event_median_delay",
        "events",
        "Median delay of events",
        "Number of steps within which at least half of the events are detected; undefined where more are missed.",
        "smallest d with P(delay ≤ d) ≥ ½; the delay of a missed event is infinite",
        "As the median delay, for recordings with several faults.",
        higher=False,
        high=None,
        unit="steps",
        places=("summary",),
    ),
    Metric(
        "event_false_alarms",
        "events",
        "False alarms between events",
        "Alarms that begin at a nominal step, per 1,000 nominal steps. An alarm of ten steps counts once.",
        "1000 · (alarms that begin at a nominal step) / (nominal steps)",
        "How often an operator is called without reason. `event_false_alarms_per_hour` is the same per hour.",
        higher=False,
        high=1000.0,
        unit="per 1,000 steps",
    ),
    Metric(
        "event_false_alarms_per_hour",
        "events",
        "False per hour between events",
        "Alarms that begin at a nominal step, per hour of nominal operation. An alarm of ten steps counts once.",
        "(alarms that begin at a nominal step) / (hours of nominal steps)",
        "As the false alarms between events, for logs with a known time step.",
        higher=False,
        high=None,
        places=("summary",),
    ),
    Metric(
        "f1",
        "scenes",
        "F1",
        "Harmonic mean of precision and recall of voxels, pixels or points at the threshold of the validation scenes.",
        "2 · PPV · recall / (PPV + recall)",
        "One threshold for all scenes, chosen before the test.",
    ),
    Metric(
        "ppv",
        "scenes",
        "PPV (precision)",
        "Share of the detected voxels, pixels or points that are anomalous.",
        "TP / (TP + FP)",
        "With the recall, at the same threshold.",
    ),
    Metric(
        "recall",
        "scenes",
        "Recall (TPR)",
        "Share of the anomalous voxels, pixels or points that are detected.",
        "TP / (TP + FN)",
        "With the precision, at the same threshold.",
    ),
    Metric(
        "f1_star",
        "scenes",
        "F1*",
        "Mean F1 of connected components over eleven required overlaps, as in SegmentMeIfYouCan.",
        "mean of F1(λ) for λ = 0.25, 0.30, …, 0.75; a true component is found if its sIoU is at least λ",
        "Objects count alike, whatever their size.",
    ),
    Metric(
        "ppv_star",
        "scenes",
        "PPV*",
        "Mean share of the detected connected components that lies on true ones.",
        "mean over detected components k of |k ∩ truth| / |k|",
        "How much of what is detected is an anomaly, with equal weights of the components.",
    ),
    Metric(
        "siou",
        "scenes",
        "sIoU",
        "Mean adjusted intersection over union of the true connected components.",
        "mean over true components k of |k ∩ D| / |k ∪ (D without other true components)|; D: detected components at k",
        "How well the outline of a detected object matches.",
    ),
    Metric(
        "tnr_at_tpr",
        "novelty",
        "TNR at TPR 95",
        "Share of the normal frames or episodes without an alarm at the threshold that detects 95 % of the novel ones.",
        "P(s⁻ < τ) with the largest τ for which P(s⁺ ≥ τ) ≥ 0.95",
        "If almost every novelty must be detected. It is 1 − FPR at 95 % TPR.",
    ),
    Metric(
        "ppv_at_tpr",
        "novelty",
        "PPV at TPR 95",
        "Precision at the threshold that detects 95 % of the novel frames; normal and novel frames weigh 75 to 25.",
        "w⁺ TPR / (w⁺ TPR + w⁻ FPR)",
        "As the TNR, in terms of alarms. Depends on the weights.",
    ),
    Metric(
        "tpr_at_ppv",
        "novelty",
        "TPR at a required PPV",
        "Largest share of novel elements that is detected by a threshold with a precision of 80 % (frames) or 95 % "
        "(episodes). Undefined if no threshold has it.",
        "max TPR(τ) over all τ with PPV(τ) ≥ the requirement",
        "If few alarms may be wrong.",
    ),
    Metric(
        "delay_at_tpr",
        "novelty",
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
        "novelty",
        "Clustering accuracy",
        "Share of the frames without a label whose cluster is matched with their class. `accuracy_labelled` and "
        "`accuracy_new` are about frames of known and of new classes.",
        "max over one-to-one matchings m of clusters and classes of P(m(cluster) = class)",
        "Discovery of new categories.",
    ),
)
"""The table of metrics, by name."""
METRIC_GROUPS = {
    about: {name: metric for name, metric in METRICS.items() if metric.about == about} for about in get_args(About)
}
"""All metrics, by what they are about."""


def metrics_at(place: Place) -> dict[str, Metric]:
    """Return the metrics that are shown at a place, in the order of the table.

    Example:
        >>> list(metrics_at("leaderboard"))[:2]
        ['budget_detected', 'matched_auroc']
    """
    return {name: metric for name, metric in METRICS.items() if place in metric.places}


LEADERBOARD = metrics_at("leaderboard")
LOG_LEADERBOARD = metrics_at("log leaderboard")
REPLICATED = LEADERBOARD | LOG_LEADERBOARD | metrics_at("replicates")
"""Metrics whose bootstrap replicates are stored: leaderboards compare detectors by them in pairs."""


def metric_named(name: str) -> Metric:
    """Return a metric of leaderboards by its column, or raise :class:`UnknownName` with the nearest right one.

    Example:
        >>> metric_named("fpr95").higher
        False
    """
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
