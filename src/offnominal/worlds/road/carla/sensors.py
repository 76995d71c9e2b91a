"""The sensors of a rig on a vehicle of CARLA."""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import Condition
from typing import Any

from offnominal.sensing.camera import Camera
from offnominal.sensing.lidar import Lidar
from offnominal.worlds.road.carla.actors import Actors
from offnominal.worlds.road.carla.blueprints import Blueprints
from offnominal.worlds.road.carla.coordinates import mount_transform, pose
from offnominal.worlds.road.carla.errors import CarlaTimeout
from offnominal.worlds.road.rigs import Mount, Rig

CAMERAS: dict[str, str] = {
    "rgb": "sensor.camera.rgb",
    "depth": "sensor.camera.depth",
    "semantic": "sensor.camera.semantic_segmentation",
    "instance": "sensor.camera.instance_segmentation",
}
LIDARS: dict[str, str] = {"measured": "sensor.lidar.ray_cast", "exact": "sensor.lidar.ray_cast_semantic"}
# The seed of the noise of a lidar is a 32-bit integer.
LARGEST_SEED = 2**31 - 1


@dataclass(frozen=True)
class SensorKind:
    """A sensor of a mount.

    Args:
        mount: The mount.
        output: What it gives: a key of `CAMERAS` or `LIDARS`.
        blueprint: Id of its blueprint.
        attributes: Attributes of its blueprint.
    """

    mount: Mount
    output: str
    blueprint: str
    attributes: dict[str, str]


def sensor_kinds(rig: Rig, tick: float, seed: int) -> list[SensorKind]:
    """Return all sensors of a rig.

    A lidar turns once per tick, so that every frame has one whole turn. It has no dropout, and noise only in distances.

    Args:
        rig: The rig.
        tick: Duration of a tick, s.
        seed: Seed of the noise of lidars.
    """
    camera = {"image_size_x": str(rig.width), "image_size_y": str(rig.height), "fov": repr(float(rig.fov))}
    rate = 1.0 / tick
    low, high = rig.lidar_fov
    lidar = {
        "channels": str(rig.channels),
        "range": repr(float(rig.lidar_range)),
        "points_per_second": str(round(rig.channels * rig.columns * rate)),
        "rotation_frequency": repr(rate),
        "upper_fov": repr(float(high)),
        "lower_fov": repr(float(low)),
        "horizontal_fov": "360.0",
    }
    noise = {
        "noise_stddev": repr(float(rig.lidar_noise)),
        "dropoff_general_rate": "0.0",
        "dropoff_intensity_limit": "0.0",
        "dropoff_zero_intensity": "0.0",
    }
    kinds = []
    for number, mount in enumerate(rig.mounts):
        if mount.camera:
            blur = {"motion_blur_intensity": "0.0"}
            kinds += [
                SensorKind(mount, output, blueprint, camera | (blur if output == "rgb" else {}))
                for output, blueprint in CAMERAS.items()
            ]
        if mount.lidar:
            seeded = {"noise_seed": str((seed + number) % LARGEST_SEED)}
            kinds.append(SensorKind(mount, "measured", LIDARS["measured"], lidar | noise | seeded))
            kinds.append(SensorKind(mount, "exact", LIDARS["exact"], lidar))
    return kinds


class RigSensors:
    """All sensors of a rig, attached to a vehicle.

    Args:
        carla: The module ``carla``.
        actors: Actors, to which the sensors are added.
        blueprints: Blueprints of the server.
        vehicle: Vehicle that has the sensors.
        kinds: The sensors.
    """

    def __init__(
        self, carla: Any, actors: Actors, blueprints: Blueprints, vehicle: Any, kinds: list[SensorKind]
    ) -> None:
        self._feeds: dict[tuple[str, str], SensorFeed] = {}
        for kind in kinds:
            blueprint = blueprints.find(kind.blueprint, **kind.attributes)
            name = f"{kind.mount.name}: {kind.output}"
            sensor = actors.spawn(blueprint, mount_transform(carla, kind.mount), attach_to=vehicle, noun=name)
            feed = SensorFeed(name)
            sensor.listen(feed.receive)
            self._feeds[kind.mount.name, kind.output] = feed

    def discard(self, before: int) -> None:
        """Forget what all sensors have sent before a frame."""
        for feed in self._feeds.values():
            feed.discard(before)

    def take(self, frame: int, timeout: float) -> dict[tuple[str, str], Any]:
        """Return the data of a frame of all sensors, by mount and output."""
        return {key: feed.take(frame, timeout) for key, feed in self._feeds.items()}


def camera_at(rig: Rig, transform: Any) -> Camera:
    """Return the camera of a rig at a pose of CARLA."""
    position, rotation = pose(transform)
    x, y, z = position.tolist()
    ahead, up = rotation[:, 0], rotation[:, 2]
    target = position + 10.0 * ahead
    return Camera(
        (x, y, z),
        (float(target[0]), float(target[1]), float(target[2])),
        rig.width,
        rig.height,
        rig.camera_at(rig.cameras[0], (0.0, 0.0, 0.0), 0.0).fov,
        up=(float(up[0]), float(up[1]), float(up[2])),
    )


def lidar_at(rig: Rig, transform: Any) -> Lidar:
    """Return the lidar of a rig at a pose of CARLA."""
    position, rotation = pose(transform)
    x, y, z = position.tolist()
    return Lidar((x, y, z), rotation, rig.channels, rig.columns, rig.lidar_fov, rig.lidar_range, rig.lidar_noise)


class SensorFeed:
    """Collects what a sensor sends, from the thread of the client, and gives it out by frame.

    Data of a frame may arrive late, and in another order than the frames. Frames that were not taken are discarded.

    Args:
        name: Name of the sensor, for messages.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._data: dict[int, Any] = {}
        self._oldest = 0
        self._arrived = Condition()

    def receive(self, data: Any) -> None:
        """Store data; the client calls it for each frame."""
        with self._arrived:
            if data.frame >= self._oldest:
                self._data[data.frame] = data
                self._arrived.notify_all()

    def discard(self, before: int) -> None:
        """Forget the data of all frames before one, also those that are still to arrive."""
        with self._arrived:
            self._oldest = before
            for frame in [frame for frame in self._data if frame < before]:
                del self._data[frame]

    def take(self, frame: int, timeout: float) -> Any:
        """Return the data of a frame.

        Args:
            frame: Number of the frame, as :meth:`carla.World.tick` returns it.
            timeout: Seconds to wait.

        Raises:
            CarlaTimeout: The data has not arrived in time.
        """
        deadline = time.monotonic() + timeout
        with self._arrived:
            while frame not in self._data:
                left = deadline - time.monotonic()
                if left <= 0.0:
                    newest = max(self._data, default=None)
                    raise CarlaTimeout(
                        f"the sensor {self.name!r} sent nothing for frame {frame} in {timeout:g} s; the newest frame "
                        f"it has sent is {newest}."
                    )
                self._arrived.wait(left)
            return self._data.pop(frame)
