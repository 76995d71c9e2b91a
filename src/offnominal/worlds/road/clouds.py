"""Clouds: soft patches of noise in the sky of an image."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled
from offnominal.core.types import FloatArray
from offnominal.sensing.camera import Camera
from offnominal.sensing.camera_image import CameraImage
from offnominal.sensing.texture import value_noise
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.weather import Weather

SKY = int(Label.SKY)
OCTAVES = 4
# Height of the layer of clouds per distance: the larger, the less clouds shrink towards the horizon.
CURVATURE = 0.22
SIZE = 1.7
DRIFT = 4e-4
BRIGHT, EVENING, RAINY = (0.97, 0.97, 0.98), (0.98, 0.80, 0.68), (0.62, 0.64, 0.68)


def add_clouds(camera: Camera, image: CameraImage, weather: Weather, *, step: int = 0) -> None:
    """Blend clouds into the sky of an image, in place.

    Clouds are fixed in the world, so that all cameras see the same ones, and drift with the wind.

    Args:
        camera: The pinhole camera.
        image: Image with rgb and label.
        weather: The weather.
        step: Time index.
    """
    if image.rgb is None or image.label is None:
        return
    cover, rain = weather.cloudiness / 100.0, weather.precipitation / 100.0
    colour = np.array(BRIGHT) + weather.sunset * (np.array(EVENING) - BRIGHT)
    colour = colour + min(1.0, max(rain, 0.7 * (cover - 0.3))) * (
        np.array(RAINY) * (1.0 - 0.25 * weather.sunset) - colour
    )
    drift = DRIFT * step * (0.2 + weather.wind / 100.0)
    _blend(image.rgb, image.label, camera.packed(), np.array((cover, drift, *(255.0 * colour))))


@compiled
def _blend(rgb: NDArray[np.uint8], label: NDArray[np.int32], view: FloatArray, given: FloatArray) -> None:
    """Blend clouds into the pixels of the sky; `given` is cover, drift and colour."""
    height, width = label.shape
    # Share of the noise above which there are clouds.
    low, soft = 0.62 - 0.36 * given[0], 0.30
    for row in range(height):
        b = (1.0 - (2.0 * row + 1.0) / height) * view[13]
        for column in range(width):
            if label[row, column] != SKY:
                continue
            a = ((2.0 * column + 1.0) / width - 1.0) * view[12]
            dx = view[9] + a * view[3] + b * view[6]
            dy = view[10] + a * view[4] + b * view[7]
            dz = view[11] + a * view[5] + b * view[8]
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            up = max(0.0, dz / length)
            x, y = SIZE * dx / length / (up + CURVATURE) + given[1], SIZE * dy / length / (up + CURVATURE)
            noise, weight, scale = 0.0, 0.5, 1.0
            for k in range(OCTAVES):
                noise += weight * float(value_noise(np.float32(scale * x), np.float32(scale * y), np.float32(7.5 + k)))
                weight, scale = 0.5 * weight, 2.1 * scale
            share = min(1.0, max(0.0, (noise / 0.9375 - low) / soft))
            share = 0.85 * share * share * (3.0 - 2.0 * share) * min(1.0, 5.0 * up)
            for c in range(3):
                old = float(rgb[row, column, c])
                # The lower side of thick clouds is darker.
                rgb[row, column, c] = np.uint8(old + share * (given[2 + c] * (1.06 - 0.2 * share) - old) + 0.5)
