"""Reflections of a wet road: the view of a mirrored camera, blended into the image."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled
from offnominal.core.types import Array, FloatArray
from offnominal.sensing.camera import Camera
from offnominal.sensing.camera_image import CameraImage, render
from offnominal.sensing.scene import Poses, Scene
from offnominal.sensing.texture import hash_to_unit, value_noise
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.weather import Weather

ROAD, ROAD_LINE = int(Label.ROAD), int(Label.ROAD_LINE)
COARSE, TAPS = 2, 4
PUDDLE_SIZE = np.float32(0.35)
LEAST_REFLECTANCE, FILM, STEEP = 0.04, 0.4, 0.9


def add_reflections(
    scene: Scene,
    camera: Camera,
    image: CameraImage,
    weather: Weather,
    *,
    poses: Poses | None = None,
    roughness: float = 0.0,
) -> None:
    """Blend the reflections of a wet road into an image, in place.

    The road lies in the plane z = 0. Its reflection is what a camera mirrored in that plane sees from below, since
    planes and patches are visible from above only. It is rendered at half the resolution. Water reflects more the
    flatter the view; puddles reflect clearly, the wet film between them less and roughly.

    Args:
        scene: The scene under the weather.
        camera: The pinhole camera.
        image: Image with rgb, depth and label.
        weather: The weather.
        poses: Poses of the instances; None for those of the scene.
        roughness: Height over which the film between puddles scatters what it reflects, as a share of the height of the
            image. 0 takes one point of it at a random height instead.
    """
    if weather.wetness <= 0.0 or image.rgb is None or image.depth is None or image.label is None:
        return
    reflection = render(scene, mirrored(camera), ("rgb",), poses=poses).rgb
    assert reflection is not None
    numbers = np.array((weather.wetness, weather.puddles / 100.0, weather.precipitation / 100.0, roughness))
    _blend(image.rgb, image.depth, image.label, reflection[::-1].copy(), camera.packed(), numbers)


def mirrored(camera: Camera) -> Camera:
    """Return the camera that sees the reflections of a camera: mirrored in the plane of the road, with fewer pixels."""
    x, y, z = camera.position
    tx, ty, tz = camera.target
    ux, uy, uz = camera.up
    # Rows are reversed, too, so that a camera that rolls to the right sees a world that is mirrored from top to bottom.
    up = (0.0 - ux, 0.0 - uy, uz)
    width, height = max(1, camera.width // COARSE), max(1, camera.height // COARSE)
    return Camera((x, y, -z), (tx, ty, -tz), width, height, camera.fov, up)


@compiled
def _blend(
    rgb: NDArray[np.uint8],
    depth: NDArray[np.float32],
    label: NDArray[np.int32],
    reflection: NDArray[np.uint8],
    view: FloatArray,
    weather: FloatArray,
) -> None:
    """Blend the reflection into the pixels of the road; `view` is the packed camera."""
    height, width = depth.shape
    wetness, puddles, rain, rough_film = weather[0], weather[1], weather[2], weather[3]
    rough = 0.006 + 0.03 * rain
    for row in range(height):
        b = (1.0 - (2.0 * row + 1.0) / height) * view[13]
        for column in range(width):
            if label[row, column] != ROAD and label[row, column] != ROAD_LINE:
                continue
            a = ((2.0 * column + 1.0) / width - 1.0) * view[12]
            dx = view[9] + a * view[3] + b * view[6]
            dy = view[10] + a * view[4] + b * view[7]
            dz = view[11] + a * view[5] + b * view[8]
            cosine = max(0.0, -dz / math.sqrt(dx * dx + dy * dy + dz * dz))
            t = depth[row, column]
            px, py = np.float32(view[0] + t * dx) * PUDDLE_SIZE, np.float32(view[1] + t * dy) * PUDDLE_SIZE
            pool = value_noise(px, py, np.float32(0.5)) + np.float32(0.35) * value_noise(
                np.float32(3.0) * px, np.float32(3.0) * py, np.float32(2.5)
            )
            clear = min(1.0, max(0.0, 6.0 * (pool - (1.05 - 0.75 * puddles))))
            flat = 1.0 - cosine
            share = LEAST_REFLECTANCE + (STEEP - LEAST_REFLECTANCE) * flat * flat * flat * flat
            share *= wetness * (clear + (1.0 - clear) * FILM)
            if rough_film > 0.0:
                grain = float(value_noise(np.float32(40.0) * px, np.float32(40.0) * py, np.float32(4.5)))
                spread = rough_film * height * (1.0 - 0.85 * clear)
                _mix_rough(rgb, row, column, reflection, spread, share * (clear + (1.0 - clear) * (0.45 + 0.7 * grain)))
                continue
            jitter = (hash_to_unit(row * 0x9E3779B1 ^ column * 0x85EBCA6B) - np.float32(0.5)) * rough * height
            jitter *= 0.3 + 0.7 * (1.0 - clear)
            _mix_pixel(rgb, row, column, reflection, row + jitter, share)


@compiled
def _mix_pixel(rgb: Array, row: int, column: int, reflection: Array, at: float, share: float) -> None:
    """Blend the reflection near row `at` into one pixel."""
    high, wide = reflection.shape[0], reflection.shape[1]
    source = min(high - 1, max(0, int(at / COARSE)))
    other = min(wide - 1, column // COARSE)
    for c in range(3):
        old = float(rgb[row, column, c])
        rgb[row, column, c] = np.uint8(old + share * (float(reflection[source, other, c]) - old) + 0.5)


@compiled
def _mix_rough(rgb: Array, row: int, column: int, reflection: Array, spread: float, share: float) -> None:
    """Blend the mean of the reflection over some rows around `row` into one pixel."""
    high, wide = reflection.shape[0], reflection.shape[1]
    other = min(wide - 1, column // COARSE)
    taps = 1 + 2 * min(TAPS, int(spread))
    for c in range(3):
        total = 0.0
        for k in range(taps):
            at = row + spread * (2.0 * (k + 0.5) / taps - 1.0)
            total += float(reflection[min(high - 1, max(0, int(at / COARSE))), other, c])
        old = float(rgb[row, column, c])
        rgb[row, column, c] = np.uint8(min(255.0, old + share * (total / taps - old) + 0.5))
