"""One frame of all sensors of a rig."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from offnominal.sensing.camera import Camera
from offnominal.sensing.camera_image import CameraImage, Output, render
from offnominal.sensing.camera_models import STILL, Motion, photograph
from offnominal.sensing.lidar import Lidar, PointCloud
from offnominal.sensing.lidar_models import at_points, turn, widened
from offnominal.sensing.scene import Poses, Scene
from offnominal.sensing.shapes import Triple
from offnominal.worlds.road.clouds import add_clouds
from offnominal.worlds.road.lidar_materials import MATERIALS
from offnominal.worlds.road.rain import add_streaks, measure_in_weather
from offnominal.worlds.road.rigs import LEVEL, Attitude, Mount, Rig
from offnominal.worlds.road.weather import WEATHERS, Weather
from offnominal.worlds.road.wet_ground import add_reflections

CAMERA_OUTPUTS: tuple[Output, ...] = ("rgb", "depth", "label", "instance")


@dataclass(frozen=True, eq=False)
class CameraFrame:
    """Image of one camera.

    Args:
        camera: The camera at its pose in the world.
        image: Its image: rgb, depth along the direction of view, label and instance.
    """

    camera: Camera
    image: CameraImage


@dataclass(frozen=True, eq=False)
class LidarFrame:
    """One whole turn of one lidar.

    Args:
        lidar: The lidar at its pose in the world.
        measured: What it measures, with noise and weather.
        exact: The exact points, as of a semantic lidar.
    """

    lidar: Lidar
    measured: PointCloud
    exact: PointCloud


@dataclass(frozen=True, eq=False)
class RigFrame:
    """What all sensors of a rig record at one time, by the names of their mounts."""

    cameras: dict[str, CameraFrame]
    lidars: dict[str, LidarFrame]


def record(
    scene: Scene,
    rig: Rig,
    position: Triple,
    yaw: float,
    *,
    weather: Weather = WEATHERS["CLEAR_NOON"],
    poses: Poses | None = None,
    seed: int = 0,
    step: int = 0,
    samples: int = 1,
    outputs: Sequence[Output] = CAMERA_OUTPUTS,
    attitude: Attitude = LEVEL,
    motion: Motion = STILL,
    roughness: float = 0.0,
) -> RigFrame:
    """Return one frame of a rig.

    All sensors see the same scene at the same time.

    Args:
        scene: The scene; its light and sky are replaced by those of the weather.
        rig: The rig.
        position: Position of the vehicle on the ground, m.
        yaw: Direction of the vehicle, degrees from +x towards +y.
        weather: The weather.
        poses: Poses of the instances; None for those of the scene.
        seed: Root seed of noise and rain.
        step: Time index. The same seed and step always give the same frame.
        samples: Antialiasing of the cameras, see :class:`~offnominal.sensing.Camera`.
        outputs: Outputs of the cameras; depth and label are always computed.
        attitude: Pitch and roll of the vehicle.
        motion: How the vehicle and the objects move, for models of sensors that take time.
        roughness: How far a wet road scatters what it reflects, as a share of the height of the image.
    """
    under = weather.apply(scene)
    cameras, lidars = {}, {}
    model = rig.camera_model
    needed: tuple[Output, ...] = tuple(dict.fromkeys((*outputs, "depth", "label")))
    if model.shutter > 0.0:
        needed = tuple(dict.fromkeys((*needed, "instance")))
    for number, mount in enumerate(rig.cameras):
        camera = rig.camera_at(mount, position, yaw, attitude=attitude, samples=samples)
        source, order = camera.source(), step * len(rig.mounts) + number
        image = render(under, source, needed, poses=poses)
        if image.rgb is not None:
            add_clouds(source, image, weather, step=step)
            add_reflections(under, source, image, weather, poses=poses, roughness=roughness)
            add_streaks(image.rgb, weather, seed=seed, step=order)
        cameras[mount.name] = CameraFrame(
            camera, photograph(image, camera, model, motion=motion, seed=seed, step=order)
        )
    turning = rig.lidar_model
    for number, mount in enumerate(rig.lidars):
        at, order = partial(_lidar_at, rig, mount, position, yaw, attitude, motion), step * len(rig.mounts) + number
        lidar = at(0.0)
        exact = turn(under, at, turning, poses=poses, motion=motion, materials=MATERIALS)
        noisy = replace(lidar, noise=rig.lidar_noise)
        wide = widened(exact, lidar, turning, seed=seed, step=order)
        measured = at_points(measure_in_weather(wide, noisy, weather, seed=seed, step=order), at, turning)
        lidars[mount.name] = LidarFrame(noisy, measured, exact)
    return RigFrame(cameras, lidars)


def _lidar_at(
    rig: Rig, mount: Mount, position: Triple, yaw: float, attitude: Attitude, motion: Motion, seconds: float
) -> Lidar:
    """Return the lidar of a mount at a time relative to the frame, of a vehicle that moves."""
    if seconds == 0.0:
        return rig.lidar_at(mount, position, yaw, attitude=attitude)
    x, y, z = (now + seconds * speed for now, speed in zip(position, motion.velocity, strict=True))
    return rig.lidar_at(mount, (x, y, z), yaw + math.degrees(motion.turning) * seconds, attitude=attitude)
