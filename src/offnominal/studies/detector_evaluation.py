"""Evaluate a detector on every fault of a dataset; each split is scored once for all alarms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from offnominal.alarms.alarm import Alarm
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import BoolArray, FloatArray
from offnominal.datasets.dataset import Dataset
from offnominal.detectors.detector import Detector
from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.dataset_evaluation import TEST, nominal_split
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.guarantee_check import GuaranteeCheck, check_guarantee, untested
from offnominal.evaluation.split_evaluation import effective_onsets, evaluate_split
from offnominal.evaluation.split_report import SplitReport
from offnominal.evaluation.step_scores import flags
from offnominal.evaluation.timing import AlarmOutcomes, FalseAlarms, measure_false_alarms, timing_of_outcomes
from offnominal.studies.example_episodes import example_rows
from offnominal.studies.resource_meter import ResourceMeter

BOOTSTRAP = 0
"""Seed of every bootstrap, so that detectors can be compared replicate by replicate."""

Onsets = Sequence[int | None]
Row = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class DetectorEvaluation:
    """The evaluation of a detector.

    Args:
        splits: One entry per split with faults.
        examples: One row per episode that is stored as an example.
        steps: Number of scored transitions.
    """

    splits: list[SplitEvaluation]
    examples: list[Row]
    steps: int


@dataclass(frozen=True, slots=True, eq=False)
class SplitEvaluation:
    """The evaluation of a detector on one split.

    Args:
        report: Discrimination metrics, and delays at equal cost.
        timings: For each alarm, estimates by name.
        guarantees: For each alarm, its guarantee and what was measured.
    """

    report: SplitReport
    timings: dict[str, dict[str, Estimate]]
    guarantees: dict[str, GuaranteeCheck]


def evaluate_detector(
    detector: Detector, alarms: Mapping[str, Alarm], data: Dataset, *, seed: int, replicates: int, meter: ResourceMeter
) -> DetectorEvaluation:
    """Fit a detector and its alarms, then evaluate them on every fault.

    Alarms are calibrated on the validation split, which the detector does not see.

    Args:
        detector: Not fitted yet.
        alarms: By name, not fitted yet.
        data: With the splits ``train``, ``validation``, ``test``, some with faults, and perhaps ``twins``. A dataset
            of your own may lack ``test``, and without alarms also ``validation``.
        seed: Training seed.
        replicates: Number of bootstrap replicates.
        meter: Measures the cost of fitting, scoring and evaluating.
    """
    if not data.faulty:
        raise InvalidParameter(f"the dataset of {data.world} has no split with faults; name anomalies and levels.")
    train = list(data["train"])
    with meter("fit"):
        detector.fit(train, seed=seed)
    del train
    context = EvaluationContext.of(detector, alarms, data, replicates, meter)
    splits, examples = [], []
    for name in data.faulty:
        episodes = list(data[name])
        scores = context.score(episodes)
        with meter("evaluate"):
            onsets = [episode.onset for episode in episodes]
            effective = None if context.twins is None else effective_onsets(episodes, context.twins)
            report = context.report(name, scores, episodes)
            raised = {each: alarm.alarm(scores) for each, alarm in alarms.items()}
            timings = context.timings(raised, scores, onsets, effective)
            splits.append(SplitEvaluation(report, timings, context.guarantees))
        examples += example_rows(name, episodes, scores, context.twin_scores, effective, alarms, raised)
    return DetectorEvaluation(splits, examples, context.steps)


@dataclass(eq=False)
class EvaluationContext:
    """Nominal scores and alarms that every split is compared with.

    Args:
        detector: Fitted.
        meter: Measures the cost of scoring.
        replicates: Number of bootstrap replicates.
        nominal: Scores of the test split.
        twins: The twins, if the dataset has them.
        twin_scores: Their scores.
        false: False alarms of each alarm on the test split.
        guarantees: Guarantee of each alarm, and what was measured on the test split.
        steps: Number of transitions scored so far.
    """

    detector: Detector
    meter: ResourceMeter
    replicates: int
    nominal: list[FloatArray]
    twins: list[Episode] | None
    twin_scores: list[FloatArray] | None
    false: dict[str, FalseAlarms] = field(default_factory=dict)
    guarantees: dict[str, GuaranteeCheck] = field(default_factory=dict)
    steps: int = 0

    @classmethod
    def of(
        cls, detector: Detector, alarms: Mapping[str, Alarm], data: Dataset, replicates: int, meter: ResourceMeter
    ) -> EvaluationContext:
        """Score the splits without faults and fit the alarms."""
        context = cls(detector, meter, replicates, [], None, None)
        calibration = context.score(list(data["validation"])) if "validation" in data else []
        split = nominal_split(data, data.faulty) or TEST
        context.nominal = context.score(list(data[split]))
        if "twins" in data:
            context.twins = list(data["twins"])
            context.twin_scores = context.score(context.twins)
        with meter("evaluate"):
            for name, alarm in alarms.items():
                context.count_false_alarms(name, alarm.fit(calibration), tested=split == TEST)
        return context

    def count_false_alarms(self, name: str, alarm: Alarm, *, tested: bool = True) -> None:
        """Measure the false alarms of a fitted alarm, and check its guarantee.

        Args:
            name: Name of the alarm.
            alarm: The alarm.
            tested: Whether the nominal episodes are others than those of the calibration, which test nothing.
        """
        raised = alarm.alarm(self.nominal)
        self.false[name] = measure_false_alarms(raised, replicates=self.replicates, seed=BOOTSTRAP)
        self.guarantees[name] = check_guarantee(alarm, raised) if tested else untested(alarm)

    def score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        """Score some episodes."""
        with self.meter("score"):
            scores = self.detector.score(episodes)
        self.steps += sum(map(len, scores))
        return scores

    def report(self, name: str, scores: Sequence[FloatArray], episodes: Sequence[Episode]) -> SplitReport:
        """Return the metrics that need no alarm. Curves are left out: they are not stored."""
        report = evaluate_split(
            scores,
            episodes,
            name=name,
            nominal=self.nominal,
            twin_scores=self.twin_scores,
            replicates=self.replicates,
            seed=BOOTSTRAP,
        )
        return replace(report, operating=None)

    def timings(
        self,
        raised: Mapping[str, Sequence[BoolArray]],
        scores: Sequence[FloatArray],
        onsets: Onsets,
        effective: Onsets | None,
    ) -> dict[str, dict[str, Estimate]]:
        """Return the delays of each alarm, from the onset and from the effective onset."""
        lengths = np.array([len(row) for row in scores], np.int64)
        drawn = Resamples.draw(len(lengths), self.replicates, seed=BOOTSTRAP)
        found: dict[str, dict[str, Estimate]] = {}
        for name, alarms in raised.items():
            joined = flags(alarms, lengths, "alarms")
            outcomes = AlarmOutcomes.of(joined, lengths, onsets)
            found[name] = timing_of_outcomes(outcomes, drawn, false_alarms=self.false[name]).numbers()
            if effective is not None:
                later = timing_of_outcomes(AlarmOutcomes.of(joined, lengths, effective), drawn).numbers()
                found[name] |= {f"effective_{number}": value for number, value in later.items()}
        return found
