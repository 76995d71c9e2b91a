"""Names of folders, files and sensors in the published layout of AnoVox (Bogdoll et al. 2024).

A sensor is named after its type, place and settings. The published hash of the settings differs from run to run; here
it is the same on every machine.
"""

from __future__ import annotations

import json
from typing import Any

from offnominal.core.files import sha256_of
from offnominal.worlds.road.rigs import Mount, Rig
from offnominal.worlds.road.town.snapshot import TICK_SECONDS

RGB, DEPTH, SEMANTIC, INSTANCE = "RGB-CAM", "DEPTH_CAM", "SEMANTIC-CAM", "INSTANCE-CAM"
LIDAR, SEMANTIC_LIDAR = "LIDAR", "SEMANTIC-LIDAR"
CAMERA_TYPES, LIDAR_TYPES = (RGB, DEPTH, SEMANTIC, INSTANCE), (LIDAR, SEMANTIC_LIDAR)
# Names in older releases, which have one folder per type.
LEGACY_TYPES = {
    "RGB_IMG": RGB,
    "DEPTH_IMG": DEPTH,
    "SEMANTIC_IMG": SEMANTIC,
    "INSTANCE_IMG": INSTANCE,
    "PCD": LIDAR,
    "SEMANTIC_PCD": SEMANTIC_LIDAR,
}
ACTION, ANOMALY, ROUTE_MAP, VOXEL_GRID = "ACTION", "ANOMALY", "ROUTE_MAP", "VOXEL_GRID"
SENSOR_SETUP = "sensor_setup.json"
SCENARIOS = "Scenario_Configuration_Files"
PREFIX = "Scenario_"
HASH_DIGITS = 15


def scene_folder(id: str) -> str:
    """Return the folder of a scene relative to its set."""
    return f"{PREFIX}{id}"


def file_of(folder: str, frame: int, ending: str) -> str:
    """Return the path of a file relative to the folder of its scene.

    Example:
        >>> file_of("ACTION", 16, ".csv")
        'ACTION/ACTION_16.csv'
    """
    return f"{folder}/{folder}_{frame}{ending}"


def sensor_setup(rig: Rig) -> dict[str, dict[str, Any]]:
    """Return the content of ``sensor_setup.json``: all sensors of a rig by their names.

    Example:
        >>> from offnominal.worlds.road.rigs import RIGS
        >>> next(iter(sensor_setup(RIGS["mono"]))).split("_")[0]
        'RGB-CAM(0, 0, 1.8)(0, 0, 0)'
    """
    found = {}
    for mount in rig.mounts:
        location, rotation = placement(mount)
        for types, arguments, ending, saved in (
            (CAMERA_TYPES, camera_arguments(rig), ".png", mount.camera),
            (LIDAR_TYPES, lidar_arguments(rig), ".npy", mount.lidar),
        ):
            for kind in types:
                found[sensor_name(kind, mount, arguments)] = {
                    "sensor_type": kind,
                    "file_ending": ending,
                    "location": location,
                    "rotation": rotation,
                    "args": arguments,
                    "save_data": saved,
                }
    return found


def sensor_name(kind: str, mount: Mount, arguments: dict[str, Any]) -> str:
    """Return the name of a sensor, which is also that of its folder."""
    digest = int(sha256_of(json.dumps(arguments, sort_keys=True))[:HASH_DIGITS], 16)
    location, rotation = placement(mount)
    return f"{kind}{tuple(location)}{tuple(rotation)}_{digest}"


def placement(mount: Mount) -> tuple[list[float], list[float]]:
    """Return location (x, y, z) and rotation (roll, pitch, yaw) of a mount, with y and yaw to the right."""
    place = mount.published()
    return [_plain(each) for each in place["location"].values()], [_plain(each) for each in place["rotation"].values()]


def _plain(value: float) -> float:
    """Return whole numbers as integers, as in published names."""
    return int(value) if value == int(value) else value


def camera_arguments(rig: Rig) -> dict[str, Any]:
    """Return the settings of the cameras."""
    return {"image_height": rig.height, "image_width": rig.width, "camera_fov": rig.fov}


def lidar_arguments(rig: Rig) -> dict[str, Any]:
    """Return the settings of the lidars; one frame is one whole turn."""
    turns = round(1.0 / TICK_SECONDS)
    return {
        "range": rig.lidar_range,
        "upper_fov": rig.lidar_fov[1],
        "lower_fov": rig.lidar_fov[0],
        "channels": rig.channels,
        "rotation_frequency": float(turns),
        "points_per_second": rig.channels * rig.columns * turns,
        "noise_stddev": rig.lidar_noise,
        "dropoff_rate": 0.0,
        "dropoff_intensity_limit": 0.0,
        "dropoff_zero_intensity": 0.0,
    }
