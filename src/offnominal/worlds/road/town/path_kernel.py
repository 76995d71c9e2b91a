"""Compiled queries of lanes: points, headings and speed caps at an arclength, and projections onto a lane."""

from __future__ import annotations

import math

from offnominal.core.compilation import compiled
from offnominal.worlds.road.town.network import Network


@compiled
def index_at(net: Network, lane: int, s: float) -> int:
    """Return the point of a lane at or before an arclength, never the last one."""
    first, last = net.first[lane], net.first[lane + 1] - 1
    guess = first + int((last - first) * min(max(s / net.length[lane], 0.0), 1.0))
    k = min(max(guess, first), last - 1)
    while k > first and net.arc[k] > s:
        k -= 1
    while k < last - 1 and net.arc[k + 1] <= s:
        k += 1
    return int(k)


@compiled
def pose_at(net: Network, lane: int, s: float, d: float) -> tuple[float, float, float, float]:
    """Return position and unit tangent at an arclength and an offset to the left; beyond the ends, straight on."""
    k = index_at(net, lane, s)
    span = net.arc[k + 1] - net.arc[k]
    share = (s - net.arc[k]) / span
    inside = min(max(share, 0.0), 1.0)
    tx = net.tangent[k, 0] + inside * (net.tangent[k + 1, 0] - net.tangent[k, 0])
    ty = net.tangent[k, 1] + inside * (net.tangent[k + 1, 1] - net.tangent[k, 1])
    norm = math.sqrt(tx * tx + ty * ty)
    tx, ty = tx / norm, ty / norm
    x = net.point[k, 0] + inside * (net.point[k + 1, 0] - net.point[k, 0])
    y = net.point[k, 1] + inside * (net.point[k + 1, 1] - net.point[k, 1])
    beyond = (share - inside) * span
    return x + beyond * tx - d * ty, y + beyond * ty + d * tx, tx, ty


@compiled
def cap_at(net: Network, lane: int, s: float) -> float:
    """Return the highest comfortable speed at an arclength."""
    k = index_at(net, lane, s)
    share = min(max((s - net.arc[k]) / (net.arc[k + 1] - net.arc[k]), 0.0), 1.0)
    return float(net.cap[k] + share * (net.cap[k + 1] - net.cap[k]))


@compiled
def project(net: Network, lane: int, x: float, y: float) -> tuple[float, float]:
    """Return arclength and offset to the left of the point of a lane that is nearest to a position."""
    first, last = net.first[lane], net.first[lane + 1] - 1
    best, best_s, best_d = math.inf, 0.0, 0.0
    for k in range(first, last):
        ex, ey = net.point[k + 1, 0] - net.point[k, 0], net.point[k + 1, 1] - net.point[k, 1]
        px, py = x - net.point[k, 0], y - net.point[k, 1]
        square = ex * ex + ey * ey
        along = (px * ex + py * ey) / square
        # The first and the last segment extend beyond the ends of the lane.
        if k > first:
            along = max(along, 0.0)
        if k < last - 1:
            along = min(along, 1.0)
        dx, dy = px - along * ex, py - along * ey
        away = dx * dx + dy * dy
        if away < best:
            best = away
            best_s = net.arc[k] + along * (net.arc[k + 1] - net.arc[k])
            best_d = math.sqrt(away) * (1.0 if ex * py - ey * px >= 0.0 else -1.0)
    return best_s, best_d


@compiled
def nearest_lane(net: Network, x: float, y: float, cosine: float, sine: float, align: bool) -> int:
    """Return the lane whose centre line is nearest to a position.

    With `align`, only lanes whose direction agrees with (cosine, sine) within 60 degrees are considered.
    """
    best, found = math.inf, -1
    for lane in range(net.length.shape[0]):
        for k in range(net.first[lane], net.first[lane + 1]):
            dx, dy = x - net.point[k, 0], y - net.point[k, 1]
            away = dx * dx + dy * dy
            # A lane of a road wins over a path through a junction at the same distance.
            if net.road[lane] < 0:
                away += 0.01
            if away < best and (not align or net.tangent[k, 0] * cosine + net.tangent[k, 1] * sine > 0.5):
                best, found = away, lane
    return found


@compiled
def lateral_shift(net: Network, lane: int, other: int, s: float) -> tuple[float, float]:
    """Return arclength and offset, as seen from a parallel lane, of the centre of a lane at an arclength.

    Parallel lanes have as many points, side by side.
    """
    k = index_at(net, lane, s)
    share = (s - net.arc[k]) / (net.arc[k + 1] - net.arc[k])
    m = net.first[other] + (k - net.first[lane])
    there = net.arc[m] + share * (net.arc[m + 1] - net.arc[m])
    x, y, _, _ = pose_at(net, lane, s, 0.0)
    ox, oy, tx, ty = pose_at(net, other, there, 0.0)
    return there, tx * (y - oy) - ty * (x - ox)
