"""Reports of a detector on all splits of a world."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from offnominal.core.checks import instances_of
from offnominal.core.errors import InvalidParameter, MissingDependency, UnknownName, did_you_mean
from offnominal.core.text_table import text_table
from offnominal.evaluation.delays import delay_text, is_median_delay
from offnominal.evaluation.estimate import (
    Estimate,
    average,
    average_over_seeds,
    lower_median,
    lower_median_over_seeds,
)
from offnominal.evaluation.guarantee_check import GuaranteeCheck, over_runs
from offnominal.evaluation.split_report import SplitReport

HEADLINE = {
    "auroc": "AUROC",
    "null_auroc": "null",
    "excess_auroc": "excess",
    "matched_auroc": "time-matched",
    "episode_auroc": "AUROC of episodes",
    "event_detected": "events detected",
    "event_median_delay": "event delay",
    "event_median_delay_s": "event delay [s]",
    "event_false_alarms_per_hour": "false per hour between events",
    "equal_cost_mean_delay": "delay at equal cost",
    "equal_cost_mean_delay_s": "delay at equal cost [s]",
    "median_delay": "median delay",
    "median_delay_s": "median delay [s]",
    "within_10": "within 10",
    "miss_rate": "missed",
    "early_rate": "early",
    "false_alarms": "false per 1,000",
    "false_alarms_per_hour": "false per hour",
}


@dataclass(frozen=True, slots=True, eq=False)
class ReportLine:
    """The numbers of one split, or of several together.

    Args:
        split: Name of the split.
        counts: Exact numbers, such as the number of episodes, by name.
        numbers: Estimates by name.
    """

    split: str
    counts: Mapping[str, int | float | None]
    numbers: Mapping[str, Estimate]

    def row(self) -> dict[str, Any]:
        """Return a flat row: each estimate gives three columns, `name`, `name_low` and `name_high`.

        A median delay is None if the `miss_rate` is above one half.
        """
        row: dict[str, Any] = {"split": self.split, **self.counts}
        for name, number in self.numbers.items():
            row |= number.columns(name)
        return row


@dataclass(frozen=True, slots=True, eq=False)
class EvaluationReport:
    """Evaluation of a detector in a world.

    Args:
        world: Id of the world.
        lines: One per split.
        details: The reports behind the lines, with curves; empty for a report over several training runs.
        guarantee: What the alarm guaranteed about false alarms, and what was measured; None without an alarm.

    Example:
        >>> import numpy as np
        >>> from offnominal.core import Episode
        >>> from offnominal.evaluation import evaluate_split
        >>> active = np.arange(6) >= 4
        >>> episode = Episode(np.zeros((7, 1)), np.zeros((6, 1)), np.zeros(6), active)
        >>> split = evaluate_split([np.array([0, 2, 1, 0, 2, 3])], [episode], name="mine@hard", replicates=0)
        >>> report = EvaluationReport.of("Toy-v0", [split])
        >>> report.summary()
        [{'split': 'mine@hard', 'episodes': 1, 'never faulty': 0, 'AUROC': '0.938'}]
        >>> report["mine@hard"].numbers["fpr95"]
        Estimate(0.250)
    """

    world: str
    lines: tuple[ReportLine, ...]
    details: tuple[SplitReport, ...] = ()
    guarantee: GuaranteeCheck | None = None

    @classmethod
    def of(
        cls, world: str, splits: Iterable[SplitReport], *, guarantee: GuaranteeCheck | None = None
    ) -> EvaluationReport:
        """Return the report of some splits."""
        details = tuple(instances_of("splits", splits, SplitReport))
        lines = tuple(ReportLine(split.name, split.counts(), split.numbers()) for split in details)
        return cls(world, lines, details, guarantee)

    @classmethod
    def over_seeds(cls, reports: Sequence[EvaluationReport], *, seed: int = 0) -> EvaluationReport:
        """Average reports that differ only in the training seed; median delays are combined by the median.

        Args:
            reports: One per training run, of the same splits and the same bootstrap seed.
            seed: Seed of the draws of runs; see :func:`~offnominal.evaluation.estimate.average_over_seeds`.
        """
        if not reports:
            raise InvalidParameter("there are no reports; give one per training run.")
        if len({tuple((line.split, *line.numbers) for line in report.lines) for report in reports}) > 1:
            raise InvalidParameter(
                "the reports contain different splits or metrics; compute them with the same arguments."
            )
        lines = []
        for rows in zip(*(report.lines for report in reports), strict=True):
            numbers = {}
            for name in rows[0].numbers:
                over_seeds = lower_median_over_seeds if is_median_delay(name) else average_over_seeds
                numbers[name] = over_seeds([row.numbers[name] for row in rows], seed=seed)
            lines.append(ReportLine(rows[0].split, rows[0].counts, numbers))
        checks = [report.guarantee for report in reports if report.guarantee is not None]
        return cls(reports[0].world, tuple(lines), guarantee=over_runs(checks) if checks else None)

    def __getitem__(self, split: str) -> ReportLine:
        """Return the line of a split, or raise :class:`UnknownName` with the nearest name."""
        for line in self.lines:
            if line.split == split:
                return line
        names = [line.split for line in self.lines]
        raise UnknownName(f"no split {split!r} in the report.{did_you_mean(split, names)} It has: {', '.join(names)}.")

    def mean(self) -> ReportLine:
        """Return the unweighted mean over splits of the metrics that all of them have.

        Median delays are combined by the median. A metric that is undefined for one split is undefined in the mean.
        """
        shared = [name for name in self.lines[0].numbers if all(name in line.numbers for line in self.lines)]
        numbers = {}
        for name in shared:
            combine = lower_median if is_median_delay(name) else average
            numbers[name] = combine([line.numbers[name] for line in self.lines])
        counts = {"episodes": sum(int(line.counts["episodes"] or 0) for line in self.lines)}
        return ReportLine(f"mean of {len(self.lines)}", counts, numbers)

    @property
    def notes(self) -> list[str]:
        """Sentences about the intervals of some splits, such as the reason why there are none."""
        return [note for split in self.details for note in split.notes]

    def in_seconds(self, period: float, within: Sequence[float]) -> EvaluationReport:
        """Return the report with delays in seconds: ``median_delay_s``, ``within_2.5s`` and so on.

        Args:
            period: Seconds per step.
            within: Delays in seconds, in the order of those in steps.
        """
        lines = [ReportLine(line.split, line.counts, _in_seconds(line.numbers, period, within)) for line in self.lines]
        return replace(self, lines=tuple(lines))

    def __str__(self) -> str:
        guarantee = [] if self.guarantee is None else [str(self.guarantee)]
        return "\n".join([text_table(self.summary()), *self.notes, *guarantee])

    def to_pandas(self) -> Any:
        """Return :meth:`rows` as a data frame."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingDependency("this needs pandas; install it with `pip install offnominal[pandas]`.") from None
        return pd.DataFrame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per split with all metrics and intervals, and the guarantee of the alarm, for files."""
        guarantee = {} if self.guarantee is None else self.guarantee.row()
        rows = [line.row() | guarantee for line in self.lines]
        names = dict.fromkeys(name for row in rows for name in row)
        return [{name: row.get(name) for name in names} for row in rows]

    def summary(self) -> list[dict[str, Any]]:
        """Return one row per split with the most important metrics, and their mean, for printing."""
        lines = [*self.lines, self.mean()] if len(self.lines) > 1 else list(self.lines)
        shown = [name for name in HEADLINE if any(name in line.numbers for line in lines)]
        return [
            {
                "split": line.split,
                "episodes": line.counts["episodes"],
                "never faulty": line.counts.get("never_faulty"),
                **{HEADLINE[name]: delay_text(line.numbers[name]) if name in line.numbers else None for name in shown},
            }
            for line in lines
        ]


def _in_seconds(numbers: Mapping[str, Estimate], period: float, within: Sequence[float]) -> dict[str, Estimate]:
    """Return numbers with delays in seconds."""
    seconds = [f"{value:g}s" for value in within]
    found: dict[str, Estimate] = {}
    counts: dict[str, int] = {}
    for name, number in numbers.items():
        stem, _, last = name.rpartition("_")
        if last == "delay":
            scaled = Estimate(None if number.value is None else number.value * period, number.draws * period)
            found[f"{name}_s"] = scaled
        elif stem.endswith("within") and last.isdigit():
            found[f"{stem}_{seconds[counts.setdefault(stem, 0)]}"] = number
            counts[stem] += 1
        else:
            found[name] = number
    return found
