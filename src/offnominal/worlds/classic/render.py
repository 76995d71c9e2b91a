"""Rendering of the classic worlds from the side, in flat colours."""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.deterministic_math import sincos
from offnominal.core.types import FloatArray, Frame, Frames
from offnominal.sensing.canvas import blank, paint_disc, paint_polygon, rgb
from offnominal.worlds.classic.kernel import MAX_POSITION

FAR = 1e6
SKY = rgb("#FAFAF7")
GROUND = rgb("#D9DCD6")
TICK = rgb("#A9AFA8")
STOP = rgb("#D6453F")
CART = rgb("#2A6FA8")
DARK = rgb("#33383D")
POLE = rgb("#EE9A24")
GOAL = rgb("#BFE3DF")

CART_VIEW, BOTTOM = 1.55, -0.6
PACE = 0.5
TICKS_APART = 0.4
CART_SIZE, WHEEL, POLE_RADIUS, RIM = (0.28, 0.13), 0.09, 0.055, 0.02
HINGE = 2.0 * CART_SIZE[1] + WHEEL
STOP_AT = MAX_POSITION + CART_SIZE[0]

PENDULUM_VIEW = 1.4
ROD_RADIUS, BOB, HUB = 0.07, 0.16, 0.1


def draw_cartpoles(positions: FloatArray, angles: FloatArray, lengths: FloatArray, *, size: int = 128) -> Frames:
    """Draw carts with their poles.

    The view moves at half the cart's speed: the whole track fits at twice the size, and the position in the image is
    still a function of the position on the track.

    Args:
        positions: (rows,): positions of the carts. A row that is not finite shows an empty track.
        angles: (rows,): angles of the poles from upright.
        lengths: (rows,): full lengths of the poles.
        size: Pixels per side.

    Returns:
        (rows, size, size, 3).
    """
    frames = np.empty((len(positions), size, size, 3), np.uint8)
    frames[:] = blank(size, size, SKY)
    _draw_cartpoles(frames, positions, angles, lengths)
    return frames


def draw_pendulums(directions: FloatArray, lengths: FloatArray, *, size: int = 128) -> Frames:
    """Draw pendulums; a pale spot marks upright.

    Args:
        directions: (rows, 2): cosine and sine of the angle from upright. A row that is not finite shows no pendulum.
        lengths: (rows,): lengths of the pendulums.
        size: Pixels per side.

    Returns:
        (rows, size, size, 3).
    """
    frames = np.empty((len(directions), size, size, 3), np.uint8)
    frames[:] = blank(size, size, SKY)
    _draw_pendulums(frames, directions, lengths)
    return frames


@compiled
def _draw_cartpoles(frames: Frames, positions: FloatArray, angles: FloatArray, lengths: FloatArray) -> None:
    scale = frames.shape[1] / (2.0 * CART_VIEW)
    for r in range(frames.shape[0]):
        frame, x, angle = frames[r], positions[r], angles[r]
        there = abs(x) <= FAR and abs(angle) <= FAR
        left = (PACE * x if there else 0.0) - CART_VIEW
        _draw_track(frame, scale, left)
        if there:
            sine, cosine = sincos(angle)
            _draw_cart(frame, scale, x - left)
            tip = x - left + lengths[r] * sine, HINGE + lengths[r] * cosine
            _draw_bar(frame, scale, (x - left, HINGE), tip, POLE_RADIUS)
            _draw_disc(frame, scale, x - left, HINGE, 0.5 * POLE_RADIUS, 0.0, DARK)


@compiled
def _draw_track(frame: Frame, scale: float, left: float) -> None:
    """Draw the ground with a tick every 0.4 m, and the stops at both ends."""
    _draw_box(frame, scale, 0.0, BOTTOM, 2.0 * CART_VIEW, 0.0, 0.0, GROUND)
    first = math.ceil(left / TICKS_APART)
    for k in range(first - 1, first + int(2.0 * CART_VIEW / TICKS_APART) + 2):
        x = k * TICKS_APART - left
        _draw_box(frame, scale, x - 0.02, -0.16, x + 0.02, -0.04, 0.0, TICK)
    for side in (-1.0, 1.0):
        near, far = side * STOP_AT - left, side * (STOP_AT + 0.1) - left
        _draw_box(frame, scale, min(near, far), 0.0, max(near, far), HINGE, RIM, STOP)


@compiled
def _draw_cart(frame: Frame, scale: float, x: float) -> None:
    wide, high = CART_SIZE
    _draw_box(frame, scale, x - wide, WHEEL, x + wide, WHEEL + 2.0 * high, RIM, CART)
    for side in (-0.6, 0.6):
        _draw_disc(frame, scale, x + side * wide, WHEEL, WHEEL, 0.0, DARK)


@compiled
def _draw_pendulums(frames: Frames, directions: FloatArray, lengths: FloatArray) -> None:
    scale = frames.shape[1] / (2.0 * PENDULUM_VIEW)
    middle = PENDULUM_VIEW, PENDULUM_VIEW + BOTTOM
    for r in range(frames.shape[0]):
        frame = frames[r]
        _draw_disc(frame, scale, middle[0], middle[1] + 1.0, BOB + 0.06, 0.0, GOAL)
        cosine, sine = lengths[r] * directions[r, 0], lengths[r] * directions[r, 1]
        if abs(cosine) <= FAR and abs(sine) <= FAR:
            # Gymnasium's angle grows anticlockwise.
            tip = middle[0] - sine, middle[1] + cosine
            _draw_bar(frame, scale, middle, tip, ROD_RADIUS)
            _draw_disc(frame, scale, tip[0], tip[1], BOB, RIM, CART)
        _draw_disc(frame, scale, middle[0], middle[1], HUB, 0.0, DARK)


@compiled
def _draw_bar(frame: Frame, scale: float, start: tuple[float, float], end: tuple[float, float], radius: float) -> None:
    """Draw a bar with round ends."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.sqrt(dx * dx + dy * dy)
    _draw_disc(frame, scale, start[0], start[1], radius, 0.0, POLE)
    if length > 0.0:
        px, py = -radius * dy / length, radius * dx / length
        corners = np.empty((4, 2))
        _place(frame, scale, corners, 0, start[0] + px, start[1] + py)
        _place(frame, scale, corners, 1, end[0] + px, end[1] + py)
        _place(frame, scale, corners, 2, end[0] - px, end[1] - py)
        _place(frame, scale, corners, 3, start[0] - px, start[1] - py)
        paint_polygon(frame, corners, 0.0, POLE[0], POLE[1], POLE[2])
    _draw_disc(frame, scale, end[0], end[1], radius, 0.0, POLE)


@compiled
def _draw_box(
    frame: Frame,
    scale: float,
    left: float,
    bottom: float,
    right: float,
    top: float,
    rim: float,
    colour: tuple[float, float, float],
) -> None:
    corners = np.empty((4, 2))
    _place(frame, scale, corners, 0, left, bottom)
    _place(frame, scale, corners, 1, right, bottom)
    _place(frame, scale, corners, 2, right, top)
    _place(frame, scale, corners, 3, left, top)
    paint_polygon(frame, corners, scale * rim, colour[0], colour[1], colour[2])


@compiled
def _draw_disc(
    frame: Frame, scale: float, x: float, y: float, radius: float, rim: float, colour: tuple[float, float, float]
) -> None:
    row = frame.shape[0] - scale * (y - BOTTOM)
    paint_disc(frame, scale * x, row, scale * radius, scale * rim, colour[0], colour[1], colour[2])


@compiled
def _place(frame: Frame, scale: float, corners: FloatArray, k: int, x: float, y: float) -> None:
    """Write a corner in pixels, given in metres from the left and above the ground."""
    corners[k, 0], corners[k, 1] = scale * x, frame.shape[0] - scale * (y - BOTTOM)
