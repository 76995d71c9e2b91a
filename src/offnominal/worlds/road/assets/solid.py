"""Solids: coloured triangles that can be moved, turned, scaled and added."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.deterministic_math import sincos
from offnominal.core.streams import Stream
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.sensing.shapes import Mesh, Triple
from offnominal.worlds.road.assets.colours import SECOND, colour

# Faces that meet at a flatter angle than 54 degrees are shaded as one smooth surface.
CREASE = 0.59


@dataclass(frozen=True, eq=False)
class Solid:
    """Triangles with a colour each. Objects stand on z = 0 and face along +x.

    Args:
        vertices: (v, 3): corners, m.
        faces: (f, 3): corners of each triangle.
        colours: (f, 3): colours; NaN is left to the material of the instance.
        second: (f,): whether a triangle has the second colour of that material.
    """

    vertices: FloatArray
    faces: IntArray
    colours: FloatArray
    second: BoolArray

    @classmethod
    def painted(cls, name: str, vertices: object, faces: object) -> Solid:
        """Return a solid of one named colour."""
        rows = np.asarray(faces, np.int64).reshape(-1, 3)
        colours: Array = np.tile(np.array(colour(name)), (len(rows), 1))
        return cls(np.asarray(vertices, np.float64), rows, colours, np.full(len(rows), name == SECOND))

    def __add__(self, other: Solid) -> Solid:
        return union((self, other))

    def move(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Solid:
        """Return the solid moved by (x, y, z)."""
        return self._with(self.vertices + np.array((x, y, z)))

    def scale(self, x: float, y: float | None = None, z: float | None = None) -> Solid:
        """Return the solid scaled about the origin; one factor holds for all axes."""
        return self._with(self.vertices * np.array((x, x if y is None else y, x if z is None else z)))

    def turn(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Solid:
        """Return the solid turned about the origin by degrees about x, then y, then z."""
        vertices = self.vertices
        for axis, degrees in enumerate((x, y, z)):
            if degrees:
                vertices = _turned(vertices, axis, degrees)
        return self._with(vertices)

    def mirror(self) -> Solid:
        """Return the solid mirrored from left to right."""
        return self._with(self.vertices * np.array((1.0, -1.0, 1.0)))

    def both(self) -> Solid:
        """Return the solid together with its mirror image."""
        return self + self.mirror()

    def at_corners(self, x: float, y: float) -> Solid:
        """Return four copies, moved by (+-x, +-y)."""
        return union([self.move(a * x, b * y) for a in (1, -1) for b in (1, -1)])

    def around(self, n: int) -> Solid:
        """Return n copies, turned about the z axis at equal angles."""
        return union([self.turn(z=360.0 * k / n) for k in range(n)])

    def rough(self, amount: float, seed: int = 0) -> Solid:
        """Return the solid with every corner moved at random by up to a share of its distance from the centre."""
        n = len(self.vertices)
        draws = Stream.named(seed, 0, "asset").uniform(n, lane=7)
        centre = self.vertices.mean(axis=0)
        return self._with(centre + (self.vertices - centre) * (1.0 + amount * (2.0 * draws[:, None] - 1.0)))

    def recolour(self, name: str, where: Callable[[FloatArray], BoolArray]) -> Solid:
        """Return the solid with another colour for the triangles whose centres (f, 3) a function chooses."""
        chosen = where(self.vertices[self.faces].mean(axis=1))
        colours = np.where(chosen[:, None], np.array(colour(name)), self.colours)
        return Solid(self.vertices, self.faces, colours, self.second & ~chosen)

    def spotted(self, name: str, share: float, size: float, seed: int = 0) -> Solid:
        """Return the solid with round spots of a radius in metres, until a share of it has the other colour."""
        draws = Stream.named(seed, 0, "asset").uniform(200, lane=8)

        def spots(middles: FloatArray) -> BoolArray:
            chosen = np.zeros(len(middles), np.bool_)
            for draw in draws:
                if chosen.mean() >= share:
                    break
                chosen |= np.square(middles - middles[int(draw * len(middles))]).sum(axis=1) < size * size
            return chosen

        return self.recolour(name, spots)

    def striped(self, name: str, period: float, axis: int = 0) -> Solid:
        """Return the solid with stripes in another colour across an axis, one per `period` metres."""
        return self.recolour(name, lambda middles: np.floor(2.0 * middles[:, axis] / period) % 2 == 0)

    def on_ground(self) -> Solid:
        """Return the solid moved so that it stands on z = 0 with its bounding box centred at x = y = 0."""
        low, high = self.vertices.min(axis=0), self.vertices.max(axis=0)
        return self.move(-0.5 * (low[0] + high[0]), -0.5 * (low[1] + high[1]), -low[2])

    @property
    def size(self) -> Triple:
        """Length, width and height of the bounding box, m."""
        x, y, z = (self.vertices.max(axis=0) - self.vertices.min(axis=0)).tolist()
        return x, y, z

    def mesh(self) -> Mesh:
        """Return the mesh for the ray caster, with smooth normals."""
        return Mesh(
            self.vertices, self.faces, self.second, self.colours, smooth_corner_normals(self.vertices, self.faces)
        )

    def _with(self, vertices: FloatArray) -> Solid:
        return Solid(vertices, self.faces, self.colours, self.second)


def union(solids: Sequence[Solid]) -> Solid:
    """Return several solids as one."""
    firsts = np.cumsum([0, *(len(solid.vertices) for solid in solids)])
    return Solid(
        np.concatenate([solid.vertices for solid in solids]),
        np.concatenate([solid.faces + first for solid, first in zip(solids, firsts, strict=False)]),
        np.concatenate([solid.colours for solid in solids]),
        np.concatenate([solid.second for solid in solids]),
    )


def _turned(vertices: FloatArray, axis: int, degrees: float) -> FloatArray:
    sine, cosine = sincos(math.pi / 180.0 * degrees)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    turned = vertices.copy()
    turned[:, a] = cosine * vertices[:, a] - sine * vertices[:, b]
    turned[:, b] = sine * vertices[:, a] + cosine * vertices[:, b]
    return turned


def smooth_corner_normals(vertices: FloatArray, faces: IntArray) -> FloatArray:
    """Return unit normals (f, 3, 3) at the corners: means over the adjacent faces that are not across a crease."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    u, v = b - a, c - a
    areas = np.stack(
        [
            u[:, 1] * v[:, 2] - u[:, 2] * v[:, 1],
            u[:, 2] * v[:, 0] - u[:, 0] * v[:, 2],
            u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0],
        ],
        axis=1,
    )
    units = _unit(areas)
    # All pairs of corners at the same vertex.
    corner_vertex = faces.reshape(-1)
    order = np.argsort(corner_vertex, kind="stable")
    counts = np.bincount(corner_vertex, minlength=len(vertices))
    starts = np.cumsum(counts) - counts
    sizes = counts[corner_vertex[order]]
    mine = np.repeat(order, sizes)
    offsets = np.arange(len(mine)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    other = order[np.repeat(starts[corner_vertex[order]], sizes) + offsets]
    p, q = mine // 3, other // 3
    together = (units[p] * units[q]).sum(axis=1) > CREASE
    total = np.zeros((len(corner_vertex), 3))
    np.add.at(total, mine[together], areas[q[together]])
    return _unit(total).reshape(-1, 3, 3)


def _unit(vectors: FloatArray) -> FloatArray:
    lengths = np.sqrt(vectors[:, 0] ** 2 + vectors[:, 1] ** 2 + vectors[:, 2] ** 2)
    scaled: FloatArray = vectors / np.where(lengths > 0.0, lengths, 1.0)[:, None]
    return scaled
