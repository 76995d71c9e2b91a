"""Rain in front of the sensors: streaks in images, and lost, noisy and false returns of lidars."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from offnominal.core.checks import integer_in
from offnominal.core.compilation import compiled
from offnominal.core.deterministic_math import exp
from offnominal.core.philox import normal_quantile, uniform
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray
from offnominal.sensing.lidar import Lidar, PointCloud
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.weather import Weather

# Streaks in an image of 512 x 384 pixels in the hardest rain.
STREAKS = 900
# Two-way extinction of a lidar per unit of the visible extinction, and false returns in the hardest rain.
LIDAR_FACTOR, FALSE_SHARE, FALSE_RANGE = 1.6, 0.012, 14.0
FOGGY = 5.0
UNLABELED, SKY = int(Label.UNLABELED), int(Label.SKY)
RAIN_NOISE = 0.06
LOSS_LANE, NOISE_LANE, FALSE_LANE, WHERE_LANE = range(4)


def add_streaks(rgb: NDArray[np.uint8], weather: Weather, *, seed: int = 0, step: int = 0) -> None:
    """Draw streaks of rain into an image, in place.

    Args:
        rgb: (height, width, 3): the image.
        weather: The weather; wind slants the streaks.
        seed: Root seed of the stream ``rain``.
        step: Time index within that stream. The same seed and step always give the same streaks.
    """
    height, width, _ = rgb.shape
    count = int(STREAKS * weather.precipitation / 100.0 * width * height / (512 * 384))
    if count == 0:
        return
    draws = Stream.named(seed, 0, "rain").uniform(4 * count, step=step).reshape(count, 4)
    _draw_streaks(rgb, draws, 0.05 + 0.25 * weather.wind / 100.0, 1.0 - 0.35 * weather.sunset)


@compiled
def _draw_streaks(rgb: NDArray[np.uint8], draws: FloatArray, slant: float, light: float) -> None:
    """Draw one streak per row of draws: column, row, nearness and slant."""
    height, width = rgb.shape[0], rgb.shape[1]
    for k in range(draws.shape[0]):
        near = draws[k, 2] * draws[k, 2] * draws[k, 2]
        length = (0.02 + 0.09 * near) * height
        lean = slant * (0.7 + 0.6 * draws[k, 3])
        alpha = 0.10 + 0.22 * near
        thick = 1 if near < 0.5 or height < 300 else 2
        x, y = (1.2 * draws[k, 0] - 0.1) * width, (1.1 * draws[k, 1] - 0.1) * height
        steps = int(length) + 1
        for s in range(steps):
            row, column = int(y + s), int(x + lean * s)
            fade = alpha * min(1.0, 4.0 * min(s + 1, steps - s) / steps)
            for c in range(column, column + thick):
                if 0 <= row < height and 0 <= c < width:
                    for channel in range(3):
                        old = float(rgb[row, c, channel])
                        rgb[row, c, channel] = np.uint8(old + fade * (225.0 * light - old) + 0.5)


def measure_in_weather(
    cloud: PointCloud, lidar: Lidar, weather: Weather, *, seed: int = 0, step: int = 0
) -> PointCloud:
    """Return what a lidar measures of an exact point cloud: with its noise, and with the losses of fog and rain.

    A return is lost more often the farther away and the darker its surface is. Rain adds noise to distances, and drops
    close to the sensor cause false returns, which are unlabeled and have the instance 0.

    Args:
        cloud: The exact point cloud, with intensities.
        lidar: The lidar; its `noise` is added here.
        weather: The weather.
        seed: Root seed of the stream ``lidar weather``.
        step: Time index within that stream.
    """
    shape = cloud.ranges.shape
    rate = LIDAR_FACTOR * weather.extinction if weather.precipitation > 0.0 or weather.fog > FOGGY else 0.0
    rain = weather.precipitation / 100.0
    numbers = np.array((*lidar.position, lidar.noise + RAIN_NOISE * rain, rate, FALSE_SHARE * rain))
    measured = PointCloud(
        np.empty(shape, np.float32),
        np.empty((*shape, 3), np.float32),
        np.empty(shape, np.int32),
        np.empty(shape, np.int32),
        (bright := np.empty(shape, np.float32)),
    )
    intensity = np.zeros(shape, np.float32) if cloud.intensity is None else cloud.intensity
    # Other types and layouts would compile the kernel again.
    pose, step = np.ascontiguousarray(lidar.rotation), integer_in("step", step, 0)
    _measure(
        cloud.ranges, cloud.label, cloud.instance, intensity, numbers, pose, lidar.elevations,
        lidar.azimuths, Stream.named(seed, 0, "lidar weather").key, step,
        measured.ranges, measured.points, measured.label, measured.instance, bright,
    )  # fmt: skip
    return measured


@compiled
def _measure(
    true_ranges: NDArray[np.float32],
    true_label: NDArray[np.int32],
    true_instance: NDArray[np.int32],
    true_intensity: NDArray[np.float32],
    numbers: FloatArray,
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
) -> None:
    """Write the measured cloud; `numbers` are position, noise, extinction and share of false returns."""
    noise, rate, false_share = numbers[3], numbers[4], numbers[5]
    channels, columns = true_ranges.shape
    for row in range(channels):
        flat, up = elevations[row, 1], elevations[row, 0]
        for c in range(columns):
            ray = row * columns + c
            exact = float(true_ranges[row, c])
            t, bright, back, false = exact, float(true_intensity[row, c]), exact < np.inf, False
            if back and rate > 0.0:
                passed = exp(-2.0 * rate * exact)
                back = uniform(key, step, LOSS_LANE, ray) >= (1.0 - passed) * (1.0 - 0.6 * math.sqrt(bright))
                bright *= passed
            if back and noise > 0.0:
                t = max(0.0, exact + noise * normal_quantile(uniform(key, step, NOISE_LANE, ray)))
            if false_share > 0.0 and uniform(key, step, FALSE_LANE, ray) < false_share:
                near = uniform(key, step, WHERE_LANE, ray)
                drop = FALSE_RANGE * near * near + 0.5
                if drop < (exact if back else np.inf):
                    t, bright, back, false = drop, 0.03, True, True
            x, y = flat * azimuths[c, 1], flat * azimuths[c, 0]
            ranges[row, c] = np.float32(t) if back else np.float32(np.inf)
            label[row, c] = true_label[row, c] if back and not false else UNLABELED if false else SKY
            instance[row, c] = true_instance[row, c] if back and not false else 0
            intensity[row, c] = np.float32(bright) if back else np.float32(0.0)
            for axis in range(3):
                ahead = pose[axis, 0] * x + pose[axis, 1] * y + pose[axis, 2] * up
                points[row, c, axis] = np.float32(numbers[axis] + t * ahead) if back else np.nan
