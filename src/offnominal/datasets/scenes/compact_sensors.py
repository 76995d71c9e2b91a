"""Cameras and lidars in the compact layout."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from offnominal.core.types import Array
from offnominal.datasets.scenes import array_codec as codec
from offnominal.sensing.camera import Camera
from offnominal.sensing.camera_image import CameraImage
from offnominal.sensing.lidar import Lidar, PointCloud
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rig_frame import CameraFrame, LidarFrame
from offnominal.worlds.road.rigs import Mount, Rig

POSE = "pose"
"""Column of a camera: position, target, up and vertical field of view; of a lidar: position and rotation by rows."""
CAMERA = ("rgb", "depth", "label", "instance")
LIDAR = (
    "points",
    "returned",
    "range",
    "label",
    "instance",
    "intensity",
    "measured_points",
    "measured_returned",
    "measured_range",
    "measured_label",
    "measured_instance",
    "measured_intensity",
)
CHECKED_COLUMNS = slice(None, None, 16)
"""Columns of a turn whose points are compared with its rays."""


def encode_camera(frame: CameraFrame) -> dict[str, Any]:
    """Return the columns of a camera."""
    camera, image = frame.camera, frame.image
    return {
        POSE: [*camera.position, *camera.target, *camera.up, camera.fov],
        "rgb": None if image.rgb is None else codec.encode_rgb(image.rgb),
        "depth": None if image.depth is None else codec.encode_depth(image.depth),
        "label": None if image.label is None else codec.encode_integers(image.label),
        "instance": None if image.instance is None else codec.encode_integers(image.instance),
    }


def decode_camera(row: dict[str, Any], mount: Mount, rig: Rig) -> CameraFrame:
    """Return the image of a camera of a rig."""
    shape = (rig.height, rig.width)
    x, y, z, a, b, c, u, v, w, fov = row[f"camera.{mount.name}.{POSE}"].tolist()
    camera = Camera(
        (x, y, z), (a, b, c), rig.width, rig.height, fov, (u, v, w), samples=row["samples"],
        distortion=rig.camera_model.distortion,
    )  # fmt: skip
    rgb, depth, label, instance = (row[f"camera.{mount.name}.{name}"] for name in CAMERA)
    image = CameraImage(
        rgb=None if rgb is None else codec.decode_rgb(rgb, *shape),
        depth=None if depth is None else codec.decode_depth(depth, shape),
        label=None if label is None else codec.decode_integers(label, shape),
        instance=None if instance is None else codec.decode_integers(instance, shape),
    )
    return CameraFrame(camera, image)


def encode_turn(frame: LidarFrame) -> dict[str, Any]:
    """Return the columns of a lidar; of the measured points, the differences to the expected ones."""
    exact, measured = frame.exact, frame.measured
    returned, ranges = codec.encode_ranges(exact.ranges)
    measured_returned, measured_ranges = codec.encode_ranges(measured.ranges, like=exact.ranges)
    label, instance, intensity = _expected(exact, measured)
    bright = None if exact.intensity is None else codec.encode_intensity(exact.intensity)
    measured_bright = None if measured.intensity is None else codec.encode_intensity(measured.intensity)
    lidar = frame.lidar
    rays = directions_of(lidar)
    return {
        POSE: [*lidar.position, *np.asarray(lidar.rotation).ravel().tolist()],
        "points": _off_rays(lidar, exact, rays),
        "returned": returned,
        "range": ranges,
        "label": codec.encode_integers(exact.label),
        "instance": codec.encode_integers(exact.instance),
        "intensity": None if bright is None else bright.tobytes(),
        "measured_points": _off_rays(lidar, measured, rays),
        "measured_returned": measured_returned,
        "measured_range": measured_ranges,
        "measured_label": codec.encode_integers(codec.fold(measured.label - label)),
        "measured_instance": codec.encode_integers(codec.fold(measured.instance - instance)),
        "measured_intensity": None if measured_bright is None else (measured_bright - intensity).tobytes(),
    }


def _off_rays(lidar: Lidar, cloud: PointCloud, rays: Array) -> bytes | None:
    """Return the points of a turn if they are not on the rays of the lidar; those on its rays need not be stored."""
    some = CHECKED_COLUMNS
    away = points_of(lidar, cloud.ranges[:, some], rays[:, some]) - cloud.points[:, some]
    if not (np.abs(away) > codec.RANGE_STEP).any():
        return None
    return codec.encode_integers(cloud.points.view(np.int32).reshape(len(cloud.points), -1))


def _points(lidar: Lidar, ranges: Array, rays: Array, stored: Any) -> Array:
    if stored is None:
        return points_of(lidar, ranges, rays)
    shape = (lidar.channels, lidar.columns)
    return codec.decode_integers(stored, (shape[0], 3 * shape[1])).view(np.float32).reshape(*shape, 3)


def _expected(exact: PointCloud, measured: PointCloud) -> tuple[Array, Array, Array]:
    """Return the labels, instances and intensities that measured points have, except those of rain drops."""
    returned = np.isfinite(measured.ranges)
    bright = np.zeros(returned.shape, np.uint8) if exact.intensity is None else codec.encode_intensity(exact.intensity)
    return (
        np.where(returned, exact.label, np.int32(Label.SKY)),
        np.where(returned, exact.instance, np.int32(0)),
        np.where(returned, bright, np.uint8(0)),
    )


def decode_turn(row: dict[str, Any], mount: Mount, rig: Rig) -> LidarFrame:
    """Return one turn of a lidar of a rig."""
    x, y, z, *rotation = row[f"lidar.{mount.name}.{POSE}"].tolist()
    settings = (rig.channels, rig.columns, rig.lidar_fov, rig.lidar_range, rig.lidar_noise)
    lidar = Lidar((x, y, z), np.reshape(rotation, (3, 3)), *settings)
    rays, seconds = directions_of(lidar), rig.lidar_model.times(lidar.columns)
    shape = (lidar.channels, lidar.columns)
    part = {name: row[f"lidar.{mount.name}.{name}"] for name in LIDAR}
    ranges = codec.decode_ranges(codec.decode_bits(part["returned"], shape), part["range"])
    bright = None if part["intensity"] is None else codec.decode_bytes(part["intensity"], shape)
    exact = PointCloud(
        ranges,
        _points(lidar, ranges, rays, part["points"]),
        codec.decode_integers(part["label"], shape),
        codec.decode_integers(part["instance"], shape),
        None if bright is None else codec.decode_intensity(bright),
        seconds,
    )
    returned = codec.decode_bits(part["measured_returned"], shape)
    seen = codec.decode_ranges(returned, part["measured_range"], like=ranges)
    label, instance, intensity = _expected(exact, PointCloud(seen, exact.points, exact.label, exact.instance))
    change = part["measured_intensity"]
    measured = PointCloud(
        seen,
        _points(lidar, seen, rays, part["measured_points"]),
        codec.unfold(codec.decode_integers(part["measured_label"], shape)) + label,
        codec.unfold(codec.decode_integers(part["measured_instance"], shape)) + instance,
        None if change is None else codec.decode_intensity(codec.decode_bytes(change, shape) + intensity),
        seconds,
    )
    return LidarFrame(lidar, measured, exact)


def directions_of(lidar: Lidar) -> NDArray[np.float32]:
    """Return the directions (channels, columns, 3) of all rays in the world."""
    up, flat = lidar.elevations[:, :1], lidar.elevations[:, 1:]
    sine, cosine = lidar.azimuths[:, 0], lidar.azimuths[:, 1]
    found = np.empty((len(flat), len(sine), 3), np.float32)
    for axis, (ahead, left, above) in enumerate(np.asarray(lidar.rotation)):
        found[..., axis] = flat * (ahead * cosine + left * sine) + above * up
    return found


def points_of(lidar: Lidar, ranges: Array, directions: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return points in the world; NaN without a return.

    Args:
        lidar: The lidar at its pose.
        ranges: (channels, columns): distances, m; infinite without a return.
        directions: (channels, columns, 3): their directions.

    Example:
        >>> lidar = Lidar(channels=1, columns=2, fov=(0.0, 0.0))
        >>> points_of(lidar, np.array([[3.0, np.inf]]), directions_of(lidar)).round(2).tolist()
        [[[0.0, -3.0, 1.8], [nan, nan, nan]]]
    """
    distance = np.where(np.isfinite(ranges), ranges, np.nan).astype(np.float32)
    points: NDArray[np.float32] = distance[..., None] * directions
    points += np.asarray(lidar.position, np.float32)
    return points
