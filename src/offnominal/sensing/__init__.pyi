# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.sensing.block_models import Model as Model
from offnominal.sensing.block_models import ModelPart as ModelPart
from offnominal.sensing.block_models import PackedModels as PackedModels
from offnominal.sensing.block_models import Texture as Texture
from offnominal.sensing.block_models import pack_models as pack_models
from offnominal.sensing.camera import Camera as Camera
from offnominal.sensing.camera_image import CameraImage as CameraImage
from offnominal.sensing.camera_image import render as render
from offnominal.sensing.camera_image import render_batch as render_batch
from offnominal.sensing.camera_models import CAMERA_MODELS as CAMERA_MODELS
from offnominal.sensing.camera_models import CameraModel as CameraModel
from offnominal.sensing.camera_models import Motion as Motion
from offnominal.sensing.camera_models import camera_model as camera_model
from offnominal.sensing.camera_models import photograph as photograph
from offnominal.sensing.lidar import Lidar as Lidar
from offnominal.sensing.lidar import PointCloud as PointCloud
from offnominal.sensing.lidar import sweep as sweep
from offnominal.sensing.lidar_models import LIDAR_MODELS as LIDAR_MODELS
from offnominal.sensing.lidar_models import LidarModel as LidarModel
from offnominal.sensing.lidar_models import lidar_model as lidar_model
from offnominal.sensing.light import Light as Light
from offnominal.sensing.light import Sky as Sky
from offnominal.sensing.material import Material as Material
from offnominal.sensing.mujoco_scene import MujocoScene as MujocoScene
from offnominal.sensing.mujoco_scene import scene_from_mujoco as scene_from_mujoco
from offnominal.sensing.ray_casting import RayHits as RayHits
from offnominal.sensing.ray_casting import cast_rays as cast_rays
from offnominal.sensing.scene import Instance as Instance
from offnominal.sensing.scene import Poses as Poses
from offnominal.sensing.scene import Scene as Scene
from offnominal.sensing.shapes import Box as Box
from offnominal.sensing.shapes import Capsule as Capsule
from offnominal.sensing.shapes import Cylinder as Cylinder
from offnominal.sensing.shapes import Ellipsoid as Ellipsoid
from offnominal.sensing.shapes import Mesh as Mesh
from offnominal.sensing.shapes import Patches as Patches
from offnominal.sensing.shapes import Plane as Plane
from offnominal.sensing.shapes import Sphere as Sphere
from offnominal.sensing.voxel_camera import VoxelCamera as VoxelCamera
from offnominal.sensing.voxel_camera import VoxelEntity as VoxelEntity
from offnominal.sensing.voxel_camera import VoxelImage as VoxelImage
from offnominal.sensing.voxel_camera import VoxelLight as VoxelLight
from offnominal.sensing.voxel_camera import render_blocks as render_blocks
from offnominal.sensing.voxel_grid import VoxelGrid as VoxelGrid
from offnominal.sensing.voxels import InvalidPoints as InvalidPoints
from offnominal.sensing.voxels import VoxelScores as VoxelScores
from offnominal.sensing.voxels import Voxels as Voxels
from offnominal.sensing.voxels import voxelise as voxelise
from offnominal.sensing.voxels import voxelise_scores as voxelise_scores

__all__ = [
    "Box",
    "CAMERA_MODELS",
    "Camera",
    "CameraImage",
    "CameraModel",
    "Capsule",
    "Cylinder",
    "Ellipsoid",
    "Instance",
    "InvalidPoints",
    "LIDAR_MODELS",
    "Lidar",
    "LidarModel",
    "Light",
    "Material",
    "Mesh",
    "Model",
    "ModelPart",
    "Motion",
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
    "camera_model",
    "cast_rays",
    "lidar_model",
    "pack_models",
    "photograph",
    "render",
    "render_batch",
    "render_blocks",
    "scene_from_mujoco",
    "sweep",
    "voxelise",
    "voxelise_scores",
]
