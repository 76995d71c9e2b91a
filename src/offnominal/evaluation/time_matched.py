"""Time-matched AUROC: faulty steps against nominal steps of the same elapsed time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.evaluation.bootstrap import REPLICATES, Counts, Resamples
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.ranking import BLOCK, part
from offnominal.evaluation.step_scores import StepScores, flags


@dataclass(frozen=True, slots=True)
class TimeMatched:
    """AUROC of faulty steps against nominal steps of the same elapsed time.

    Args:
        auroc: Probability that a faulty step at time t has a higher score than step t of a nominal episode; ties count
            half. Episodes with matched steps have equal weights.
        matched: Fraction of faulty steps whose time some nominal episode reaches.
        episodes: Number of episodes with matched steps.
    """

    auroc: Estimate
    matched: float | None
    episodes: int


def measure_time_matched(
    scores: Sequence[Array],
    labels: Sequence[Array],
    nominal: Sequence[Array],
    *,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> TimeMatched:
    """Compare each faulty step with the same step of nominal episodes.

    The effect of elapsed time cancels: elapsed time as score has an AUROC of 0.5. Two effects remain: only long nominal
    episodes reach late steps, and a fault may change the progress of the task at step t.

    Args:
        scores: One array per faulty episode.
        labels: One boolean array per faulty episode: a fault was switched on.
        nominal: Scores of episodes without faults.
        replicates: Bootstrap replicates, of faulty and nominal episodes.
        seed: Seed of the bootstrap.

    Example:
        >>> elapsed = [np.arange(9.0)] * 3
        >>> measure_time_matched(elapsed, [np.arange(9) >= onset for onset in (2, 5, 7)], elapsed).auroc
        Estimate(0.500 [0.500, 0.500])
    """
    steps, others = StepScores.of(scores), StepScores.of(nominal, "nominal scores")
    drawn = Resamples.draw(len(steps), replicates, seed=seed)
    drawn_nominal = Resamples.draw_nominal(len(others), replicates, seed=seed)
    return time_matched_of_steps(steps, flags(labels, steps.lengths), others, drawn, drawn_nominal)


def time_matched_of_steps(
    steps: StepScores, active: BoolArray, nominal: StepScores, resamples: Resamples, resamples_nominal: Resamples
) -> TimeMatched:
    """Return the time-matched AUROC of joined scores; see :func:`measure_time_matched`."""
    usable = active & (steps.time < nominal.lengths.max(initial=0))
    owner = steps.episode[usable]
    per_episode = np.bincount(owner, minlength=len(steps))
    time = np.concatenate([steps.time[usable], nominal.time])
    values = np.concatenate([steps.values[usable], nominal.values])
    order = np.lexsort((values, time))
    time, values = time[order], values[order]
    new_time = time[1:] != time[:-1]
    out = np.empty(resamples.counts.shape[1])
    _rank_by_time(
        np.concatenate([owner, nominal.episode])[order],
        order < len(owner),
        np.append(new_time | (values[1:] != values[:-1]), True),
        np.append(new_time, True),
        1.0 / np.maximum(per_episode, 1),
        resamples.counts,
        resamples_nominal.counts,
        out,
    )
    matched = len(owner) / int(active.sum()) if active.any() else None
    return TimeMatched(
        Estimate.of(out, min(resamples.units, resamples_nominal.units)), matched, int((per_episode > 0).sum())
    )


@compiled
def _rank_by_time(
    owner: IntArray,
    faulty: BoolArray,
    last: BoolArray,
    last_of_time: BoolArray,
    weight: FloatArray,
    counts: Counts,
    counts_nominal: Counts,
    out: FloatArray,
) -> None:
    """Compute the AUROC of each replicate; steps are sorted by time, then by rising score.

    Args:
        owner: Episode of each step; faulty and nominal episodes are numbered separately.
        faulty: Whether the step is faulty.
        last: Whether the next step has a higher score or another time.
        last_of_time: Whether the next step has another time.
        weight: Weight of a faulty step, by episode.
        counts: (n, replicates): weights of the faulty episodes.
        counts_nominal: (m, replicates): weights of the nominal episodes.
        out: Output array.
    """
    state = np.empty((7, BLOCK))
    for first in range(0, counts.shape[1], BLOCK):
        block = part(counts, first)
        _rank_block(owner, faulty, last, last_of_time, weight, block, part(counts_nominal, first), state)
        for r in range(block.shape[1]):
            out[first + r] = state[5, r] / state[6, r]


@compiled
def _rank_block(
    owner: IntArray,
    faulty: BoolArray,
    last: BoolArray,
    last_of_time: BoolArray,
    weight: FloatArray,
    block: Counts,
    block_nominal: Counts,
    state: FloatArray,
) -> None:
    """Process all steps; the last two rows of the state are the weighted wins and the weights."""
    state[:] = 0.0
    here, tied, below = state[0], state[1], state[2]
    won, present, total, weights = state[3], state[4], state[5], state[6]
    replicates = range(block.shape[1])
    for i in range(len(owner)):
        if faulty[i]:
            row, scale = block[owner[i]], weight[owner[i]]
            for r in replicates:
                here[r] += scale * row[r]
        else:
            row = block_nominal[owner[i]]
            for r in replicates:
                tied[r] += row[r]
        if last[i]:
            for r in replicates:
                won[r] += here[r] * (below[r] + 0.5 * tied[r])
                present[r] += here[r]
                below[r] += tied[r]
                here[r] = tied[r] = 0.0
        if last_of_time[i]:
            for r in replicates:
                if below[r] > 0.0:
                    total[r] += won[r] / below[r]
                    weights[r] += present[r]
                won[r] = present[r] = below[r] = 0.0
