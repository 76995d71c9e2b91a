"""Towns that can be seen: their scenes, the run of a scenario, and the checks of a recording."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "adapted_scenarios": ("AdaptedScenarios", "adapt_scenarios", "describe_turns"),
        "driving_frame": ("AnomalyTruth", "DrivingFrame"),
        "hit": ("Hit",),
        "labelled_voxels": ("VOXEL_GRIDS", "voxel_grid", "voxel_truth"),
        "looks": ("LOOKS", "Look", "look"),
        "mapped_routes": ("MappedRoute", "map_route"),
        "recording_checks": (
            "RecordingCheck",
            "check_run",
            "find_placement_violations",
            "find_recording_violations",
            "placement_violations",
        ),
        "run": ("ScenarioRun",),
        "sensor_points": ("EgoPoints", "camera_points", "ego_points", "lidar_points"),
        "town_scene": ("TownScene",),
        "visibility": ("FrameVisibility", "VisibleShare", "measure_visibility", "visible_frames"),
    },
)
