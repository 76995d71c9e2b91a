"""Scenes as data: shapes with poses, materials and labels."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.sensing.light import Light, Sky
from offnominal.sensing.material import Material
from offnominal.sensing.packed_scene import PackedScene, pack
from offnominal.sensing.shapes import Shape, Triple
from offnominal.sensing.vectors import rotation_matrix


@dataclass(frozen=True, eq=False)
class Instance:
    """One object in a scene, or a part of one.

    Args:
        shape: Its shape; meshes may be shared.
        position: Position of the shape's origin, m.
        rotation: Rotation from its own axes to the world: a (3, 3) matrix, a quaternion (w, x, y, z) or None.
        material: Its material.
        label: Its semantic class.
        identity: Number of the object. Parts of one object share it; None numbers the instances of a scene from 1.
    """

    shape: Shape
    position: Triple = (0.0, 0.0, 0.0)
    rotation: ArrayLike | None = None
    material: Material = field(default_factory=Material)
    label: int = 0
    identity: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rotation", rotation_matrix(self.rotation))
        if np.shape(self.position) != (3,):
            raise InvalidParameter(f"position is {self.position}; expected (x, y, z) in metres.")


@dataclass(frozen=True, eq=False)
class Poses:
    """Poses of the instances of a scene, once or for many frames.

    An instance whose position or rotation is not finite is absent.

    Args:
        positions: (instances, 3) or (n, instances, 3), m.
        rotations: (instances, 3, 3) or (n, instances, 3, 3).
    """

    positions: FloatArray
    rotations: FloatArray

    def __post_init__(self) -> None:
        if self.rotations.shape != (*self.positions.shape, 3) or self.positions.ndim not in (2, 3):
            raise InvalidParameter(
                f"Poses got positions of shape {self.positions.shape} and rotations of shape {self.rotations.shape}; "
                "expected (n, instances, 3) and (n, instances, 3, 3), or the same without n."
            )

    def __len__(self) -> int:
        return len(self.positions) if self.positions.ndim == 3 else 1

    def checked(self, count: int) -> tuple[FloatArray, FloatArray]:
        """Return positions (n, count, 3) and rotations (n, count, 9) for the kernels."""
        if self.positions.shape[-2:] != (count, 3):
            raise InvalidParameter(
                f"Poses of {self.positions.shape[-2]} instances were given to a scene of {count}; give one for each."
            )
        # Numba compiles the kernels once more for arrays that are read-only.
        positions = np.require(self.positions, np.float64, ("C", "W"))
        rotations = np.require(self.rotations, np.float64, ("C", "W"))
        return positions.reshape(-1, count, 3), rotations.reshape(-1, count, 9)


@dataclass(frozen=True, eq=False)
class Scene:
    """Instances under a light and a sky.

    A scene is immutable; pass :class:`Poses` to the sensor to move its instances. Expensive data, such as the trees of
    meshes, is computed on first use and cached.

    Example:
        >>> from offnominal.sensing import Box, Camera, Plane, render
        >>> crate = Instance(Box((0.5, 0.5, 0.5)), position=(0.0, 0.0, 0.5), label=7)
        >>> scene = Scene((Instance(Plane()), crate))
        >>> image = render(scene, Camera((0.0, -4.0, 0.5), (0.0, 0.0, 0.5)), ("depth", "label"))
        >>> float(image.depth[64, 64]), int(image.label[64, 64])
        (3.5, 7)
    """

    instances: tuple[Instance, ...]
    light: Light = field(default_factory=Light)
    sky: Sky = field(default_factory=Sky)

    def __post_init__(self) -> None:
        object.__setattr__(self, "instances", tuple(self.instances))
        if not self.instances:
            raise InvalidParameter("A scene has no instances; give at least one.")

    def __repr__(self) -> str:
        return f"Scene({len(self.instances)} instances)"

    @cached_property
    def poses(self) -> Poses:
        """Poses of the instances unless others are given."""
        positions = np.array([instance.position for instance in self.instances], np.float64)
        return Poses(positions, np.array([instance.rotation for instance in self.instances], np.float64))

    @cached_property
    def packed(self) -> PackedScene:
        """The scene as flat arrays for the kernels."""
        return pack(
            [instance.shape for instance in self.instances],
            [instance.material for instance in self.instances],
            [instance.label for instance in self.instances],
            [k + 1 if instance.identity is None else instance.identity for k, instance in enumerate(self.instances)],
            self.light,
            self.sky,
        )
