"""Compiled ranking: AUROC, average precision and FPR at 95 % TPR, exact with ties.

The threshold goes through the distinct scores in falling order. At each of them some faulty steps (`gained`) and some
nominal ones (`lost`) join those above it (`found` and `alarmed`).
"""

from __future__ import annotations

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.evaluation.bootstrap import Counts

BLOCK = 64


@compiled
def rank(faulty: Array, nominal: Array) -> tuple[float, float, float]:
    """Return AUROC, average precision and FPR95 of two samples, each sorted upwards and not empty."""
    i, j = len(faulty) - 1, len(nominal) - 1
    found = alarmed = 0
    pairs = precision = 0.0
    rate = np.nan
    while i >= 0 or j >= 0:
        score = faulty[i] if j < 0 or (i >= 0 and faulty[i] > nominal[j]) else nominal[j]
        gained = lost = 0
        while i >= 0 and faulty[i] == score:
            gained += 1
            i -= 1
        while j >= 0 and nominal[j] == score:
            lost += 1
            j -= 1
        pairs += lost * (found + 0.5 * gained)
        found += gained
        alarmed += lost
        precision += gained * found / (found + alarmed)
        if np.isnan(rate) and 20 * found >= 19 * len(faulty):
            rate = alarmed / len(nominal)
    return pairs / (len(faulty) * len(nominal)), precision / len(faulty), rate


@compiled
def rank_episodes(values: FloatArray, active: BoolArray, bounds: IntArray, out: FloatArray) -> None:
    """Write the metrics of each episode into (n, 3); NaN if its steps are all faulty or all nominal."""
    for e in range(len(bounds) - 1):
        scores, on = values[bounds[e] : bounds[e + 1]], active[bounds[e] : bounds[e + 1]]
        faulty, nominal = scores[on], scores[~on]
        if len(faulty) == 0 or len(nominal) == 0:
            out[e] = np.nan
        else:
            faulty.sort()
            nominal.sort()
            out[e, 0], out[e, 1], out[e, 2] = rank(faulty, nominal)


@compiled
def rank_pooled(owner: IntArray, active: BoolArray, last: BoolArray, counts: Counts, out: FloatArray) -> None:
    """Write the metrics of all steps together into (3, replicates); NaN where all are faulty or all nominal.

    Replicates are processed in blocks, so that each step is looked up once per block.

    Args:
        owner: Episode of each step, in order of falling score.
        active: Whether the step is faulty.
        last: Whether the next step has a lower score.
        counts: (n, replicates): weight of each episode.
        out: Output array.
    """
    faulty = np.zeros(len(counts))
    for i in range(len(owner)):
        faulty[owner[i]] += active[i]
    state = np.empty((8, BLOCK))
    for first in range(0, counts.shape[1], BLOCK):
        block = part(counts, first)
        _rank_block(owner, active, last, block, faulty, state)
        for r in range(block.shape[1]):
            found, alarmed = state[2, r], state[3, r]
            both = found > 0.0 and alarmed > 0.0
            out[0, first + r] = state[4, r] / (found * alarmed) if both else np.nan
            out[1, first + r] = state[5, r] / found if both else np.nan
            out[2, first + r] = state[6, r] / alarmed if both else np.nan


@compiled
def part(counts: Counts, first: int) -> Counts:
    """Return a copy of some replicates, close together in memory."""
    block = np.empty((len(counts), min(BLOCK, counts.shape[1] - first)), np.int32)
    for e in range(len(block)):
        for r in range(block.shape[1]):
            block[e, r] = counts[e, first + r]
    return block


@compiled
def _rank_block(
    owner: IntArray, active: BoolArray, last: BoolArray, block: Counts, faulty: FloatArray, state: FloatArray
) -> None:
    """Process all steps; the rows of the state are the variables of :func:`rank` per replicate."""
    state[:] = 0.0
    gained, lost, found, alarmed = state[0], state[1], state[2], state[3]
    pairs, precision, missing, needed = state[4], state[5], state[6], state[7]
    replicates = range(block.shape[1])
    for e in range(len(block)):
        for r in replicates:
            needed[r] += 19.0 * faulty[e] * block[e, r]
    any_faulty = any_nominal = False
    for i in range(len(owner)):
        row = block[owner[i]]
        if active[i]:
            any_faulty = True
            for r in replicates:
                gained[r] += row[r]
        else:
            any_nominal = True
            for r in replicates:
                lost[r] += row[r]
        if last[i] and any_nominal:
            any_nominal = False
            for r in replicates:
                pairs[r] += lost[r] * (found[r] + 0.5 * gained[r])
                missing[r] += lost[r] if 20.0 * found[r] < needed[r] else 0.0
                alarmed[r] += lost[r]
                lost[r] = 0.0
        if last[i] and any_faulty:
            any_faulty = False
            for r in replicates:
                found[r] += gained[r]
                precision[r] += gained[r] * found[r] / max(found[r] + alarmed[r], 1.0)
                gained[r] = 0.0
