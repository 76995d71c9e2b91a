"""Evaluate a detector in worlds other than the one it was trained in."""

from __future__ import annotations

from collections.abc import Mapping

from offnominal.alarms.alarm import Alarm
from offnominal.datasets.dataset import Dataset
from offnominal.detectors.detector import Detector
from offnominal.evaluation.detector_evaluation import DetectorEvaluation, DetectorEvaluator, Meter, Options

Alarms = Mapping[str, Alarm]


class TransferEvaluation:
    """Evaluates a detector and its alarms in several worlds.

    Args:
        detector: Not fitted yet.
        alarms: By name, not fitted yet. They are calibrated on the validation split of the training world.
        recalibrated: By name, not fitted yet. They are calibrated on the validation split of the tested world.
        replicates: Number of bootstrap replicates.
        meter: Measures the cost of fitting, scoring and evaluating.

    Attributes:
        steps: Number of transitions scored so far.
    """

    def __init__(
        self, detector: Detector, alarms: Alarms, recalibrated: Alarms, *, replicates: int, meter: Meter
    ) -> None:
        self.detector = detector
        self.alarms = alarms
        self.recalibrated = recalibrated
        self.replicates = replicates
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

    def evaluate(self, data: Dataset, *, recalibrate: bool) -> DetectorEvaluation:
        """Evaluate the detector on every fault of a world.

        Args:
            data: Dataset of the tested world.
            recalibrate: Whether to evaluate the recalibrated alarms too.
        """
        alarms = {**self.alarms, **(self.recalibrated if recalibrate else {})}
        evaluator = DetectorEvaluator(self.detector, alarms, self.meter, self.steps)
        if recalibrate:
            evaluator.calibrate(data, self.recalibrated)
        evaluation = evaluator.evaluate(data, options=Options(replicates=self.replicates))
        self.steps = evaluator.steps
        return evaluation
