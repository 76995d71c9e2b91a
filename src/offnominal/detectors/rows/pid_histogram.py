"""Optimal histogram of the spacing of values: the split of an axis in a PIDForest."""

from __future__ import annotations

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import FloatArray, IntArray

END, WEIGHT, FIRST, SECOND = 0, 1, 2, 3
"""Rows of the working memory: ends of the intervals; running sums of weights, spacings and squares."""
TRIED = 4
"""Four more rows: the error before each candidate split, and the three sums there."""
ERROR = 8
"""A row for each number of buckets: the least error up to each value."""
ROUNDING = 1e-11
"""Rounding error of errors, as a fraction of the sum of squares."""


@compiled
def space_for(n: int, buckets: int) -> tuple[FloatArray, IntArray]:
    """Return working memory for up to n values and so many buckets."""
    return np.zeros((ERROR + buckets, n + 1)), np.zeros((1 + buckets, n + 1), np.int64)


@compiled
def cut_values(
    values: FloatArray,
    low: float,
    high: float,
    buckets: int,
    epsilon: float,
    cuts: FloatArray,
    numbers: FloatArray,
    places: IntArray,
) -> tuple[int, float]:
    """Split sorted values; return the number of thresholds and the fraction of the error that they explain.

    The spacing of a value is the interval between the midpoints to its neighbours, divided among equal values. Errors
    are squared deviations of spacings from the mean of their part.

    Args:
        values: Sorted values.
        low: Beginning of the first interval.
        high: End of the last interval.
        buckets: Largest number of parts.
        epsilon: Tolerated loss compared with the best split, at each part.
        cuts: (buckets,) output: the thresholds.
        numbers: See :func:`space_for`.
        places: See :func:`space_for`.
    """
    m = _spacings(values, low, high, numbers)
    if m < 2:
        return 0, 0.0
    whole, parts = numbers[SECOND, m] - numbers[FIRST, m] * numbers[FIRST, m] / numbers[WEIGHT, m], 1
    # Rounding leaves a small error where all spacings are equal.
    if whole <= 1e-12 * numbers[SECOND, m]:
        return 0, 0.0
    most = min(buckets, m)
    _fill(m, most, epsilon, numbers, places)
    for b in range(1, most):
        if numbers[ERROR + b, m] < numbers[ERROR + parts - 1, m]:
            parts = b + 1
    stop, made = m, 0
    for b in range(parts - 1, 0, -1):
        if places[b, stop] < stop:
            stop = places[b, stop]
            cuts[made] = numbers[END, stop - 1]
            made += 1
    for k in range(made // 2):
        cuts[k], cuts[made - 1 - k] = cuts[made - 1 - k], cuts[k]
    return made, (whole - numbers[ERROR + parts - 1, m]) / whole


@compiled
def _spacings(values: FloatArray, low: float, high: float, numbers: FloatArray) -> int:
    """Fill in the end of the interval of each distinct value and running sums; return the number of values."""
    n = len(values)
    m = i = 0
    begin = low
    while i < n:
        j = i + 1
        while j < n and values[j] == values[i]:
            j += 1
        end = high if j == n else 0.5 * (values[i] + values[j])
        spacing = (end - begin) / (j - i)
        numbers[END, m] = end
        numbers[WEIGHT, m + 1] = numbers[WEIGHT, m] + (j - i)
        numbers[FIRST, m + 1] = numbers[FIRST, m] + (j - i) * spacing
        numbers[SECOND, m + 1] = numbers[SECOND, m] + (j - i) * spacing * spacing
        m += 1
        begin, i = end, j
    return m


@compiled
def _fill(m: int, buckets: int, epsilon: float, numbers: FloatArray, places: IntArray) -> None:
    """Fill in the least errors up to each value by number of buckets, and their last thresholds.

    The last threshold is tried only where the error before it has grown by the factor 1 + epsilon since the previous
    candidate, and just before the end (Guha et al., 2006). Of equal errors, no split is preferred, then the first. For
    the largest number of buckets only the histogram of all values is needed.

    The error after a threshold is S - T² / W; whether it is small enough is checked without division. It decreases with
    the threshold, so that once it is too large by itself, earlier candidates need not be tried.
    """
    slack = ROUNDING * numbers[SECOND, m]
    for end in range(1, m + 1):
        left = numbers[SECOND, end] - numbers[FIRST, end] * numbers[FIRST, end] / numbers[WEIGHT, end]
        numbers[ERROR, end] = max(0.0, left)
    for b in range(1, buckets):
        before = ERROR + b - 1
        kept, guess, floor = 0, -1, 0.0
        for end in range(1, m + 1):
            last = end - 1
            if last >= 1 and numbers[before, last] > (1.0 + epsilon) * floor:
                if last >= 2:
                    places[0, kept] = last - 1
                    numbers[TRIED, kept] = numbers[before, last - 1]
                    for line in range(1, 4):
                        numbers[TRIED + line, kept] = numbers[line, last - 1]
                    kept += 1
                floor = numbers[before, last]
            if b == buckets - 1 and end < m:
                continue
            weight, first, second = numbers[WEIGHT, end], numbers[FIRST, end], numbers[SECOND, end]
            best, at, found = numbers[before, end], end, -1
            if guess >= 0:
                total = first - numbers[TRIED + 2, guess]
                after = second - numbers[TRIED + 3, guess] - total * total / (weight - numbers[TRIED + 1, guess])
                value = numbers[TRIED, guess] + max(0.0, after)
                if value < best:
                    best, at, found = value, places[0, guess], guess
            if last >= 1:
                total = first - numbers[FIRST, last]
                after = second - numbers[SECOND, last] - total * total / (weight - numbers[WEIGHT, last])
                value = numbers[before, last] + max(0.0, after)
                if value < best:
                    best, at, found = value, last, -1
            for k in range(kept - 1, -1, -1):
                total, wide = first - numbers[TRIED + 2, k], weight - numbers[TRIED + 1, k]
                squares = second - numbers[TRIED + 3, k]
                too_much = (squares - best - slack) * wide - total * total
                if too_much > 0.0:
                    break
                if too_much + numbers[TRIED, k] * wide > 0.0:
                    continue
                value = numbers[TRIED, k] + max(0.0, squares - total * total / wide)
                if value < best or (value == best and at < end and places[0, k] < at):
                    best, at, found = value, places[0, k], k
            numbers[before + 1, end], places[b, end], guess = best, at, found
