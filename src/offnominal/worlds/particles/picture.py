"""A particle world seen from above."""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.types import FloatArray, Frame
from offnominal.sensing.canvas import Canvas, Colour, rgb
from offnominal.worlds.particles.kernel import AGENT_RADIUS, GOAL_RADIUS, HAZARD_RADIUS, OBJECT_RADIUS

VIEW = 1.5
RIM = 0.02
MARKER = 0.1
BACKGROUND = rgb("#FAFAF7")
AGENT = rgb("#F36966")
OBJECT = rgb("#8F836E")
HAZARD = rgb("#CD7CFF")
GOAL = rgb("#47BBC8")


def draw(position: FloatArray, goal: FloatArray, hazards: FloatArray, *, size: int = 128) -> Frame:
    """Draw one row: where things are and nothing else, so that a picture does not tell the time.

    Args:
        position: (bodies, 2): the agent, then the objects.
        goal: (2,).
        hazards: (hazards, 2).
        size: Pixels per side; they show the square within 1.5 m of the origin.

    Returns:
        (size, size, 3). A thing that has left the square is a triangle at the border that points to it.
    """
    canvas = Canvas(size, size, BACKGROUND, view=(-VIEW, VIEW, -VIEW, VIEW))
    _place(canvas, goal, GOAL_RADIUS, GOAL)
    for hazard in hazards:
        _place(canvas, hazard, HAZARD_RADIUS, HAZARD)
    for thing in position[1:]:
        _place(canvas, thing, OBJECT_RADIUS, OBJECT)
    _place(canvas, position[0], AGENT_RADIUS, AGENT)
    return canvas.frame()


def _place(canvas: Canvas, point: FloatArray, radius: float, colour: Colour) -> None:
    x, y = float(point[0]), float(point[1])
    if abs(x) <= VIEW and abs(y) <= VIEW:
        canvas.disc((x, y), radius, colour, rim=min(RIM, 0.25 * radius))
        return
    base_x, base_y = np.clip((x, y), MARKER - VIEW, VIEW - MARKER)
    distance = math.hypot(x - base_x, y - base_y)
    ex, ey = MARKER * (x - base_x) / distance, MARKER * (y - base_y) / distance
    tip, left, right = (base_x + ex, base_y + ey), (base_x - ey, base_y + ex), (base_x + ey, base_y - ex)
    canvas.polygon((tip, left, right), colour, rim=0.5 * RIM)
