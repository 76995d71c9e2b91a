"""Independent units of a bootstrap: episodes, or blocks of one long episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np

from offnominal.core.checks import positive_integer
from offnominal.core.types import BoolArray, FloatArray, IntArray
from offnominal.evaluation.estimate import Estimate

T = TypeVar("T")
FEWEST_BLOCKS, MOST_BLOCKS = 10, 200
CORRELATION_TIMES = 10
LONGEST_LAG = 10_000


def block_bounds(bounds: IntArray, block: int) -> IntArray:
    """Return the bounds of blocks of whole episodes cut into pieces of about `block` steps.

    Args:
        bounds: (n + 1,): start of each episode, and the end of the last.
        block: Steps of a block; the last block of an episode is longer.

    Example:
        >>> block_bounds(np.array([0, 10, 14]), 4)
        array([ 0,  4, 10, 14])
    """
    positive_integer("block", block)
    starts = [
        start + block * number
        for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
        for number in range(max((stop - start) // block, 1))
    ]
    return np.array([*starts, bounds[-1]], np.int64)


def units_of(
    scores: FloatArray, active: BoolArray | None, bounds: IntArray, block: int | None = None
) -> tuple[IntArray | None, str]:
    """Return the bounds of the resampled units, and a sentence about them.

    Several episodes are the units themselves. One long episode is cut into blocks that are longer than its longest
    labelled interval and than ten correlation times of its scores.

    Args:
        scores: (S,): scores of all steps.
        active: (S,): labels; None for nominal episodes.
        bounds: (n + 1,): start of each episode, and the end of the last.
        block: Steps of a block; None to choose.

    Returns:
        The bounds; None if there is only one unit, so that no interval can be computed. The sentence is empty if the
        units are the episodes.
    """
    steps = len(scores)
    if block is not None:
        cut = block_bounds(bounds, positive_integer("block", block))
        if len(cut) > 2:
            return cut, f"intervals from {len(cut) - 1} blocks of {block} steps"
        return None, f"no intervals: {steps} steps are one block of {block} steps; give more or longer episodes."
    if len(bounds) > 2:
        return bounds, ""
    longest = 0 if active is None else _longest(active)
    needed = max(
        longest + 1, int(np.ceil(CORRELATION_TIMES * correlation_time(scores, active))), -(-steps // MOST_BLOCKS)
    )
    if steps // needed < FEWEST_BLOCKS:
        return None, (
            f"no intervals: one episode of {steps} steps is one independent unit, and too short for {FEWEST_BLOCKS} "
            f"blocks of {needed} steps (its longest labelled interval and ten correlation times of the scores)."
        )
    cut = block_bounds(bounds, needed)
    return cut, f"intervals from {len(cut) - 1} blocks of {needed} steps of one episode"


def _longest(active: BoolArray) -> int:
    """Return the length of the longest labelled interval."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], active, [False]]).astype(np.int8)))
    return int((edges[1::2] - edges[::2]).max(initial=0))


def correlation_time(scores: FloatArray, active: BoolArray | None = None) -> float:
    """Return the integrated correlation time of scores, in steps; 1 for independent scores.

    The sum of autocorrelations ends at the first one that is not positive.

    Args:
        scores: (S,): scores of one episode.
        active: (S,): faulty steps, which are left out; None if there are none.

    Example:
        >>> round(correlation_time(np.random.default_rng(0).normal(size=5000)), 1)
        1.0
    """
    nominal = np.ones(len(scores), np.bool_) if active is None or active.all() else ~active
    centred = np.where(nominal, scores - scores[nominal].mean(), 0.0)
    variance = float(np.mean(centred**2))
    if not np.isfinite(variance) or variance == 0.0:
        return 1.0
    size = 1 << int(2 * len(centred) - 1).bit_length()
    spectrum = np.fft.rfft(centred, size)
    correlations = np.fft.irfft(np.abs(spectrum) ** 2, size)[: min(len(centred), LONGEST_LAG)]
    correlations = correlations / correlations[0]
    below = np.flatnonzero(correlations <= 0.0)
    last = int(below[0]) if below.size else len(correlations)
    return float(1.0 + 2.0 * correlations[1:last].sum())


def without_intervals(part: T) -> T:
    """Return a result with the same values and no intervals."""
    return _blank(part)  # type: ignore[no-any-return]


def _blank(part: Any) -> Any:
    if isinstance(part, Estimate):
        return Estimate(part.value, np.full(len(part.draws), np.nan))
    if isinstance(part, Mapping):
        return {name: _blank(value) for name, value in part.items()}
    if is_dataclass(part) and not isinstance(part, type):
        changed = {each.name: _blank(getattr(part, each.name)) for each in fields(part) if each.init}
        return replace(part, **changed)
    return part
