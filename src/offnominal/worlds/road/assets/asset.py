"""Assets: parts with shapes, materials and labels, to be put into a scene at a pose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.sensing.material import Material
from offnominal.sensing.scene import Instance
from offnominal.sensing.shapes import Mesh, Shape, Triple
from offnominal.sensing.vectors import rotated, rotation_about_z
from offnominal.worlds.road.assets.solid import Solid
from offnominal.worlds.road.labels import Label

ORIGIN: Triple = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Part:
    """One shape of an asset, in the asset's own frame.

    Args:
        shape: The shape. Equal assets share their meshes, so that a scene stores each mesh once.
        label: Semantic class.
        material: Material, for what the mesh does not colour itself.
        position: Position of the shape, m.
    """

    shape: Shape
    label: Label
    material: Material = field(default_factory=Material)
    position: Triple = ORIGIN


@dataclass(frozen=True, eq=False)
class Asset:
    """Something visible, standing on z = 0 and facing along +x.

    Args:
        name: Name of the asset.
        parts: Its parts.
        size: Length, width and height, m.
    """

    name: str
    parts: tuple[Part, ...]
    size: Triple

    def placed(
        self, position: Triple = ORIGIN, yaw: float = 0.0, *, identity: int, rotation: FloatArray | None = None
    ) -> tuple[Instance, ...]:
        """Return the instances of the asset at a pose.

        Args:
            position: Position of its base, m.
            yaw: Direction that it faces, degrees from +x towards +y.
            identity: Number of the object in the scene, above zero.
            rotation: (3, 3): rotation from its own axes to the world, instead of `yaw`.
        """
        turned = rotation_about_z(yaw) if rotation is None else rotation
        return tuple(
            Instance(
                part.shape,
                position if part.position == ORIGIN else _moved(position, part.position, turned),
                turned,
                part.material,
                int(part.label),
                identity,
            )
            for part in self.parts
        )

    def labelled(self, label: Label) -> Asset:
        """Return the asset with one label for all parts, for example that of a temporal anomaly."""
        return replace(self, parts=tuple(replace(part, label=label) for part in self.parts))


def asset(name: str, *parts: Part) -> Asset:
    """Return an asset of some parts."""
    low = np.min([np.array(part.position) + _middle(part.shape) - part.shape.extent for part in parts], axis=0)
    high = np.max([np.array(part.position) + _middle(part.shape) + part.shape.extent for part in parts], axis=0)
    x, y, z = (high - low).tolist()
    return Asset(name, parts, (x, y, z))


def _moved(position: Triple, offset: Triple, rotation: FloatArray) -> Triple:
    x, y, z = (np.array(position) + rotated(np.array(offset), rotation)).tolist()
    return x, y, z


@cache
def shared_mesh(build: Callable[..., Solid], *arguments: Any) -> Mesh:
    """Return the mesh of a solid. The same function and arguments always return the same mesh."""
    return build(*arguments).mesh()


def _middle(shape: Shape) -> FloatArray:
    return np.array(shape.middle if isinstance(shape, Mesh) else (0.0, 0.0, 0.0))
