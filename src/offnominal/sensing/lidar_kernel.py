"""Compiled kernel of the lidars: one revolution of rays, by patches of the sphere around the sensor."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled, compiled_internal
from offnominal.core.deterministic_math import arctan2
from offnominal.core.philox import normal_quantile, uniform
from offnominal.core.types import Array, FloatArray
from offnominal.sensing.cells import HUGE, Cells, fill_cells
from offnominal.sensing.intersections import FAR
from offnominal.sensing.material import PLAIN
from offnominal.sensing.packed_scene import PackedScene
from offnominal.sensing.placed_instances import PlacedInstances, place
from offnominal.sensing.planes import intersect_planes
from offnominal.sensing.rays import Rays, make_rays, trace
from offnominal.sensing.shading import outward
from offnominal.sensing.shapes import PATCHES, PLANE

WIDE, HIGH = 8, 4
NOISE_LANE, DROPOUT_LANE = 0, 1
ZERO, HALF, ONE = np.float32(0.0), np.float32(0.5), np.float32(1.0)
# Weights of the colours in the reflectance.
RED, GREEN, BLUE = (np.float32(value) for value in (0.3, 0.59, 0.11))


@compiled
def measure(
    packed: PackedScene,
    positions: FloatArray,
    rotations: FloatArray,
    lidar: FloatArray,
    pose: FloatArray,
    elevations: FloatArray,
    azimuths: FloatArray,
    key: np.uint64,
    step: int,
    ranges: NDArray[np.float32],
    points: NDArray[np.float32],
    label: NDArray[np.int32],
    instance: NDArray[np.int32],
    intensity: NDArray[np.float32],
    first: int,
    last: int,
    materials: NDArray[np.float32],
) -> None:
    """Measure some columns of one revolution; see :func:`offnominal.sensing.sweep`.

    `lidar` is position, range, noise and dropout; `first` and `last` are the first column and the one after the last.
    """
    channels, columns = ranges.shape
    max_range, noise, dropout = lidar[3], lidar[4], lidar[5]
    rays = make_rays(columns, 1)
    direction, cell, ts, hits = rays.direction, rays.cell, rays.t, rays.hit
    labels, identities, nothing = packed.label, packed.identity, int(packed.lighting[8, 2])
    placed = place(packed, positions, rotations, lidar)
    cells = lidar_cells(packed, placed, pose, elevations, columns)
    for row in range(channels):
        flat, up = elevations[row, 1], elevations[row, 0]
        for r in range(last - first):
            c = first + r
            x, y = flat * azimuths[c, 1], flat * azimuths[c, 0]
            for axis in range(3):
                direction[axis, r] = np.float32(pose[axis, 0] * x + pose[axis, 1] * y + pose[axis, 2] * up)
            cell[r] = row // HIGH * ((columns + WIDE - 1) // WIDE) + c // WIDE
        intersect_planes(packed, placed, rays, last - first)
        trace(packed, placed, cells, rays, last - first)
        for r in range(last - first):
            c = first + r
            ray = row * columns + c
            t, hit = float(ts[r]), hits[r]
            back = hit >= 0 and t <= max_range
            if back and dropout > 0.0:
                back = uniform(key, step, DROPOUT_LANE, ray) >= dropout
            if back and noise > 0.0:
                t = max(0.0, t + noise * normal_quantile(uniform(key, step, NOISE_LANE, ray)))
            ranges[row, c] = np.float32(t) if back else FAR
            label[row, c] = labels[hit] if back else nothing
            instance[row, c] = identities[hit] if back else 0
            for axis in range(3):
                points[row, c, axis] = np.float32(lidar[axis] + t * float(direction[axis, r])) if back else np.nan
        if intensity.shape[0] > 0:
            _brighten(packed, placed, rays, ranges[row, first:last], materials, intensity[row, first:last])


@compiled_internal
def _brighten(
    packed: PackedScene, placed: PlacedInstances, rays: Rays, ranges: Array, materials: Array, intensity: Array
) -> None:
    """Set the intensity of the returns of one laser: reflectance times the cosine of the angle of incidence.

    With `materials`, the reflectance is that of the label of the surface: a base, a share of the colour, and the share
    of the light that comes back from any angle, as from a reflector.
    """
    hits, parts, ts, direction = rays.hit, rays.part, rays.t, rays.direction
    centre, rotation, size, paint, kinds = placed.centre, placed.rotation, packed.size, packed.paint, packed.kind
    triangles, finishes, palette, texture = packed.triangles, packed.finish, packed.palette, packed.texture
    for r in range(intensity.shape[0]):
        intensity[r] = ZERO
        if not ranges[r] < FAR:
            continue
        i, part, t = hits[r], parts[r], ts[r]
        dx, dy, dz = direction[0, r], direction[1, r], direction[2, r]
        ex = rotation[i, 0] * dx + rotation[i, 3] * dy + rotation[i, 6] * dz
        ey = rotation[i, 1] * dx + rotation[i, 4] * dy + rotation[i, 7] * dz
        ez = rotation[i, 2] * dx + rotation[i, 5] * dy + rotation[i, 8] * dz
        cosine = abs(ez)
        if kinds[i] not in (PLANE, PATCHES):
            qx, qy, qz = t * dx - centre[i, 0], t * dy - centre[i, 1], t * dz - centre[i, 2]
            x = rotation[i, 0] * qx + rotation[i, 3] * qy + rotation[i, 6] * qz
            y = rotation[i, 1] * qx + rotation[i, 4] * qy + rotation[i, 7] * qz
            z = rotation[i, 2] * qx + rotation[i, 5] * qy + rotation[i, 8] * qz
            nx, ny, nz = outward(kinds[i], size[i, 0], size[i, 1], size[i, 2], triangles, part, x, y, z)
            cosine = abs(nx * ex + ny * ey + nz * ez)
        finish = finishes[part] if part >= 0 else 0
        first, second = _luma(paint, i, 0), _luma(paint, i, 3)
        if finish >= 2:
            first = _luma(palette, finish - 2, 0)
        elif finish == 1:
            first = second
        elif texture[i] != PLAIN:
            first = HALF * (first + second)
        if materials.shape[0] > 0:
            row = min(packed.label[i], materials.shape[0] - 1)
            first = materials[row, 0] + materials[row, 1] * first
            cosine += materials[row, 2] * (ONE - cosine)
        intensity[r] = min(ONE, cosine * first)


@compiled_internal
def _luma(colours: Array, row: int, k: int) -> np.float32:
    luma: np.float32 = RED * colours[row, k] + GREEN * colours[row, k + 1] + BLUE * colours[row, k + 2]
    return luma


@compiled_internal
def lidar_cells(
    packed: PackedScene, placed: PlacedInstances, pose: FloatArray, elevations: FloatArray, columns: int
) -> Cells:
    """Return the instances that overlap each patch of the sphere around a lidar."""
    n, extent, solids = packed.kind.shape[0], packed.extent, packed.solids
    centre, rotation, present = placed.centre, placed.rotation, placed.present
    channels = elevations.shape[0]
    outlines = np.empty((n, 4), np.int32)
    near = np.empty(n, np.float32)
    frame = np.empty((4, 3))
    for i in solids:
        outlines[i, 0], outlines[i, 1], outlines[i, 2], outlines[i, 3] = 0, -1, 0, -1
        near[i] = HUGE
        if not present[i]:
            continue
        for axis in range(3):
            x, y, z = pose[0, axis], pose[1, axis], pose[2, axis]
            for k in range(3):
                frame[k, axis] = extent[i, k] * (rotation[i, k] * x + rotation[i, 3 + k] * y + rotation[i, 6 + k] * z)
            frame[3, axis] = centre[i, 0] * x + centre[i, 1] * y + centre[i, 2] * z
        near[i], outlines[i, 2], outlines[i, 3] = _rows(frame, elevations)
        left, right = _azimuths(frame)
        first = math.floor((left / (2.0 * np.pi) + 0.5) * columns - 1.0)
        last = math.floor((right / (2.0 * np.pi) + 0.5) * columns + 1.0)
        # A box that crosses the border at the back is assigned to all columns.
        if first < 0 or last >= columns:
            first, last = 0, columns - 1
        outlines[i, 0], outlines[i, 1] = first // WIDE, last // WIDE
    return fill_cells(outlines, near, solids, (columns + WIDE - 1) // WIDE, (channels + HIGH - 1) // HIGH)


@compiled_internal
def _rows(frame: Array, elevations: FloatArray) -> tuple[np.float32, int, int]:
    """Return the smallest distance to a box, and the first and last row of patches that it overlaps."""
    square, level, far = 0.0, 0.0, 0.0
    for axis in range(3):
        half = 1.0001 * (abs(frame[0, axis]) + abs(frame[1, axis]) + abs(frame[2, axis])) + 1e-4
        gap = max(0.0, abs(frame[3, axis]) - half)
        square += gap * gap
        if axis < 2:
            level += gap * gap
            far += (abs(frame[3, axis]) + half) ** 2
    low, high = frame[3, 2] - half, frame[3, 2] + half
    level, far = math.sqrt(level), math.sqrt(far)
    first, last = elevations.shape[0], -1
    for row in range(elevations.shape[0]):
        sine, cosine = elevations[row, 0], elevations[row, 1]
        # Steepest and flattest line of sight to the box: past its near or its far side.
        below_top = sine * (level if high > 0.0 else far) <= high * cosine
        above_bottom = sine * (level if low < 0.0 else far) >= low * cosine
        if below_top and above_bottom:
            first, last = min(first, row), row
    return np.float32(math.sqrt(square)), first // HIGH, last // HIGH if last >= 0 else -1


@compiled_internal
def _azimuths(frame: Array) -> tuple[float, float]:
    """Return the smallest and largest azimuth of a box; the full circle if the sensor may be above, below or inside."""
    gap = 0.0
    for axis in range(2):
        half = abs(frame[0, axis]) + abs(frame[1, axis]) + abs(frame[2, axis])
        gap = max(gap, abs(frame[3, axis]) - half)
    if gap <= 1e-3:
        return -np.pi, np.pi
    middle = arctan2(frame[3, 1], frame[3, 0])
    left, right = 0.0, 0.0
    for corner in range(8):
        a = 1.0 if corner & 1 else -1.0
        b = 1.0 if corner & 2 else -1.0
        c = 1.0 if corner & 4 else -1.0
        x = frame[3, 0] + a * frame[0, 0] + b * frame[1, 0] + c * frame[2, 0]
        y = frame[3, 1] + a * frame[0, 1] + b * frame[1, 1] + c * frame[2, 1]
        across = frame[3, 0] * y - frame[3, 1] * x
        along = frame[3, 0] * x + frame[3, 1] * y
        angle = arctan2(across, along)
        left, right = min(left, angle), max(right, angle)
    return middle + left, middle + right
