"""Cameras: pose, field of view and resolution."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from offnominal.core.checks import positive_integer, require_shape
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.sensing.lens import NONE, Distortion, check_distortion, distorted, image_plane, reach
from offnominal.sensing.shapes import Triple
from offnominal.sensing.vectors import cross, unit


@dataclass(frozen=True)
class Camera:
    """A pinhole camera, with or without the distortion of a lens, or an orthographic camera.

    Args:
        position: Position, m.
        target: Point at the centre of the image, m.
        width: Pixels per row.
        height: Number of rows.
        fov: Vertical field of view of a pinhole camera, degrees.
        up: Direction that points up in the image.
        view_height: Height of the view of an orthographic camera, m; None for a pinhole camera.
        samples: Antialiasing: pixels at edges are the mean of samples x samples rays; 1 for none. Only colours are
            smoothed; depth, normal, label and instance belong to the centre of the pixel.
        distortion: Coefficients k1 and k2 of the lens, see :mod:`offnominal.sensing.lens`; `fov` is that of the
            pinhole camera of the same focal length.

    Example:
        >>> camera = Camera((0.0, -4.0, 1.5), (0.0, 0.0, 0.5), width=64, height=48)
        >>> camera.moved((1.0, 0.0, 0.0)).target
        (1.0, 0.0, 0.5)
    """

    position: Triple
    target: Triple
    width: int = 128
    height: int = 128
    fov: float = 45.0
    up: Triple = (0.0, 0.0, 1.0)
    view_height: float | None = None
    samples: int = 1
    distortion: Distortion = NONE

    def __post_init__(self) -> None:
        for name in ("width", "height", "samples"):
            positive_integer(name, getattr(self, name))
        if not 0.0 < self.fov < 180.0:
            raise InvalidParameter(f"fov is {self.fov}; expected degrees between 0 and 180.")
        if self.view_height is not None and not 0.0 < self.view_height < math.inf:
            raise InvalidParameter(f"view_height is {self.view_height}; expected metres above zero, or None.")
        self.axes()
        if self.distortion != NONE:
            if self.view_height is not None:
                raise InvalidParameter("an orthographic camera has no lens; leave out `distortion` or `view_height`.")
            check_distortion(self.distortion, math.hypot(*self.packed()[12:14].tolist()))

    def moved(self, offset: tuple[float, float, float]) -> Camera:
        """Return the camera moved by an offset, with the same direction of view."""
        x, y, z = (float(part) for part in offset)
        px, py, pz = self.position
        tx, ty, tz = self.target
        return replace(self, position=(px + x, py + y, pz + z), target=(tx + x, ty + y, tz + z))

    def axes(self) -> tuple[Triple, Triple, Triple]:
        """Return the unit vectors to the right, up and in the direction of view."""
        px, py, pz = self.position
        tx, ty, tz = self.target
        forward = unit("target - position", (tx - px, ty - py, tz - pz))
        sideways = cross(forward, self.up)
        if max(abs(part) for part in sideways) < 1e-9:
            raise InvalidParameter(f"the direction of view is parallel to up={self.up}; choose another `up`.")
        right = unit("up", sideways)
        return right, cross(right, forward), forward

    def project(self, points: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return where points (n, 3) are in the image: column, row, and depth along the direction of view.

        Columns and rows count from the upper left corner of the image; their integer parts are the pixel. Only points
        with a depth above zero are in front of the camera.

        Example:
            >>> camera = Camera((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), width=64, height=48)
            >>> [part.tolist() for part in camera.project(np.array([(4.0, 0.0, 0.0)]))]
            [[32.0], [24.0], [4.0]]
        """
        require_shape("points", points, "n", 3)
        view = self.packed()
        offset = np.asarray(points, np.float64) - view[:3]
        across, up, depth = ((offset * view[k : k + 3]).sum(axis=1) for k in (3, 6, 9))
        scale = np.ones_like(depth) if self.view_height is not None else depth
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.distortion != NONE:
                radius = np.sqrt(across * across + up * up) / depth
                factor = np.where(radius <= reach(self.distortion)[0], distorted(radius, self.distortion), np.inf)
                across, up = across * factor, up * factor
            column = 0.5 * self.width * (1.0 + across / (view[12] * scale))
            row = 0.5 * self.height * (1.0 - up / (view[13] * scale))
        return column, row, depth

    def image_plane(self) -> tuple[FloatArray, FloatArray]:
        """Return where the rays of the pixels meet the plane at the depth 1: to the right, and up.

        Without distortion the shapes are (1, width) and (height, 1), otherwise both are (height, width).
        """
        wide, half = self.packed()[12:14].tolist()
        return image_plane(self.width, self.height, wide, half, self.distortion)

    def source(self) -> Camera:
        """Return the pinhole camera whose image has every ray of this camera, with the same size of the pixels."""
        if self.distortion == NONE:
            return self
        from offnominal.core.deterministic_math import arctan2

        wide, half = self.packed()[12:14].tolist()
        right, up = self.image_plane()
        columns = self.width + 2 * math.ceil(0.5 * self.width * (float(right.max()) / wide - 1.0) + 1.0)
        rows = self.height + 2 * math.ceil(0.5 * self.height * (float(up.max()) / half - 1.0) + 1.0)
        tall = 360.0 / math.pi * arctan2(half * rows / self.height, 1.0)
        return replace(self, width=columns, height=rows, fov=tall, distortion=NONE)

    def packed(self) -> FloatArray:
        """Return the array for the kernels: position, axes, half width, half height, whether it is orthographic."""
        from offnominal.core.deterministic_math import sincos

        if self.view_height is None:
            sine, cosine = sincos(math.pi / 360.0 * self.fov)
            half = sine / cosine
        else:
            half = 0.5 * self.view_height
        right, up, forward = self.axes()
        wide = half * self.width / self.height
        return np.array((*self.position, *right, *up, *forward, wide, half, float(self.view_height is not None)))
