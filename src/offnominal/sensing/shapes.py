"""Shapes, each in its own frame with its centre at the origin."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, IntArray

PLANE, BOX, SPHERE, ELLIPSOID, CAPSULE, CYLINDER, MESH, PATCHES = range(8)
Triple: TypeAlias = tuple[float, float, float]


@dataclass(frozen=True)
class Plane:
    """A plane that is visible from above only; it casts no shadow.

    Args:
        half: Half sides along x and y, m; infinite by default.
    """

    half: tuple[float, float] = (math.inf, math.inf)
    kind: ClassVar[int] = PLANE

    def __post_init__(self) -> None:
        _positive(self, "half", self.half, finite=False)

    @property
    def sizes(self) -> Triple:
        """Parameters for the kernels."""
        return (*self.half, 0.0)

    @property
    def extent(self) -> Triple:
        """Half sides of the bounding box."""
        return (*self.half, 0.0)


@dataclass(frozen=True)
class Box:
    """A box; `half` are its half sides along x, y and z in metres."""

    half: Triple
    kind: ClassVar[int] = BOX

    def __post_init__(self) -> None:
        _positive(self, "half", self.half)

    @property
    def sizes(self) -> Triple:
        """Parameters for the kernels."""
        return self.half

    @property
    def extent(self) -> Triple:
        """Half sides of the bounding box."""
        return self.half


@dataclass(frozen=True)
class Sphere:
    """A ball; `radius` in metres."""

    radius: float
    kind: ClassVar[int] = SPHERE

    def __post_init__(self) -> None:
        _positive(self, "radius", (self.radius,))

    @property
    def sizes(self) -> Triple:
        """Parameters for the kernels."""
        return (self.radius * self.radius, 0.0, 0.0)

    @property
    def extent(self) -> Triple:
        """Half sides of the bounding box."""
        return (self.radius,) * 3


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid with the `radii` along x, y and z in metres."""

    radii: Triple
    kind: ClassVar[int] = ELLIPSOID

    def __post_init__(self) -> None:
        _positive(self, "radii", self.radii)

    @property
    def sizes(self) -> Triple:
        """Parameters for the kernels."""
        x, y, z = self.radii
        return (1.0 / x, 1.0 / y, 1.0 / z)

    @property
    def extent(self) -> Triple:
        """Half sides of the bounding box."""
        return self.radii


@dataclass(frozen=True)
class Capsule:
    """A capsule along z: all points within `radius` of a segment of `half_length` to either side, in metres."""

    radius: float
    half_length: float
    kind: ClassVar[int] = CAPSULE

    def __post_init__(self) -> None:
        _positive(self, "radius and half_length", (self.radius, self.half_length))

    @property
    def sizes(self) -> Triple:
        """Parameters for the kernels."""
        return (self.radius * self.radius, self.half_length, 0.0)

    @property
    def extent(self) -> Triple:
        """Half sides of the bounding box."""
        return (self.radius, self.radius, self.half_length + self.radius)


@dataclass(frozen=True)
class Cylinder:
    """A cylinder along z with `half_length` to either side, in metres."""

    radius: float
    half_length: float
    kind: ClassVar[int] = CYLINDER

    def __post_init__(self) -> None:
        _positive(self, "radius and half_length", (self.radius, self.half_length))

    @property
    def sizes(self) -> Triple:
        """Parameters for the kernels."""
        return (self.radius * self.radius, self.half_length, self.radius)

    @property
    def extent(self) -> Triple:
        """Half sides of the bounding box."""
        return (self.radius, self.radius, self.half_length)


@dataclass(frozen=True, eq=False)
class Mesh:
    """A triangle mesh, visible from both sides. Instances of one mesh share its tree, which is built once.

    Args:
        vertices: (v, 3): corners in metres.
        faces: (f, 3): the three corners of each triangle.
        trim: (f,): whether a triangle has the material's second colour; none by default.
        colours: (f, 3): colour of each triangle, which replaces that of the material; NaN where there is none. Parts
            above 1 appear as bright as a lamp.
        normals: (f, 3, 3): unit normals at the three corners of each triangle, for smooth shading; zero for a flat
            triangle. All triangles are flat by default.

    Example:
        >>> tetrahedron = Mesh(
        ...     [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
        ... )
        >>> tetrahedron
        Mesh(4 vertices, 4 faces)
    """

    vertices: ArrayLike
    faces: ArrayLike
    trim: ArrayLike | None = None
    colours: ArrayLike | None = None
    normals: ArrayLike | None = None
    corners: NDArray[np.float64] = field(init=False)
    middle: Triple = field(init=False)
    extent: Triple = field(init=False)
    kind: ClassVar[int] = MESH
    sizes: ClassVar[Triple] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        vertices = np.array(self.vertices, np.float64)
        faces = np.array(self.faces, np.int64)
        _check_mesh(vertices, faces)
        trim = np.zeros(len(faces), np.bool_) if self.trim is None else np.array(self.trim, np.bool_)
        if trim.shape != (len(faces),):
            raise InvalidParameter(
                f"trim has the shape {trim.shape}; expected one value for each of {len(faces)} faces."
            )
        for name in ("colours", "normals"):
            _check_per_face(self, name, len(faces))
        used = vertices[faces]
        low, high = used.min(axis=(0, 1)), used.max(axis=(0, 1))
        middle = 0.5 * (low + high)
        for name, value in {
            "vertices": vertices,
            "faces": faces,
            "trim": trim,
            "corners": used - middle,
            "middle": tuple(middle.tolist()),
            "extent": tuple((0.5 * (high - low)).tolist()),
        }.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"Mesh({len(np.asarray(self.vertices))} vertices, {len(np.asarray(self.faces))} faces)"

    @cached_property
    def tree(self) -> tuple[Array, Array, Array, IntArray]:
        """Boxes and links of the tree over the triangles, the triangles in its order, and that order."""
        from offnominal.sensing.bvh import build_bvh

        corners = self.corners.astype(np.float32)
        boxes, links, order = build_bvh(np.hstack([corners.min(axis=1), corners.max(axis=1)]), 4)
        first, second, third = (corners[order, k] for k in range(3))
        return boxes, links, np.hstack([first, second - first, third - first]), order

    @cached_property
    def bounding_radius(self) -> float:
        """Radius of the smallest ball around the centre of the bounding box that contains the mesh."""
        squares = np.square(self.corners)
        return math.sqrt(float((squares[..., 0] + squares[..., 1] + squares[..., 2]).max()))

    @cached_property
    def finish(self) -> tuple[IntArray, Array]:
        """Finish of each triangle, and the palette; see :class:`offnominal.sensing.packed_scene.PackedScene`."""
        finish = np.asarray(self.trim).astype(np.int64)
        if self.colours is None:
            return finish, np.empty((0, 3), np.float32)
        colours = np.asarray(self.colours, np.float32)
        own = np.isfinite(colours).all(axis=1)
        palette, rows = np.unique(colours[own], axis=0, return_inverse=True)
        finish[own] = rows.reshape(-1) + 2
        return finish, palette


@dataclass(frozen=True, eq=False)
class Patches:
    """Flat areas of any outline in the plane z = 0, visible from above only; they cast no shadow.

    They are for roads and their markings: a ray finds its triangle in a grid, much faster than in a mesh.

    Args:
        vertices: (v, 2): corners as (x, y), m.
        faces: (f, 3): the three corners of each triangle.

    Example:
        >>> Patches([(0, 0), (2, 0), (2, 1), (0, 1)], [(0, 1, 2), (0, 2, 3)]).extent
        (2.0, 1.0, 0.0)
    """

    vertices: ArrayLike
    faces: ArrayLike
    extent: Triple = field(init=False)
    kind: ClassVar[int] = PATCHES
    sizes: ClassVar[Triple] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        vertices, faces = np.array(self.vertices, np.float64), np.array(self.faces, np.int64)
        _check_mesh(vertices, faces, 2)
        x, y = np.abs(vertices).max(axis=0).tolist()
        for name, value in {"vertices": vertices, "faces": faces, "extent": (x, y, 0.0)}.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"Patches({len(np.asarray(self.faces))} faces)"

    @cached_property
    def grid(self) -> tuple[Array, Array, Array, Array]:
        """Grid over the triangles; see :func:`offnominal.sensing.patches.patch_grid`."""
        from offnominal.sensing.patches import patch_grid

        return patch_grid(np.asarray(self.vertices), np.asarray(self.faces))


Shape: TypeAlias = Plane | Box | Sphere | Ellipsoid | Capsule | Cylinder | Mesh | Patches


def _positive(shape: object, name: str, sizes: tuple[float, ...], *, finite: bool = True) -> None:
    if not all(size > 0.0 and (math.isfinite(size) or not finite) for size in sizes):
        raise InvalidParameter(f"{type(shape).__name__}: {name} is {sizes}; expected lengths above zero, in metres.")


def _check_per_face(mesh: Mesh, name: str, faces: int) -> None:
    """Convert the colours or normals of a mesh, and raise :class:`InvalidParameter` if their shape is wrong."""
    expected = (faces, 3) if name == "colours" else (faces, 3, 3)
    given = getattr(mesh, name)
    if given is None:
        return
    values = np.array(given, np.float32)
    if values.shape != expected:
        raise InvalidParameter(f"{name} have the shape {values.shape}; expected {expected}, one row for each face.")
    object.__setattr__(mesh, name, values)


def _check_mesh(vertices: Array, faces: Array, dimensions: int = 3) -> None:
    if (
        vertices.ndim != 2
        or vertices.shape[1] != dimensions
        or faces.ndim != 2
        or faces.shape[1] != 3
        or not len(faces)
    ):
        raise InvalidParameter(
            f"A mesh got vertices of shape {vertices.shape} and faces of shape {faces.shape}; "
            f"expected (v, {dimensions}) and (f, 3)."
        )
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise InvalidParameter(
            f"A mesh of {len(vertices)} vertices has faces with corners {faces.min()} to {faces.max()}."
        )
    if not np.isfinite(vertices).all():
        raise InvalidParameter("A mesh has a vertex that is not finite; remove or repair it.")
