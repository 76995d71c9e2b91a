"""Evaluation of a detector on all faults of a dataset."""

from __future__ import annotations

from collections.abc import Iterable

from offnominal.alarms.alarm import Alarm
from offnominal.core.errors import InvalidParameter
from offnominal.core.progress_bar import progress
from offnominal.datasets.dataset import Dataset
from offnominal.detectors.detector import Detector
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.evaluation.evaluation_report import EvaluationReport
from offnominal.evaluation.split_evaluation import evaluate_split


def evaluate(
    detector: Detector,
    data: Dataset,
    *,
    alarm: Alarm | None = None,
    splits: Iterable[str] | None = None,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> EvaluationReport:
    """Evaluate a fitted detector on the faults of a dataset.

    Faulty episodes are compared with the split ``test``, and with ``twins`` if the dataset has it.

    Args:
        detector: Detector fitted on the split ``train``.
        data: The dataset.
        alarm: Alarm fitted on scores of the split ``validation``; without an alarm there are no delays.
        splits: Names of splits with faults; all if None.
        replicates: Bootstrap replicates; 0 for metrics without intervals.
        seed: Seed of the bootstrap.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from offnominal.datasets import Recipe, generate
        >>> from offnominal.detectors import make_detector
        >>> folder = TemporaryDirectory()
        >>> strengths = {("observation/offset", "large"): 2.0}
        >>> data = generate(Recipe.for_world("SAP-Goal0-v0", episodes=30, strengths=strengths), folder.name)
        >>> report = evaluate(make_detector("KNN").fit(data["train"]), data)
        >>> report["observation/offset@large"].numbers["matched_auroc"].value > 0.95
        True
    """
    chosen = list(data.faults.values()) if splits is None else list(splits)
    if not chosen:
        raise InvalidParameter("the dataset has no split with faults; generate a dataset with anomalies.")
    nominal = detector.score(list(data["test"]))
    twins = list(data["twins"]) if "twins" in data else None
    twin_scores = None if twins is None else detector.score(twins)
    reports = []
    with progress(f"Evaluating {detector.name} on {data.world}", total=len(chosen)) as tick:
        for name in chosen:
            episodes = list(data[name])
            scores = detector.score(episodes)
            reports.append(
                evaluate_split(
                    scores,
                    episodes,
                    name=name,
                    nominal=nominal,
                    alarms=None if alarm is None else alarm.alarm(scores),
                    nominal_alarms=None if alarm is None else alarm.alarm(nominal),
                    twins=twins,
                    twin_scores=twin_scores,
                    replicates=replicates,
                    seed=seed,
                )
            )
            tick(note=name)
    return EvaluationReport.of(data.world, reports)
