"""Directions and rotations in plain arithmetic, which rounds equally on every machine."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from offnominal.core.checks import numeric_array
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.sensing.shapes import Triple

IDENTITY = np.eye(3)
SKEW = 1.1e-4


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Sequence[float], b: Sequence[float]) -> Triple:
    """Return the vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(name: str, vector: Sequence[float]) -> Triple:
    """Return the unit vector of a vector, or raise :class:`InvalidParameter` if it is zero."""
    x, y, z = (float(part) for part in vector)
    length = math.sqrt(x * x + y * y + z * z)
    if not 0.0 < length < math.inf:
        raise InvalidParameter(f"{name} is {tuple(vector)}; expected a finite vector that points somewhere.")
    return (x / length, y / length, z / length)


def perpendicular(direction: Triple) -> tuple[Triple, Triple]:
    """Return two unit vectors perpendicular to a direction and to each other."""
    helper = (0.0, 0.0, 1.0) if abs(direction[2]) < 0.9 else (1.0, 0.0, 0.0)
    first = unit("direction", cross(helper, direction))
    return first, cross(direction, first)


def rotation_matrix(rotation: ArrayLike | None) -> FloatArray:
    """Return a rotation as a (3, 3) matrix from own axes to the world.

    Args:
        rotation: The matrix itself, a quaternion (w, x, y, z), or None for no rotation.
    """
    if rotation is None:
        return np.eye(3)
    given = np.array(numeric_array("entries of the rotation", rotation), np.float64)
    if given.shape == (4,):
        return _from_quaternion(*given.tolist())
    if given.shape != (3, 3):
        raise InvalidParameter(f"rotation has the shape {given.shape}; expected a (3, 3) matrix or a quaternion (4,).")
    if not float(np.abs(given @ given.T - IDENTITY).max()) <= SKEW:
        raise InvalidParameter("rotation is not a rotation matrix: its rows are not of length one at right angles.")
    return given


def rotation_about_z(degrees: float) -> FloatArray:
    """Return the rotation about the vertical that takes +x towards +y.

    Example:
        >>> rotation_about_z(90.0).round(3) @ [1, 0, 0]
        array([0., 1., 0.])
    """
    from offnominal.core.deterministic_math import sincos

    s, c = sincos(math.pi / 180.0 * degrees)
    return np.array(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)))


def rotated(points: FloatArray, rotation: FloatArray) -> FloatArray:
    """Return points (..., 3) rotated by a (3, 3) matrix.

    The bits are the same on every machine; those of NumPy's matrix product depend on its library.

    Example:
        >>> rotated(np.array([(1.0, 0.0, 2.0)]), rotation_about_z(90.0)).round(6).tolist()
        [[0.0, 1.0, 2.0]]
    """
    result: FloatArray = (
        points[..., :1] * rotation[:, 0] + points[..., 1:2] * rotation[:, 1] + points[..., 2:] * rotation[:, 2]
    )
    return result


def _from_quaternion(w: float, x: float, y: float, z: float) -> FloatArray:
    norm = w * w + x * x + y * y + z * z
    if not 0.0 < norm < math.inf:
        raise InvalidParameter(f"rotation is the quaternion {(w, x, y, z)}, which has no direction.")
    s = 2.0 / norm
    return np.array(
        (
            (1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
            (s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)),
            (s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)),
        )
    )
