"""Evaluation of detectors with several alarms, from their scores to reports; studies and comparisons share it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from offnominal.alarms.alarm import Alarm
from offnominal.alarms.guarantee_check import check_guarantee, untested
from offnominal.core.checks import number_in, one_of, positive_number
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.progress_bar import ProgressCallback
from offnominal.core.types import FloatArray
from offnominal.detectors.detector import Detector
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.evaluation.data_splits import TEST, Splits, chosen_splits, name_of, nominal_split
from offnominal.evaluation.evaluation_report import EvaluationReport
from offnominal.evaluation.example_episodes import ExampleEpisodes
from offnominal.evaluation.failure import ended_by_failure
from offnominal.evaluation.false_alarm_budget import DEFAULT, FalseAlarmBudget
from offnominal.evaluation.ground_truth import GroundTruth
from offnominal.evaluation.split_evaluation import (
    NominalScores,
    SplitCase,
    effective_onsets,
    nominal_false_alarms,
)
from offnominal.evaluation.split_report import SplitReport
from offnominal.evaluation.step_scores import StepScores
from offnominal.evaluation.timing import HORIZON, WITHIN, FalseAlarms

Unit = Literal["steps", "seconds"]
Meter = Callable[[str], AbstractContextManager[None]]
"""Measures the cost of a block by purpose: fit, score or evaluate."""
STEPS_AT_ONCE = 2**18
TIME = "time"


def unmeasured(purpose: str) -> AbstractContextManager[None]:
    """Measure nothing."""
    return nullcontext()


@dataclass(frozen=True, slots=True)
class Options:
    """Options of an evaluation; see :func:`~offnominal.evaluation.dataset_evaluation.evaluate`."""

    within: Sequence[float] = WITHIN
    horizon: float = HORIZON
    budget: float | FalseAlarmBudget = DEFAULT
    unit: Unit = "steps"
    period: float | None = None
    block: int | None = None
    replicates: int = REPLICATES
    seed: int = 0

    def __post_init__(self) -> None:
        one_of("unit", self.unit, get_args(Unit))
        FalseAlarmBudget.of(self.budget)
        if not isinstance(self.within, Iterable):
            raise InvalidParameter(f"within is {self.within!r}; expected a list of delays, such as [5, 10].")
        if self.period is not None:
            positive_number("period", self.period)

    def steps(self, name: str, value: float, period: float | None) -> int:
        """Return a duration in steps."""
        if self.unit == "steps":
            return value  # type: ignore[return-value]
        if period is None:
            raise InvalidParameter(
                "unit is 'seconds', but the episodes have no extra 'time'; give `period`, the seconds per step."
            )
        return max(round(number_in(name, value, 0.0) / period), 1 if name == "horizon" else 0)


@dataclass(frozen=True, slots=True, eq=False)
class DetectorEvaluation:
    """The evaluation of a detector.

    Args:
        reports: For each alarm, the report of all splits; ``""`` without alarms.
        examples: One row per episode that is stored as an example.
        steps: Number of scored transitions.
    """

    reports: Mapping[str, EvaluationReport]
    examples: list[dict[str, Any]]
    steps: int


@dataclass(eq=False)
class DetectorEvaluator:
    """Fits, scores and evaluates one detector with its alarms.

    Args:
        detector: Fitted, or to be fitted by :meth:`fit`.
        alarms: By name; fitted, or to be fitted by :meth:`calibrate`.
        meter: Measures the cost.
        steps: Number of transitions scored so far.
    """

    detector: Detector
    alarms: Mapping[str, Alarm] = field(default_factory=dict)
    meter: Meter = unmeasured
    steps: int = 0

    def fit(self, data: Splits, *, seed: int) -> None:
        """Fit the detector on the split ``train`` and the alarms on ``validation``, which the detector does not see.

        Args:
            data: The dataset, or episodes by name of the split; without alarms it may lack ``validation``.
            seed: Training seed.
        """
        train = list(data["train"])
        with self.meter("fit"):
            self.detector.fit(train, seed=seed)
        del train
        self.calibrate(data)

    def calibrate(self, data: Splits, alarms: Mapping[str, Alarm] | None = None) -> None:
        """Fit alarms on the scores of the split ``validation``.

        Args:
            data: The dataset.
            alarms: The alarms; all if None.
        """
        alarms = self.alarms if alarms is None else alarms
        if not alarms and "validation" not in data:
            return
        scores = self.score(data["validation"]).scores
        with self.meter("evaluate"):
            for alarm in alarms.values():
                alarm.fit(scores)

    def score(self, episodes: Sequence[Episode], *, keep: bool = False) -> ScoredSplit:
        """Score the episodes of a split, some at a time, so that only their scores and labels stay in memory.

        Args:
            episodes: Episodes, in memory or on disk.
            keep: Whether to keep the episodes.
        """
        found = ScoredSplit()
        for group in _groups(episodes, self.detector):
            with self.meter("score"):
                scores = self.detector.score(group)
            found.add(group, scores, keep=keep)
            self.steps += sum(map(len, scores))
        return found

    def evaluate(
        self,
        data: Splits,
        *,
        splits: Iterable[str] | None = None,
        options: Options | None = None,
        tick: ProgressCallback | None = None,
    ) -> DetectorEvaluation:
        """Evaluate the fitted detector and alarms on every fault; each split is scored once for all alarms.

        Args:
            data: The dataset, or episodes by name of the split.
            splits: Names of splits with faults; all if None.
            options: Options; the defaults if None.
            tick: Called after each split.
        """
        chosen = chosen_splits(data, splits)
        run = _DatasetRun.of(self, data, chosen, options or Options())
        reports: dict[str, list[SplitReport]] = {name: [] for name in self.alarms or [""]}
        examples: list[dict[str, Any]] = []
        for name in chosen:
            found, shown = run.split(name)
            examples += shown
            for alarm, report in found.items():
                reports[alarm].append(report)
            if tick is not None:
                tick(note=name)
        return DetectorEvaluation(run.reports(name_of(data), reports), examples, self.steps)


@dataclass(eq=False)
class ScoredSplit:
    """Scores and labels of a split.

    Args:
        scores: One array per episode.
        truths: Labels and faults of each episode.
        period: Median time step of the first episode in seconds; None if its time was not recorded.
        episodes: The episodes themselves, if they were kept.
        examples: The first faulty episodes.
    """

    scores: list[FloatArray] = field(default_factory=list)
    truths: list[GroundTruth] = field(default_factory=list)
    period: float | None = None
    episodes: list[Episode] = field(default_factory=list)
    examples: ExampleEpisodes = field(default_factory=ExampleEpisodes)

    def add(self, episodes: Sequence[Episode], scores: Sequence[FloatArray], *, keep: bool) -> None:
        """Add some episodes."""
        if not self.truths and episodes and TIME in episodes[0].extras and len(episodes[0]):
            self.period = float(np.median(np.diff(episodes[0].extras[TIME])))
        for episode in episodes:
            self.examples.offer(len(self.truths), episode)
            self.truths.append(GroundTruth(episode.active.copy(), episode.events, ended_by_failure(episode)))
        self.scores += scores
        self.episodes += episodes if keep else []


def _groups(episodes: Iterable[Episode], detector: Detector) -> Iterator[list[Episode]]:
    """Yield the episodes in groups; all together if the detector has images, at least one group."""
    group: list[Episode] = []
    steps, any_group = 0, False
    for episode in episodes:
        group.append(episode)
        steps += len(episode)
        if steps >= STEPS_AT_ONCE and not detector.pixel_observations:
            yield group
            group, steps, any_group = [], 0, True
    if group or not any_group:
        yield group


@dataclass(eq=False)
class _DatasetRun:
    """What the splits of a dataset are compared with: nominal scores, twins, false alarms."""

    evaluator: DetectorEvaluator
    data: Splits
    options: Options
    tested: bool
    nominal: NominalScores | None
    nominal_alarms: dict[str, Any]
    false_alarms: dict[str, FalseAlarms | None]
    twins: list[Episode] | None
    twin_scores: list[FloatArray] | None
    period: float | None

    @classmethod
    def of(cls, evaluator: DetectorEvaluator, data: Splits, chosen: list[str], options: Options) -> _DatasetRun:
        """Score the nominal episodes and the twins."""
        others = nominal_split(data, chosen)
        scored = None if others is None else evaluator.score(data[others])
        period = options.period if options.period is not None or scored is None else scored.period
        twins = list(data["twins"]) if "twins" in data else None
        twin_scores = None if twins is None else evaluator.score(twins).scores
        drawn = {"replicates": options.replicates, "seed": options.seed}
        with evaluator.meter("evaluate"):
            nominal = None if scored is None else NominalScores.of(scored.scores, block=options.block, **drawn)
            raised = {} if scored is None else {n: a.alarm(scored.scores) for n, a in evaluator.alarms.items()}
            false = {
                name: None
                if nominal is None
                else nominal_false_alarms(raised[name], nominal.steps, period, options.block, **drawn)
                for name in evaluator.alarms
            }
        return cls(evaluator, data, options, others == TEST, nominal, raised, false, twins, twin_scores, period)

    def split(self, name: str) -> tuple[dict[str, SplitReport], list[dict[str, Any]]]:
        """Return the reports of a split by alarm, and its examples."""
        options, alarms = self.options, self.evaluator.alarms
        found = self.evaluator.score(self.data[name], keep=self.twins is not None)
        self.period = found.period if self.period is None else self.period
        with self.evaluator.meter("evaluate"):
            case = SplitCase.of(
                found.scores,
                found.truths,
                name=name,
                within=[options.steps("within", value, self.period) for value in options.within],
                horizon=options.steps("horizon", options.horizon, self.period),
                block=options.block,
                replicates=options.replicates,
                seed=options.seed,
            )
            twins = None if self.twin_scores is None else StepScores.of(self.twin_scores, "scores of the twins")
            allowed = FalseAlarmBudget.of(options.budget)
            report = case.report(self.nominal, twins, budget=allowed, period=self.period)
            effective = None if self.twins is None else effective_onsets(found.episodes, self.twins)
            raised = {each: alarm.alarm(found.scores) for each, alarm in alarms.items()}
            reports = {
                each: case.with_alarm(
                    report,
                    rows,
                    effective,
                    self.false_alarms[each],
                    period=self.period,
                    nominal=self.nominal_alarms.get(each),
                )
                for each, rows in raised.items()
            }
        examples = found.examples.rows(name, found.scores, self.twin_scores, effective, alarms, raised)
        return reports or {"": report}, examples

    def reports(self, world: str, splits: Mapping[str, list[SplitReport]]) -> dict[str, EvaluationReport]:
        """Return the reports by alarm. Alarms are fitted on ``validation``, so only ``test`` tests their guarantees."""
        made: dict[str, EvaluationReport] = {}
        for name, reports in splits.items():
            alarm = self.evaluator.alarms.get(name)
            check = None if alarm is None else untested(alarm)
            if alarm is not None and self.tested and self.nominal is not None:
                check = check_guarantee(alarm, self.nominal_alarms[name])
            made[name] = EvaluationReport.of(world, reports, guarantee=check)
            if self.options.unit == "seconds":
                made[name] = made[name].in_seconds(float(self.period or 1.0), self.options.within)
        return made
