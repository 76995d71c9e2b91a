"""Frames of the published layout as frames that scene detectors score."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from offnominal.core.errors import DamagedFile
from offnominal.core.files import content_errors
from offnominal.core.types import Array, IntArray
from offnominal.datasets.scenes.index import FrameEntry
from offnominal.datasets.scenes.published_names import ACTION, ANOMALY, CAMERA_TYPES, LIDAR_TYPES, file_of
from offnominal.datasets.scenes.published_reading import (
    PublishedCloud,
    PublishedFrame,
    PublishedScene,
    content_label,
)
from offnominal.datasets.scenes.published_rig import PublishedSensor
from offnominal.datasets.scenes.turn_grid import TurnGrid, measured_labels
from offnominal.sensing.camera_image import CameraImage
from offnominal.sensing.lidar import Lidar
from offnominal.sensing.shapes import Triple
from offnominal.sensing.vectors import rotated, rotation_about_z
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rig_frame import CameraFrame, LidarFrame, RigFrame
from offnominal.worlds.road.rigs import Mount, Rig
from offnominal.worlds.road.scenes import DrivingFrame
from offnominal.worlds.road.town.snapshot import Snapshot

KMH = 3.6
ANOMALOUS = np.zeros(256, np.bool_)
ANOMALOUS[[int(label) for label in Label if label.is_anomaly]] = True
INSTANCES = 2**16
"""Instances in images are modulo this number."""


@dataclass(frozen=True, eq=False)
class PublishedReader:
    """Reader of the frames of a scene in the published layout.

    Args:
        scene: The scene.
        sensors: Sensors that are read.
        mounts: Their places on the vehicle.
        rig: The rig of the mounts.
    """

    scene: PublishedScene
    sensors: tuple[PublishedSensor, ...]
    mounts: Mapping[str, Mount]
    rig: Rig

    def frame(self, entry: FrameEntry) -> DrivingFrame:
        """Return a frame."""
        return self.driving(self.scene.read(entry.tick, self.sensors), entry.number)

    def state(self, entry: FrameEntry) -> Snapshot:
        """Return the state of the ego vehicle and of the anomaly in a frame; no image is read."""
        found = self.scene.read(entry.tick, ())
        _, yaw, position = self._pose(found)
        return self._state(found, position, yaw, entry.anomalous)

    def point_orders(self, entry: FrameEntry) -> dict[str, IntArray]:
        """Return, for each lidar, the numbers of the points of its file in the order of a frame's scores."""
        lidars = [each for each in self.sensors if each.kind in LIDAR_TYPES]
        found = self.scene.read(entry.tick, lidars)
        return {
            self.mounts[place].name: TurnGrid.of(cloud.points.astype(np.float64), self._lidar(place)).order
            for place, cloud in found.lidars.items()
        }

    def _lidar(self, place: str, position: Triple = (0.0, 0.0, 0.0), yaw: float = 0.0) -> Lidar:
        lidar = self.rig.lidar_at(self.mounts[place], position, yaw)
        return replace(lidar, noise=self.rig.lidar_noise)

    def driving(self, found: PublishedFrame, number: int) -> DrivingFrame:
        """Return a frame of the published layout as detectors score it.

        Raises:
            DamagedFile: An image has another shape, a turn has too many points, or a pose is no matrix.
        """
        _, yaw, position = self._pose(found)
        anomalous = self._is_anomalous(found)
        instance = _instance(found.anomaly)
        cameras, lidars = {}, {}
        for place, image in found.cameras.items():
            mount = self.mounts[place]
            camera = self.rig.camera_at(mount, position, yaw)
            cameras[mount.name] = CameraFrame(camera, self._image(image, place, found.id, instance))
        for place, cloud in found.lidars.items():
            try:
                lidars[self.mounts[place].name] = self._turn(cloud, place, position, yaw, instance)
            except DamagedFile as error:
                file = next(each for each in self.sensors if each.place == place and each.kind in LIDAR_TYPES)
                path = self.scene.folder / file_of(file.folder, found.id, file.ending)
                raise DamagedFile(f"{path}: {error}") from None
        state = self._state(found, position, yaw, anomalous)
        return DrivingFrame(number, found.id, RigFrame(cameras, lidars), state, position, yaw)

    def _image(self, image: CameraImage, place: str, id: int, instance: int) -> CameraImage:
        shape = (self.rig.height, self.rig.width)
        for noun in ("rgb", "depth", "label", "instance"):
            values = getattr(image, noun)
            if values is not None and values.shape[:2] != shape:
                folder = next(each.folder for each in self.sensors if each.place == place and each.kind in CAMERA_TYPES)
                raise DamagedFile(
                    f"{self.scene.folder / folder}: the {noun} image of frame {id} has the shape {values.shape[:2]}; "
                    f"expected {shape}."
                )
        assert image.label is not None
        ids = np.zeros(shape, np.int32) if image.instance is None else image.instance
        return replace(image, instance=np.where(ANOMALOUS[image.label], np.int32(instance), ids))

    def _turn(self, cloud: PublishedCloud, place: str, position: Triple, yaw: float, instance: int) -> LidarFrame:
        lidar = self._lidar(place, position, yaw)
        points, exact = cloud.points.astype(np.float64), cloud.exact.astype(np.float64)
        for noun, values in (("points", points), ("labelled points", exact)):
            if not np.isfinite(values).all():
                raise DamagedFile(f"its {noun} have coordinates that are not finite.")
        label = measured_labels(points, exact, cloud.label, lidar)
        ids = [np.where(ANOMALOUS[each], np.int32(instance), np.int32(0)) for each in (label, cloud.label)]
        measured = TurnGrid.of(points, lidar).cloud(points, label, ids[0], cloud.intensity, lidar)
        return LidarFrame(lidar, measured, TurnGrid.of(exact, lidar).cloud(exact, cloud.label, ids[1], None, lidar))

    def has_pose(self, found: PublishedFrame) -> bool:
        """Return whether a frame has the pose of the ego vehicle."""
        return self._pose(found)[0]

    def _pose(self, found: PublishedFrame) -> tuple[bool, float, Triple]:
        """Return whether the pose of the ego vehicle is known, its yaw in degrees and its position, or the origin."""
        for noun, kinds in (("camera", CAMERA_TYPES), ("lidar", LIDAR_TYPES)):
            text = found.action.get(f"{noun} transformation matrix")
            sensor = next((each for each in self.scene.sensors if each.kind in kinds), None)
            if text is None or sensor is None:
                continue
            path = self.scene.folder / file_of(ACTION, found.id, ".csv")
            with content_errors(path, f"the {noun} transformation matrix"):
                matrix = np.array(json.loads(text), np.float64).reshape(4, 4)
            if not np.isfinite(matrix).all():
                raise DamagedFile(f"{path}: the {noun} transformation matrix is not finite.")
            x, y, z = sensor.location
            heading = math.degrees(math.atan2(-matrix[1, 0], matrix[0, 0]))
            yaw = heading + float(sensor.rotation[2])
            eye = matrix[:3, 3] * (1.0, -1.0, 1.0)
            a, b, c = (eye - rotated(np.array((x, -y, z), np.float64), rotation_about_z(yaw))).tolist()
            return True, yaw, (a, b, c)
        return False, 0.0, (0.0, 0.0, 0.0)

    def _is_anomalous(self, found: PublishedFrame) -> bool:
        """Return whether an anomaly is active: the file ANOMALY says it of an object, labels say it of a road user."""
        entries = found.anomaly
        if entries is not None and "active" in entries:
            return entries["active"].strip() == "True"
        if entries is not None and "anomaly_type_id" in entries:
            return entries.get("anomaly_is_alive", "True").strip() == "True"
        labels: list[Array] = [each.label for each in found.cameras.values() if each.label is not None]
        labels += [each.label for each in found.lidars.values()]
        return any(bool(ANOMALOUS[each].any()) for each in labels)

    def _state(self, found: PublishedFrame, position: Triple, yaw: float, anomalous: bool) -> Snapshot:
        """Return the state of the ego vehicle and of the anomaly; that of the others is not recorded."""
        entries = found.anomaly
        path = self.scene.folder / file_of(ACTION, found.id, ".csv")
        with content_errors(path, "the state of the ego vehicle"):
            speed = float(found.action.get("speed", 0.0)) / KMH
            throttle, steer, brake = (float(found.action.get(name, 0.0)) for name in ("throttle", "steer", "brake"))
        n = 1 if entries is None and not anomalous else 2
        place = position if entries is None else location_of(entries, self.scene, found.id)
        label = content_label(entries) if anomalous else Label.UNLABELED
        return Snapshot(
            tick=found.id,
            instance=np.array([1, _instance(entries)])[:n],
            kind=("ego", "anomaly")[:n],
            label=np.array([int(Label.EGO_VEHICLE), int(label)])[:n],
            position=np.array([position[:2], place[:2]], np.float64)[:n],
            heading=np.array([math.radians(yaw), 0.0])[:n],
            speed=np.array([speed, 0.0])[:n],
            acceleration=np.zeros(n),
            size=np.zeros((n, 3)),
            lights=np.zeros(0, np.int64),
            controls=(throttle, -steer + 0.0, brake),
            anomalous=np.array([False, anomalous])[:n],
        )


def location_of(entries: Mapping[str, str], scene: PublishedScene, id: int) -> Triple:
    """Return the location of an anomaly with y to the left; the origin if the file has none."""
    path = scene.folder / file_of(ANOMALY, id, ".csv")
    with content_errors(path, "the location of the anomaly"):
        x, y, z = json.loads(entries.get("location", "(0, 0, 0)").replace("(", "[").replace(")", "]"))
        return float(x), -float(y) + 0.0, float(z)


def _instance(entries: Mapping[str, str] | None) -> int:
    """Return the instance of the anomaly that a file ANOMALY describes, as in images."""
    text = (entries or {}).get("anomaly_id", (entries or {}).get("vehicle_id", "")).strip()
    return int(text) if text.isdecimal() else INSTANCES - 1
