"""The published rule that splits the episodes of the normal classes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from offnominal.core.types import IntArray

SPLITS = ("train", "valid", "test")
SHARES = (0.8, 0.1, 0.1)
TRIALS = 100
SEED = 42


def choose_splits(frames: Mapping[str, Mapping[str, int]]) -> dict[str, str]:
    """Return the split of every episode, from the numbers of their frames after the filter.

    For each class, 100 random permutations of its episodes are tried. Training, validation and test episodes are the
    first 80 %, the next 10 % and the last 10 %. The permutation whose numbers of frames are closest to these shares is
    kept; the error is the sum of the relative errors. With the released numbers of frames, this gives the released
    splits.

    Args:
        frames: Number of frames by class and by name of the episode. Episodes without frames are left out.

    Returns:
        Split by ``class/episode``, in the order of ``splits.csv``.

    Example:
        >>> choose_splits({"normal": {"0": 40, "1": 50, "2": 45}})
        {'normal/1': 'train', 'normal/2': 'valid', 'normal/0': 'test'}
    """
    draws = np.random.default_rng(SEED)
    found: dict[str, str] = {}
    for name, episodes in frames.items():
        kept = sorted(episode for episode, count in episodes.items() if count)
        if kept:
            parts = _best(np.array([episodes[episode] for episode in kept]), draws)
            for split, rows in zip(SPLITS, parts, strict=True):
                found |= {f"{name}/{kept[row]}": split for row in sorted(rows.tolist())}
    return found


def _best(counts: IntArray, draws: np.random.Generator) -> Sequence[IntArray]:
    """Return the rows of the three splits."""
    goals = _shares(int(counts.sum()))
    sizes = _shares(len(counts)) if len(counts) > 2 else [len(counts), 0, 0]
    bounds = np.cumsum(sizes)[:2]
    best: Sequence[IntArray] = ()
    least = math.inf
    for _ in range(TRIALS):
        parts = np.split(draws.permutation(len(counts)), bounds)
        error = sum(abs(1 - int(counts[rows].sum()) / goal) for rows, goal in zip(parts, goals, strict=True) if goal)
        if error < least:
            best, least = parts, error
    return best


def _shares(total: int) -> list[int]:
    """Return a number in the shares of the splits, rounded up; the first one gets what is left."""
    _, valid, test = (math.ceil(total * share) for share in SHARES)
    return [total - valid - test, valid, test]
