"""Models of blocks and entities: textured boxes and crossed squares, packed into arrays for the kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from offnominal.core.checks import one_of
from offnominal.core.errors import InvalidParameter
from offnominal.sensing.shapes import Triple

Texture: TypeAlias = NDArray[np.uint8]
"""(16, 16, 4): red, green, blue and opacity. Opacity 0 is a hole, 255 is opaque, values between are translucent."""
Faces: TypeAlias = tuple[Texture, Texture, Texture, Texture, Texture, Texture]
"""Textures of the faces towards -x, +x, -y (bottom), +y (top), -z and +z."""
Condition: TypeAlias = Literal["always", "-x", "+x", "-z", "+z", "along x", "not along x"]

SIDE = 16
LEVELS = 5
TEXELS = sum((SIDE >> level) ** 2 for level in range(LEVELS))
CONDITIONS: tuple[str, ...] = get_args(Condition)
MOST_MODELS = 255
OUTSIDE = 255
"""Number of the cells around the grid; no model has it."""
NOTHING, CUBE, HOLED, PARTS = 0, 1, 2, 3
"""Kinds of models: not drawn; a cube that fills its cell and is opaque; one that is not opaque; any other."""


@dataclass(frozen=True, eq=False)
class ModelPart:
    """A box, or two squares that cross each other, within a model.

    Args:
        faces: Textures of the six faces. Crossed squares show the first.
        low: Lower corner in sixteenths of a block.
        high: Upper corner in sixteenths of a block.
        crossed: Whether the part is the two diagonals of the box instead of its faces.
        stretched: Whether a face shows its whole texture. Otherwise it shows the section at its place in the block.
        glowing: Whether the part is as bright on all sides.
        condition: When the part exists. A direction: the neighbour there is an opaque cube or the same block.
            ``"along x"``: one of the neighbours along x is.
    """

    faces: Faces
    low: Triple = (0.0, 0.0, 0.0)
    high: Triple = (16.0, 16.0, 16.0)
    crossed: bool = False
    stretched: bool = False
    glowing: bool = False
    condition: Condition = "always"

    def __post_init__(self) -> None:
        one_of("condition", self.condition, CONDITIONS)
        if not all(np.isfinite(a) and np.isfinite(b) and a <= b for a, b in zip(self.low, self.high, strict=True)):
            raise InvalidParameter(f"low is {self.low} and high is {self.high}; expected finite corners, low <= high.")
        for face in self.faces:
            if face.shape != (SIDE, SIDE, 4) or face.dtype != np.uint8:
                raise InvalidParameter(
                    f"a texture has the shape {face.shape} and type {face.dtype}; expected (16, 16, 4) bytes."
                )

    @property
    def is_cube(self) -> bool:
        """Whether the part fills its cell."""
        return (
            self.condition == "always"
            and not self.crossed
            and self.low == (0.0, 0.0, 0.0)
            and self.high == (16.0, 16.0, 16.0)
        )

    @property
    def is_opaque_cube(self) -> bool:
        """Whether the part fills its cell and hides everything behind it."""
        return self.is_cube and all((face[..., 3] == 255).all() for face in self.faces)


Model: TypeAlias = tuple[ModelPart, ...]
"""Parts of a block or entity."""


class PackedModels(NamedTuple):
    """Models as arrays. Textures have mipmaps: five levels, each half as wide as the one before.

    Attributes:
        kind: (256,): kind of each model.
        first: (257,): first part of each model; its last part is before the first of the next model.
        box: (n, 6): lower and upper corners of the parts, in blocks.
        form: (n, 4): whether a part is crossed, stretched, glowing, and its condition.
        face: (n, 6): textures of the faces of the parts.
        texels: (textures * TEXELS, 4): colours and opacity.
    """

    kind: NDArray[np.uint8]
    first: NDArray[np.int32]
    box: NDArray[np.float64]
    form: NDArray[np.uint8]
    face: NDArray[np.int32]
    texels: NDArray[np.uint8]


def pack_models(models: Mapping[int, Model]) -> PackedModels:
    """Return models by number, from 1 to 254, as arrays for :func:`offnominal.sensing.render_blocks`."""
    if bad := [number for number in models if not 0 < number < MOST_MODELS]:
        raise InvalidParameter(f"a model has the number {bad[0]}; expected numbers from 1 to {MOST_MODELS - 1}.")
    kind = np.full(256, NOTHING, np.uint8)
    counts = np.zeros(256, np.int32)
    parts: list[ModelPart] = []
    for number in sorted(models):
        model = models[number]
        kind[number] = _kind(model)
        counts[number] = len(model)
        parts += model
    numbers: dict[bytes, int] = {}
    face = [[numbers.setdefault(texture.tobytes(), len(numbers)) for texture in part.faces] for part in parts]
    form = [(part.crossed, part.stretched, part.glowing, CONDITIONS.index(part.condition)) for part in parts]
    return PackedModels(
        kind,
        np.concatenate(([0], np.cumsum(counts))).astype(np.int32),
        np.array([(*part.low, *part.high) for part in parts], np.float64).reshape(-1, 6) / SIDE,
        np.array(form, np.uint8).reshape(-1, 4),
        np.array(face, np.int32).reshape(-1, 6),
        _mipmaps([np.frombuffer(texture, np.uint8).reshape(SIDE, SIDE, 4) for texture in numbers]),
    )


def _kind(model: Model) -> int:
    if len(model) != 1:
        return PARTS if model else NOTHING
    return CUBE if model[0].is_opaque_cube else HOLED if model[0].is_cube else PARTS


def _mipmaps(textures: list[Texture]) -> NDArray[np.uint8]:
    """Return all levels of all textures, (textures * TEXELS, 4). Holes do not count in the mean colour of a texel."""
    packed = np.empty((len(textures), TEXELS, 4), np.uint8)
    level = np.array(textures, np.int64).reshape(len(textures), SIDE, SIDE, 4)
    colour, weight = level[..., :3] * level[..., 3:], level[..., 3:]
    done, area = 0, 1
    for side in (SIDE >> k for k in range(LEVELS)):
        shape = (len(textures), side * side)
        # The mean rounds half up, in whole numbers.
        packed[:, done : done + side * side, :3] = ((2 * colour + weight) // np.maximum(2 * weight, 1)).reshape(
            *shape, 3
        )
        packed[:, done : done + side * side, 3:] = ((2 * weight + area) // (2 * area)).reshape(*shape, 1)
        done, area = done + side * side, 4 * area
        if side > 1:
            colour, weight = (
                part.reshape(len(textures), side // 2, 2, side // 2, 2, part.shape[-1]).sum(axis=(2, 4))
                for part in (colour, weight)
            )
    return packed.reshape(-1, 4)
