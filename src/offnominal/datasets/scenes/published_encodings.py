"""Encodings of depths, instances and point clouds in the published layout."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from offnominal.core.errors import DamagedFile
from offnominal.core.types import Array, FloatArray
from offnominal.sensing.camera import Camera
from offnominal.sensing.lidar import Lidar, PointCloud
from offnominal.worlds.road.labels import Label

FARTHEST = 1000.0
"""Depth of the largest code, m."""
LARGEST = 2**24 - 1


def encode_depth(depth: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return depths as red + 256 green + 65536 blue, in units of 1000 m / (2^24 - 1); farther ones are white."""
    share = np.minimum(depth.astype(np.float64) / FARTHEST, 1.0)
    codes = np.rint(share * LARGEST).astype("<u4")
    return np.ascontiguousarray(codes).view(np.uint8).reshape(*depth.shape, 4)[..., :3]


def decode_depth(image: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the depths of :func:`encode_depth`, m; white is infinite.

    Example:
        >>> decode_depth(encode_depth(np.array([[12.5, 2000.0]], np.float32))).round(3).tolist()
        [[12.5, inf]]
    """
    _check_colours(image, "depth")
    codes = image[..., 0] + 256.0 * image[..., 1] + 65536.0 * image[..., 2]
    return np.where(codes == LARGEST, np.inf, codes * (FARTHEST / LARGEST)).astype(np.float32)


def encode_instance(label: Array, instance: Array) -> NDArray[np.uint8]:
    """Return labels in red, and instances modulo 2^16 in green and blue, the lower byte in green."""
    return np.stack([label, instance & 255, instance >> 8 & 255], axis=-1).astype(np.uint8)


def decode_instance(image: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return the instances of :func:`encode_instance`."""
    _check_colours(image, "instance")
    return image[..., 1].astype(np.int32) | image[..., 2].astype(np.int32) << 8


LEGACY_COLOURS = {
    (250, 128, 114): Label.HOME,
    (255, 36, 0): Label.ANIMAL,
    (224, 17, 95): Label.NATURE,
    (184, 15, 10): Label.SPECIAL,
}
"""Colours that older releases name for anomalies; in their files all anomalies have that of the temporal anomaly."""


def decode_label(image: NDArray[np.uint8], anomaly: Label = Label.TEMPORAL_ANOMALY) -> NDArray[np.int32]:
    """Return the labels of label ids (height, width), or of colours (..., 3) as in older releases.

    Args:
        image: The ids or colours.
        anomaly: Label of the one colour that older releases have for anomalies of every kind.

    Raises:
        DamagedFile: An id or a colour is not that of a label.
    """
    if image.ndim == 2:
        return _known_ids(image)
    colours = {Label(each): Label(each).colour for each in Label}
    known = {colour: label for label, colour in colours.items()} | LEGACY_COLOURS | {(245, 0, 0): anomaly}
    codes = np.array(list(known), np.int64) @ (65536, 256, 1)
    ids = np.array(list(known.values()))[np.argsort(codes)]
    codes.sort()
    given = image.astype(np.int64) @ (65536, 256, 1)
    found = np.minimum(np.searchsorted(codes, given), len(codes) - 1)
    if (other := codes[found] != given).any():
        red, green, blue = image[other][0].tolist()
        raise DamagedFile(
            f"{int(other.sum())} of {other.size} labels have the colour ({red}, {green}, {blue}) or one that is not "
            "in the palette."
        )
    return ids[found].astype(np.int32)


def _known_ids(ids: Array) -> NDArray[np.int32]:
    """Return ids of labels; raise :class:`DamagedFile` if there is another one."""
    known = np.zeros(257, np.bool_)
    known[[int(each) for each in Label]] = True
    wide = ids.astype(np.float64)
    given = np.clip(np.where(wide == np.floor(wide), wide, -1.0), -1.0, 256.0).astype(np.int64)
    if (other := ~known[given]).any():
        raise DamagedFile(
            f"{int(other.sum())} of {other.size} labels have the id {ids[other][0]:g} or others of no label."
        )
    return given.astype(np.int32)


def _check_colours(image: Array, noun: str) -> None:
    if image.ndim != 3:
        raise DamagedFile(f"a {noun} image has grey values; expected red, green and blue.")


def encode_points(cloud: PointCloud, lidar: Lidar, values: Array) -> NDArray[np.float32]:
    """Return the points (n, 4) of a turn: x ahead, y to the left and z up from the lidar, m, and a value per point."""
    back = cloud.returned
    world = cloud.points[back].astype(np.float64) - np.asarray(lidar.position)
    own = np.einsum("nk,kj->nj", world, np.asarray(lidar.rotation))
    return np.column_stack([own, values[back]]).astype(np.float32)


def camera_matrix(camera: Camera) -> FloatArray:
    """Return the matrix (4, 4) from camera to world with x ahead, y to the right and z up in both, as in CARLA."""
    right, up, forward = camera.axes()
    return _matrix(np.array([forward, right, up]), camera.position)


def lidar_matrix(lidar: Lidar) -> FloatArray:
    """Return the matrix of a lidar; see :func:`camera_matrix`."""
    forward, left, up = np.asarray(lidar.rotation).T
    return _matrix(np.array([forward, -left, up]), lidar.position)


def _matrix(axes: FloatArray, position: tuple[float, float, float]) -> FloatArray:
    """Return the matrix of axes ahead, to the right and up; the world of CARLA has y on the other side."""
    matrix = np.eye(4)
    matrix[:3, :3] = axes.T
    matrix[:3, 3] = position
    matrix[1] *= -1.0
    return matrix + 0.0


def inverse_matrix(matrix: FloatArray) -> FloatArray:
    """Return the inverse of a matrix with orthogonal axes."""
    inverse = np.eye(4)
    inverse[:3, :3] = matrix[:3, :3].T
    inverse[:3, 3] = -(matrix[:3, :3].T @ matrix[:3, 3])
    return inverse + 0.0
