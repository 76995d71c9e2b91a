"""Comparison of detectors on one dataset: a leaderboard and a page, without a study file."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from offnominal._version import __version__
from offnominal.alarms.alarm import Alarm
from offnominal.alarms.catalogue import make_alarm
from offnominal.core.errors import InvalidParameter, MissingDependency
from offnominal.core.printable import shown
from offnominal.core.progress_bar import progress
from offnominal.core.text_table import text_table
from offnominal.datasets.dataset import Dataset
from offnominal.detectors.catalogue import make_detector
from offnominal.detectors.detector import Detector
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.evaluation.dataset_evaluation import Splits, evaluate_alarms, faulty_splits, scored
from offnominal.evaluation.delays import delay_text
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.evaluation_report import HEADLINE, EvaluationReport, ReportLine
from offnominal.reports.comparison_examples import comparison_examples, examples_table
from offnominal.reports.headline import best_sentence
from offnominal.studies.leaderboards import ties
from offnominal.studies.result_rows import DRAWN, split_columns, type_of
from offnominal.studies.results import RunResults

TRAIN, VALIDATION = "train", "validation"
RANKED_BY = ("episode_auroc", "matched_auroc", "auroc", "pooled_auroc")
DISCRIMINATION = (*RANKED_BY, "excess_auroc", "equal_cost_mean_delay")
TIMING = ("median_delay", "miss_rate", "event_detected", "event_median_delay", "false_alarms", "false_alarms_per_hour")
LABELS = {**HEADLINE, "pooled_auroc": "pooled AUROC", "event_false_alarms": "false per 1,000 between events"}


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Leaderboard of detectors on one dataset; see :func:`compare`.

    Args:
        world: Name of the dataset.
        reports: Reports by detector, then by alarm; the alarm is ``""`` without alarms.
        metric: Metric of the ranking.
        examples: Scores and alarms of example episodes, for the page.
    """

    world: str
    reports: Mapping[str, Mapping[str, EvaluationReport]]
    metric: str
    examples: Any

    def leaderboard(self) -> list[dict[str, Any]]:
        """Return one row per detector, best first, with the mean over all faulty splits.

        Two detectors share a letter in ``ties`` if the 95 % interval of their paired difference contains 0.
        """
        lines = {name: _line(next(iter(found.values()))) for name, found in self.reports.items()}
        found = {name: line.numbers[self.metric] for name, line in lines.items()}
        order = sorted(found, key=lambda name: -(found[name].value or 0.0))
        letters = ties({name: found[name] for name in order}) if _all_drawn(found) else {}
        shown_metrics = [name for name in DISCRIMINATION if any(name in line.numbers for line in lines.values())]
        shown_metrics.sort(key=lambda name: name != self.metric)
        return [
            {
                "rank": number,
                "detector": name,
                "ties": letters.get(name, "") or None,
                **{LABELS[metric]: _text(metric, lines[name].numbers.get(metric)) for metric in shown_metrics},
            }
            for number, name in enumerate(order, 1)
        ]

    def alarms(self) -> list[dict[str, Any]]:
        """Return one row per detector and alarm: delays, false alarms, what is guaranteed and what was measured."""
        rows: list[dict[str, Any]] = []
        for name, found in self.reports.items():
            for alarm, report in found.items():
                line = _line(report)
                if alarm:
                    numbers: dict[str, Any] = {
                        LABELS[key]: _text(key, line.numbers[key]) for key in TIMING if key in line.numbers
                    }
                    rows.append({"detector": name, "alarm": alarm, **numbers, **_guarantee(report)})
        return rows

    def guarantees(self) -> list[dict[str, Any]]:
        """Return one row per detector and alarm: the guaranteed share, the measured share, and the verdict."""
        return [
            {"detector": name, "alarm": alarm, **report.guarantee.shown()}
            for name, found in self.reports.items()
            for alarm, report in found.items()
            if report.guarantee is not None
        ]

    @property
    def notes(self) -> list[str]:
        """Sentences about the intervals."""
        return list(dict.fromkeys(note for found in self.reports.values() for note in next(iter(found.values())).notes))

    def __str__(self) -> str:
        short = [{key: row[key] for key in list(row)[:5]} for row in self.leaderboard()]
        sentence = best_sentence({row["detector"]: row["ties"] or "" for row in short})
        checked = self.guarantees()
        parts = [text_table(short), sentence, *self.notes, f"\n{text_table(checked)}" if checked else ""]
        return "\n".join(part for part in parts if part)

    def rows(self) -> list[dict[str, Any]]:
        """Return every number by detector, alarm and split."""
        return [
            {"detector": name, "alarm": alarm or None, **row}
            for name, found in self.reports.items()
            for alarm, report in found.items()
            for row in report.rows()
        ]

    def to_pandas(self) -> Any:
        """Return :meth:`rows` as a data frame."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingDependency("this needs pandas; install it with `pip install offnominal[pandas]`.") from None
        return pd.DataFrame(self.rows())

    def write_report(self, folder: Path | str) -> Path:
        """Write page, tables and figures into a folder, and return the page."""
        from offnominal.reports.report import write_report

        return write_report(self.results(), folder)

    def results(self) -> RunResults:
        """Return the numbers as results of a run, for every function of reports."""
        rows = [row for name in self.reports for row in self._result_rows(name)]
        names = list(dict.fromkeys(name for row in rows for name in row))
        table = pa.table({name: pa.array([row.get(name) for row in rows], type_of(name)) for name in names})
        manifest = {
            "versions": {"python": platform.python_version(), "offnominal": __version__},
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        title, summary = f"Detectors on {self.world}", f"{len(self.reports)} detectors on the labelled episodes."
        return RunResults("own-data", title, summary, "full", manifest, table, self.examples)

    def _result_rows(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of a detector in the format of a study."""
        for number, (alarm, report) in enumerate(self.reports[name].items()):
            for line in report.lines:
                about = {"key": name, "world": self.world, "policy": "", "name": name, "detector": name, "seed": 0}
                about |= split_columns(line.split)
                if number == 0:
                    drawn = {
                        f"draws_{key}": np.asarray(line.numbers[key].draws, np.float32)
                        for key in DRAWN
                        if key in line.numbers
                    }
                    yield {**about, "alarm": None, **line.row(), **drawn}
                if alarm:
                    guarantee = {} if report.guarantee is None else report.guarantee.row()
                    yield {**about, "alarm": alarm, **line.row(), **guarantee}


def compare(
    detectors: Iterable[str | Detector] | Mapping[str, str | Detector],
    data: Splits,
    *,
    alarms: Iterable[str | Alarm] = (),
    seed: int = 0,
    replicates: int = REPLICATES,
    **options: Any,
) -> Comparison:
    """Fit and evaluate detectors on one dataset.

    Args:
        detectors: Detectors or their names; a fitted detector is not fitted again.
        data: A dataset, or episodes by name of the split: ``train`` and some with active labels, ``validation`` if
            there are alarms, and better also ``test``.
        alarms: Alarms or their names, fitted on the scores of ``validation``.
        seed: Training seed.
        replicates: Bootstrap replicates.
        **options: Further arguments of :func:`~offnominal.evaluation.dataset_evaluation.evaluate`.

    Raises:
        InvalidParameter: There is no detector, two have one name, or a split is missing.

    Example:
        >>> from offnominal.core import Episode
        >>> rng = np.random.default_rng(0)
        >>> def episode(shift):
        ...     active = np.arange(40) >= 20
        ...     observations = rng.normal(size=(41, 2)) + shift * np.append(False, active)[:, None]
        ...     return Episode(observations, np.zeros((40, 0)), np.zeros(40), active & (shift > 0))
        >>> data = {"train": [episode(0) for _ in range(20)], "faulty": [episode(5) for _ in range(20)]}
        >>> print(compare(["Mahalanobis", "Random"], data, replicates=0))
        rank  detector     ties  AUROC  pooled AUROC
        1     Mahalanobis  –     1.000  1.000
        2     Random       –     0.528  0.523
    """
    named = _named(detectors)
    if TRAIN not in data and not all(detector.fitted for detector in named.values()):
        raise InvalidParameter(f"the data has no split {TRAIN!r}; give nominal episodes for training.")
    made = {alarm.id: alarm for alarm in map(make_alarm, _listed("alarms", alarms))}
    if made and VALIDATION not in data:
        raise InvalidParameter(f"the data has no split {VALIDATION!r}; alarms are fitted on its scores.")
    world = data.world if isinstance(data, Dataset) else "own data"
    faulty = list(options.get("splits") or faulty_splits(data))
    reports: dict[str, dict[str, EvaluationReport]] = {}
    examples: list[dict[str, Any]] = []
    with progress("Comparing detectors", total=len(named)) as tick:
        for name, detector in named.items():
            if not detector.fitted:
                detector.fit(data[TRAIN], seed=seed)
            nominal = scored(detector, data[VALIDATION]).scores if made else []
            fitted = {each: alarm.fit(nominal) for each, alarm in made.items()}
            found = evaluate_alarms(detector, data, list(fitted.values()) or [None], replicates=replicates, **options)
            reports[name] = dict(zip(list(fitted) or [""], found, strict=True))
            examples += comparison_examples(name, world, detector, fitted, data, faulty)
            tick(note=name)
    lines = [_line(next(iter(found.values()))) for found in reports.values()]
    return Comparison(world, reports, _ranked_by(lines), examples_table(examples))


def _named(detectors: Any) -> dict[str, Detector]:
    """Return detectors by name, made if they are given by name."""
    if isinstance(detectors, Mapping):
        pairs = list(detectors.items())
    else:
        pairs = [(None, each) for each in _listed("detectors", detectors)]
    named: dict[str, Detector] = {}
    for given, each in pairs:
        if not isinstance(each, str | Detector):
            raise InvalidParameter(f"detectors has the entry {shown(each)}; expected a detector or its name.")
        detector = make_detector(each) if isinstance(each, str) else each
        name = str(given) if given is not None else each if isinstance(each, str) else detector.name
        if name in named:
            raise InvalidParameter(f"two detectors are called {name!r}; give a mapping from names to detectors.")
        named[name] = detector
    if not named:
        raise InvalidParameter("there are no detectors; give at least one.")
    return named


def _listed(what: str, given: Any) -> Sequence[Any]:
    if isinstance(given, str | Detector | Alarm):
        return [given]
    if not isinstance(given, Iterable):
        raise InvalidParameter(f"{what} is {shown(given)}; expected a list.")
    return list(given)


def _line(report: EvaluationReport) -> ReportLine:
    return report.mean() if len(report.lines) > 1 else report.lines[0]


def _guarantee(report: EvaluationReport) -> dict[str, Any]:
    check = report.guarantee
    return {} if check is None else {"guarantee": check.text, **check.shown()}


def _ranked_by(lines: Sequence[ReportLine]) -> str:
    """Return the first metric that every detector has, those with intervals first."""
    known = [name for name in RANKED_BY if all(name in line.numbers for line in lines)]
    defined = [name for name in known if all(line.numbers[name].value is not None for line in lines)]
    with_interval = [name for name in defined if all(line.numbers[name].low is not None for line in lines)]
    for names in (with_interval, defined, known):
        if names:
            return names[0]
    return RANKED_BY[-1]


def _all_drawn(found: Mapping[str, Estimate]) -> bool:
    return all(estimate.low is not None for estimate in found.values())


def _text(metric: str, number: Estimate | None) -> str | None:
    if number is None:
        return None
    return delay_text(number) if metric.endswith("median_delay") else str(number)
