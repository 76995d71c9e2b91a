"""Published layout of AnoVox: one folder per sensor, one file per sensor and frame.

Files of a frame are named after its tick.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from offnominal.core.deterministic_math import sincos
from offnominal.core.errors import InvalidParameter
from offnominal.core.files import sha256_of, write_bytes, write_json
from offnominal.core.types import Array, FloatArray
from offnominal.datasets.png import encode_png
from offnominal.datasets.scenes.index import Part, ScenePlan
from offnominal.datasets.scenes.published_encodings import (
    camera_matrix,
    encode_depth,
    encode_instance,
    encode_points,
    inverse_matrix,
    lidar_matrix,
)
from offnominal.datasets.scenes.published_names import (
    ACTION,
    ANOMALY,
    DEPTH,
    INSTANCE,
    LIDAR,
    RGB,
    ROUTE_MAP,
    SEMANTIC,
    SEMANTIC_LIDAR,
    SENSOR_SETUP,
    VOXEL_GRID,
    camera_arguments,
    file_of,
    lidar_arguments,
    sensor_name,
    sensor_setup,
)
from offnominal.datasets.scenes.scene_run import SceneRun
from offnominal.datasets.scenes.voxel_files import SETTINGS, to_published
from offnominal.sensing.lens import NONE
from offnominal.worlds.road.rig_frame import CameraFrame, LidarFrame
from offnominal.worlds.road.scenarios import ContentAnomaly
from offnominal.worlds.road.scenes import AnomalyTruth, DrivingFrame
from offnominal.worlds.road.town.snapshot import Snapshot

EGO = 0
KMH = 3.6
UPRIGHT = (0.0, 0.0, 1.0)


class PublishedWriter:
    """Writer of the frames of a scene.

    Args:
        folder: Folder of the scene.
        plan: The scene.
        run: Its run.
    """

    def __init__(self, folder: Path, plan: ScenePlan, run: SceneRun) -> None:
        self.folder = folder
        self._scenario, self._id = plan.scenario, plan.id
        self._rig = run.rig
        if run.rig.camera_model.distortion != NONE:
            raise InvalidParameter(
                f"the layout of AnoVox has no entry for the distortion of the lens of camera model "
                f"{run.rig.camera_model.name!r}; choose the layout compact, or a model without distortion."
            )
        self._route: FloatArray = run.route.waypoints[0]
        self._truth = run.anomaly_truth()
        self._voxels = plan.voxels

    def add(self, frame: DrivingFrame) -> tuple[Part, ...]:
        """Write the files of a frame, and return them.

        Raises:
            InvalidParameter: The vehicle pitches or rolls, which the files cannot describe.
        """
        level = [each.camera.up == UPRIGHT for each in frame.sensors.cameras.values()]
        level += [np.asarray(each.lidar.rotation)[2, 2] == 1.0 for each in frame.sensors.lidars.values()]
        if not all(level):
            raise InvalidParameter(
                f"the layout of AnoVox has no entry for the pitch and roll of the vehicle in frame {frame.number}; "
                "choose the layout compact, or a look without sway."
            )
        files: dict[str, bytes] = {}
        for mount in self._rig.cameras:
            for kind, content in published_images(frame.sensors.cameras[mount.name]).items():
                name = sensor_name(kind, mount, camera_arguments(self._rig))
                files[file_of(name, frame.tick, ".png")] = content
        for mount in self._rig.lidars:
            for kind, content in published_clouds(frame.sensors.lidars[mount.name]).items():
                name = sensor_name(kind, mount, lidar_arguments(self._rig))
                files[file_of(name, frame.tick, ".npy")] = content
        files[file_of(ACTION, frame.tick, ".csv")] = _csv(self._action(frame))
        if self._truth is not None:
            files[file_of(ANOMALY, frame.tick, ".csv")] = _csv(self._anomaly_entries(frame, self._truth))
        ground = frame.position[:2]
        files[file_of(ROUTE_MAP, frame.tick, ".png")] = encode_png(route_map(self._route, ground, frame.yaw))
        if self._voxels is not None:
            files[file_of(VOXEL_GRID, frame.tick, ".npy")] = _npy(to_published(self._voxels.truth(frame)))
        return tuple(self._write(file, content) for file, content in files.items())

    def _write(self, file: str, content: bytes) -> Part:
        write_bytes(self.folder / file, content, flush=False)
        return Part(file, 0, len(content), sha256_of(content))

    def finish(self) -> dict[str, str]:
        """Write the setup of the sensors and of the voxels, and return their hashes."""
        documents: dict[str, Any] = {SENSOR_SETUP: sensor_setup(self._rig)}
        if self._voxels is not None:
            documents[SETTINGS] = self._voxels.to_dict()
        for name, content in documents.items():
            write_json(self.folder / name, content)
        return {name: sha256_of(self.folder / name) for name in documents}

    def close(self) -> None:
        """Do nothing: every file is closed."""

    def _action(self, frame: DrivingFrame) -> dict[str, Any]:
        """Return the state of the ego vehicle; steering is positive to the right, as in CARLA."""
        throttle, steer, brake = frame.state.controls
        entries = self._vehicle(frame, EGO)
        entries |= {"throttle": throttle, "steer": -steer + 0.0, "brake": brake, "hand_brake": False, "reverse": False}
        sensors = frame.sensors
        for noun, matrix in (
            ("camera", next((camera_matrix(each.camera) for each in sensors.cameras.values()), None)),
            ("lidar", next((lidar_matrix(each.lidar) for each in sensors.lidars.values()), None)),
        ):
            if matrix is not None:
                entries[f"{noun} transformation matrix"] = matrix.tolist()
                entries[f"{noun} inverse transformation matrix"] = inverse_matrix(matrix).tolist()
        return entries

    def _vehicle(self, frame: DrivingFrame, row: int) -> dict[str, Any]:
        state = frame.state
        return {
            "frame_id": frame.tick,
            "scenario_id": self._id,
            "vehicle_id": int(state.instance[row]),
            "vehicle_type_id": f"vehicle.{state.kind[row]}",
            "speed": KMH * float(state.speed[row]),
        }

    def _anomaly_entries(self, frame: DrivingFrame, truth: AnomalyTruth) -> dict[str, Any]:
        """Return the state of the anomaly: of an object as published, of a road user like that of the ego vehicle."""
        state = frame.state
        row = int(np.flatnonzero(state.instance == truth.instance)[0])
        x, y = state.position[row]
        motion = {
            "location": _mirrored(x, y, truth.position[2]),
            "velocity": _along(state, row, state.speed),
            "acceleration": _along(state, row, state.acceleration),
        }
        active = {"active": bool(state.anomalous[row])}
        anomaly = self._scenario.anomaly
        if not isinstance(anomaly, ContentAnomaly):
            return self._vehicle(frame, row) | motion | active
        return {
            "frame_id": frame.tick,
            "scenario_id": self._id,
            "anomaly_id": truth.instance,
            "anomaly_type_id": anomaly.entry.blueprint,
            "anomaly_is_alive": True,
            "semantic_tags": [int(anomaly.label)],
            **motion,
            "size": anomaly.size,
            "role_name": "prop",
            **active,
        }


def _mirrored(x: float, y: float, z: float = 0.0) -> tuple[float, float, float]:
    return float(x), -float(y) + 0.0, float(z)


def _along(state: Snapshot, row: int, size: Array) -> tuple[float, float, float]:
    """Return a vector along the heading of an actor."""
    heading = float(state.heading[row])
    return _mirrored(float(size[row]) * float(np.cos(heading)), float(size[row]) * float(np.sin(heading)))


def published_images(frame: CameraFrame) -> dict[str, bytes]:
    """Return the files of a camera by the type of its sensor."""
    image = frame.image
    assert image.depth is not None
    assert image.label is not None
    found = {DEPTH: encode_depth(image.depth), SEMANTIC: image.label.astype(np.uint8)}
    if image.rgb is not None:
        found[RGB] = image.rgb
    if image.instance is not None:
        found[INSTANCE] = encode_instance(image.label, image.instance)
    return {kind: encode_png(each) for kind, each in found.items()}


def published_clouds(frame: LidarFrame) -> dict[str, bytes]:
    """Return the files of a lidar by the type of its sensor."""
    measured, exact = frame.measured, frame.exact
    bright = np.zeros(measured.ranges.shape, np.float32) if measured.intensity is None else measured.intensity
    return {
        LIDAR: _npy(encode_points(measured, frame.lidar, bright)),
        SEMANTIC_LIDAR: _npy(encode_points(exact, frame.lidar, exact.label)),
    }


def _npy(array: Array) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def _csv(entries: Mapping[str, Any]) -> bytes:
    """Return entries as published: one per line, with its name before a semicolon."""
    return "".join(f"{key} ; {value}\n" for key, value in entries.items()).encode()


SIZE = 192
PIXELS_PER_METRE = 5.0
BELOW = 40
"""Rows between the ego vehicle and the lower edge."""
HALF_WIDTH = 8.0
"""Half the width of the route, pixels."""


def route_map(route: FloatArray, position: tuple[float, float], yaw: float) -> NDArray[np.uint8]:
    """Return a route map (192, 192): 255 on the route, 0 elsewhere; 5 pixels are a metre.

    Args:
        route: (k, 2): points of the route, m.
        position: Position of the ego vehicle, m.
        yaw: Its direction, degrees to the left.

    Example:
        >>> mask = route_map(np.array([(-50.0, 0.0), (50.0, 0.0)]), (0.0, 0.0), 0.0)
        >>> int(mask[0].argmax()), int((mask[0] > 0).sum()), bool((mask[0] == mask[191]).all())
        (88, 16, True)
    """
    sine, cosine = sincos(math.pi / 180.0 * yaw)
    dx, dy = route[:, 0] - position[0], route[:, 1] - position[1]
    ahead, right = dx * cosine + dy * sine, dx * sine - dy * cosine
    # Coordinates of pixels count from the centre of the pixel at the upper left.
    points = np.stack(
        [0.5 * SIZE - 0.5 + PIXELS_PER_METRE * right, SIZE - BELOW - 0.5 - PIXELS_PER_METRE * ahead], axis=1
    )
    mask = np.zeros((SIZE, SIZE), np.uint8)
    low, high = np.minimum(points[:-1], points[1:]), np.maximum(points[:-1], points[1:])
    visible = (high > -HALF_WIDTH).all(axis=1) & (low < SIZE + HALF_WIDTH).all(axis=1)
    for k in np.flatnonzero(visible):
        _draw(mask, points[k], points[k + 1])
    return mask


def _draw(mask: NDArray[np.uint8], start: FloatArray, end: FloatArray) -> None:
    """Draw a line with round ends."""
    low = np.maximum(np.floor(np.minimum(start, end) - HALF_WIDTH), 0).astype(int)
    high = np.minimum(np.ceil(np.maximum(start, end) + HALF_WIDTH) + 1, SIZE).astype(int)
    if (low >= high).any():
        return
    x = np.arange(low[0], high[0]) - start[0]
    y = (np.arange(low[1], high[1]) - start[1])[:, None]
    along = end - start
    length = float((along**2).sum())
    share = np.clip((x * along[0] + y * along[1]) / length, 0.0, 1.0) if length > 0.0 else 0.0
    away = (x - share * along[0]) ** 2 + (y - share * along[1]) ** 2
    mask[low[1] : high[1], low[0] : high[0]][away <= HALF_WIDTH**2] = 255
