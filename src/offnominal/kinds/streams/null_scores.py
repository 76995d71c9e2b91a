"""Nulls: scores from what is known of a stream without looking at it."""

from __future__ import annotations

import numpy as np

from offnominal.core.types import FloatArray, IntArray

CLOCK, RESTARTS, DRIFT = "clock", "restarts", "drift"
NULLS = (CLOCK, RESTARTS, DRIFT)
"""Steps since the stream began; starts of the world in the last unit; distance of the drift from the beginning."""


def null_score(name: str, steps: int, unit: int, restarts: IntArray, shares: FloatArray) -> FloatArray:
    """Return the (steps,) scores of a null in one stream.

    An alarm on them that has net detection would show that the time, the restarts or the drift tell where faults are.
    Restarts may: a fault can make the world start again.

    Args:
        name: ``"clock"``, ``"restarts"`` or ``"drift"``.
        steps: Steps of the stream.
        unit: Steps of a unit.
        restarts: Steps at which the world has started again.
        shares: (segments,) how far the parameter that drifts is from neutral.

    Example:
        >>> null_score("restarts", 6, 2, np.array([1, 2]), np.zeros(1)).tolist()
        [0.0, 1.0, 2.0, 1.0, 0.0, 0.0]
    """
    if name == CLOCK:
        return np.arange(steps, dtype=np.float64)
    if name == DRIFT:
        moved: FloatArray = np.repeat(np.abs(shares - shares[0]), -(-steps // len(shares)))[:steps]
        return moved
    total = np.cumsum(np.bincount(restarts, minlength=steps)[:steps]).astype(np.float64)
    before = np.concatenate([np.zeros(min(unit, steps)), total])[:steps]
    recent: FloatArray = total - before
    return recent
