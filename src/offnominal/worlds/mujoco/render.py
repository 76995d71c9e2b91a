"""Rendering of the MuJoCo worlds: every geom of the model on a tiled floor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import mujoco
import numpy as np

from offnominal.core.types import FloatArray, Frames
from offnominal.sensing import (
    Camera,
    Instance,
    Light,
    Material,
    Plane,
    Poses,
    Scene,
    render_batch,
    scene_from_mujoco,
)

Colour: TypeAlias = tuple[float, float, float]

FAR = 1e6
SUN = (0.1, -0.35, 0.95)


@dataclass(frozen=True)
class CameraView:
    """Camera and scene settings of a world.

    Args:
        camera: The camera.
        follow: Body that the camera follows along x.
        floor: Height of the floor, m.
        tile: Side of a floor tile, m; the tiles show the speed of the camera.
        tiles: The two colours of the tiles.
        colours: Colours of geoms by name; the others have the colours of the model.
    """

    camera: Camera
    follow: str | None = None
    floor: float = 0.0
    tile: float = 0.5
    tiles: tuple[Colour, Colour] = ((0.84, 0.85, 0.84), (0.72, 0.74, 0.76))
    colours: Mapping[str, Colour] = field(default_factory=dict)


class Renderer:
    """Renders states of one model.

    Args:
        model: The model. Its geoms are drawn, except for planes: the floor comes from `view`.
        view: Floor, colours and camera.
    """

    def __init__(self, model: mujoco.MjModel, view: CameraView) -> None:
        self._model, self._view = model, view
        self._data = mujoco.MjData(model)
        materials = {name: Material(colour) for name, colour in view.colours.items()}
        found = scene_from_mujoco(model, materials=materials)
        solid = [k for k, instance in enumerate(found.scene.instances) if not isinstance(instance.shape, Plane)]
        tiles = Material(*view.tiles, texture="checker", scale=view.tile)
        floor = Instance(Plane(), (0.0, 0.0, view.floor), material=tiles)
        solids = (found.scene.instances[k] for k in solid)
        self._scene = Scene((floor, *solids), Light(towards_sun=SUN))
        self._geoms = found.geoms[solid]
        self._body = None if view.follow is None else model.body(view.follow).id

    def draw(self, qpos: FloatArray, *, mocap: FloatArray | None = None, size: int = 128) -> Frames:
        """Return images of states.

        Args:
            qpos: (rows, nq): positions of the joints. Geoms without a finite position are not drawn.
            mocap: (rows, nmocap, 3): positions of the mocap bodies; None for those of the model.
            size: Pixels per side.

        Returns:
            (rows, size, size, 3).
        """
        n, count = len(qpos), len(self._scene.instances)
        positions = np.tile(self._scene.poses.positions, (n, 1, 1))
        rotations = np.tile(self._scene.poses.rotations, (n, 1, 1, 1))
        offsets = np.zeros((n, 3))
        for k in range(n):
            self._data.qpos[:] = qpos[k]
            if mocap is not None:
                self._data.mocap_pos[:] = mocap[k]
            mujoco.mj_kinematics(self._model, self._data)
            positions[k, 1:] = self._data.geom_xpos[self._geoms]
            rotations[k, 1:] = self._data.geom_xmat[self._geoms].reshape(count - 1, 3, 3)
            if self._body is not None:
                offsets[k, 0] = self._data.xpos[self._body, 0]
        positions[np.abs(positions) > FAR] = np.nan
        offsets[~(np.abs(offsets) <= FAR)] = 0.0
        camera = replace(self._view.camera, width=size, height=size)
        frames = render_batch(self._scene, camera, Poses(positions, rotations), offsets=offsets).rgb
        assert frames is not None
        return frames
