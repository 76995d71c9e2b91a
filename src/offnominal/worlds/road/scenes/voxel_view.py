"""Images of voxels: from above, and in three dimensions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from offnominal.core.checks import positive_integer
from offnominal.core.types import Array, FloatArray, Frame, IntArray
from offnominal.sensing import Camera, Instance, Light, Material, Mesh, Scene, Sky, render
from offnominal.sensing.shapes import Triple
from offnominal.sensing.voxel_grid import VoxelGrid
from offnominal.sensing.voxels import Voxels, VoxelScores
from offnominal.worlds.road.labels import Label, colour_table
from offnominal.worlds.road.scenes.labelled_voxels import ANOMALIES

BACKGROUND = (247, 248, 250)
# Anomaly scores from low to high.
HEAT = ((226, 229, 233), (245, 203, 122), (231, 118, 60), (176, 25, 43))
# Corners of the six faces of a cube, and the neighbour behind each of them.
_SIDES = np.array([(-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1)])
_CORNERS = np.array(
    [
        [(0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0)],
        [(1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 1)],
        [(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)],
        [(0, 1, 0), (0, 1, 1), (1, 1, 1), (1, 1, 0)],
        [(0, 0, 0), (0, 1, 0), (1, 1, 0), (1, 0, 0)],
        [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)],
    ]
)


def voxels_from_above(voxels: Voxels, *, pixels: int = 3) -> Frame:
    """Return an image of voxels from above, with the driving direction to the top.

    Each column of voxels has the colour of its highest label, darker near the ground. Anomalies are always on top.

    Args:
        voxels: The voxels.
        pixels: Side of a voxel in the image.
    """
    return _from_above(voxels.grid, voxels.index, voxel_colours(voxels), pixels, voxels.has_label(ANOMALIES))


def scores_from_above(
    scores: VoxelScores, *, pixels: int = 3, low: float | None = None, high: float | None = None
) -> Frame:
    """Return an image of the highest score of each column of voxels, with the driving direction to the top.

    Args:
        scores: The scores.
        pixels: Side of a voxel in the image.
        low: Score that is grey; None is the lowest.
        high: Score that is dark red; None is the highest.
    """
    order = np.argsort(scores.score, kind="stable")
    return _painted(scores.grid, scores.index[order], score_colours(scores.score[order], low, high), pixels)


def voxels_in_3d(voxels: Voxels, *, width: int = 720, height: int = 420, eye: Triple = (-14.0, 9.0, 10.0)) -> Frame:
    """Return a perspective image of voxels, seen from behind and above the ego vehicle.

    Args:
        voxels: The voxels.
        width: Pixels per row.
        height: Number of rows.
        eye: Position of the viewer relative to the ego vehicle, m.
    """
    mesh = voxel_mesh(voxels.grid, voxels.index, voxel_colours(voxels))
    scene = Scene(
        (Instance(mesh, material=Material()),),
        light=Light(shadows=True),
        sky=Sky((0.93, 0.95, 0.97), (0.80, 0.87, 0.94)),
    )
    image = render(scene, Camera(eye, (16.0, 0.0, 0.0), width, height, 50.0, samples=3), ("rgb",)).rgb
    assert image is not None
    return image


def voxel_mesh(grid: VoxelGrid, index: IntArray, colours: Array) -> Mesh:
    """Return the free sides of voxels as a mesh with a colour per triangle.

    Args:
        grid: The grid.
        index: (n,): numbers of the voxels; at least one.
        colours: (n, 3): a colour for each voxel, 0 to 255.
    """
    places = grid.coordinates(index)
    corners, faces = [], []
    for side, square in zip(_SIDES, _CORNERS, strict=True):
        beside = places + side
        inside = ((beside >= 0) & (beside < grid.shape)).all(axis=1)
        free = np.ones(len(index), np.bool_)
        free[inside] = ~np.isin(grid.numbers(beside[inside]), index, assume_unique=True)
        corners.append((places[free][:, None] + square).reshape(-1, 3))
        faces.append(np.flatnonzero(free))
    vertices = np.asarray(grid.low) + np.concatenate(corners) * grid.voxel_size
    owner = np.concatenate(faces)
    first = 4 * np.arange(len(owner))[:, None]
    triangles = (first[:, None] + np.array([(0, 1, 2), (0, 2, 3)])).reshape(-1, 3)
    paint: FloatArray = np.repeat(colours[owner] / 255.0, 2, axis=0)
    return Mesh(vertices, triangles, colours=paint)


def voxel_colours(voxels: Voxels) -> NDArray[np.uint8]:
    """Return the published colour of each voxel, with a bright red for all anomalies."""
    table = colour_table()
    table[list(ANOMALIES)] = (235, 28, 36)
    table[Label.AGENT_CAR] = table[Label.CAR]
    colours: NDArray[np.uint8] = table[voxels.label]
    return colours


def score_colours(scores: Array, low: float | None = None, high: float | None = None) -> NDArray[np.uint8]:
    """Return a colour for each score, from grey to dark red."""
    start = float(scores.min()) if low is None else low
    end = float(scores.max()) if high is None else high
    share = np.clip((scores - start) / max(end - start, 1e-9), 0.0, 1.0) * (len(HEAT) - 1)
    table = np.array(HEAT, np.float64)
    below = np.minimum(share.astype(np.int64), len(HEAT) - 2)
    part = (share - below)[:, None]
    mixed: FloatArray = table[below] * (1.0 - part) + table[below + 1] * part
    return np.rint(mixed).astype(np.uint8)


def _from_above(grid: VoxelGrid, index: IntArray, colours: Array, pixels: int, first: Array) -> Frame:
    level = grid.centres(index)[:, 2]
    shade = np.clip(0.72 + 0.06 * level, 0.72, 1.0)[:, None]
    shaded = np.where(first[:, None], colours, colours * shade).astype(np.uint8)
    order = np.lexsort((level, first))
    return _painted(grid, index[order], shaded[order], pixels)


def _painted(grid: VoxelGrid, index: IntArray, colours: Array, pixels: int) -> Frame:
    """Paint voxels in order; the last one of a column wins."""
    positive_integer("pixels", pixels)
    nx, ny, _ = grid.shape
    places = grid.coordinates(index)
    column = places[:, 0] * ny + places[:, 1]
    top = np.full(nx * ny, -1, np.int64)
    np.maximum.at(top, column, np.arange(len(index)))
    image = np.full((nx * ny, 3), BACKGROUND, np.uint8)
    filled = top >= 0
    image[filled] = colours[top[filled]]
    upright = image.reshape(nx, ny, 3)[::-1, ::-1]
    return np.ascontiguousarray(np.repeat(np.repeat(upright, pixels, axis=0), pixels, axis=1))
