"""Voxels as images: from above, and obliquely in three dimensions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from offnominal.core.types import BoolArray
from offnominal.reports.scene_view.top_view import Image, TopView
from offnominal.sensing.camera import Camera
from offnominal.sensing.camera_image import render
from offnominal.sensing.light import Light, Sky
from offnominal.sensing.material import Material
from offnominal.sensing.scene import Instance, Scene
from offnominal.sensing.shapes import Box
from offnominal.sensing.voxels import Voxels
from offnominal.worlds.road.scenes.voxel_view import voxel_mesh

HEADROOM = 6.0
"""Voxels above this height are left out, m: the crowns of trees and roofs would hide the road."""
AHEAD, BEHIND, ASIDE = 42.0, 14.0, 24.0
"""Part of the grid that the three-dimensional view shows, m."""
EYE, TARGET = (-21.0, 7.0, 19.0), (13.0, -1.0, 0.0)
BACKGROUND = (0.953, 0.957, 0.965)
LIGHT = Light(
    towards_sun=(-0.5, 0.45, 0.9),
    sun=(0.42, 0.41, 0.39),
    above=(0.62, 0.62, 0.63),
    below=(0.4, 0.4, 0.4),
    shadows=False,
)
EGO_SIZE = (4.6, 1.9, 1.5)


def draw_voxels_from_above(
    voxels: Voxels, colours: NDArray[np.uint8], view: TopView, marked: BoolArray | None = None
) -> Image:
    """Return voxels from above, each column in the colour of its highest voxel below :data:`HEADROOM`.

    Args:
        voxels: The voxels.
        colours: (n, 3): a colour for each voxel.
        view: Size and reach of the view.
        marked: (n,): voxels of anomalies, which are drawn above others, with a circle.
    """
    centres = voxels.centres
    low = centres[:, 2] < HEADROOM
    special = None if marked is None else marked[low]
    return view.draw_squares(centres[low], colours[low], voxels.grid.voxel_size, special)


def draw_voxels_obliquely(voxels: Voxels, colours: NDArray[np.uint8], width: int, height: int) -> Image:
    """Return voxels as cubes, seen from behind and above the ego vehicle, with the ray caster.

    Args:
        voxels: The voxels.
        colours: (n, 3): a colour for each voxel.
        width: Width of the image.
        height: Height of the image.
    """
    kept = _near(voxels)
    things = [Instance(Box(EGO_SIZE), (0.0, 0.0, 0.5 * EGO_SIZE[2] + 0.2), material=Material((0.97, 0.97, 0.97)))]
    if kept.any():
        things.append(Instance(voxel_mesh(voxels.grid, voxels.index[kept], colours[kept])))
    scene = Scene(tuple(things), LIGHT, Sky(BACKGROUND, BACKGROUND))
    camera = Camera(EYE, TARGET, width, height, 46.0, samples=2)
    image = render(scene, camera, ("rgb",)).rgb
    assert image is not None
    return image


def _near(voxels: Voxels) -> BoolArray:
    x, y, z = voxels.centres.T
    near: BoolArray = (x > -BEHIND) & (x < AHEAD) & (np.abs(y) < ASIDE) & (z < HEADROOM)
    return near
