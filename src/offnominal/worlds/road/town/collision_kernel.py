"""Which bodies overlap, seen from above: rectangles for vehicles and objects, small rectangles for pedestrians."""

from __future__ import annotations

from offnominal.core.compilation import compiled
from offnominal.core.types import FloatArray, IntArray


@compiled
def separated(pose: FloatArray, size: FloatArray, i: int, j: int) -> bool:
    """Return whether an axis of the first rectangle separates it from the second one."""
    dx, dy = pose[j, 0] - pose[i, 0], pose[j, 1] - pose[i, 1]
    c, s = pose[i, 2], pose[i, 3]
    oc, os = pose[j, 2], pose[j, 3]
    cosine, sine = abs(c * oc + s * os), abs(c * os - s * oc)
    half_l, half_w = 0.5 * size[i, 0], 0.5 * size[i, 1]
    other_l, other_w = 0.5 * size[j, 0], 0.5 * size[j, 1]
    return bool(
        abs(c * dx + s * dy) >= half_l + other_l * cosine + other_w * sine
        or abs(c * dy - s * dx) >= half_w + other_l * sine + other_w * cosine
    )


@compiled
def find_collisions(pose: FloatArray, size: FloatArray, solid: int, out: IntArray) -> int:
    """Write the pairs of overlapping bodies, at least one of the first `solid` bodies in each; return their number.

    Args:
        pose: (n, 4): position and unit vector of the heading.
        size: (n, 3): length, width, height.
        solid: Number of vehicles, which come first.
        out: (room, 2): pairs.
    """
    count = 0
    for i in range(solid):
        for j in range(i + 1, pose.shape[0]):
            dx, dy = pose[j, 0] - pose[i, 0], pose[j, 1] - pose[i, 1]
            reach = 0.5 * (size[i, 0] + size[i, 1] + size[j, 0] + size[j, 1])
            if dx * dx + dy * dy > reach * reach or separated(pose, size, i, j) or separated(pose, size, j, i):
                continue
            if count < out.shape[0]:
                out[count, 0], out[count, 1] = i, j
                count += 1
    return count
