"""The highway: its lanes, its curvature and the wind across it."""

from __future__ import annotations

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.philox import uniform, uniform_pair
from offnominal.core.types import FloatArray

LANE_WIDTH = 3.5
LANES = 3
"""Lanes per direction; lane 0 is the rightmost."""
MAX_CURVATURE = 1.0 / 500.0
NODE_SPACING = 60.0
NODES = 32
"""Points between which the curvature changes linearly; beyond them it is constant."""

STRONGEST_GUST = 0.5
"""Largest acceleration of a car by the wind, m/s²."""
GUST_STEPS = 20
"""Transitions from one gust to the next; the wind changes linearly between them."""
GUST_LANE = 1 << 16
"""Lane of the random stream that gusts are drawn from."""


@compiled
def draw_curvatures(key: np.uint64, lane: int, curvatures: FloatArray) -> None:
    """Draw the curvature at every node."""
    for pair in range(NODES // 2):
        u, v = uniform_pair(key, 0, lane, pair)
        curvatures[2 * pair] = (2.0 * u - 1.0) * MAX_CURVATURE
        curvatures[2 * pair + 1] = (2.0 * v - 1.0) * MAX_CURVATURE


@compiled
def side_wind(key: np.uint64, tick: int, gusts: FloatArray) -> float:
    """Return the acceleration of a car by the wind from the right, m/s²; `gusts` keeps the two nearest gusts."""
    since = tick % GUST_STEPS
    if since == 0:
        gusts[0] = gusts[1]
        gusts[1] = (2.0 * uniform(key, tick, GUST_LANE, 0) - 1.0) * STRONGEST_GUST
    wind: float = gusts[0] + since * (gusts[1] - gusts[0]) * (1.0 / GUST_STEPS)
    return wind


@compiled
def curvature(curvatures: FloatArray, position: float) -> float:
    """Return the curvature at a position along the road, positive where it turns left."""
    along = min(max(position / NODE_SPACING, 0.0), NODES - 1.000001)
    node = int(along)
    bend: float = curvatures[node] + (along - node) * (curvatures[node + 1] - curvatures[node])
    return bend
