"""Checks of the scores of a frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from offnominal.core.errors import InvalidScores, UnknownName, did_you_mean
from offnominal.core.types import Array
from offnominal.detectors.scenes.frame_scores import FrameScores
from offnominal.worlds.road.scenes import DrivingFrame


def check_scores(scores: FrameScores, frame: DrivingFrame) -> None:
    """Compare scores with the sensors of their frame.

    Raises:
        UnknownName: The frame has no such sensor.
        InvalidScores: There are no scores, or their shapes are wrong, or some are not finite.
    """
    sensors = frame.sensors
    if not (scores.cameras or scores.lidars):
        raise InvalidScores(f"frame {frame.number} has no scores; give those of at least one sensor.")
    _check_names("camera", scores.cameras, sensors.cameras, frame)
    _check_names("lidar", scores.lidars, sensors.lidars, frame)
    for name, values in scores.cameras.items():
        camera = sensors.cameras[name].camera
        _check_values(f"camera {name!r}", frame, values, (camera.height, camera.width))
    for name, values in scores.lidars.items():
        _check_values(f"lidar {name!r}", frame, values, (int(sensors.lidars[name].measured.returned.sum()),))


def _check_names(kind: str, given: Mapping[str, Any], known: Mapping[str, Any], frame: DrivingFrame) -> None:
    for name in given:
        if name not in known:
            raise UnknownName(
                f"frame {frame.number} has no {kind} {name!r}, but scores of it.{did_you_mean(name, known)}"
            )


def _check_values(sensor: str, frame: DrivingFrame, scores: Array, shape: tuple[int, ...]) -> None:
    found = np.asarray(scores)
    if found.dtype.kind not in "fiu" or found.shape != shape:
        raise InvalidScores(
            f"frame {frame.number}: the scores of {sensor} are an array of {found.dtype} with shape {found.shape}; "
            f"expected numbers with shape {shape}."
        )
    if not np.isfinite(found).all():
        raise InvalidScores(f"frame {frame.number}: some scores of {sensor} are not finite.")
