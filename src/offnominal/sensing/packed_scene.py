"""A scene as flat arrays, one row per instance, for the compiled kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from offnominal.core.types import Array, FloatArray
from offnominal.sensing import light as lights
from offnominal.sensing.light import Light, Sky
from offnominal.sensing.material import TEXTURES, Material
from offnominal.sensing.shapes import CAPSULE, CYLINDER, ELLIPSOID, PLANE, SPHERE, Mesh, Shape

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
    root, boxes, links, triangles = _forest(shapes)
    finish, palette, corner_normals = _finishes(_meshes(shapes))
    return PackedScene(
        kind=kind,
        size=np.array([shape.sizes for shape in shapes], np.float32),
        extent=extents.astype(np.float32),
        # Slightly larger than the true radius, so that rounding never hides a surface.
        bounding_radius_squared=np.array([1.0001 * _bounding_radius(shape) ** 2 for shape in shapes], np.float32),
        middle=np.array([shape.middle if isinstance(shape, Mesh) else (0.0, 0.0, 0.0) for shape in shapes]),
        planes=np.flatnonzero(kind == PLANE).astype(np.int32),
        solids=np.flatnonzero(kind != PLANE).astype(np.int32),
        texture=np.array([TEXTURES.index(material.texture) for material in materials], np.int32),
        paint=np.array([(*m.colour, *m.second, 1.0 / m.scale) for m in materials], np.float32),
        label=np.array(labels, np.int32),
        identity=np.array(identities, np.int32),
        root=root,
        boxes=boxes,
        links=links,
        triangles=triangles,
        finish=finish,
        palette=palette,
        corner_normals=corner_normals,
        lighting=lights.pack(light, sky),
    )


def _bounding_radius(shape: Shape) -> float:
    """Return the radius of the smallest ball around the centre that contains a shape."""
    if isinstance(shape, Mesh):
        squares = np.square(shape.corners)
        return math.sqrt(float((squares[..., 0] + squares[..., 1] + squares[..., 2]).max()))
    x, y, z = shape.extent
    if shape.kind in ROUND:
        return max(x, y, z)
    return math.hypot(math.hypot(x, y), z) if shape.kind != CYLINDER else math.hypot(x, z)


def _meshes(shapes: Sequence[Shape]) -> list[Mesh]:
    """Return the meshes among some shapes, each once."""
    return list({id(shape): shape for shape in shapes if isinstance(shape, Mesh)}.values())


def _finishes(meshes: list[Mesh]) -> tuple[Array, Array, Array]:
    """Return finish, palette and corner normals of the triangles of all meshes, in the order of their trees."""
    finishes, palettes, normals = (
        [np.empty(0, np.int32)],
        [np.empty((0, 3), np.float32)],
        [np.empty((0, 9), np.float32)],
    )
    smooth = any(mesh.normals is not None for mesh in meshes)
    used = 0
    for mesh in meshes:
        order = mesh.tree[3]
        finish, palette = mesh.finish
        finishes.append(np.where(finish >= 2, finish + used, finish)[order].astype(np.int32))
        palettes.append(palette)
        used += len(palette)
        if smooth:
            corners = np.zeros((len(order), 9), np.float32) if mesh.normals is None else np.asarray(mesh.normals)
            normals.append(corners.reshape(-1, 9)[order])
    return np.concatenate(finishes), np.concatenate(palettes), np.concatenate(normals)


def _forest(shapes: Sequence[Shape]) -> tuple[Array, Array, Array, Array]:
    """Return the concatenated trees of all meshes, and the root of each shape's tree."""
    meshes = _meshes(shapes)
    trees = [mesh.tree for mesh in meshes]
    first_node, first_triangle = 0, 0
    begins: dict[int, int] = {}
    shifted = []
    for mesh, (boxes, links, triangles, _) in zip(meshes, trees, strict=True):
        begins[id(mesh)] = first_node
        compiled_internal = links[:, 1] == 0
        shifted.append(
            links + np.stack([np.where(compiled_internal, first_node, first_triangle), 0 * compiled_internal], axis=1)
        )
        first_node += len(boxes)
        first_triangle += len(triangles)
    root = np.array([begins.get(id(shape), 0) for shape in shapes], np.int32)
    return (
        root,
        np.concatenate([np.empty((0, 6), np.float32), *(tree[0] for tree in trees)]),
        np.concatenate([np.empty((0, 2), np.int32), *shifted]).astype(np.int32),
        np.concatenate([np.empty((0, 9), np.float32), *(tree[2] for tree in trees)]),
    )
