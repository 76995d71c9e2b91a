"""Rendering of the particle worlds from above."""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import FloatArray, Frames
from offnominal.sensing.canvas import blank, paint_disc, paint_polygon, rgb
from offnominal.worlds.particles.kernel import AGENT_RADIUS, GOAL_RADIUS, HAZARD_RADIUS, OBJECT_RADIUS

VIEW = 1.5
RIM = 0.02
MARKER = 0.1
BACKGROUND = rgb("#FAFAF7")
AGENT = rgb("#F36966")
OBJECT = rgb("#8F836E")
HAZARD = rgb("#CD7CFF")
GOAL = rgb("#47BBC8")


def draw(
    position: FloatArray,
    goals: FloatArray,
    hazards: FloatArray,
    *,
    size: int = 128,
    trails: FloatArray | None = None,
    agent_scale: float = 1.0,
) -> Frames:
    """Return images of some rows. They show positions only, so they do not reveal the elapsed time.

    Args:
        position: (rows, bodies, 2): the agent, then the objects.
        goals: (rows, 2).
        hazards: (rows, hazards, 2).
        size: Pixels per side; they show the square within 1.5 m of the origin.
        trails: (rows, k, 2): earlier positions of the agent, oldest first; NaN where there is none.
        agent_scale: Factor on the radius of the agent.

    Returns:
        (rows, size, size, 3). A body outside the square is a triangle at the border that points to it.
    """
    positions = np.concatenate((goals[:, None], hazards, position[:, 1:], position[:, :1]), axis=1)
    bare, objects = hazards.shape[1], position.shape[1] - 1
    colours = np.array([GOAL, *[HAZARD] * bare, *[OBJECT] * objects, AGENT])
    agent = agent_scale * AGENT_RADIUS
    radii = np.array([GOAL_RADIUS, *[HAZARD_RADIUS] * bare, *[OBJECT_RADIUS] * objects, agent])
    frames = np.empty((len(position), size, size, 3), np.uint8)
    frames[:] = blank(size, size, BACKGROUND)
    _draw_rows(frames, positions, radii, colours, 0, positions.shape[1] - 1)
    if trails is not None:
        _draw_trails(frames, trails, 0.5 * agent, AGENT)
    _draw_rows(frames, positions, radii, colours, positions.shape[1] - 1, positions.shape[1])
    return frames


@compiled
def _draw_trails(frames: Frames, trails: FloatArray, radius: float, colour: tuple[float, float, float]) -> None:
    """Draw the earlier positions of the agent of every row; the older, the smaller and the paler."""
    scale, count = frames.shape[1] / (2.0 * VIEW), trails.shape[1]
    for r in range(frames.shape[0]):
        for k in range(count):
            x, y, share = trails[r, k, 0], trails[r, k, 1], (k + 1.0) / count
            if math.isfinite(x) and math.isfinite(y):
                pale = 0.85 - 0.45 * share
                red, green = pale + (1.0 - pale) * colour[0], pale + (1.0 - pale) * colour[1]
                blue = pale + (1.0 - pale) * colour[2]
                size = scale * radius * (0.3 + 0.7 * share)
                paint_disc(frames[r], scale * (VIEW + x), scale * (VIEW - y), size, 0.0, red, green, blue)


@compiled
def _draw_rows(
    frames: Frames, positions: FloatArray, radii: FloatArray, colours: FloatArray, first: int, last: int
) -> None:
    """Draw some bodies of every row, later ones over earlier ones."""
    scale = frames.shape[1] / (2.0 * VIEW)
    marker = np.empty((3, 2))
    for r in range(frames.shape[0]):
        for k in range(first, last):
            x, y = positions[r, k, 0], positions[r, k, 1]
            red, green, blue = colours[k]
            if abs(x) <= VIEW and abs(y) <= VIEW:
                radius, rim = scale * radii[k], scale * min(RIM, 0.25 * radii[k])
                paint_disc(frames[r], scale * (VIEW + x), scale * (VIEW - y), radius, rim, red, green, blue)
            elif math.isfinite(x) and math.isfinite(y):
                _point_out(x, y, scale, marker)
                paint_polygon(frames[r], marker, scale * 0.5 * RIM, red, green, blue)


@compiled
def _point_out(x: float, y: float, scale: float, corners: FloatArray) -> None:
    """Write the triangle at the border that points to a position outside the view, in pixels."""
    limit = VIEW - MARKER
    base_x, base_y = min(max(x, -limit), limit), min(max(y, -limit), limit)
    dx, dy = x - base_x, y - base_y
    larger = max(abs(dx), abs(dy))
    dx, dy = dx / larger, dy / larger
    length = math.sqrt(dx * dx + dy * dy)
    ex, ey = MARKER * dx / length, MARKER * dy / length
    base_x, base_y = scale * (VIEW + base_x), scale * (VIEW - base_y)
    corners[0, 0], corners[0, 1] = base_x + scale * ex, base_y - scale * ey
    corners[1, 0], corners[1, 1] = base_x - scale * ey, base_y - scale * ex
    corners[2, 0], corners[2, 1] = base_x + scale * ey, base_y + scale * ex
