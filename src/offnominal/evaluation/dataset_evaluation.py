"""Evaluation of a detector on all faults of a dataset."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from offnominal.alarms.alarm import Alarm
from offnominal.core.progress_bar import progress
from offnominal.detectors.detector import Detector
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.evaluation.data_splits import Splits, chosen_splits, name_of
from offnominal.evaluation.detector_evaluation import DetectorEvaluator, Options, Unit
from offnominal.evaluation.evaluation_report import EvaluationReport
from offnominal.evaluation.false_alarm_budget import DEFAULT, FalseAlarmBudget
from offnominal.evaluation.timing import HORIZON, WITHIN


def evaluate(
    detector: Detector,
    data: Splits,
    *,
    alarm: Alarm | None = None,
    splits: Iterable[str] | None = None,
    within: Sequence[float] = WITHIN,
    horizon: float = HORIZON,
    budget: float | FalseAlarmBudget = DEFAULT,
    unit: Unit = "steps",
    period: float | None = None,
    block: int | None = None,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> EvaluationReport:
    """Evaluate a fitted detector on the faults of a dataset.

    Faulty episodes are compared with the split ``test`` (or ``validation`` without it), and with ``twins`` if the
    dataset has it. Every split with active labels counts as faulty. Episodes on disk are read
    and scored some at a time.

    Args:
        detector: Detector fitted on the split ``train``.
        data: The dataset, or episodes by name of the split.
        alarm: Alarm fitted on scores of the split ``validation``; without an alarm there are no delays. Its guarantee
            is checked on the split ``test``.
        splits: Names of splits with faults; all if None.
        within: Delays for which the detected fraction is computed.
        horizon: Horizon of the restricted mean delay.
        budget: Budget of false alarms for the detection at a budget, such as ``FalseAlarmBudget(12, per="hour")``; a
            number is one per 1,000 nominal steps.
        unit: Unit of `within`, `horizon` and all delays: ``"steps"`` or ``"seconds"``.
        period: Seconds per step; if None, the median time step of the extra ``time``, where there is one. With it,
            false alarms are counted per hour too.
        block: Steps of the blocks that the bootstrap draws; see :func:`evaluate_split`.
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
    evaluator = DetectorEvaluator(detector, {} if alarm is None else {alarm.id: alarm})
    options = Options(within, horizon, budget, unit, period, block, replicates, seed)
    chosen = chosen_splits(data, splits)
    with progress(f"Evaluating {detector.name} on {name_of(data)}", total=len(chosen)) as tick:
        found = evaluator.evaluate(data, splits=chosen, options=options, tick=tick)
    (report,) = found.reports.values()
    return report
