"""A first-person camera in a world of blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from offnominal.core.checks import integer_in, number_in, numeric_array, positive_integer
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.types import FloatArray
from offnominal.sensing.block_models import SIDE, PackedModels
from offnominal.sensing.material import Colour, check_colour
from offnominal.sensing.shapes import Triple
from offnominal.sensing.vectors import cross

DEGREE = math.pi / 180.0


@dataclass(frozen=True)
class VoxelCamera:
    """A pinhole camera that stands upright among blocks. The axes are x (east), y (up) and z (south).

    Args:
        position: Position in blocks.
        yaw: Direction of view, degrees: 0 for south (+z), 90 for west (-x), 180 for north, 270 for east.
        pitch: Angle below the horizon, degrees.
        width: Pixels per row.
        height: Number of rows.
        fov: Vertical field of view, degrees. It is also the horizontal one of a square image.
    """

    position: Triple
    yaw: float = 0.0
    pitch: float = 0.0
    width: int = 256
    height: int = 256
    fov: float = 71.2667

    def __post_init__(self) -> None:
        positive_integer("width", self.width)
        positive_integer("height", self.height)
        number_in("pitch", self.pitch, -90.0, 90.0)
        number_in("yaw", self.yaw, -1e6, 1e6)
        number_in("fov", self.fov, 0.0, 180.0, open_low=True, open_high=True)
        if len(self.position) != 3 or not all(abs(part) < 1e6 for part in self.position):
            raise InvalidParameter(f"position is {self.position}; expected three finite coordinates.")

    def axes(self) -> tuple[Triple, Triple, Triple]:
        """Return the unit vectors to the right, up and in the direction of view.

        Example:
            >>> VoxelCamera((0.0, 0.0, 0.0)).axes()[2]
            (-0.0, -0.0, 1.0)
        """
        from offnominal.core.deterministic_math import sincos

        (turned, ahead), (down, level) = sincos(DEGREE * self.yaw), sincos(DEGREE * self.pitch)
        right, forward = (-ahead, 0.0, -turned), (-turned * level, -down, ahead * level)
        return right, cross(right, forward), forward


@dataclass(frozen=True)
class VoxelLight:
    """Light and sky of a world of blocks. The sides of a block differ in brightness; there are no shadows.

    Args:
        daylight: Brightness of everything that does not glow, from 0 to 1.
        ambient_occlusion: Darkness of inner edges and corners, from 0 to 1.
        visibility: Distance in blocks at which fog hides 95 percent of a block; infinite for clear air.
        horizon: Colour of the sky at eye level, which is also the colour of fog.
        zenith: Colour overhead.
    """

    daylight: float = 1.0
    ambient_occlusion: float = 0.45
    visibility: float = math.inf
    horizon: Colour = (0.75, 0.85, 0.98)
    zenith: Colour = (0.42, 0.61, 0.96)

    def __post_init__(self) -> None:
        number_in("daylight", self.daylight, 0.0, 1.0)
        number_in("ambient_occlusion", self.ambient_occlusion, 0.0, 1.0)
        check_colour("horizon", self.horizon)
        check_colour("zenith", self.zenith)
        if not self.visibility > 0.0:
            raise InvalidParameter(f"visibility is {self.visibility}; expected a distance above zero.")


@dataclass(frozen=True)
class VoxelEntity:
    """An entity among blocks.

    Args:
        model: Number of its model.
        position: Position of its feet.
        yaw: Direction it faces, degrees, as for :class:`VoxelCamera`.
        identity: Positive number of the entity, which its pixels get.
    """

    model: int
    position: Triple
    yaw: float = 0.0
    identity: int = 1

    def __post_init__(self) -> None:
        integer_in("model", self.model, 1, 254)
        integer_in("identity", self.identity, 1, 2**31 - 1)

    def packed(self) -> tuple[float, ...]:
        """Return position, sine and cosine of the yaw, model and identity."""
        from offnominal.core.deterministic_math import sincos

        return (*self.position, *sincos(DEGREE * self.yaw), float(self.model), float(self.identity))


@dataclass(frozen=True, eq=False)
class VoxelImage:
    """Image of a :class:`VoxelCamera`. Block, entity and depth belong to the centre of a pixel.

    Args:
        rgb: (height, width, 3): red, green and blue.
        block: (height, width): number of the block; 0 in the sky and on entities.
        entity: (height, width): identity of the entity; 0 elsewhere.
        depth: (height, width): distance along the direction of view, in blocks; infinite in the sky.
    """

    rgb: NDArray[np.uint8]
    block: NDArray[np.uint8]
    entity: NDArray[np.int32]
    depth: NDArray[np.float32]

    def fraction(self, blocks: Sequence[int] = (), entities: Sequence[int] = ()) -> float:
        """Return the fraction of the pixels that show some blocks or entities, from 0 to 1.

        Args:
            blocks: Numbers of blocks.
            entities: Identities of entities.
        """
        shown = np.zeros(256, np.bool_)
        shown[list(blocks)] = True
        count = int(np.count_nonzero(shown[self.block]))
        count += sum(int(np.count_nonzero(self.entity == identity)) for identity in set(entities))
        return count / self.block.size


def render_blocks(
    blocks: ArrayLike,
    models: PackedModels,
    camera: VoxelCamera,
    *,
    entities: Sequence[VoxelEntity] = (),
    entity_models: PackedModels | None = None,
    light: VoxelLight | None = None,
) -> VoxelImage:
    """Return the image of a camera in a grid of blocks.

    A block that is translucent is mixed with what is behind it; the pixel counts as the nearest block. A camera inside
    an opaque cube does not show that cube.

    Args:
        blocks: (x, y, z): number of the model in each cell, 0 for air. Cell (i, j, k) is the unit cube from (i, j, k).
        models: Models of the blocks; see :func:`pack_models`.
        camera: The camera.
        entities: Entities.
        entity_models: Models of the entities.
        light: Light and sky.

    Example:
        >>> from offnominal.sensing import ModelPart, pack_models
        >>> grey = np.full((16, 16, 4), (128, 128, 128, 255), np.uint8)
        >>> stone = pack_models({1: (ModelPart((grey,) * 6),)})
        >>> blocks = np.zeros((3, 3, 3), np.uint8)
        >>> blocks[:, 0, :] = 1
        >>> image = render_blocks(blocks, stone, VoxelCamera((1.5, 2.5, 1.5), pitch=90.0, width=8, height=8))
        >>> image.fraction([1]), float(image.depth[4, 4])
        (1.0, 1.5)
    """
    from offnominal.sensing.block_kernel import BlockOutputs, render_frame

    given = numeric_array("blocks", blocks)
    if given.ndim != 3 or not given.size:
        raise InvalidParameter(f"blocks have the shape {given.shape}; expected (x, y, z).")
    with np.errstate(invalid="ignore"):
        grid = np.ascontiguousarray(given, np.uint8)
    if grid is not given and not np.array_equal(grid, given):
        raise InvalidParameter(f"blocks are {shown(given)}; expected numbers of models, 0 to 255.")
    if entities and entity_models is None:
        raise InvalidParameter("entities are given without entity_models; expected their models.")
    size = (camera.height, camera.width)
    outputs = BlockOutputs(
        np.empty((*size, 3), np.uint8), np.empty(size, np.uint8), np.empty(size, np.int32), np.empty(size, np.float32)
    )
    flat = BlockOutputs(
        outputs.rgb.reshape(-1, 3), outputs.block.reshape(-1), outputs.entity.reshape(-1), outputs.depth.reshape(-1)
    )
    placed = np.array([entity.packed() for entity in entities], np.float64).reshape(-1, 7)
    view = packed_view(camera, VoxelLight() if light is None else light)
    render_frame(grid, models, view, placed, models if entity_models is None else entity_models, flat, *size)
    return VoxelImage(*outputs)


def packed_view(camera: VoxelCamera, light: VoxelLight) -> FloatArray:
    """Return the array for the kernels.

    Entries: the position (0 to 2), the axes to the right, up and forward (3 to 11), half of the width and height
    of the image at distance 1 (12, 13), ambient occlusion, daylight and fog density (14 to 16), the colours of the
    sky at the horizon and overhead, from 0 to 255 (17 to 22), and the area of a pixel at distance 1, in texels (23).
    """
    from offnominal.core.deterministic_math import sincos

    sine, cosine = sincos(0.5 * DEGREE * camera.fov)
    half = sine / cosine
    right, up, forward = camera.axes()
    # 1 + x + x^2 / 2 is 20 at x = 5.2445.
    settings = (light.ambient_occlusion, light.daylight, 5.2445 / light.visibility)
    sky = (255.0 * light.daylight * part for part in (*light.horizon, *light.zenith))
    wide, texels = half * camera.width / camera.height, 2.0 * SIDE * half / camera.height
    return np.array((*camera.position, *right, *up, *forward, wide, half, *settings, *sky, texels * texels))
