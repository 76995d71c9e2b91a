"""Towns that can be seen: their scenes, the run of a scenario, and the checks of a recording."""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.worlds.road.scenes.driving_frame import AnomalyTruth, DrivingFrame
from offnominal.worlds.road.scenes.labelled_voxels import VOXEL_GRIDS, voxel_grid, voxel_truth
from offnominal.worlds.road.scenes.recording_checks import (
    RecordingCheck,
    check_run,
    find_placement_violations,
    find_recording_violations,
    placement_violations,
)
from offnominal.worlds.road.scenes.run import ScenarioRun
from offnominal.worlds.road.scenes.sensor_points import EgoPoints, camera_points, ego_points, lidar_points
from offnominal.worlds.road.scenes.town_scene import TownScene

__all__ = [
    "VOXEL_GRIDS",
    "AnomalyTruth",
    "DrivingFrame",
    "EgoPoints",
    "RecordingCheck",
    "ScenarioRun",
    "TownScene",
    "camera_points",
    "check_run",
    "ego_points",
    "find_placement_violations",
    "find_recording_violations",
    "lidar_points",
    "placement_violations",
    "voxel_grid",
    "voxel_truth",
]

name_wrong_arguments(__name__)
