"""Cameras and lidars without any system graphics library.

One ray caster serves every camera and every lidar; it runs on the CPU and gives the same bytes on every machine.

* A scene is data: :class:`Scene` of :class:`Instance`, each a shape (:class:`Plane`, :class:`Box`, :class:`Sphere`,
  :class:`Ellipsoid`, :class:`Capsule`, :class:`Cylinder`, :class:`Mesh`,
  :class:`Patches`) with a :class:`Material`, a pose, a label and
  an identity, under a :class:`Light` and a :class:`Sky`. :class:`Poses` move the instances.
* :func:`render` and :func:`render_batch` return the :class:`CameraImage` of a :class:`Camera`.
* :func:`photograph` returns what a real camera makes of it: a :class:`CameraModel` has lens, blur, noise and
  compression.
* :func:`render_blocks` returns the :class:`VoxelImage` of a :class:`VoxelCamera` in a grid of blocks, whose models are
  boxes with textures (:class:`ModelPart`, :func:`pack_models`).
* :func:`sweep` returns the :class:`PointCloud` of a :class:`Lidar`; a :class:`LidarModel` says what real ones
  do; :func:`cast_rays` traces any rays.
* :func:`voxelise` returns the labelled :class:`Voxels` of points in a :class:`VoxelGrid`, :func:`voxelise_scores` their
  :class:`VoxelScores`.
* :func:`scene_from_mujoco` returns a MuJoCo model as a :class:`MujocoScene`.

Names are loaded on first use.
"""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "block_models": ("Model", "ModelPart", "PackedModels", "Texture", "pack_models"),
        "camera": ("Camera",),
        "camera_image": ("CameraImage", "render", "render_batch"),
        "camera_models": ("CAMERA_MODELS", "CameraModel", "Motion", "camera_model", "photograph"),
        "lidar": ("Lidar", "PointCloud", "sweep"),
        "lidar_models": ("LIDAR_MODELS", "LidarModel", "lidar_model"),
        "light": ("Light", "Sky"),
        "material": ("Material",),
        "mujoco_scene": ("MujocoScene", "scene_from_mujoco"),
        "ray_casting": ("RayHits", "cast_rays"),
        "scene": ("Instance", "Poses", "Scene"),
        "shapes": ("Box", "Capsule", "Cylinder", "Ellipsoid", "Mesh", "Patches", "Plane", "Sphere"),
        "voxel_camera": ("VoxelCamera", "VoxelEntity", "VoxelImage", "VoxelLight", "render_blocks"),
        "voxel_grid": ("VoxelGrid",),
        "voxels": ("InvalidPoints", "VoxelScores", "Voxels", "voxelise", "voxelise_scores"),
    },
)
