"""Reports of a detector on all splits of a world."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from offnominal.alarms.guarantee_check import GuaranteeCheck, over_runs
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
from offnominal.evaluation.metrics import SECONDS, label_of, metrics_at
from offnominal.evaluation.split_report import SplitReport

Numbers = Mapping[str, Estimate]


@dataclass(frozen=True, slots=True, eq=False)
class ReportLine:
    """The numbers of one split, or of several together.

    Args:
        split: Name of the split.
        counts: Exact numbers, such as the number of episodes, by name.
        scores: Estimates that need no alarm, by name.
        alarm: Estimates about the alarm, by name; empty without an alarm.
    """

    split: str
    counts: Mapping[str, int | float | None]
    scores: Numbers
    alarm: Numbers = field(default_factory=dict)

    @property
    def numbers(self) -> Numbers:
        """All estimates by name."""
        return {**self.scores, **self.alarm}

    def row(self) -> dict[str, Any]:
        """Return a flat row: each estimate gives three columns, `name`, `name_low` and `name_high`.

        A median delay is None if the `miss_rate` is above one half.
        """
        return {"split": self.split, **self.counts, **columns_of(self.numbers)}


def columns_of(numbers: Numbers) -> dict[str, float | None]:
    """Return estimates as columns of a table: value and interval."""
    return {column: value for name, number in numbers.items() for column, value in number.columns(name).items()}


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
        lines = tuple(
            ReportLine(split.name, split.counts(), split.score_numbers(), split.alarm_numbers()) for split in details
        )
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
            scores, alarm = (
                {name: _over_seeds(name, [part[name] for part in parts], seed) for name in parts[0]}
                for parts in ([row.scores for row in rows], [row.alarm for row in rows])
            )
            lines.append(ReportLine(rows[0].split, rows[0].counts, scores, alarm))
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
        """Return the unweighted mean over splits of the metrics that all of them have, as leaderboards do.

        Median delays are combined by the median. Splits for which a metric is undefined are left out of its mean.
        """
        scores, alarm = (
            {name: _mean(name, [part[name] for part in parts]) for name in parts[0] if all(name in p for p in parts)}
            for parts in ([line.scores for line in self.lines], [line.alarm for line in self.lines])
        )
        counts = {"episodes": sum(int(line.counts["episodes"] or 0) for line in self.lines)}
        return ReportLine(f"mean of {len(self.lines)}", counts, scores, alarm)

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
        lines = [
            ReportLine(
                line.split, line.counts, *(_in_seconds(part, period, within) for part in (line.scores, line.alarm))
            )
            for line in self.lines
        ]
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
        shown = _in_summary(dict.fromkeys(name for line in lines for name in line.numbers))
        return [
            {
                "split": line.split,
                "episodes": line.counts["episodes"],
                "never faulty": line.counts.get("never_faulty"),
                **_texts(line.numbers, shown),
            }
            for line in lines
        ]

    def alarm_summary(self) -> dict[str, str | None]:
        """Return the most important metrics of the alarm, over all splits, by their labels."""
        found = (self.mean() if len(self.lines) > 1 else self.lines[0]).alarm
        return _texts(found, _in_summary(found))


def number_text(name: str, number: Estimate | None) -> str | None:
    """Return a metric as text; None if there is none.

    Example:
        >>> number_text("median_delay", Estimate(float("inf"))), number_text("auroc", Estimate(0.75))
        ('> 50 % missed', '0.750')
    """
    if number is None:
        return None
    return delay_text(number) if is_median_delay(name) else str(number)


def _in_summary(names: Iterable[str]) -> list[str]:
    """Return the metrics of summaries among some columns, in the order of the table; also those in seconds."""
    order = {name: place for place, name in enumerate(metrics_at("summary"))}
    shown = [name for name in names if name.removesuffix(SECONDS) in order]
    return sorted(shown, key=lambda name: order[name.removesuffix(SECONDS)])


def _texts(numbers: Numbers, names: Iterable[str]) -> dict[str, str | None]:
    return {label_of(name): number_text(name, numbers.get(name)) for name in names}


def _mean(name: str, estimates: Sequence[Estimate]) -> Estimate:
    known = [each for each in estimates if each.value is not None] or estimates
    return (lower_median if is_median_delay(name) else average)(known)


def _over_seeds(name: str, estimates: Sequence[Estimate], seed: int) -> Estimate:
    return (lower_median_over_seeds if is_median_delay(name) else average_over_seeds)(estimates, seed=seed)


def _in_seconds(numbers: Numbers, period: float, within: Sequence[float]) -> dict[str, Estimate]:
    """Return numbers with delays in seconds."""
    seconds = [f"{value:g}s" for value in within]
    found: dict[str, Estimate] = {}
    counts: dict[str, int] = {}
    for name, number in numbers.items():
        stem, _, last = name.rpartition("_")
        if last == "delay":
            scaled = number.times(period)
            found[name + SECONDS] = scaled
        elif stem.endswith("within") and last.isdigit():
            found[f"{stem}_{seconds[counts.setdefault(stem, 0)]}"] = number
            counts[stem] += 1
        else:
            found[name] = number
    return found
