"""Plane curves as polylines: resampling, rounded corners, smooth connections, parallel curves.

A curve is an array of points (k, 2) in metres. All operations use additions, multiplications, divisions and square
roots alone, so that a town has the same bytes on every machine.
"""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.deterministic_math import arctan2, sincos
from offnominal.core.types import FloatArray

CORNER_SAMPLES = 24
STRAIGHT = 1e-9


def arclengths(points: FloatArray) -> FloatArray:
    """Return the distance of every point from the first one along a curve.

    Example:
        >>> arclengths(np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 5.0]]))
        array([0., 5., 6.])
    """
    steps = np.diff(points, axis=0)
    return np.concatenate([[0.0], np.cumsum(np.sqrt(steps[:, 0] ** 2 + steps[:, 1] ** 2))])


@compiled
def _sample(points: FloatArray, lengths: FloatArray, targets: FloatArray) -> FloatArray:
    out = np.empty((targets.shape[0], 2))
    k = 0
    for i in range(targets.shape[0]):
        while k < lengths.shape[0] - 2 and lengths[k + 1] < targets[i]:
            k += 1
        span = lengths[k + 1] - lengths[k]
        share = (targets[i] - lengths[k]) / span if span > 0.0 else 0.0
        out[i, 0] = points[k, 0] + share * (points[k + 1, 0] - points[k, 0])
        out[i, 1] = points[k, 1] + share * (points[k + 1, 1] - points[k, 1])
    return out


def cut(points: FloatArray, start: float, stop: float, step: float = 1.0) -> FloatArray:
    """Return the part of a curve between two arclengths, with points at equal distances of about `step`.

    Example:
        >>> cut(np.array([[0.0, 0.0], [10.0, 0.0]]), 2.0, 5.0)[:, 0]
        array([2., 3., 4., 5.])
    """
    count = max(1, math.ceil((stop - start) / step - STRAIGHT))
    targets = start + (stop - start) * (np.arange(count + 1) / count)
    return _sample(points, arclengths(points), targets)


def tangents(points: FloatArray) -> FloatArray:
    """Return the unit tangent of a curve at every point, from central differences.

    Example:
        >>> tangents(np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]])).tolist()
        [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]
    """
    steps = np.empty_like(points)
    steps[1:-1] = points[2:] - points[:-2]
    steps[0], steps[-1] = points[1] - points[0], points[-1] - points[-2]
    norm = np.sqrt(steps[:, 0] ** 2 + steps[:, 1] ** 2)
    unit: FloatArray = steps / norm[:, None]
    return unit


def parallel(points: FloatArray, offset: float) -> FloatArray:
    """Return the curve at a distance to the left of another one; negative distances are to the right.

    Example:
        >>> parallel(np.array([[0.0, 0.0], [1.0, 0.0]]), -1.75).tolist()
        [[0.0, -1.75], [1.0, -1.75]]
    """
    along = tangents(points)
    return points + offset * np.stack([-along[:, 1], along[:, 0]], axis=1)


def connection(
    start: FloatArray, direction: FloatArray, end: FloatArray, final: FloatArray, step: float = 1.0
) -> FloatArray:
    """Return a smooth curve between two points with given unit tangents at its ends.

    Between perpendicular tangents it is nearly a circular arc.

    Example:
        >>> straight = connection(np.zeros(2), np.array([1.0, 0.0]), np.array([4.0, 0.0]), np.array([1.0, 0.0]))
        >>> straight[:, 1].tolist()
        [0.0, 0.0, 0.0, 0.0, 0.0]
    """
    curve = _arc_between(start, direction, end, final)
    if curve is None:
        gap = end - start
        distance = math.sqrt(gap[0] ** 2 + gap[1] ** 2)
        cosine = min(1.0, max(-1.0, float(direction[0] * final[0] + direction[1] * final[1])))
        handle = distance * _handle_of_arc(cosine)
        curve = bezier(np.stack([start, start + handle * direction, end - handle * final, end]))
    return cut(curve, 0.0, float(arclengths(curve)[-1]), step)


def _arc_between(start: FloatArray, direction: FloatArray, end: FloatArray, final: FloatArray) -> FloatArray | None:
    """Return a straight line and an arc, as wide as possible, if the tangents meet in front of the start."""
    cross = float(direction[0] * final[1] - direction[1] * final[0])
    if abs(cross) < 0.2:
        return None
    gap = end - start
    ahead = float(gap[0] * final[1] - gap[1] * final[0]) / cross
    behind = float(direction[0] * gap[1] - direction[1] * gap[0]) / cross
    reach = min(ahead, behind)
    if reach < 1.0:
        return None
    corner = start + ahead * direction
    half = math.sqrt((1.0 - float((direction * final).sum())) / (1.0 + float((direction * final).sum())))
    quarter = (math.sqrt(1.0 + half * half) - 1.0) / half
    handle = reach * (1.0 - 4.0 / 3.0 * quarter / half)
    turn = np.stack(
        [corner - reach * direction, corner - handle * direction, corner + handle * final, corner + reach * final]
    )
    parts = [start[None]] if ahead > reach + STRAIGHT else []
    parts.append(bezier(turn))
    if behind > reach + STRAIGHT:
        parts.append(end[None])
    return np.concatenate(parts)


def _handle_of_arc(cosine: float) -> float:
    """Return the handle of a Bézier curve like an arc, as a share of its chord, given the cosine of its turn."""
    if cosine < -0.999:
        return 2.0 / 3.0
    half = math.sqrt((1.0 - cosine) / (1.0 + cosine))
    quarter = (math.sqrt(1.0 + half * half) - 1.0) / half if half > STRAIGHT else 0.0
    radius = math.sqrt(1.0 + half * half) / (2.0 * half) if half > STRAIGHT else 0.0
    return 4.0 / 3.0 * quarter * radius if half > STRAIGHT else 1.0 / 3.0


def bezier(corners: FloatArray, samples: int = CORNER_SAMPLES) -> FloatArray:
    """Return a cubic Bézier curve with four control points.

    Example:
        >>> bezier(np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]), samples=2).tolist()
        [[0.0, 0.0], [0.5, 0.75], [1.0, 0.0]]
    """
    t = (np.arange(samples + 1) / samples)[:, None]
    u = 1.0 - t
    curve: FloatArray = (
        u * u * u * corners[0] + 3.0 * u * u * t * corners[1] + 3.0 * u * t * t * corners[2] + t * t * t * corners[3]
    )
    return curve


def rounded(points: FloatArray, radius: float) -> FloatArray:
    """Return a polyline whose inner corners are arcs of about a radius, smaller where a side is too short.

    Example:
        >>> corner = rounded(np.array([[0.0, 0.0], [50.0, 0.0], [50.0, 50.0]]), 20.0)
        >>> bool(np.abs(corner - [50.0, 0.0]).sum(axis=1).min() > 10.0)
        True
    """
    parts = [points[:1]]
    for before, corner, after in zip(points[:-2], points[1:-1], points[2:], strict=True):
        back, forth = before - corner, after - corner
        side_a = math.sqrt(back[0] ** 2 + back[1] ** 2)
        side_b = math.sqrt(forth[0] ** 2 + forth[1] ** 2)
        back, forth = back / side_a, forth / side_b
        cosine = min(1.0, max(-1.0, -float(back[0] * forth[0] + back[1] * forth[1])))
        if cosine > 1.0 - STRAIGHT:
            parts.append(corner[None])
            continue
        half = math.sqrt((1.0 - cosine) / (1.0 + cosine))
        reach = min(radius * half, 0.48 * side_a, 0.48 * side_b)
        quarter = (math.sqrt(1.0 + half * half) - 1.0) / half
        handle = reach * (1.0 - 4.0 / 3.0 * quarter / half)
        parts.append(
            bezier(
                np.stack(
                    [corner + reach * back, corner + handle * back, corner + handle * forth, corner + reach * forth]
                )
            )
        )
    return np.concatenate([*parts, points[-1:]])


def arc(centre: tuple[float, float], radius: float, start: float, stop: float, step: float = 1.0) -> FloatArray:
    """Return an arc between two angles in radians, counter-clockwise if `stop` is the larger one.

    Example:
        >>> arc((0.0, 0.0), 2.0, 0.0, 1.0)[0].tolist()
        [2.0, 0.0]
    """
    count = max(2, math.ceil(abs(stop - start) * radius / step))
    angles = start + (stop - start) * (np.arange(count + 1) / count)
    sides = [sincos(float(angle)) for angle in angles]
    return np.array([(centre[0] + radius * c, centre[1] + radius * s) for s, c in sides])


def heading_of(direction: FloatArray) -> float:
    """Return the angle of a direction in radians, counter-clockwise from x.

    Example:
        >>> round(heading_of(np.array([0.0, 2.0])), 4)
        1.5708
    """
    return arctan2(float(direction[1]), float(direction[0]))


def curvatures(points: FloatArray) -> FloatArray:
    """Return the absolute curvature of a curve at every point, from three neighbouring points.

    Example:
        >>> bool(np.allclose(curvatures(arc((0.0, 0.0), 20.0, 0.0, 1.0)), 0.05, atol=1e-3))
        True
    """
    if len(points) < 3:
        return np.zeros(len(points))
    a, b = points[1:-1] - points[:-2], points[2:] - points[1:-1]
    c = points[2:] - points[:-2]
    cross = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    norms = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1) * (c**2).sum(axis=1))
    inner = np.abs(2.0 * cross / np.maximum(norms, STRAIGHT))
    return np.concatenate([inner[:1], inner, inner[-1:]])
