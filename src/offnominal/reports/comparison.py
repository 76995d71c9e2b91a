"""Comparison of detectors on one dataset: a leaderboard and a page, without a study file."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from offnominal._version import __version__
from offnominal.alarms.alarm import Alarm
from offnominal.alarms.catalogue import make_alarm
from offnominal.core.errors import InvalidParameter, MissingDependency
from offnominal.core.printable import shown
from offnominal.core.progress_bar import progress
from offnominal.core.text_table import text_table
from offnominal.detectors.catalogue import make_detector
from offnominal.detectors.detector import Detector
from offnominal.detectors.weights_in_names import name_with_weights
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.evaluation.data_splits import Splits, name_of
from offnominal.evaluation.detector_evaluation import DetectorEvaluation, DetectorEvaluator, Options
from offnominal.evaluation.evaluation_report import EvaluationReport
from offnominal.evaluation.evaluation_rows import evaluation_rows
from offnominal.reports.headline import run_sentences
from offnominal.reports.leaderboard import leaderboard_rows, metrics_of
from offnominal.studies.example_episodes import SCHEMA
from offnominal.studies.result_rows import table_of
from offnominal.studies.results import RunResults

TRAIN, VALIDATION = "train", "validation"


@dataclass(frozen=True, eq=False)
class Comparison:
    """Leaderboard of detectors on one dataset; see :func:`compare`.

    Args:
        world: Name of the dataset.
        evaluations: The evaluation of each detector, with examples for the page.
    """

    world: str
    evaluations: Mapping[str, DetectorEvaluation]

    @property
    def reports(self) -> dict[str, Mapping[str, EvaluationReport]]:
        """Reports by detector, then by alarm; the alarm is ``""`` without alarms."""
        return {name: evaluation.reports for name, evaluation in self.evaluations.items()}

    @property
    def metric(self) -> str:
        """Metric of the ranking."""
        return metrics_of(self._results)[0]

    def leaderboard(self) -> list[dict[str, Any]]:
        """Return one row per detector, best first, with the mean over all faulty splits, as for a study.

        Two detectors share a letter in ``ties`` if the simultaneous interval of their paired difference contains 0.
        """
        return leaderboard_rows(self._results)

    def alarms(self) -> list[dict[str, Any]]:
        """Return one row per detector and alarm: delays, false alarms, what is guaranteed and what was measured."""
        return [
            {"detector": name, "alarm": alarm, **report.alarm_summary(), **_guarantee(report)}
            for name, found in self.reports.items()
            for alarm, report in found.items()
            if alarm
        ]

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
        checked = self.guarantees()
        lines = [*run_sentences(self._results), *self.notes]
        parts = [text_table(short), *lines, f"\n{text_table(checked)}" if checked else ""]
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
        """Return the rows of a study of these detectors, for every function of reports."""
        return self._results

    @cached_property
    def _results(self) -> RunResults:
        rows, examples = [], []
        for name, evaluation in self.evaluations.items():
            about = {"key": name, "world": self.world, "policy": "", "name": name, "detector": name, "seed": 0}
            rows += [about | row for row in evaluation_rows(evaluation.reports)]
            examples += [{key: about[key] for key in about if key in SCHEMA.names} | row for row in evaluation.examples]
        manifest = {
            "versions": {"python": platform.python_version(), "offnominal": __version__},
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        title, summary = f"Detectors on {self.world}", f"{len(self.evaluations)} detectors on the labelled episodes."
        shown_episodes = pa.Table.from_pylist(examples, SCHEMA)
        return RunResults("own-data", title, summary, "full", manifest, table_of(rows), shown_episodes)


def compare(
    detectors: Iterable[str | Detector] | Mapping[str, str | Detector],
    data: Splits,
    *,
    alarms: Iterable[str | Alarm] | Mapping[str, str | Alarm] = (),
    seed: int = 0,
    replicates: int = REPLICATES,
    **options: Any,
) -> Comparison:
    """Fit and evaluate detectors on one dataset.

    The numbers are those of a study over the same episodes.

    Args:
        detectors: Detectors or their names; a fitted detector is not fitted again.
        data: A dataset, or episodes by name of the split: ``train`` and some with active labels, ``validation`` if
            there are alarms, and better also ``test``.
        alarms: Alarms or their names, fitted on the scores of ``validation``; a mapping gives them other names.
        seed: Training seed.
        replicates: Bootstrap replicates.
        **options: Further arguments of :func:`~offnominal.evaluation.dataset_evaluation.evaluate`.

    Raises:
        InvalidParameter: There is no detector, two detectors or alarms have one name, or a split is missing.

    Example:
        >>> import numpy as np
        >>> from offnominal.core import Episode
        >>> rng = np.random.default_rng(0)
        >>> def episode(shift):
        ...     active = np.arange(40) >= 20
        ...     observations = rng.normal(size=(41, 2)) + shift * np.append(False, active)[:, None]
        ...     return Episode(observations, np.zeros((40, 0)), np.zeros(40), active & (shift > 0))
        >>> data = {"train": [episode(0) for _ in range(20)], "faulty": [episode(5) for _ in range(20)]}
        >>> print(compare(["Mahalanobis", "Random"], data, replicates=0))
        rank  detector     ties  AUROC  Average precision
        1     Mahalanobis        1.000  1.000
        2     Random             0.528  0.580
        This run is ordered by AUROC: it has no net detection with intervals.
    """
    named = _named(detectors)
    if TRAIN not in data and not all(detector.fitted for detector in named.values()):
        raise InvalidParameter(f"the data has no split {TRAIN!r}; give nominal episodes for training.")
    made = _named_alarms(alarms)
    if made and VALIDATION not in data:
        raise InvalidParameter(f"the data has no split {VALIDATION!r}; alarms are fitted on its scores.")
    splits = options.pop("splits", None)
    chosen = Options(replicates=replicates, **options)
    found: dict[str, DetectorEvaluation] = {}
    with progress("Comparing detectors", total=len(named)) as tick:
        for name, detector in named.items():
            if not detector.fitted:
                detector.fit(data[TRAIN], seed=seed)
            evaluator = DetectorEvaluator(detector, made)
            if made:
                evaluator.calibrate(data)
            found[name] = evaluator.evaluate(data, splits=splits, options=chosen)
            tick(note=name)
    return Comparison(name_of(data), found)


def _named(detectors: Any) -> dict[str, Detector]:
    """Return detectors by name, made if they are given by name."""
    named: dict[str, Detector] = {}
    for given, each in _pairs("detectors", detectors):
        if not isinstance(each, str | Detector):
            raise InvalidParameter(f"detectors has the entry {shown(each)}; expected a detector or its name.")
        detector = make_detector(each) if isinstance(each, str) else each
        id = each if isinstance(each, str) else _class_of(detector)
        name = str(given) if given is not None else each if isinstance(each, str) else detector.name
        name = name_with_weights(name, id, getattr(detector, "__dict__", {}))
        if name in named:
            raise InvalidParameter(f"two detectors are called {name!r}; give a mapping from names to detectors.")
        named[name] = detector
    if not named:
        raise InvalidParameter("there are no detectors; give at least one.")
    return named


def _named_alarms(alarms: Any) -> dict[str, Alarm]:
    """Return alarms by name, made if they are given by name."""
    named: dict[str, Alarm] = {}
    for given, each in _pairs("alarms", alarms):
        alarm = make_alarm(each)
        name = str(given) if given is not None else each if isinstance(each, str) else alarm.id
        if name in named:
            raise InvalidParameter(f"two alarms are called {name!r}; give a mapping from names to alarms.")
        named[name] = alarm
    return named


def _class_of(detector: Detector) -> str:
    return f"{type(detector).__module__}:{type(detector).__qualname__}"


def _pairs(what: str, given: Any) -> list[tuple[Any, Any]]:
    """Return entries with their names; None for those without one."""
    return list(given.items()) if isinstance(given, Mapping) else [(None, each) for each in _listed(what, given)]


def _listed(what: str, given: Any) -> Sequence[Any]:
    if isinstance(given, str | Detector | Alarm):
        return [given]
    if not isinstance(given, Iterable):
        raise InvalidParameter(f"{what} is {shown(given)}; expected a list.")
    return list(given)


def _guarantee(report: EvaluationReport) -> dict[str, Any]:
    check = report.guarantee
    return {} if check is None else {"guarantee": check.text, **check.shown()}
