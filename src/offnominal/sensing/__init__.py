"""Cameras and lidars without any system graphics library.

One ray caster serves every camera and every lidar; it runs on the CPU and gives the same bytes on every machine.

* A scene is data: :class:`Scene` of :class:`Instance`, each a shape (:class:`Plane`, :class:`Box`, :class:`Sphere`,
  :class:`Ellipsoid`, :class:`Capsule`, :class:`Cylinder`, :class:`Mesh`,
  :class:`Patches`) with a :class:`Material`, a pose, a label and
  an identity, under a :class:`Light` and a :class:`Sky`. :class:`Poses` move the instances.
* :func:`render` and :func:`render_batch` return the :class:`CameraImage` of a :class:`Camera`.
* :func:`render_blocks` returns the :class:`VoxelImage` of a :class:`VoxelCamera` in a grid of blocks, whose models are
  boxes with textures (:class:`ModelPart`, :func:`pack_models`).
* :func:`sweep` returns the :class:`PointCloud` of a :class:`Lidar`; :func:`cast_rays` traces any rays.
* :func:`voxelise` returns the labelled :class:`Voxels` of points in a :class:`VoxelGrid`, :func:`voxelise_scores` their
  :class:`VoxelScores`.
* :func:`scene_from_mujoco` returns a MuJoCo model as a :class:`MujocoScene`.

Names are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offnominal.core.lazy_imports import lazy_attributes

if TYPE_CHECKING:
    from offnominal.sensing.block_models import Model, ModelPart, PackedModels, Texture, pack_models
    from offnominal.sensing.camera import Camera
    from offnominal.sensing.camera_image import CameraImage, render, render_batch
    from offnominal.sensing.errors import InvalidPoints
    from offnominal.sensing.lidar import Lidar, PointCloud, sweep
    from offnominal.sensing.light import Light, Sky
    from offnominal.sensing.material import Material
    from offnominal.sensing.mujoco_scene import MujocoScene, scene_from_mujoco
    from offnominal.sensing.ray_casting import RayHits, cast_rays
    from offnominal.sensing.scene import Instance, Poses, Scene
    from offnominal.sensing.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Patches, Plane, Sphere
    from offnominal.sensing.voxel_camera import VoxelCamera, VoxelEntity, VoxelImage, VoxelLight, render_blocks
    from offnominal.sensing.voxel_grid import VoxelGrid
    from offnominal.sensing.voxels import Voxels, VoxelScores, voxelise, voxelise_scores

_HOMES = {
    "block_models": ("Model", "ModelPart", "PackedModels", "Texture", "pack_models"),
    "voxel_camera": ("VoxelCamera", "VoxelEntity", "VoxelImage", "VoxelLight", "render_blocks"),
    "camera": ("Camera",),
    "ray_casting": ("RayHits", "cast_rays"),
    "mujoco_scene": ("MujocoScene", "scene_from_mujoco"),
    "lidar": ("Lidar", "PointCloud", "sweep"),
    "light": ("Light", "Sky"),
    "material": ("Material",),
    "camera_image": ("CameraImage", "render", "render_batch"),
    "scene": ("Instance", "Poses", "Scene"),
    "errors": ("InvalidPoints",),
    "voxel_grid": ("VoxelGrid",),
    "voxels": ("VoxelScores", "Voxels", "voxelise", "voxelise_scores"),
    "shapes": ("Box", "Capsule", "Cylinder", "Ellipsoid", "Mesh", "Patches", "Plane", "Sphere"),
}
__all__ = [
    "Box",
    "Camera",
    "CameraImage",
    "Capsule",
    "Cylinder",
    "Ellipsoid",
    "Instance",
    "InvalidPoints",
    "Lidar",
    "Light",
    "Material",
    "Mesh",
    "Model",
    "ModelPart",
    "MujocoScene",
    "PackedModels",
    "Patches",
    "Plane",
    "PointCloud",
    "Poses",
    "RayHits",
    "Scene",
    "Sky",
    "Sphere",
    "Texture",
    "VoxelCamera",
    "VoxelEntity",
    "VoxelGrid",
    "VoxelImage",
    "VoxelLight",
    "VoxelScores",
    "Voxels",
    "cast_rays",
    "pack_models",
    "render",
    "render_batch",
    "render_blocks",
    "scene_from_mujoco",
    "sweep",
    "voxelise",
    "voxelise_scores",
]

__getattr__, __dir__ = lazy_attributes(__name__, _HOMES)
