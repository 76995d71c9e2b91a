"""The MuJoCo worlds as flat pictures: every geom's silhouette, the far ones first."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from offnominal.core.errors import UnsupportedEnvironment
from offnominal.core.types import FloatArray, Frame
from offnominal.sensing.canvas import Canvas, Colour, rgb

BACKGROUND = rgb("#F4F7FA")
SHADOW = rgb("#E3E8EE")
RIM = 0.02
MARK_SHADE = 0.9
DIRECTIONS = np.array([(math.cos(k * math.pi / 16), math.sin(k * math.pi / 16)) for k in range(32)])
TINY = 1e-12
PLANE, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX = (
    int(getattr(mujoco.mjtGeom, f"mjGEOM_{kind}"))
    for kind in ("PLANE", "SPHERE", "CAPSULE", "ELLIPSOID", "CYLINDER", "BOX")
)


@dataclass(frozen=True, slots=True)
class Camera:
    """A parallel projection onto a square.

    Args:
        centre: What is at the middle of the picture, in picture coordinates and metres.
        half: Half of the square's side, m.
        azimuth: Direction of view on the map, degrees; 0 looks along +y and has +x on the right.
        elevation: How far the view is from above, degrees.
        follow: Body that the picture stays with as it moves left and right.
        floor: Height on which things throw a shadow straight down, which tells how near they are; m.
    """

    centre: tuple[float, float]
    half: float
    azimuth: float = 0.0
    elevation: float = 0.0
    follow: str | None = None
    floor: float | None = None

    def axes(self) -> FloatArray:
        """Return the unit vectors (3, 3) that point right, up and away from the viewer."""
        a, e = math.radians(self.azimuth), math.radians(self.elevation)
        ca, sa, ce, se = math.cos(a), math.sin(a), math.cos(e), math.sin(e)
        return np.array(((ca, sa, 0.0), (-sa * se, ca * se, ce), (-sa * ce, ca * ce, -se)))


CAMERAS = {
    "MJC-CartpoleSwingup-v0": Camera((0.0, 0.0), 2.6),
    "MJC-Reacher3D-v0": Camera((-0.15, -0.05), 1.05, azimuth=75.0, elevation=35.0, floor=-0.5),
    "MJC-HalfCheetah-v0": Camera((0.1, 0.8), 1.2, follow="torso"),
}


def draw(model: mujoco.MjModel, data: mujoco.MjData, world_id: str, *, size: int = 128) -> Frame:
    """Draw a state as its world's camera sees it.

    Args:
        model: Shapes and colours.
        data: The state; its kinematics are brought up to date.
        world_id: Whose camera.
        size: Pixels per side.

    Returns:
        (size, size, 3).
    """
    mujoco.mj_kinematics(model, data)
    camera = CAMERAS[world_id]
    axes = camera.axes()
    x, y = camera.centre
    if camera.follow is not None:
        x += float(axes[0] @ data.body(camera.follow).xpos)
    canvas = Canvas(size, size, BACKGROUND, view=(x - camera.half, x + camera.half, y - camera.half, y + camera.half))
    kinds, shapes, colours = model.geom_type, model.geom_size, model.geom_rgba.astype(np.float64)
    ground = kinds == PLANE
    for geom in np.flatnonzero(ground):
        _ground(canvas, float(data.geom_xpos[geom, 2]), x, camera.half, tuple(colours[geom, :3]))
    solid = np.flatnonzero(~ground & (colours[:, 3] > 0.0))
    if camera.floor is not None:
        places, turns = _project(data, axes * (1.0, 1.0, 0.0))
        places += camera.floor * axes[:, 2]
        for geom in solid:
            canvas.polygon(_outline(kinds[geom], shapes[geom], places[geom, :2], turns[geom, :2]), SHADOW)
    places, turns = _project(data, axes)
    for geom in solid[np.argsort(-places[solid, 2], kind="stable")]:
        place, turn, colour = places[geom, :2], turns[geom, :2], tuple(colours[geom, :3])
        _silhouette(canvas, kinds[geom], shapes[geom], place, turn, colour)
    return canvas.frame()


def _project(data: mujoco.MjData, axes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return where the geoms are (geoms, 3) and where their own axes point (geoms, 3, 3) in the picture."""
    return data.geom_xpos @ axes.T, axes @ data.geom_xmat.reshape(-1, 3, 3)


def _ground(canvas: Canvas, level: float, x: float, half: float, colour: Colour) -> None:
    """Paint a horizontal plane from the side, every other metre darker so that motion over it is seen."""
    red, green, blue = colour
    marked = (MARK_SHADE * red, MARK_SHADE * green, MARK_SHADE * blue)
    depth = level - 4.0 * half
    first, last = math.floor(x - half) - 1, math.ceil(x + half) + 1
    canvas.polygon(((first, level), (last, level), (last, depth), (first, depth)), colour)
    for metre in range(first + first % 2, last, 2):
        canvas.polygon(((metre, level), (metre + 1, level), (metre + 1, depth), (metre, depth)), marked)


def _silhouette(
    canvas: Canvas, kind: int, shape: FloatArray, place: FloatArray, turn: FloatArray, colour: Colour
) -> None:
    """Paint a geom with a darker rim, thin things with a thinner one."""
    rim = min(RIM, 0.25 * shape[0])
    if kind == SPHERE:
        canvas.disc(place, shape[0], colour, rim=rim)
    elif kind == CAPSULE:
        half = turn[:, 2] * shape[1]
        canvas.capsule(place - half, place + half, shape[0], colour, rim=rim)
    else:
        canvas.polygon(_outline(kind, shape, place, turn), colour, rim=rim)


def _outline(kind: int, shape: FloatArray, place: FloatArray, turn: FloatArray) -> FloatArray:
    """Return the silhouette of a convex geom: its farthest points in 32 directions of the picture.

    Args:
        kind: Which mjtGeom.
        shape: Its size, as MuJoCo gives it.
        place: (2,): its centre in the picture.
        turn: (2, 3): what takes its own axes into the picture.
    """
    toward = DIRECTIONS @ turn
    if kind == SPHERE:
        points = shape[0] * _unit(toward)
    elif kind == CAPSULE:
        points = shape[0] * _unit(toward) + np.sign(toward) * (0.0, 0.0, shape[1])
    elif kind == ELLIPSOID:
        points = shape * _unit(shape * toward)
    elif kind == CYLINDER:
        points = shape[0] * _unit(toward * (1.0, 1.0, 0.0)) + np.sign(toward) * (0.0, 0.0, shape[1])
    elif kind == BOX:
        points = shape * np.sign(toward)
    else:
        raise UnsupportedEnvironment(f"A geom of type {mujoco.mjtGeom(kind).name} cannot be drawn.")
    corners: FloatArray = place + points @ turn.T
    return corners


def _unit(vectors: FloatArray) -> FloatArray:
    """Return vectors of length one, and of length zero where they have no direction."""
    lengths: FloatArray = np.sqrt(np.square(vectors).sum(axis=1, keepdims=True))
    return vectors / np.maximum(lengths, TINY)
