"""Recorded driving scenes: files of all sensors, with the state and the truth of every frame."""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.datasets.scenes.held_out import HeldOut
from offnominal.datasets.scenes.index import FrameEntry, SceneEntry, SceneIndex, SceneManifest
from offnominal.datasets.scenes.published_reading import PublishedCloud, PublishedFrame, PublishedScene, open_published
from offnominal.datasets.scenes.reading import DrivingScene, DrivingScenes, open_scenes
from offnominal.datasets.scenes.recording import record_scenes
from offnominal.datasets.scenes.scene_verification import verify_scenes
from offnominal.datasets.scenes.voxel_files import VoxelSettings

__all__ = [
    "DrivingScene",
    "DrivingScenes",
    "FrameEntry",
    "HeldOut",
    "PublishedCloud",
    "PublishedFrame",
    "PublishedScene",
    "SceneEntry",
    "SceneIndex",
    "SceneManifest",
    "VoxelSettings",
    "open_published",
    "open_scenes",
    "record_scenes",
    "verify_scenes",
]

name_wrong_arguments(__name__)
