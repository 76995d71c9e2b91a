# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.worlds.road.scenes.adapted_scenarios import AdaptedScenarios as AdaptedScenarios
from offnominal.worlds.road.scenes.adapted_scenarios import adapt_scenarios as adapt_scenarios
from offnominal.worlds.road.scenes.adapted_scenarios import describe_turns as describe_turns
from offnominal.worlds.road.scenes.driving_frame import AnomalyTruth as AnomalyTruth
from offnominal.worlds.road.scenes.driving_frame import DrivingFrame as DrivingFrame
from offnominal.worlds.road.scenes.hit import Hit as Hit
from offnominal.worlds.road.scenes.labelled_voxels import VOXEL_GRIDS as VOXEL_GRIDS
from offnominal.worlds.road.scenes.labelled_voxels import voxel_grid as voxel_grid
from offnominal.worlds.road.scenes.labelled_voxels import voxel_truth as voxel_truth
from offnominal.worlds.road.scenes.looks import LOOKS as LOOKS
from offnominal.worlds.road.scenes.looks import Look as Look
from offnominal.worlds.road.scenes.looks import look as look
from offnominal.worlds.road.scenes.mapped_routes import MappedRoute as MappedRoute
from offnominal.worlds.road.scenes.mapped_routes import map_route as map_route
from offnominal.worlds.road.scenes.recording_checks import RecordingCheck as RecordingCheck
from offnominal.worlds.road.scenes.recording_checks import check_run as check_run
from offnominal.worlds.road.scenes.recording_checks import find_placement_violations as find_placement_violations
from offnominal.worlds.road.scenes.recording_checks import find_recording_violations as find_recording_violations
from offnominal.worlds.road.scenes.recording_checks import placement_violations as placement_violations
from offnominal.worlds.road.scenes.run import ScenarioRun as ScenarioRun
from offnominal.worlds.road.scenes.sensor_points import EgoPoints as EgoPoints
from offnominal.worlds.road.scenes.sensor_points import camera_points as camera_points
from offnominal.worlds.road.scenes.sensor_points import ego_points as ego_points
from offnominal.worlds.road.scenes.sensor_points import lidar_points as lidar_points
from offnominal.worlds.road.scenes.town_scene import TownScene as TownScene
from offnominal.worlds.road.scenes.visibility import FrameVisibility as FrameVisibility
from offnominal.worlds.road.scenes.visibility import VisibleShare as VisibleShare
from offnominal.worlds.road.scenes.visibility import measure_visibility as measure_visibility
from offnominal.worlds.road.scenes.visibility import visible_frames as visible_frames

__all__ = [
    "AdaptedScenarios",
    "AnomalyTruth",
    "DrivingFrame",
    "EgoPoints",
    "FrameVisibility",
    "Hit",
    "LOOKS",
    "Look",
    "MappedRoute",
    "RecordingCheck",
    "ScenarioRun",
    "TownScene",
    "VOXEL_GRIDS",
    "VisibleShare",
    "adapt_scenarios",
    "camera_points",
    "check_run",
    "describe_turns",
    "ego_points",
    "find_placement_violations",
    "find_recording_violations",
    "lidar_points",
    "look",
    "map_route",
    "measure_visibility",
    "placement_violations",
    "visible_frames",
    "voxel_grid",
    "voxel_truth",
]
