"""A scene as flat arrays, one row per instance, for the compiled kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from offnominal.core.types import FloatArray
from offnominal.sensing import light as lights
from offnominal.sensing.light import Light, Sky
from offnominal.sensing.material import TEXTURES, Material
from offnominal.sensing.packed_meshes import join_meshes, join_patches
from offnominal.sensing.shapes import CAPSULE, CYLINDER, ELLIPSOID, PATCHES, PLANE, SPHERE, Mesh, Patches, Shape

S = TypeVar("S", Mesh, Patches)
ROUND = (SPHERE, ELLIPSOID, CAPSULE)


class PackedScene(NamedTuple):
    """The constant part of a scene.

    Args:
        kind: (instances,): kind of shape.
        size: (instances, 3): parameters of the shape.
        extent: (instances, 3): half sides of its bounding box.
        bounding_radius_squared: (instances,): squared radius of its bounding ball.
        middle: (instances, 3): centre of that box in the instance's frame; zero except for meshes.
        planes: Indices of the planes.
        solids: Indices of the other instances.
        texture: (instances,): kind of texture.
        paint: (instances, 7): two colours and repetitions of the texture per metre.
        label: (instances,): semantic classes.
        identity: (instances,): identities of the objects.
        root: (instances,): root node of a mesh's tree.
        boxes: (nodes, 6): low and high corner of every node of every tree.
        links: (nodes, 2): first child and 0, or first triangle and number of triangles.
        triangles: (triangles, 9): one corner and the two sides from it.
        finish: (triangles,): colour of a triangle: 0 that of the material, 1 its second colour, k + 2 row k of the
            palette.
        palette: (colours, 3): colours of triangles.
        corner_normals: (triangles, 9): normals at the three corners, zero for flat triangles; empty without any.
        patch_header: (instances, 6): grid of the patches of an instance; zero for other shapes.
        patch_first: (instances,): start of that grid's lists in `patch_starts`.
        patch_starts: Starts of the lists of the cells of all grids.
        patch_members: The concatenated lists.
        patch_triangles: (triangles, 6): triangles of the patches.
        lighting: Light and sky, see :func:`offnominal.sensing.light.pack`.
    """

    kind: NDArray[np.int32]
    size: NDArray[np.float32]
    extent: NDArray[np.float32]
    bounding_radius_squared: NDArray[np.float32]
    middle: FloatArray
    planes: NDArray[np.int32]
    solids: NDArray[np.int32]
    texture: NDArray[np.int32]
    paint: NDArray[np.float32]
    label: NDArray[np.int32]
    identity: NDArray[np.int32]
    root: NDArray[np.int32]
    boxes: NDArray[np.float32]
    links: NDArray[np.int32]
    triangles: NDArray[np.float32]
    finish: NDArray[np.int32]
    palette: NDArray[np.float32]
    corner_normals: NDArray[np.float32]
    patch_header: NDArray[np.float32]
    patch_first: NDArray[np.int32]
    patch_starts: NDArray[np.int32]
    patch_members: NDArray[np.int32]
    patch_triangles: NDArray[np.float32]
    lighting: NDArray[np.float32]


def pack(
    shapes: Sequence[Shape],
    materials: Sequence[Material],
    labels: Sequence[int],
    identities: Sequence[int],
    light: Light,
    sky: Sky,
) -> PackedScene:
    """Return a scene as flat arrays."""
    kind = np.array([shape.kind for shape in shapes], np.int32)
    extents = np.array([shape.extent for shape in shapes], np.float64)
    meshes = join_meshes(_each_once(shapes, Mesh))
    patches = join_patches(_each_once(shapes, Patches))
    return PackedScene(
        kind=kind,
        size=np.array([shape.sizes for shape in shapes], np.float32),
        extent=extents.astype(np.float32),
        # Slightly larger than the true radius, so that rounding never hides a surface.
        bounding_radius_squared=np.array([1.0001 * _bounding_radius(shape) ** 2 for shape in shapes], np.float32),
        middle=np.array([shape.middle if isinstance(shape, Mesh) else (0.0, 0.0, 0.0) for shape in shapes]),
        planes=np.flatnonzero((kind == PLANE) | (kind == PATCHES)).astype(np.int32),
        solids=np.flatnonzero((kind != PLANE) & (kind != PATCHES)).astype(np.int32),
        texture=np.array([TEXTURES.index(material.texture) for material in materials], np.int32),
        paint=np.array([(*m.colour, *m.second, 1.0 / m.scale) for m in materials], np.float32),
        label=np.array(labels, np.int32),
        identity=np.array(identities, np.int32),
        root=np.array([meshes.root.get(id(shape), 0) for shape in shapes], np.int32),
        boxes=meshes.boxes,
        links=meshes.links,
        triangles=meshes.triangles,
        finish=meshes.finish,
        palette=meshes.palette,
        corner_normals=meshes.corner_normals,
        patch_header=np.array(
            [shape.grid[0] if isinstance(shape, Patches) else np.zeros(6) for shape in shapes], np.float32
        ),
        patch_first=np.array([patches.first.get(id(shape), 0) for shape in shapes], np.int32),
        patch_starts=patches.starts,
        patch_members=patches.members,
        patch_triangles=patches.triangles,
        lighting=lights.pack(light, sky),
    )


def _bounding_radius(shape: Shape) -> float:
    """Return the radius of the smallest ball around the centre that contains a shape."""
    if isinstance(shape, Mesh):
        return shape.bounding_radius
    x, y, z = shape.extent
    if shape.kind in ROUND:
        return max(x, y, z)
    return math.hypot(math.hypot(x, y), z) if shape.kind != CYLINDER else math.hypot(x, z)


def _each_once(shapes: Sequence[Shape], kind: type[S]) -> tuple[S, ...]:
    """Return the shapes of one kind, each once, in the order of their first use."""
    return tuple({id(shape): shape for shape in shapes if isinstance(shape, kind)}.values())
