# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.datasets.scenes.held_out import HeldOut as HeldOut
from offnominal.datasets.scenes.index import FrameEntry as FrameEntry
from offnominal.datasets.scenes.index import SceneEntry as SceneEntry
from offnominal.datasets.scenes.index import SceneIndex as SceneIndex
from offnominal.datasets.scenes.index import SceneManifest as SceneManifest
from offnominal.datasets.scenes.published_reading import PublishedCloud as PublishedCloud
from offnominal.datasets.scenes.published_reading import PublishedFrame as PublishedFrame
from offnominal.datasets.scenes.published_reading import PublishedScene as PublishedScene
from offnominal.datasets.scenes.published_reading import open_published as open_published
from offnominal.datasets.scenes.published_scenes import PublishedDrive as PublishedDrive
from offnominal.datasets.scenes.published_scenes import Recording as Recording
from offnominal.datasets.scenes.published_scenes import open_any_scenes as open_any_scenes
from offnominal.datasets.scenes.published_scenes import open_recording as open_recording
from offnominal.datasets.scenes.reading import DrivingScene as DrivingScene
from offnominal.datasets.scenes.reading import DrivingScenes as DrivingScenes
from offnominal.datasets.scenes.reading import open_scenes as open_scenes
from offnominal.datasets.scenes.recording import record_scenes as record_scenes
from offnominal.datasets.scenes.road_images import ROAD_IMAGE_SETS as ROAD_IMAGE_SETS
from offnominal.datasets.scenes.road_images import RoadImage as RoadImage
from offnominal.datasets.scenes.road_images import RoadImages as RoadImages
from offnominal.datasets.scenes.road_images import open_road_images as open_road_images
from offnominal.datasets.scenes.scene_verification import verify_scenes as verify_scenes
from offnominal.datasets.scenes.voxel_files import VoxelSettings as VoxelSettings

__all__ = [
    "DrivingScene",
    "DrivingScenes",
    "FrameEntry",
    "HeldOut",
    "PublishedCloud",
    "PublishedDrive",
    "PublishedFrame",
    "PublishedScene",
    "ROAD_IMAGE_SETS",
    "Recording",
    "RoadImage",
    "RoadImages",
    "SceneEntry",
    "SceneIndex",
    "SceneManifest",
    "VoxelSettings",
    "open_any_scenes",
    "open_published",
    "open_recording",
    "open_road_images",
    "open_scenes",
    "record_scenes",
    "verify_scenes",
]
