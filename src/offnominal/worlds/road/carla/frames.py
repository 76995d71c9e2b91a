"""Frames of a rig, decoded from the data of its sensors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from offnominal.core.types import Array
from offnominal.sensing.camera_image import CameraImage
from offnominal.worlds.road.carla import image_decoding, lidar_decoding
from offnominal.worlds.road.carla.instance_matching import Boxes, InstanceMatcher
from offnominal.worlds.road.carla.participants import Participant
from offnominal.worlds.road.carla.semantic_tags import NO_ROLE, labels_of
from offnominal.worlds.road.carla.sensors import camera_at, lidar_at
from offnominal.worlds.road.rig_frame import CameraFrame, LidarFrame, RigFrame
from offnominal.worlds.road.rigs import Rig


class FrameDecoder:
    """Decodes the frames of one run.

    Args:
        rig: The rig.
        participants: All road users and objects; their instance ids count from 1.
    """

    def __init__(self, rig: Rig, participants: list[Participant]) -> None:
        self._rig, self._participants = rig, participants
        self._matcher = InstanceMatcher()

    def decode(self, data: dict[tuple[str, str], Any], boxes: Boxes) -> RigFrame:
        """Return a frame.

        Args:
            data: Data of all sensors by mount and output; see :meth:`.RigSensors.take`.
            boxes: Bounding boxes of all participants in this frame.
        """
        cameras = {mount.name: self._camera(data, mount.name, boxes) for mount in self._rig.cameras}
        lidars = {mount.name: self._lidar(data, mount.name) for mount in self._rig.lidars}
        return RigFrame(cameras, lidars)

    def _camera(self, data: dict[tuple[str, str], Any], mount: str, boxes: Boxes) -> CameraFrame:
        rgb, depth, semantic, instance = (data[mount, each] for each in ("rgb", "depth", "semantic", "instance"))
        camera = camera_at(self._rig, rgb.transform)
        away = image_decoding.depth(depth)
        label = labels_of(image_decoding.tags(semantic))
        ids = self._matcher.match(image_decoding.instances(instance), label, away, camera, boxes)
        self._relabel(label, ids)
        image = CameraImage(rgb=image_decoding.rgb(rgb), depth=away, label=label, instance=ids)
        return CameraFrame(camera, image)

    def _lidar(self, data: dict[tuple[str, str], Any], mount: str) -> LidarFrame:
        exact = data[mount, "exact"]
        lidar = lidar_at(self._rig, exact.transform)
        clouds = lidar_decoding.decode(data[mount, "measured"], exact, lidar)
        numbers = {each.actor.id: number for number, each in enumerate(self._participants, 1)}
        for cloud in clouds:
            cloud.instance[:] = _renumbered(cloud.instance, numbers)
            self._relabel(cloud.label, cloud.instance)
        return LidarFrame(lidar, *clouds)

    def _relabel(self, label: NDArray[np.int32], instance: NDArray[np.int32]) -> None:
        """Write the labels that depend on the roles of actors."""
        for number, each in enumerate(self._participants, 1):
            if each.role != NO_ROLE:
                own = instance == number
                label[own] = each.role.relabel(label[own])


def _renumbered(ids: Array, numbers: dict[int, int]) -> Array:
    """Return instance ids in place of the ids of actors; 0 for everything else."""
    found, inverse = np.unique(ids, return_inverse=True)
    return np.array([numbers.get(int(each), 0) for each in found], np.int32)[inverse.reshape(ids.shape)]
