"""Equal cost: how soon a score notices when it may spend so many false alarms."""

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
    """How soon a score notices with the threshold that a budget of false alarms allows.

    Detectors can be compared here before anybody has chosen an alarm. The threshold is the lowest that keeps to the
    budget on the nominal episodes at hand. Each bootstrap replicate chooses its own, so that intervals hold the luck of
    that choice. Nothing is promised about the rate on other episodes.

    Args:
        cost: Steps in alarm per 1,000 steps of nominal episodes that may be spent.
        threshold: An alarm is a score above it.
        mean_delay: Steps; mean of min(delay, horizon) with misses censored.
        horizon: Of that mean, in steps.
        within: Share of struck episodes noticed at most j steps after the onset, by j.
        miss_rate: Share of struck episodes without an alarm from the onset on.
        early_rate: Share of struck episodes with an alarm before the onset.
    """

    cost: float
    threshold: Estimate
    mean_delay: Estimate
    horizon: int
    within: Mapping[int, Estimate]
    miss_rate: Estimate
    early_rate: Estimate

    def numbers(self) -> dict[str, Estimate]:
        """Return every number by name, but for the threshold, which is in the unit of the score."""
        shares = {f"within_{steps}": share for steps, share in self.within.items()}
        return {"mean_delay": self.mean_delay, **shares, "miss_rate": self.miss_rate, "early_rate": self.early_rate}


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
    """Return how soon a score notices when its threshold may spend a budget of false alarms.

    Args:
        scores: One array per faulty episode.
        onsets: First faulty transition of each; None if it was never struck.
        nominal: Scores of nominal episodes.
        cost: The budget: steps in alarm per 1,000 steps of nominal episodes.
        within: Delays of which the share is wanted, in steps.
        horizon: Of the restricted mean delay, in steps.
        replicates: Bootstrap replicates, of faulty and nominal episodes.
        seed: Of the bootstrap.

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
    """Return what a budget buys, from records; see :func:`measure_equal_cost`."""
    if not cost >= 0.0:
        raise InvalidParameter(f"cost is {cost!r}; expected a rate of at least 0.")
    order, drawn = np.argsort(nominal.values)[::-1], resamples.take(records.faulty)
    limits = _thresholds(nominal.values[order], nominal.episode[order], nominal.lengths, resamples_nominal.counts, cost)
    delays = _delays(limits, records.values, records.delays, records.bounds, records.faulty)
    exposures = records.exposures[records.faulty]
    area = restricted_means(delays, exposures, positive_integer("horizon", horizon), drawn.counts)
    return EqualCost(
        cost=cost,
        threshold=Estimate.of(limits),
        mean_delay=Estimate.of(area),
        horizon=horizon,
        within={steps: drawn.share((delays >= 0) & (delays <= steps)) for steps in checked_delays(within)},
        miss_rate=drawn.share(delays < 0),
        early_rate=drawn.share(records.before[records.faulty, None] > limits),
    )


@compiled
def _thresholds(values: FloatArray, owner: IntArray, lengths: IntArray, counts: Counts, cost: float) -> FloatArray:
    """Return the lowest threshold of each replicate that keeps to its budget; strangest steps come first."""
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
