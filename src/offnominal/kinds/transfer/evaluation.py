"""Evaluate a detector in worlds other than the one it was trained in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from offnominal.alarms.alarm import Alarm
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.datasets.dataset import Dataset
from offnominal.detectors.detector import Detector
from offnominal.evaluation.dataset_evaluation import nominal_split
from offnominal.evaluation.split_evaluation import effective_onsets
from offnominal.studies.detector_evaluation import EvaluationContext, SplitEvaluation
from offnominal.studies.resource_meter import ResourceMeter

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
        self, detector: Detector, alarms: Alarms, recalibrated: Alarms, *, replicates: int, meter: ResourceMeter
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
        train = list(data["train"])
        with self.meter("fit"):
            self.detector.fit(train, seed=seed)
        context = self._context()
        _calibrate(context, self.alarms, data)
        self.steps += context.steps

    def evaluate(self, data: Dataset, *, recalibrate: bool) -> list[SplitEvaluation]:
        """Evaluate the detector on every fault of a world.

        Args:
            data: Dataset of the tested world.
            recalibrate: Whether to evaluate the recalibrated alarms too.
        """
        if not data.faulty:
            raise InvalidParameter(f"the dataset of {data.world} has no split with faults; name anomalies and levels.")
        context = self._context()
        alarms = {**self.alarms, **(self.recalibrated if recalibrate else {})}
        if recalibrate:
            _calibrate(context, self.recalibrated, data)
        context.nominal = context.score(list(data[nominal_split(data, data.faulty) or "test"]))
        if "twins" in data:
            context.twins = list(data["twins"])
            context.twin_scores = context.score(context.twins)
        with self.meter("evaluate"):
            for name, alarm in alarms.items():
                context.count_false_alarms(name, alarm)
        splits = [_evaluate_split(context, alarms, data, name) for name in data.faulty]
        self.steps += context.steps
        return splits

    def _context(self) -> EvaluationContext:
        return EvaluationContext(self.detector, self.meter, self.replicates, [], None, None)


def _calibrate(context: EvaluationContext, alarms: Alarms, data: Dataset) -> None:
    if not alarms and "validation" not in data:
        return
    scores = context.score(list(data["validation"]))
    with context.meter("evaluate"):
        for alarm in alarms.values():
            alarm.fit(scores)


def _evaluate_split(context: EvaluationContext, alarms: Alarms, data: Dataset, name: str) -> SplitEvaluation:
    episodes = list(data[name])
    scores: Sequence[FloatArray] = context.score(episodes)
    with context.meter("evaluate"):
        effective = None if context.twins is None else effective_onsets(episodes, context.twins)
        raised = {key: alarm.alarm(scores) for key, alarm in alarms.items()}
        timings = context.timings(raised, scores, [episode.onset for episode in episodes], effective)
        return SplitEvaluation(context.report(name, scores, episodes), timings, context.guarantees)
