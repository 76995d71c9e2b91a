"""Evaluation of the scores and alarms of one split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter, InvalidScores
from offnominal.core.types import Array, BoolArray
from offnominal.evaluation.bootstrap import REPLICATES, Resamples
from offnominal.evaluation.discrimination import discrimination_of_steps
from offnominal.evaluation.episode_ranking import episode_auroc
from offnominal.evaluation.equal_cost import COST, equal_cost_of_records
from offnominal.evaluation.event_timing import events_of_flags
from offnominal.evaluation.ground_truth import GroundTruth
from offnominal.evaluation.null_discrimination import null_discrimination_of_steps
from offnominal.evaluation.operating_curve import operating_curve_of_records
from offnominal.evaluation.records import Records
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
    cost: float = COST,
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
        nominal: Scores of nominal test episodes, for the null, for time-matching and for delays at equal cost.
        alarms: One boolean array per episode, for delays.
        nominal_alarms: The same for nominal test episodes, for false alarms.
        twins: The nominal twin of each episode, for effective onsets.
        twin_scores: Scores of the twins. The null is then computed on them instead of on `nominal`, which reduces the
            variance of the excess.
        within: Delays in steps for which the detected fraction is computed.
        horizon: Horizon of the restricted mean delay, in steps.
        cost: False alarms per 1,000 nominal steps for the delays at equal cost.
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
        (Estimate(0.907 [0.900, 0.913]), Estimate(0.750 [0.737, 0.764]))
        >>> report.matched.auroc
        Estimate(0.759 [0.745, 0.773])
    """
    truths = [each if isinstance(each, GroundTruth) else GroundTruth.of(each) for each in episodes]
    steps = StepScores.of(scores, lengths=[len(truth.active) for truth in truths])
    active = flags([truth.active for truth in truths], steps.lengths)
    drawn = Resamples.draw(len(steps), replicates, seed=seed)
    case = _Case(steps, active, truths, drawn, tuple(within), horizon)
    units, note = units_of(steps.values, active, steps.bounds, block)
    parts: dict[str, Any] = {}
    others, drawn_others = None, None
    if nominal is not None:
        others = StepScores.of(nominal, "nominal scores")
        drawn_others = Resamples.draw_nominal(len(others), replicates, seed=seed)
        parts = case.compared_with(others, drawn_others, cost)
        if len(others) == 1:
            parts = {key: without_intervals(part) for key, part in parts.items()}
    if twin_scores is not None:
        if len(twin_scores) != len(truths):
            raise InvalidScores(f"there are scores of {len(twin_scores)} twins; expected {len(truths)}.")
        parts["null"] = null_discrimination_of_steps(StepScores.of(twin_scores, "scores of the twins"), truths, drawn)
    if alarms is not None:
        raised = flags(alarms, steps.lengths, "alarms")
        if nominal_alarms is not None and others is not None:
            flags(nominal_alarms, others.lengths, "nominal alarms")
        parts["timing"] = case.timing(raised, case.onsets)
        if twins is not None:
            parts["effective_timing"] = case.timing(raised, _twin_onsets(episodes, twins))
    parts = case.discriminated(parts, others, drawn_others)
    if units is not None and units is not steps.bounds:
        blocks = Resamples.draw(len(units) - 1, replicates, seed=seed)
        pooled = discrimination_of_steps(StepScores(steps.values, units), active, blocks).pooled
        parts["discrimination"] = replace(parts["discrimination"], pooled=pooled)
    if alarms is not None and nominal_alarms is not None:
        false = _false_alarms(nominal_alarms, others, period, block, replicates=replicates, seed=seed)
        parts["timing"] = replace(parts["timing"], false_alarms=false)
    if alarms is not None and any(truth.ends_early for truth in truths):
        cut = steps.bounds if units is None else units
        blocks = Resamples.draw(len(cut) - 1, replicates, seed=seed)
        found = events_of_flags(raised, active, steps.bounds, cut, blocks, within, period)
        parts["events"] = found if units is not None else without_intervals(found)
    notes = (f"{name or 'faulty episodes'}: {note}",) if note else ()
    return SplitReport(
        name=name,
        episodes=len(truths),
        never_faulty=case.onsets.count(None),
        notes=notes if replicates else (),
        **parts,
    )


def _false_alarms(
    alarms: Sequence[Array],
    scores: StepScores | None,
    period: float | None,
    block: int | None,
    *,
    replicates: int,
    seed: int,
) -> FalseAlarms:
    """Return the false alarms of nominal episodes, with intervals from blocks if there is only one episode."""
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
class _Case:
    """Data that all parts of a report share."""

    steps: StepScores
    active: BoolArray
    truths: list[GroundTruth]
    drawn: Resamples
    within: tuple[int, ...]
    horizon: int

    @property
    def onsets(self) -> list[int | None]:
        """First faulty transition of each episode."""
        return [truth.onset for truth in self.truths]

    def timing(self, alarms: BoolArray, onsets: Sequence[int | None]) -> Timing:
        """Return the timing of joined alarms."""
        outcomes = AlarmOutcomes.of(alarms, self.steps.lengths, onsets)
        return timing_of_outcomes(outcomes, self.drawn, within=self.within, horizon=self.horizon)

    def discriminated(
        self, parts: dict[str, Any], nominal: StepScores | None, drawn: Resamples | None
    ) -> dict[str, Any]:
        """Return the parts of a report with discrimination; without intervals if there is only one episode."""
        found = discrimination_of_steps(self.steps, self.active, self.drawn)
        baseline = discrimination_of_steps(self.steps.time_baseline(), self.active, self.drawn)
        parts = {**parts, "discrimination": found, "time_baseline": baseline}
        if found.one_class == len(self.steps) and self.active.any():
            whole = np.array([truth.active.any() for truth in self.truths])
            ranked = episode_auroc(self.steps, whole, self.drawn, nominal, drawn)
            parts["episode_auroc"] = without_intervals(ranked) if nominal is not None and len(nominal) == 1 else ranked
        return parts if len(self.steps) > 1 else {key: without_intervals(part) for key, part in parts.items()}

    def compared_with(self, nominal: StepScores, drawn: Resamples, cost: float) -> dict[str, Any]:
        """Return the parts of a report that need nominal scores."""
        records = Records.of(self.steps, self.onsets)
        return {
            "null": null_discrimination_of_steps(nominal, self.truths, drawn),
            "matched": time_matched_of_steps(self.steps, self.active, nominal, self.drawn, drawn),
            "operating": operating_curve_of_records(records, nominal, self.horizon),
            "equal_cost": equal_cost_of_records(
                records, nominal, self.drawn, drawn, cost=cost, within=self.within, horizon=self.horizon
            ),
        }
