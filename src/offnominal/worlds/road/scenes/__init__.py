"""Towns that can be seen: their scenes, the run of a scenario, and the checks of a recording."""

from offnominal.worlds.road.scenes.driving_frame import AnomalyTruth, DrivingFrame
from offnominal.worlds.road.scenes.recording_checks import (
    RecordingCheck,
    check_run,
    find_placement_violations,
    find_recording_violations,
    placement_violations,
)
from offnominal.worlds.road.scenes.run import ScenarioRun
from offnominal.worlds.road.scenes.town_scene import TownScene

__all__ = [
    "AnomalyTruth",
    "DrivingFrame",
    "RecordingCheck",
    "ScenarioRun",
    "TownScene",
    "check_run",
    "find_placement_violations",
    "find_recording_violations",
    "placement_violations",
]
