"""What is drawn of one frame, of simulated, recorded and published scenes alike."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from offnominal.datasets.scenes import DrivingScene, PublishedFrame
from offnominal.datasets.scenes.published_reading import PublishedCloud
from offnominal.sensing.camera_image import CameraImage
from offnominal.sensing.vectors import rotated, rotation_about_z
from offnominal.sensing.voxels import Voxels
from offnominal.worlds.road.scenes import DrivingFrame, lidar_points, voxel_truth

SENSOR_HEIGHT = 1.8
"""Height of a published lidar whose place is not known, m."""
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


@dataclass(frozen=True, eq=False)
class Cloud:
    """Points of all lidars in the frame of the ego vehicle.

    Args:
        points: (n, 3): points, m.
        label: (n,): their labels; None if they are not known.
    """

    points: NDArray[np.float32]
    label: NDArray[np.uint8] | None


class FrameView(ABC):
    """One frame of a scene; points and voxels are computed when they are used."""

    number: int
    """Number of the frame in its scene, from 0."""
    tick: int
    """Tick of the simulation."""
    active: bool
    """Whether an anomaly is active."""
    driving: DrivingFrame | None = None
    """The frame as detectors get it; None for a published scene."""

    @property
    @abstractmethod
    def images(self) -> Mapping[str, CameraImage]:
        """Images by the names of the cameras."""

    @property
    @abstractmethod
    def cloud(self) -> Cloud | None:
        """Points of all lidars; None without a lidar."""

    @property
    @abstractmethod
    def voxels(self) -> Voxels | None:
        """Voxel truth; None if it is neither recorded nor computable."""


class DrivingView(FrameView):
    """A frame of a simulated scenario, or of a scene in the compact layout.

    Args:
        frame: The frame.
        scene: The recorded scene, whose voxels are used if it has any.
    """

    def __init__(self, frame: DrivingFrame, scene: DrivingScene | None = None) -> None:
        self.number, self.tick, self.driving = frame.number, frame.tick, frame
        self.active = frame.state.is_anomalous
        self._frame, self._scene = frame, scene

    @property
    def images(self) -> Mapping[str, CameraImage]:
        """Images by the names of the cameras."""
        return {name: each.image for name, each in self._frame.sensors.cameras.items()}

    @cached_property
    def cloud(self) -> Cloud | None:
        """Measured points of all lidars."""
        parts = [lidar_points(self._frame, name, measured=True) for name in self._frame.sensors.lidars]
        if not parts:
            return None
        return Cloud(np.concatenate([each.points for each in parts]), np.concatenate([each.label for each in parts]))

    @cached_property
    def voxels(self) -> Voxels | None:
        """Recorded voxel truth, or that of the grid of the paper."""
        if self._scene is not None and self._scene.voxel_settings is not None:
            return self._scene.voxels(self.number)
        return voxel_truth(self._frame)


class PublishedView(FrameView):
    """A frame of a scene in the published layout.

    Args:
        frame: The frame.
        number: Its number in the scene.
    """

    def __init__(self, frame: PublishedFrame, number: int) -> None:
        self.number, self.tick = number, frame.id
        entries = frame.anomaly or {}
        self.active = frame.anomaly is not None and entries.get("active", "True") == "True"
        self._frame = frame

    @property
    def images(self) -> Mapping[str, CameraImage]:
        """Images by the places of the cameras."""
        return {place or "camera": image for place, image in self._frame.cameras.items()}

    @cached_property
    def cloud(self) -> Cloud | None:
        """Exact points with labels if there are any, otherwise measured ones."""
        clouds = [_in_ego_frame(place, each) for place, each in self._frame.lidars.items()]
        labelled = [cloud for cloud in clouds if cloud.label is not None]
        chosen = labelled or clouds
        if not chosen:
            return None
        points = np.concatenate([each.points for each in chosen])
        labels = [each.label for each in chosen if each.label is not None]
        return Cloud(points, np.concatenate(labels) if labels else None)

    @property
    def voxels(self) -> Voxels | None:
        """Recorded voxel truth."""
        return self._frame.voxels


def _in_ego_frame(place: str, cloud: PublishedCloud) -> Cloud:
    """Return the points of a lidar at a place such as ``"(0, -0.5, 1.8)(0, 0, 90)"``, with y and yaw to the right."""
    numbers = [float(each) for each in NUMBER.findall(place)]
    x, y, z, _, _, yaw = numbers if len(numbers) == 6 else (0.0, 0.0, SENSOR_HEIGHT, 0.0, 0.0, 0.0)
    exact = len(cloud.exact) > 0
    points = cloud.exact if exact else cloud.points
    turned = rotated(points.astype(np.float64), rotation_about_z(-yaw)) + np.array((x, -y, z))
    return Cloud(turned.astype(np.float32), cloud.label.astype(np.uint8) if exact else None)
