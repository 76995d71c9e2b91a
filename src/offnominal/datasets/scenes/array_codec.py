"""Encodings of the arrays of sensors, which make them small when they are compressed after it.

Colours, labels and instances are stored without loss. Depths are rounded to 12 significant bits, distances of a lidar
to 2 mm, and intensities to 1/255.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from offnominal.core.errors import DamagedFile
from offnominal.core.types import Array, BoolArray

DEPTH_ERROR = 2.0**-12
"""Largest relative error of a stored depth."""
RANGE_STEP = 0.002
"""Unit of a stored distance, m; the error is at most half of it."""
INTENSITY_STEPS = 255
_DROPPED_BITS = 12

Integers = NDArray[np.int32]


def encode_rgb(rgb: NDArray[np.uint8]) -> bytes:
    """Return an image as differences between its rows."""
    rows = rgb.copy()
    rows[1:] -= rgb[:-1]
    return rows.tobytes()


def decode_rgb(content: Any, height: int, width: int) -> NDArray[np.uint8]:
    """Return the image of :func:`encode_rgb`.

    Example:
        >>> image = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
        >>> bool((decode_rgb(encode_rgb(image), 2, 4) == image).all())
        True
    """
    return np.cumsum(_viewed(content, np.uint8, (height, width, 3)), axis=0, dtype=np.uint8)


def encode_integers(values: Array) -> bytes:
    """Return integers of 32 bits, with bytes of the same significance together, and only as many as are needed."""
    numbers = np.ascontiguousarray(values, np.int32)
    width = 4 if numbers.min() < 0 else max(1, (int(numbers.max()).bit_length() + 7) // 8)
    return numbers.view(np.uint8).reshape(-1, 4)[:, :width].T.tobytes()


def decode_integers(content: Any, shape: tuple[int, int]) -> Integers:
    """Return the array of :func:`encode_integers`.

    Example:
        >>> decode_integers(encode_integers(np.array([[-1, 70_000]])), (1, 2)).tolist()
        [[-1, 70000]]
    """
    count = shape[0] * shape[1]
    width = min(max(1, len(content) // count), 4)
    planes = _viewed(content, np.uint8, (width, count))
    if width == 1:
        return planes.astype(np.int32).reshape(shape)
    numbers = np.zeros((count, 4), np.uint8)
    for place, plane in enumerate(planes):
        numbers[:, place] = plane
    return numbers.view(np.int32).reshape(shape)


def encode_depth(depth: NDArray[np.float32]) -> bytes:
    """Return depths, which are not negative and may be infinite, with 12 significant bits."""
    bits = np.ascontiguousarray(depth, np.float32).view(np.uint32)
    rounded = ((bits + np.uint32(1 << (_DROPPED_BITS - 1))) >> np.uint32(_DROPPED_BITS)).view(np.int32)
    rows = rounded.copy()
    rows[1:] -= rounded[:-1]
    return encode_integers(fold(rows))


def decode_depth(content: Any, shape: tuple[int, int]) -> NDArray[np.float32]:
    """Return the depths of :func:`encode_depth`.

    Example:
        >>> decode_depth(encode_depth(np.array([[12.34, 567.8, np.inf]], np.float32)), (1, 3)).tolist()
        [[12.33984375, 567.75, inf]]
    """
    rounded = np.cumsum(unfold(decode_integers(content, shape)), axis=0, dtype=np.int32)
    return (rounded << _DROPPED_BITS).view(np.float32)


def encode_ranges(ranges: NDArray[np.float32], like: NDArray[np.float32] | None = None) -> tuple[bytes, bytes]:
    """Return which rays have a return, as bits, and the distances in units of 2 mm.

    Args:
        ranges: (channels, columns): distances, m; infinite without a return.
        like: Distances that are similar; their differences are stored. None are the distances of the columns before.
    """
    returned = np.isfinite(ranges)
    steps = _steps(ranges, returned)
    if like is None:
        change = np.diff(steps, axis=1, prepend=np.int32(0))
    else:
        change = np.where(returned, steps - _steps(like, np.isfinite(like)), np.int32(0))
    return np.packbits(returned).tobytes(), encode_integers(fold(change))


def decode_ranges(returned: BoolArray, content: Any, like: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
    """Return the distances of :func:`encode_ranges`."""
    change = unfold(decode_integers(content, (returned.shape[0], returned.shape[1])))
    if like is None:
        steps = np.cumsum(change, axis=1, dtype=np.int32)
    else:
        steps = change + _steps(like, np.isfinite(like))
    return np.where(returned, (steps * RANGE_STEP).astype(np.float32), np.float32(np.inf))


def decode_bits(content: Any, shape: tuple[int, int]) -> BoolArray:
    """Return booleans that are stored as bits."""
    count = shape[0] * shape[1]
    return np.unpackbits(_viewed(content, np.uint8, (-(-count // 8),)), count=count).view(np.bool_).reshape(shape)


def encode_intensity(intensity: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return intensities from 0 to 1 in units of 1/255."""
    return np.rint(np.clip(intensity, 0.0, 1.0) * INTENSITY_STEPS).astype(np.uint8)


def decode_intensity(steps: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the intensities of :func:`encode_intensity`."""
    return steps.astype(np.float32) / np.float32(INTENSITY_STEPS)


def decode_bytes(content: Any, shape: tuple[int, int]) -> NDArray[np.uint8]:
    """Return an array of bytes."""
    return _viewed(content, np.uint8, shape)


def _steps(ranges: NDArray[np.float32], returned: BoolArray) -> Integers:
    return np.rint(np.where(returned, ranges, np.float32(0.0)) / RANGE_STEP).astype(np.int32)


def fold(values: Integers) -> Integers:
    """Return small positive numbers for numbers near zero: 0, -1, 1, -2 become 0, 1, 2, 3."""
    return (values << 1) ^ (values >> 31)


def unfold(values: Integers) -> Integers:
    """Return the numbers of :func:`fold`."""
    return (values >> 1) ^ -(values & 1)


def _viewed(content: Any, dtype: Any, shape: tuple[int, ...]) -> Array:
    found = np.frombuffer(content, dtype)
    if found.size != np.prod(shape):
        raise DamagedFile(f"an array has {found.size} values; expected {' x '.join(map(str, shape))}.")
    return found.reshape(shape)
