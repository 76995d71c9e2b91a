"""Meshes and patches of a scene as joint arrays. They are cached, because a scene is often rebuilt with other poses."""

from __future__ import annotations

from functools import lru_cache
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from offnominal.core.types import Array
from offnominal.sensing.shapes import Mesh, Patches

CACHED = 4
# Largest number of meshes in joint arrays per mesh that is used.
SPARE = 6


class JoinedMeshes(NamedTuple):
    """Trees and triangles of some meshes; see :class:`offnominal.sensing.packed_scene.PackedScene`.

    `root` is the root node of each mesh by its `id`.
    """

    meshes: tuple[Mesh, ...]
    root: dict[int, int]
    boxes: NDArray[np.float32]
    links: NDArray[np.int32]
    triangles: NDArray[np.float32]
    finish: NDArray[np.int32]
    palette: NDArray[np.float32]
    corner_normals: NDArray[np.float32]


class JoinedPatches(NamedTuple):
    """Grids of some patches; `first` is the start of the lists of each of them by its `id`."""

    first: dict[int, int]
    starts: NDArray[np.int32]
    members: NDArray[np.int32]
    triangles: NDArray[np.float32]


_recent: list[JoinedMeshes] = []
_recent_lock = Lock()


def join_meshes(meshes: tuple[Mesh, ...]) -> JoinedMeshes:
    """Return joint arrays that contain the given meshes, and perhaps others.

    The postures of pedestrians are meshes, so the meshes of a scene change from frame to frame. Recent arrays are used
    again if they contain all of them. Otherwise the new meshes are added to those of the last similar scene. Images do
    not depend on it: every mesh keeps its own tree.
    """
    with _recent_lock:
        joined = _take_recent({id(mesh) for mesh in meshes}) or _extend_similar(meshes) or _joined(meshes)
        _recent.insert(0, joined)
        del _recent[CACHED:]
    return joined


def _take_recent(wanted: set[int]) -> JoinedMeshes | None:
    """Remove and return recent arrays that contain all wanted meshes, and not many others."""
    for position, each in enumerate(_recent):
        if wanted <= each.root.keys() and len(each.root) <= SPARE * max(1, len(wanted)):
            return _recent.pop(position)
    return None


def _extend_similar(meshes: tuple[Mesh, ...]) -> JoinedMeshes | None:
    """Remove recent arrays that contain half of the meshes, and return them with the others appended."""
    for position, each in enumerate(_recent):
        new = tuple(mesh for mesh in meshes if id(mesh) not in each.root)
        if 2 * len(new) <= len(meshes) and len(each.meshes) + len(new) <= SPARE * len(meshes):
            del _recent[position]
            return _appended(each, _joined(new))
    return None


def _appended(first: JoinedMeshes, second: JoinedMeshes) -> JoinedMeshes:
    """Return the arrays of two groups of different meshes, one after the other."""
    nodes, triangles, colours = len(first.boxes), len(first.triangles), len(first.palette)
    inner = second.links[:, 1] == 0
    links = second.links + np.stack([np.where(inner, nodes, triangles), 0 * inner], axis=1)
    normals = [each.corner_normals for each in (first, second)]
    if any(len(each) for each in normals):
        # Arrays without smooth meshes have no normals; those of flat triangles are zero.
        normals = [
            each.corner_normals if len(each.corner_normals) else np.zeros((len(each.triangles), 9), np.float32)
            for each in (first, second)
        ]
    return JoinedMeshes(
        (*first.meshes, *second.meshes),
        first.root | {key: node + nodes for key, node in second.root.items()},
        np.concatenate([first.boxes, second.boxes]),
        np.concatenate([first.links, links.astype(np.int32)]),
        np.concatenate([first.triangles, second.triangles]),
        np.concatenate([first.finish, np.where(second.finish >= 2, second.finish + colours, second.finish)]).astype(
            np.int32
        ),
        np.concatenate([first.palette, second.palette]),
        np.concatenate(normals),
    )


def _joined(meshes: tuple[Mesh, ...]) -> JoinedMeshes:
    """Return the concatenated trees of meshes."""
    root: dict[int, int] = {}
    links = []
    first_node, first_triangle = 0, 0
    for mesh in meshes:
        boxes, link, triangles, _ = mesh.tree
        root[id(mesh)] = first_node
        inner = link[:, 1] == 0
        links.append(link + np.stack([np.where(inner, first_node, first_triangle), 0 * inner], axis=1))
        first_node += len(boxes)
        first_triangle += len(triangles)
    trees = [mesh.tree for mesh in meshes]
    return JoinedMeshes(
        meshes,
        root,
        np.concatenate([np.empty((0, 6), np.float32), *(tree[0] for tree in trees)]),
        np.concatenate([np.empty((0, 2), np.int32), *links]).astype(np.int32),
        np.concatenate([np.empty((0, 9), np.float32), *(tree[2] for tree in trees)]),
        *_finishes(meshes),
    )


def _finishes(meshes: tuple[Mesh, ...]) -> tuple[Array, Array, Array]:
    """Return finish, palette and corner normals of the triangles of all meshes, in the order of their trees."""
    finishes, palettes, normals = [np.empty(0, np.int32)], [np.empty((0, 3), np.float32)], []
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
    return np.concatenate(finishes), np.concatenate(palettes), np.concatenate([np.empty((0, 9), np.float32), *normals])


@lru_cache(maxsize=CACHED)
def join_patches(patches: tuple[Patches, ...]) -> JoinedPatches:
    """Return the concatenated grids of patches."""
    first: dict[int, int] = {}
    starts, members, triangles = [np.empty(0, np.int32)], [np.empty(0, np.int32)], [np.empty((0, 6), np.float32)]
    cells, used, corners = 0, 0, 0
    for each in patches:
        first[id(each)] = cells
        starts.append(each.grid[1] + np.int32(used))
        members.append(each.grid[2] + np.int32(corners))
        triangles.append(each.grid[3])
        cells, used, corners = cells + len(each.grid[1]), used + len(each.grid[2]), corners + len(each.grid[3])
    return JoinedPatches(first, np.concatenate(starts), np.concatenate(members), np.concatenate(triangles))
