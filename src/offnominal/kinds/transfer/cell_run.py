"""Run a cell of a transfer study: fit in one world, score and evaluate in each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from offnominal.alarms.alarm import Alarm
from offnominal.datasets.dataset import Dataset
from offnominal.detectors.detector import Detector
from offnominal.evaluation.detector_evaluation import DetectorEvaluation, DetectorEvaluator, Meter, Options
from offnominal.evaluation.evaluation_rows import evaluation_rows
from offnominal.kinds.faults.cell import Cell
from offnominal.kinds.faults.cell_run import build_alarm, build_detector, options_in
from offnominal.studies.cell_result import CellRows
from offnominal.studies.resource_meter import ResourceMeter

RECALIBRATED = " (recalibrated)"
"""End of the name of an alarm that is calibrated in the tested world."""


def run_transfer(
    cell: Cell,
    column: Literal["world", "policy"],
    tested: Iterable[str],
    data: Mapping[str, Dataset],
    meter: ResourceMeter,
) -> CellRows:
    """Fit the detector of a cell in its world, or with its policy, then score and evaluate it in every tested one.

    Args:
        cell: The cell.
        column: What differs between training and test.
        tested: Names of the tested worlds or policies.
        data: Datasets by these names.
        meter: Measures the cost of fitting, scoring and evaluating.
    """
    trained: str = getattr(cell, column)
    evaluation = TransferEvaluation(
        build_detector(cell),
        {entry.name: build_alarm(entry) for entry in cell.alarms},
        {entry.name + RECALIBRATED: build_alarm(entry) for entry in cell.alarms},
        meter=meter,
    )
    evaluation.fit(data[trained], seed=cell.seed)
    rows: list[Mapping[str, Any]] = []
    for name in tested:
        options = options_in(name if column == "world" else cell.world, cell)
        found = evaluation.evaluate(data[name], recalibrate=name != trained, options=options)
        # It replaces the one of the training, which has a column of its own.
        rows += [{column: name} | row for row in evaluation_rows(found.reports)]
    meter.steps = evaluation.steps
    return CellRows(rows)


Alarms = Mapping[str, Alarm]


class TransferEvaluation:
    """Evaluates a detector and its alarms in several worlds.

    Args:
        detector: Not fitted yet.
        alarms: By name, not fitted yet. They are calibrated on the validation split of the training world.
        recalibrated: By name, not fitted yet. They are calibrated on the validation split of the tested world.
        meter: Measures the cost of fitting, scoring and evaluating.

    Attributes:
        steps: Number of transitions scored so far.
    """

    def __init__(self, detector: Detector, alarms: Alarms, recalibrated: Alarms, *, meter: Meter) -> None:
        self.detector = detector
        self.alarms = alarms
        self.recalibrated = recalibrated
        self.meter = meter
        self.steps = 0

    def fit(self, data: Dataset, *, seed: int) -> None:
        """Fit the detector on the training split, and the alarms on the validation split.

        Args:
            data: Dataset of the training world.
            seed: Training seed.
        """
        evaluator = DetectorEvaluator(self.detector, self.alarms, self.meter, self.steps)
        evaluator.fit(data, seed=seed)
        self.steps = evaluator.steps

    def evaluate(self, data: Dataset, *, recalibrate: bool, options: Options) -> DetectorEvaluation:
        """Evaluate the detector on every fault of a world.

        Args:
            data: Dataset of the tested world.
            recalibrate: Whether to evaluate the recalibrated alarms too.
            options: Options of the evaluation.
        """
        alarms = {**self.alarms, **(self.recalibrated if recalibrate else {})}
        evaluator = DetectorEvaluator(self.detector, alarms, self.meter, self.steps)
        if recalibrate:
            evaluator.calibrate(data, self.recalibrated)
        evaluation = evaluator.evaluate(data, options=options)
        self.steps = evaluator.steps
        return evaluation
