"""Compiled kernel of the cameras: frame by frame, band by band, then the edges with more rays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled, compiled_internal
from offnominal.core.types import Array, FloatArray
from offnominal.sensing.cells import TILE, camera_cells, sun_map
from offnominal.sensing.packed_scene import PackedScene
from offnominal.sensing.placed_instances import place
from offnominal.sensing.planes import intersect_planes, shade_planes
from offnominal.sensing.rays import Rays, make_rays, trace
from offnominal.sensing.shading import illuminate, shadow, surface

ZERO, HALF, ONE, TWO = (np.float32(value) for value in (0.0, 0.5, 1.0, 2.0))
FULL = np.float32(255.0)
CONTRAST = np.float32(0.12)


@compiled
def render_frames(
    packed: PackedScene,
    positions: FloatArray,
    rotations: FloatArray,
    views: FloatArray,
    n: int,
    height: int,
    width: int,
    samples: int,
    rgb: NDArray[np.uint8],
    depth: NDArray[np.float32],
    normal: NDArray[np.float32],
    label: NDArray[np.int32],
    instance: NDArray[np.int32],
) -> None:
    """Render n frames into the outputs that are not empty; see :func:`offnominal.sensing.render_batch`."""
    coloured, has_normals = rgb.shape[0] > 0, normal.shape[0] > 0
    shaded, each = coloured and packed.lighting[8, 1] > ZERO, samples * samples
    parallel = views[0, 14] > 0.0
    capacity = max(TILE * width, each)
    rays = make_rays(capacity, capacity if parallel else 1)
    smooth = coloured and samples > 1
    hit = np.empty(height * width if smooth else 0, np.int32)
    sunlit = np.empty(height * width if smooth else 0, np.float32)
    edges = np.empty(height * width if smooth else 0, np.int32)
    view = np.empty(views.shape[1], np.float32)
    for k in range(n):
        for c in range(view.shape[0]):
            view[c] = np.float32(views[k % views.shape[0], c])
        at = k % positions.shape[0]
        placed = place(packed, positions[at], rotations[at], views[k % views.shape[0]])
        cells = camera_cells(packed, placed, view, width, height)
        sun = sun_map(packed, placed, shaded)
        top, found, done = 0, 0, 0
        while top < height or done < found:
            # First every pixel, band by band; then those at edges, as many at once as the buffers hold.
            whole = top < height
            if whole:
                count = min(TILE, height - top) * width
                _aim_band(rays, view, top, count, width, height)
            else:
                count = min(capacity // each, found - done) * each
                _aim_edges(rays, view, edges, done, count, samples, width, height)
            intersect_planes(packed, placed, rays, count)
            trace(packed, placed, cells, rays, count)
            if coloured or has_normals:
                pixel = TWO * view[13] / np.float32(height if whole else height * samples)
                shade_planes(packed, placed, rays, count, pixel)
                surface(packed, placed, rays, count, pixel, parallel)
            if coloured:
                if shaded:
                    shadow(packed, placed, sun, rays, count)
                illuminate(packed, rays, count)
            if whole:
                _report(packed, rays, k, top * width, count, depth, normal, label, instance)
                if coloured:
                    _keep_band(rays, top * width, count, rgb[k], hit, sunlit)
                top += TILE
                if top >= height and smooth:
                    found = _find_edges(hit, sunlit, width, edges)
            else:
                _keep_edges(rays, edges, done, count, each, rgb[k])
                done += count // each


@compiled_internal
def _aim_ray(start: Array, direction: Array, r: int, view: NDArray[np.float32], x: np.float32, y: np.float32) -> None:
    """Set a ray to the point (x, y) of the image, each from -1 to 1, right and up."""
    a, b = x * view[12], y * view[13]
    for c in range(3):
        across = a * view[3 + c] + b * view[6 + c]
        if start.shape[1] > 1:
            start[c, r] = across
            direction[c, r] = view[9 + c]
        else:
            direction[c, r] = view[9 + c] + across


@compiled_internal
def _aim_band(rays: Rays, view: NDArray[np.float32], top: int, count: int, width: int, height: int) -> None:
    """Set rays to the centres of the pixels of one row of tiles."""
    cell, direction, start = rays.cell, rays.direction, rays.start
    columns = (width + TILE - 1) // TILE
    for row in range(count // width):
        y = ONE - (TWO * np.float32(top + row) + ONE) / np.float32(height)
        for column in range(width):
            x = (TWO * np.float32(column) + ONE) / np.float32(width) - ONE
            _aim_ray(start, direction, row * width + column, view, x, y)
            cell[row * width + column] = top // TILE * columns + column // TILE


@compiled_internal
def _aim_edges(
    rays: Rays, view: Array, edges: Array, first: int, count: int, samples: int, width: int, height: int
) -> None:
    """Set samples x samples rays for each of some pixels."""
    cell, direction, start = rays.cell, rays.direction, rays.start
    each = samples * samples
    columns = (width + TILE - 1) // TILE
    for r in range(count):
        row, column = edges[first + r // each] // width, edges[first + r // each] % width
        x = np.float32(column) + (np.float32(r % each % samples) + HALF) / np.float32(samples)
        y = np.float32(row) + (np.float32(r % each // samples) + HALF) / np.float32(samples)
        _aim_ray(start, direction, r, view, TWO * x / np.float32(width) - ONE, ONE - TWO * y / np.float32(height))
        cell[r] = row // TILE * columns + column // TILE


@compiled_internal
def _report(
    packed: PackedScene,
    rays: Rays,
    k: int,
    first: int,
    count: int,
    depth: Array,
    normal: Array,
    label: Array,
    instance: Array,
) -> None:
    """Write the hits of the rays of a band."""
    nothing, labels, identities = int(packed.lighting[8, 2]), packed.label, packed.identity
    ts, hits, normals = rays.t, rays.hit, rays.normal
    for r in range(count if depth.shape[0] > 0 else 0):
        depth[k, first + r] = ts[r]
    for r in range(count if label.shape[0] > 0 else 0):
        label[k, first + r] = labels[hits[r]] if hits[r] >= 0 else nothing
    for r in range(count if instance.shape[0] > 0 else 0):
        instance[k, first + r] = identities[hits[r]] if hits[r] >= 0 else 0
    for r in range(count if normal.shape[0] > 0 else 0):
        for c in range(3):
            normal[k, first + r, c] = normals[c, r]


@compiled_internal
def _keep_band(rays: Rays, first: int, count: int, rgb: Array, hit: Array, sunlit: Array) -> None:
    """Write the colours of a band, and the data for edge detection if needed."""
    colour, hits, direct = rays.colour, rays.hit, rays.sunlit
    for r in range(count):
        for c in range(3):
            rgb[first + r, c] = np.uint8(colour[c, r] * FULL + HALF)
    for r in range(count if hit.shape[0] > 0 else 0):
        hit[first + r], sunlit[first + r] = hits[r], direct[r]


@compiled_internal
def _keep_edges(rays: Rays, edges: Array, first: int, count: int, each: int, rgb: Array) -> None:
    """Set each pixel to the mean of its rays."""
    colour = rays.colour
    for e in range(count // each):
        for c in range(3):
            total = ZERO
            for s in range(each):
                total += colour[c, e * each + s]
            rgb[edges[first + e], c] = np.uint8(total / np.float32(each) * FULL + HALF)


@compiled_internal
def _find_edges(hit: Array, sunlit: Array, width: int, edges: Array) -> int:
    """Write and count the pixels whose object or light differs from that of a neighbour."""
    size, count = hit.shape[0], 0
    for p in range(size):
        column = p % width
        beside = p + 1 if column + 1 < width else p
        before = p - 1 if column > 0 else p
        below = p + width if p + width < size else p
        above = p - width if p >= width else p
        differs = False
        for q in (beside, before, below, above):
            differs |= hit[q] != hit[p] or abs(sunlit[q] - sunlit[p]) > CONTRAST
        if differs:
            edges[count] = p
            count += 1
    return count
