"""Equal cost: delays of a score at a given rate of false alarms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.checks import positive_integer
from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.evaluation.bootstrap import REPLICATES, Counts, Resamples
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.records import Records
from offnominal.evaluation.step_scores import StepScores
from offnominal.evaluation.survival import restricted_means
from offnominal.evaluation.timing import HORIZON, WITHIN, checked_delays

COST = 1.0


@dataclass(frozen=True, slots=True)
class EqualCost:
    """Delays of a score with the threshold that a budget of false alarms allows.

    It compares detectors without the choice of an alarm. The threshold is the lowest one within the budget on the given
    nominal episodes. Each bootstrap replicate has its own threshold, so that the intervals include its variance. There
    is no guarantee about the rate on other episodes.

    Args:
        cost: Budget: steps in alarm per 1,000 steps of nominal episodes.
        threshold: Threshold; the alarm is raised above it.
        mean_delay: Mean of min(delay, horizon) in steps, with misses censored.
        horizon: Horizon of that mean, in steps.
        within: Fraction of faulty episodes detected at most j steps after the onset, by j.
        miss_rate: Fraction of faulty episodes without an alarm from the onset on.
        early_rate: Fraction of faulty episodes with an alarm before the onset.
    """

    cost: float
    threshold: Estimate
    mean_delay: Estimate
    horizon: int
    within: Mapping[int, Estimate]
    miss_rate: Estimate
    early_rate: Estimate

    def numbers(self) -> dict[str, Estimate]:
        """Return every number by name, except the threshold, which is in the unit of the score."""
        within = {f"within_{steps}": fraction for steps, fraction in self.within.items()}
        return {"mean_delay": self.mean_delay, **within, "miss_rate": self.miss_rate, "early_rate": self.early_rate}


def measure_equal_cost(
    scores: Sequence[Array],
    onsets: Sequence[int | None],
    nominal: Sequence[Array],
    *,
    cost: float = COST,
    within: Sequence[int] = WITHIN,
    horizon: int = HORIZON,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> EqualCost:
    """Measure the delays of a score at a given rate of false alarms.

    Args:
        scores: One array per faulty episode.
        onsets: First faulty transition of each episode; None if it has no fault.
        nominal: Scores of nominal episodes.
        cost: Budget: steps in alarm per 1,000 steps of nominal episodes.
        within: Delays in steps for which the detected fraction is computed.
        horizon: Horizon of the restricted mean delay, in steps.
        replicates: Bootstrap replicates, of faulty and nominal episodes.
        seed: Seed of the bootstrap.

    Example:
        >>> nominal = [np.arange(100.0)]
        >>> scores = [np.array([0.0, 0.0, 97.5, 99.5]), np.array([0.0, 98.5, 98.5, 0.0])]
        >>> found = measure_equal_cost(scores, [1, 1], nominal, cost=10.0, replicates=0)
        >>> found.threshold, found.miss_rate, found.within[5]
        (Estimate(98.000), Estimate(0.000), Estimate(1.000))
    """
    steps, others = StepScores.of(scores), StepScores.of(nominal, "nominal scores")
    drawn = Resamples.draw(len(steps), replicates, seed=seed)
    drawn_others = Resamples.draw_nominal(len(others), replicates, seed=seed)
    return equal_cost_of_records(
        Records.of(steps, onsets), others, drawn, drawn_others, cost=cost, within=within, horizon=horizon
    )


def equal_cost_of_records(
    records: Records,
    nominal: StepScores,
    resamples: Resamples,
    resamples_nominal: Resamples,
    *,
    cost: float = COST,
    within: Sequence[int] = WITHIN,
    horizon: int = HORIZON,
) -> EqualCost:
    """Return the delays at equal cost of some records; see :func:`measure_equal_cost`."""
    if not cost >= 0.0:
        raise InvalidParameter(f"cost is {cost!r}; expected a rate of at least 0.")
    order, drawn = np.argsort(nominal.values)[::-1], resamples.take(records.faulty)
    thresholds = _thresholds(
        nominal.values[order], nominal.episode[order], nominal.lengths, resamples_nominal.counts, cost
    )
    delays = _delays(thresholds, records.values, records.delays, records.bounds, records.faulty)
    exposures = records.exposures[records.faulty]
    area = restricted_means(delays, exposures, positive_integer("horizon", horizon), drawn.counts)
    return EqualCost(
        cost=cost,
        threshold=Estimate.of(thresholds),
        mean_delay=Estimate.of(area),
        horizon=horizon,
        within={steps: drawn.share((delays >= 0) & (delays <= steps)) for steps in checked_delays(within)},
        miss_rate=drawn.share(delays < 0),
        early_rate=drawn.share(records.before[records.faulty, None] > thresholds),
    )


@compiled
def _thresholds(values: FloatArray, owner: IntArray, lengths: IntArray, counts: Counts, cost: float) -> FloatArray:
    """Return the lowest threshold of each replicate within its budget; steps are sorted by falling score."""
    replicates = range(counts.shape[1])
    total, used, out = np.zeros(counts.shape[1]), np.zeros(counts.shape[1]), np.empty(counts.shape[1])
    for r in replicates:
        out[r] = -np.inf
        for e in range(len(lengths)):
            total[r] += lengths[e] * counts[e, r]
    missing = len(out)
    for i in range(len(values)):
        row = counts[owner[i]]
        for r in replicates:
            before = used[r]
            used[r] += row[r]
            if 1000.0 * before <= cost * total[r] < 1000.0 * used[r]:
                out[r] = values[i]
                missing -= 1
        if missing == 0:
            break
    return out


@compiled
def _delays(
    thresholds: FloatArray, values: FloatArray, delays: IntArray, bounds: IntArray, chosen: IntArray
) -> IntArray:
    """Return the delay of each chosen episode in each replicate; -1 for a miss."""
    out = np.empty((len(chosen), len(thresholds)), np.int64)
    for row in range(len(chosen)):
        first, last = bounds[chosen[row]], bounds[chosen[row] + 1]
        for r in range(len(thresholds)):
            k = first
            while k < last and values[k] <= thresholds[r]:
                k += 1
            out[row, r] = delays[k] if k < last else -1
    return out
