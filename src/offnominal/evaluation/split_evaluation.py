"""Evaluation of the scores and alarms of one split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter, InvalidScores
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.evaluation.alarm_budget import AlarmBudget, alarm_budget_of_records
from offnominal.evaluation.bootstrap import REPLICATES, Resamples
from offnominal.evaluation.discrimination import discrimination_of_steps
from offnominal.evaluation.episode_ranking import episode_auroc
from offnominal.evaluation.event_timing import events_of_flags
from offnominal.evaluation.false_alarm_budget import DEFAULT, FalseAlarmBudget
from offnominal.evaluation.ground_truth import GroundTruth
from offnominal.evaluation.net_detection import NetDetection, net_detection_of_steps, net_thresholds
from offnominal.evaluation.null_discrimination import null_discrimination_of_steps
from offnominal.evaluation.records import Records
from offnominal.evaluation.recovery import Recovery, recovery_of
from offnominal.evaluation.resampling_units import units_of, without_intervals
from offnominal.evaluation.split_report import SplitReport
from offnominal.evaluation.step_scores import StepScores, flags
from offnominal.evaluation.time_matched import time_matched_of_steps
from offnominal.evaluation.timing import (
    HORIZON,
    WITHIN,
    AlarmOutcomes,
    FalseAlarms,
    Timing,
    measure_false_alarms,
    timing_of_outcomes,
)
from offnominal.rollouts.twin_rollouts import Twin, effective_onset


def evaluate_split(
    scores: Sequence[Array],
    episodes: Sequence[Episode] | Sequence[GroundTruth],
    *,
    name: str = "",
    nominal: Sequence[Array] | None = None,
    alarms: Sequence[Array] | None = None,
    nominal_alarms: Sequence[Array] | None = None,
    twins: Sequence[Episode] | None = None,
    twin_scores: Sequence[Array] | None = None,
    within: Sequence[int] = WITHIN,
    horizon: int = HORIZON,
    budget: float | FalseAlarmBudget = DEFAULT,
    period: float | None = None,
    block: int | None = None,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> SplitReport:
    """Evaluate the scores of a detector on the faults of one split.

    Intervals are from a bootstrap over episodes. A single episode is cut into blocks for the pooled metrics and for
    events; if it is too short for that, there are no intervals, and the notes of the report say why.

    Args:
        scores: One array per episode with a score for each transition; higher is more anomalous.
        episodes: Faulty episodes, or their ground truths.
        name: Name of the split.
        nominal: Scores of nominal test episodes, for the null, for time-matching and for the detection at a budget.
        alarms: One boolean array per episode, for delays.
        nominal_alarms: The same for nominal test episodes, for false alarms.
        twins: The nominal twin of each episode, for effective onsets.
        twin_scores: Scores of the twins. The null is then computed on them instead of on `nominal`, which reduces the
            variance of the excess.
        within: Delays in steps for which the detected fraction is computed.
        horizon: Horizon of detection at a budget and of the mean delay, in steps.
        budget: Budget of false alarms for the detection at a budget; a number is one per 1,000 nominal steps.
        period: Seconds per step, for false alarms per hour.
        block: Steps of the blocks that the bootstrap draws for pooled metrics and events; None for whole episodes, or
            for blocks of suitable length if there is only one.
        replicates: Bootstrap replicates; 0 for metrics without intervals.
        seed: Seed of the bootstrap. Reports of the same episodes with the same seed can be compared in pairs.

    Example:
        >>> import numpy as np
        >>> rng, active = np.random.default_rng(1), np.arange(50) >= 30
        >>> faulty = [Episode(np.zeros((51, 1)), np.zeros((50, 1)), np.zeros(50), active)] * 100
        >>> nominal = [np.linspace(0.0, 2.0, 50) + rng.normal(size=50) for _ in range(100)]
        >>> scores = [np.linspace(0.0, 2.0, 50) + rng.normal(size=50) + active for _ in range(100)]
        >>> report = evaluate_split(scores, faulty, nominal=nominal)
        >>> report.discrimination.local.auroc, report.null.local.auroc
        (Estimate(0.907 [0.900, 0.913]), Estimate(0.750 [0.736, 0.764]))
        >>> report.matched.auroc
        Estimate(0.759 [0.745, 0.773])
    """
    case = SplitCase.of(
        scores, episodes, name=name, within=within, horizon=horizon, block=block, replicates=replicates, seed=seed
    )
    others = None if nominal is None else NominalScores.of(nominal, block=block, replicates=replicates, seed=seed)
    if twin_scores is not None and len(twin_scores) != len(case.truths):
        raise InvalidScores(f"there are scores of {len(twin_scores)} twins; expected {len(case.truths)}.")
    paired = None if twin_scores is None else StepScores.of(twin_scores, "scores of the twins")
    report = case.report(others, paired, budget=FalseAlarmBudget.of(budget), period=period)
    if alarms is None:
        return report
    false = None
    if nominal_alarms is not None:
        if others is not None:
            flags(nominal_alarms, others.steps.lengths, "nominal alarms")
        joined = None if others is None else others.steps
        false = nominal_false_alarms(nominal_alarms, joined, period, block, replicates=replicates, seed=seed)
    effective = None if twins is None else _twin_onsets(episodes, twins)
    return case.with_alarm(report, alarms, effective, false, period=period, nominal=nominal_alarms)


def nominal_false_alarms(
    alarms: Sequence[Array],
    scores: StepScores | None,
    period: float | None,
    block: int | None,
    *,
    replicates: int,
    seed: int,
) -> FalseAlarms:
    """Return the false alarms of nominal episodes, with intervals from blocks if there is only one episode.

    Args:
        alarms: One boolean array per nominal episode.
        scores: Their scores, for the length of the blocks.
        period: Seconds per step, for the rate per hour.
        block: Steps of a block; None to choose.
        replicates: Bootstrap replicates.
        seed: Seed of the bootstrap.
    """
    if len(alarms) != 1 and block is None:
        return measure_false_alarms(alarms, period=period, replicates=replicates, seed=seed)
    if scores is None:
        units = None
    else:
        units, _ = units_of(scores.values, None, scores.bounds, block)
    found = measure_false_alarms(alarms, period=period, units=units, replicates=replicates, seed=seed)
    if units is None:
        return without_intervals(found)
    return found if len(alarms) > 1 else replace(found, episodes=without_intervals(found.episodes))


def _twin_onsets(episodes: Sequence[Episode] | Sequence[GroundTruth], twins: Sequence[Episode]) -> list[int | None]:
    recorded = [each for each in episodes if isinstance(each, Episode)]
    if len(recorded) < len(episodes):
        raise InvalidParameter("twins need the faulty episodes themselves, not only their ground truths.")
    return effective_onsets(recorded, twins)


def effective_onsets(episodes: Sequence[Episode], twins: Sequence[Episode]) -> list[int | None]:
    """Return the effective onset of each episode; None if its fault has no effect.

    Args:
        episodes: Faulty episodes.
        twins: Their nominal twins, in the same order.
    """
    if len(episodes) != len(twins):
        raise InvalidParameter(f"there are {len(twins)} twins of {len(episodes)} episodes; give one for each.")
    onsets = []
    for number, (faulty, nominal) in enumerate(zip(episodes, twins, strict=True)):
        if faulty.seed != nominal.seed:
            raise InvalidParameter(
                f"episode {number} has seed {faulty.seed}, its twin {nominal.seed}; give twins in the same order."
            )
        onsets.append(effective_onset(Twin(nominal, faulty)))
    return onsets


@dataclass(frozen=True, slots=True, eq=False)
class NominalScores:
    """Scores of the nominal episodes that all splits are compared with.

    Args:
        steps: The scores.
        drawn: Bootstrap replicates of the episodes.
        blocks: The same for the units of false alarms: the episodes, or blocks of a single one.
        known: Thresholds by budget; see :meth:`net_thresholds`.
    """

    steps: StepScores
    drawn: Resamples
    blocks: tuple[StepScores, Resamples]
    known: dict[float, FloatArray] = field(default_factory=dict)

    @classmethod
    def of(cls, scores: Sequence[Array], *, block: int | None, replicates: int, seed: int) -> NominalScores:
        """Join the scores and draw the replicates."""
        steps = StepScores.of(scores, "nominal scores")
        drawn = Resamples.draw_nominal(len(steps), replicates, seed=seed)
        units = units_of(steps.values, None, steps.bounds, block)[0] if len(steps) == 1 else None
        if units is None:
            return cls(steps, drawn, (steps, drawn))
        parts = StepScores(steps.values, units)
        return cls(steps, drawn, (parts, Resamples.draw_nominal(len(parts), replicates, seed=seed)))

    def net_thresholds(self, budget: float) -> FloatArray:
        """Return the thresholds of the net detection at a budget, computed once for all splits.

        Args:
            budget: False alarms per 1,000 steps.
        """
        if budget not in self.known:
            self.known[budget] = net_thresholds(self.steps, self.drawn, budget, blocks=self.blocks)
        return self.known[budget]


@dataclass(frozen=True, slots=True, eq=False)
class SplitCase:
    """The scores and labels of a split: first a report without an alarm, then the same with each alarm.

    Args:
        name: Name of the split.
        steps: Scores of its episodes.
        active: (S,): labels.
        truths: Labels and faults of each episode.
        drawn: Bootstrap replicates of the episodes.
        blocks: Bounds and replicates of the units for pooled metrics and events; None if there is only one unit.
        note: A sentence about the units; empty if they are the episodes.
        within: Delays in steps.
        horizon: Horizon of detection at a budget and of the mean delay, in steps.
        seed: Seed of the bootstrap.
    """

    name: str
    steps: StepScores
    active: BoolArray
    truths: list[GroundTruth]
    drawn: Resamples
    blocks: tuple[IntArray, Resamples] | None
    note: str
    within: tuple[int, ...]
    horizon: int
    seed: int = 0

    @classmethod
    def of(
        cls,
        scores: Sequence[Array],
        episodes: Sequence[Episode] | Sequence[GroundTruth],
        *,
        name: str,
        within: Sequence[int],
        horizon: int,
        block: int | None,
        replicates: int,
        seed: int,
    ) -> SplitCase:
        """Join scores and labels, and draw the replicates; see :func:`evaluate_split`."""
        truths = [each if isinstance(each, GroundTruth) else GroundTruth.of(each) for each in episodes]
        steps = StepScores.of(scores, lengths=[len(truth.active) for truth in truths])
        active = flags([truth.active for truth in truths], steps.lengths)
        drawn = Resamples.draw(len(steps), replicates, seed=seed)
        units, note = units_of(steps.values, active, steps.bounds, block)
        blocks = None
        if units is not None:
            own = units is not steps.bounds
            blocks = units, Resamples.draw(len(units) - 1, replicates, seed=seed) if own else drawn
        note = f"{name or 'faulty episodes'}: {note}" if note and replicates else ""
        return cls(name, steps, active, truths, drawn, blocks, note, tuple(within), horizon, seed)

    @property
    def onsets(self) -> list[int | None]:
        """First faulty transition of each episode."""
        return [truth.onset for truth in self.truths]

    def report(
        self,
        nominal: NominalScores | None,
        twins: StepScores | None,
        *,
        budget: FalseAlarmBudget = DEFAULT,
        period: float | None = None,
    ) -> SplitReport:
        """Return the metrics that need no alarm.

        Args:
            nominal: Scores of nominal episodes.
            twins: Scores of the nominal twins.
            budget: Budget of false alarms for the detection at a budget.
            period: Seconds per step, which a budget per hour needs.
        """
        parts: dict[str, Any] = {}
        if nominal is not None:
            parts = self._compared_with(nominal)
            if twins is None:
                parts["null"] = null_discrimination_of_steps(nominal.steps, self.truths, nominal.drawn)
            found = self._budget(nominal, budget, period)
            parts["net"] = self._net(nominal, found)
            if len(nominal.steps) == 1:
                parts = {key: without_intervals(part) for key, part in parts.items()}
            parts["budget"] = without_intervals(found) if len(nominal.blocks[0]) == 1 else found
        if twins is not None:
            parts["null"] = null_discrimination_of_steps(twins, self.truths, self.drawn)
        parts |= self._discrimination(nominal)
        if len(self.steps) == 1:
            parts = {key: without_intervals(part) for key, part in parts.items()}
        if self.blocks is not None and self.blocks[0] is not self.steps.bounds:
            units, drawn = self.blocks
            pooled = discrimination_of_steps(StepScores(self.steps.values, units), self.active, drawn).pooled
            parts["discrimination"] = replace(parts["discrimination"], pooled=pooled)
        return SplitReport(
            name=self.name,
            episodes=len(self.truths),
            never_faulty=self.onsets.count(None),
            nominal=None if nominal is None else len(nominal.steps),
            notes=(self.note,) if self.note else (),
            **parts,
        )

    def with_alarm(
        self,
        report: SplitReport,
        alarms: Sequence[Array],
        effective: Sequence[int | None] | None,
        false_alarms: FalseAlarms | None,
        *,
        period: float | None = None,
        nominal: Sequence[Array] | None = None,
    ) -> SplitReport:
        """Return a report with the delays of an alarm, the detection of events, and the alarms after them.

        Args:
            report: Metrics without an alarm; see :meth:`report`.
            alarms: One boolean array per episode.
            effective: Effective onset of each episode; None without twins.
            false_alarms: False alarms on nominal episodes.
            period: Seconds per step, for false alarms per hour.
            nominal: Alarms of nominal episodes, for those after the end of faults.
        """
        raised = flags(alarms, self.steps.lengths, "alarms")
        failed = [truth.failed for truth in self.truths]
        timing = replace(self._timing(raised, self.onsets, failed if any(failed) else None), false_alarms=false_alarms)
        later = None if effective is None else self._timing(raised, effective)
        events, after = None, None
        if any(truth.ends_early for truth in self.truths):
            units, drawn = (self.steps.bounds, self.drawn) if self.blocks is None else self.blocks
            events = events_of_flags(raised, self.active, self.steps.bounds, units, drawn, self.within, period)
            events = events if self.blocks is not None else without_intervals(events)
            if len(self.steps) > 1:
                after = self._recovery(raised, nominal)
        return replace(report, timing=timing, effective_timing=later, events=events, recovery=after)

    def _recovery(self, alarms: BoolArray, nominal: Sequence[Array] | None) -> Recovery:
        """Return the alarms after the end of faults."""
        replicates = self.drawn.counts.shape[1] - 1
        others = None
        if nominal is not None and len(nominal) > 1:
            others = nominal, Resamples.draw_nominal(len(nominal), replicates, seed=self.seed)
        ends = self.steps.bounds[1:-1]
        return recovery_of(np.split(alarms, ends), [truth.active for truth in self.truths], self.drawn, others)

    def _timing(self, alarms: BoolArray, onsets: Sequence[int | None], failed: Sequence[bool] | None = None) -> Timing:
        """Return the timing of joined alarms; without intervals if there is only one episode."""
        outcomes = AlarmOutcomes.of(alarms, self.steps.lengths, onsets, failed)
        found = timing_of_outcomes(outcomes, self.drawn, within=self.within, horizon=self.horizon)
        return found if len(self.steps) > 1 else without_intervals(found)

    def _discrimination(self, nominal: NominalScores | None) -> dict[str, Any]:
        """Return the parts of a report with discrimination."""
        found = discrimination_of_steps(self.steps, self.active, self.drawn)
        baseline = discrimination_of_steps(self.steps.time_baseline(), self.active, self.drawn)
        parts: dict[str, Any] = {"discrimination": found, "time_baseline": baseline}
        if found.one_class == len(self.steps) and self.active.any():
            whole = np.array([truth.active.any() for truth in self.truths])
            others = (None, None) if nominal is None else (nominal.steps, nominal.drawn)
            ranked = episode_auroc(self.steps, whole, self.drawn, *others)
            alone = nominal is not None and len(nominal.steps) == 1
            parts["episode_auroc"] = without_intervals(ranked) if alone else ranked
        return parts

    def _compared_with(self, nominal: NominalScores) -> dict[str, Any]:
        """Return the comparison with nominal steps of the same time."""
        steps, drawn = nominal.steps, nominal.drawn
        return {"matched": time_matched_of_steps(self.steps, self.active, steps, self.drawn, drawn)}

    def _budget(self, nominal: NominalScores, budget: FalseAlarmBudget, period: float | None) -> AlarmBudget:
        """Return the detection at a budget of false alarms."""
        records, rate = Records.of(self.steps, self.onsets), budget.rate(period)
        steps, drawn = nominal.blocks
        found = alarm_budget_of_records(records, steps, self.drawn, drawn, budget=rate, horizon=self.horizon)
        return replace(found, per_hour=budget.per_hour)

    def _net(self, nominal: NominalScores, found: AlarmBudget) -> NetDetection:
        """Return the detection at the threshold of a budget, minus the alarms of whole nominal episodes."""
        thresholds, drawn = nominal.net_thresholds(found.budget), (self.drawn, nominal.drawn)
        return net_detection_of_steps(self.steps, self.onsets, nominal.steps, thresholds, *drawn, horizon=self.horizon)
