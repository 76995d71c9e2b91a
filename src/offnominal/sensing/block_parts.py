"""Compiled intersections of rays with the parts of a model."""

from __future__ import annotations

import numpy as np

from offnominal.core.compilation import compiled_inline, compiled_internal
from offnominal.core.types import Array, FloatArray
from offnominal.sensing.block_light import FACE_LIGHT, add_texel
from offnominal.sensing.block_models import CUBE, SIDE, TEXELS

INFINITE = np.inf
LAST = SIDE - 1
ALWAYS, FIRST_DIRECTION, ALONG_X = 0, 1, 5
TINY = 1e-300
CROSS = 6
"""Number of the face that crossed squares show."""


@compiled_inline
def reciprocal(x: float) -> float:
    """Return 1 / x, or a huge number for zero, which counts as positive."""
    return 1.0 / (x if x != 0.0 else TINY)


@compiled_inline
def texture_point(face: int, x: float, y: float, z: float) -> tuple[float, float]:
    """Return the point of a texture, right and down from 0 to 1, at a point on a face of a unit cube."""
    if face < 2:
        return (z if face == 0 else 1.0 - z), 1.0 - y
    if face < 4:
        return x, (1.0 - z if face == 2 else z)
    return (1.0 - x if face == 4 else x), 1.0 - y


@compiled_inline
def texel_at(texture: int, u: float, v: float) -> int:
    """Return the index of a texel of the finest level of a texture."""
    column, row = min(LAST, max(0, int(u * SIDE))), min(LAST, max(0, int(v * SIDE)))
    return texture * TEXELS + row * SIDE + column


@compiled_inline
def face_opacity(
    faces: Array,
    texels: Array,
    part: int,
    axis: int,
    x: float,
    y: float,
    z: float,
    dx: float,
    dy: float,
    dz: float,
) -> int:
    """Return the opacity of a cube at a point of the face that a ray hits, from 0 to 255."""
    face = (0 if dx > 0.0 else 1) if axis == 0 else (2 if dy > 0.0 else 3) if axis == 1 else 4 if dz > 0.0 else 5
    u, v = texture_point(face, x, y, z)
    return int(texels[texel_at(faces[part, face], u, v), 3])


@compiled_inline
def connected(condition: int, number: int, west: int, east: int, north: int, south: int, kind: Array) -> bool:
    """Return whether a part exists, given the models of its neighbours towards -x, +x, -z and +z."""
    if condition == ALWAYS:
        return True
    to_west = west == number or kind[west] == CUBE
    to_east = east == number or kind[east] == CUBE
    if condition >= ALONG_X:
        return (to_west or to_east) == (condition == ALONG_X)
    if condition == FIRST_DIRECTION:
        return to_west
    if condition == FIRST_DIRECTION + 1:
        return to_east
    other = north if condition == FIRST_DIRECTION + 2 else south
    return bool(other == number or kind[other] == CUBE)


@compiled_inline
def hit_part(
    box: Array,
    form: Array,
    faces: Array,
    texels: Array,
    part: int,
    ox: float,
    oy: float,
    oz: float,
    dx: float,
    dy: float,
    dz: float,
    after: float,
) -> tuple[float, int, int]:
    """Return the nearest hit of a ray with a part, beyond a position of the ray.

    Args:
        box: Corners of the parts; see :class:`PackedModels`.
        form: Forms of the parts.
        faces: Textures of the parts.
        texels: Texels of the textures.
        part: Number of the part.
        ox: Start of the ray along x, from the corner of the cell.
        oy: Start along y.
        oz: Start along z.
        dx: Direction along x.
        dy: Direction along y.
        dz: Direction along z.
        after: Hits up to this position of the ray do not count.

    Returns:
        The position of the hit, infinite without one; the face; the texel.
    """
    if form[part, 0]:
        return _hit_crossed(box, faces, texels, part, ox, oy, oz, dx, dy, dz, after)
    ix, iy, iz = reciprocal(dx), reciprocal(dy), reciprocal(dz)
    near_x = ((box[part, 0] if dx >= 0.0 else box[part, 3]) - ox) * ix
    near_y = ((box[part, 1] if dy >= 0.0 else box[part, 4]) - oy) * iy
    near_z = ((box[part, 2] if dz >= 0.0 else box[part, 5]) - oz) * iz
    far_x = ((box[part, 3] if dx >= 0.0 else box[part, 0]) - ox) * ix
    far_y = ((box[part, 4] if dy >= 0.0 else box[part, 1]) - oy) * iy
    far_z = ((box[part, 5] if dz >= 0.0 else box[part, 2]) - oz) * iz
    t = max(near_x, near_y, near_z)
    if t <= after or t > min(far_x, far_y, far_z):
        return INFINITE, -1, -1
    face = (0 if dx > 0.0 else 1) if t == near_x else (2 if dy > 0.0 else 3) if t == near_y else 4 if dz > 0.0 else 5
    x, y, z = ox + t * dx, oy + t * dy, oz + t * dz
    if form[part, 1]:
        x = (x - box[part, 0]) / max(box[part, 3] - box[part, 0], TINY)
        y = (y - box[part, 1]) / max(box[part, 4] - box[part, 1], TINY)
        z = (z - box[part, 2]) / max(box[part, 5] - box[part, 2], TINY)
    u, v = texture_point(face, x, y, z)
    texel = texel_at(faces[part, face], u, v)
    if texels[texel, 3] == 0:
        return INFINITE, -1, -1
    return t, face, texel


@compiled_internal
def _hit_crossed(
    box: Array,
    faces: Array,
    texels: Array,
    part: int,
    ox: float,
    oy: float,
    oz: float,
    dx: float,
    dy: float,
    dz: float,
    after: float,
) -> tuple[float, int, int]:
    """Return the nearest hit with the diagonal squares of a box; see :func:`hit_part`."""
    wide, tall, deep = box[part, 3] - box[part, 0], box[part, 4] - box[part, 1], box[part, 5] - box[part, 2]
    # Seen from the box, both squares reach from 0 to 1 along x.
    x0, z0, dx, dz = (ox - box[part, 0]) / wide, (oz - box[part, 2]) / deep, dx / wide, dz / deep
    best, found = INFINITE, -1
    for falling in range(2):
        # The squares are x = z and x = 1 - z.
        t = (1.0 - x0 - z0) * reciprocal(dx + dz) if falling else (z0 - x0) * reciprocal(dx - dz)
        u, v = x0 + t * dx, 1.0 - (oy + t * dy - box[part, 1]) / tall
        if after < t < best and 0.0 <= u < 1.0 and 0.0 <= v < 1.0:
            texel = texel_at(faces[part, 0], u, v)
            if texels[texel, 3] > 0:
                best, found = t, texel
    return best, CROSS, found


@compiled_internal
def add_parts(
    kind: Array,
    first: Array,
    box: Array,
    form: Array,
    faces: Array,
    texels: Array,
    cells: Array,
    number: int,
    cell: int,
    across: int,
    ox: float,
    oy: float,
    oz: float,
    dx: float,
    dy: float,
    dz: float,
    enters: float,
    limit: float,
    view: FloatArray,
    mixed: FloatArray,
    ray: int,
) -> None:
    """Add the colours of the parts of a block in their order along the ray, up to the first opaque one.

    Args:
        kind: Kinds of the models, and so on; see :class:`PackedModels`.
        first: First part of each model.
        box: Corners of the parts.
        form: Forms of the parts.
        faces: Textures of the parts.
        texels: Texels of the textures.
        cells: Flat grid with a border.
        number: Model of the block.
        cell: Its cell.
        across: Distance in the flat grid to the next cell along x.
        ox: Start of the ray along x, from the corner of the cell.
        oy: Start along y.
        oz: Start along z.
        dx: Direction along x.
        dy: Direction along y.
        dz: Direction along z.
        enters: Where the ray enters the cell.
        limit: Where an entity ends the ray.
        view: Camera and light.
        mixed: Colour, share of what is further away, and nearest hit of each ray; changed in place.
        ray: Number of the ray.
    """
    west, east, north, south = cells[cell - across], cells[cell + across], cells[cell - 1], cells[cell + 1]
    # A hit on the face through which the ray enters counts in spite of rounding.
    after = max(0.0, enters - 1e-9)
    while mixed[ray, 3] > 0.0:
        best, side, texel, part = limit, -1, -1, -1
        for p in range(first[number], first[number + 1]):
            if connected(form[p, 3], number, west, east, north, south, kind):
                t, f, e = hit_part(box, form, faces, texels, p, ox, oy, oz, dx, dy, dz, after)
                if t < best:
                    best, side, texel, part = t, f, e, p
        if part < 0:
            return
        after = best
        mixed[ray, 4] = min(mixed[ray, 4], best)
        light = 1.0 if form[part, 2] else FACE_LIGHT[side] * view[15]
        steep = abs(dx) if side < 2 else abs(dy) if side < 4 else abs(dz) if side < 6 else 1.0
        add_texel(texels, texel, light, best, steep, view, dx, dy, dz, mixed, ray)
