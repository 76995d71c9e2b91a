"""Rendering of the cart and its pole from the side."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.deterministic_math import sincos
from offnominal.core.types import FloatArray, Frames
from offnominal.worlds.mujoco.cartpole_kernel import POLE_LENGTH, RAIL_END

if TYPE_CHECKING:
    from offnominal.sensing import Camera, Scene

FLOOR, TILE = -0.95, 1.0
CART = (0.2, 0.11, 0.1)
IN_FRONT = -0.16
POLE_RADIUS = 0.049
STOP = RAIL_END + CART[0] + 0.05
PACE = 0.5
FAR = 1e6


def draw(qpos: FloatArray, *, size: int = 128) -> Frames:
    """Draw carts from the side.

    The camera moves at half the cart's speed: the whole rail fits at twice the size, and the position in the image is
    still a function of the position on the rail.

    Args:
        qpos: (rows, 2): positions of the cart and angles of the pole. A row that is not finite shows an empty rail.
        size: Pixels per side.

    Returns:
        (rows, size, size, 3).
    """
    from offnominal.sensing import Poses, render_batch

    scene = _scene()
    positions = np.tile(scene.poses.positions, (len(qpos), 1, 1))
    rotations = np.tile(scene.poses.rotations, (len(qpos), 1, 1, 1))
    offsets = np.zeros((len(qpos), 3))
    _place(qpos, positions, rotations, offsets)
    frames = render_batch(scene, _camera(size), Poses(positions, rotations), offsets=offsets).rgb
    assert frames is not None
    return frames


@compiled
def _place(qpos: FloatArray, positions: FloatArray, rotations: FloatArray, offsets: FloatArray) -> None:
    """Move the cart, its hinge and the pole, which are the last three instances, and the camera."""
    cart = positions.shape[1] - 3
    pole = cart + 2
    for r in range(qpos.shape[0]):
        x, angle = qpos[r, 0], qpos[r, 1]
        if not (abs(x) <= FAR and abs(angle) <= FAR):
            positions[r, cart:] = math.nan
            continue
        offsets[r, 0] = PACE * x
        for k in range(cart, cart + 3):
            positions[r, k, 0] += x
        sine, cosine = sincos(angle)
        positions[r, pole, 0] -= 0.5 * POLE_LENGTH * sine
        positions[r, pole, 2] -= 0.5 * POLE_LENGTH * cosine
        rotations[r, pole, 0, 0] = rotations[r, pole, 2, 2] = cosine
        rotations[r, pole, 0, 2], rotations[r, pole, 2, 0] = sine, -sine


@cache
def _camera(size: int) -> Camera:
    from offnominal.sensing import Camera

    return Camera((0.0, -5.4, 0.75), (0.0, 0.0, -0.06), width=size, height=size, fov=31.0, samples=2)


@cache
def _scene() -> Scene:
    """Return floor and rail, then the cart, its hinge and the pole, all at the origin."""
    from offnominal.sensing import Box, Capsule, Cylinder, Instance, Light, Material, Plane, Scene, Sphere

    steel, stop = Material((0.55, 0.58, 0.62)), Material((0.84, 0.27, 0.25))
    sideways = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0))
    rail_height = -CART[2] - 0.03
    post = 0.5 * (rail_height - FLOOR)
    return Scene(
        (
            Instance(
                Plane(),
                (0.0, 0.0, FLOOR),
                material=Material((0.84, 0.85, 0.84), (0.72, 0.74, 0.76), texture="checker", scale=TILE),
            ),
            Instance(Cylinder(0.03, STOP), (0.0, 0.0, rail_height), sideways, steel),
            *(Instance(Cylinder(0.035, post), (x, 0.0, FLOOR + post), None, steel) for x in (-STOP, 0.0, STOP)),
            *(Instance(Box((0.05, 0.13, 0.16)), (x, 0.0, 0.0), None, stop) for x in (-STOP, STOP)),
            Instance(Box(CART), material=Material((0.10, 0.42, 0.68))),
            Instance(Sphere(0.07), (0.0, IN_FRONT, 0.0), material=Material((0.25, 0.26, 0.28))),
            Instance(
                Capsule(POLE_RADIUS, 0.5 * POLE_LENGTH), (0.0, IN_FRONT, 0.0), material=Material((0.93, 0.60, 0.12))
            ),
        ),
        light=Light(towards_sun=(0.1, -0.35, 0.95)),
    )
