"""Anomaly scores of all sensors of a frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from offnominal.core.errors import InvalidScores, UnknownName, did_you_mean
from offnominal.core.types import Array
from offnominal.worlds.road.scenes import DrivingFrame

Scores = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class SceneScores:
    """Anomaly scores of one frame, by the names of the sensors; higher is more anomalous.

    Sensors without scores are left out.

    Args:
        cameras: (height, width) per camera: score of each pixel.
        lidars: (n,) per lidar: score of each measured return, ``cloud.points[cloud.returned]`` with
            ``cloud = frame.sensors.lidars[name].measured``.
    """

    cameras: Mapping[str, Scores] = field(default_factory=dict)
    lidars: Mapping[str, Scores] = field(default_factory=dict)

    def check(self, frame: DrivingFrame) -> None:
        """Compare the scores with the sensors of their frame.

        Raises:
            UnknownName: The frame has no such sensor.
            InvalidScores: There are no scores, or their shapes are wrong, or some are not finite.
        """
        if not (self.cameras or self.lidars):
            raise InvalidScores(f"frame {frame.number} has no scores; give those of at least one sensor.")
        sensors = frame.sensors
        for kind, given, known in (("camera", self.cameras, sensors.cameras), ("lidar", self.lidars, sensors.lidars)):
            for name in given:
                if name not in known:
                    near = did_you_mean(name, known)
                    raise UnknownName(f"frame {frame.number} has no {kind} {name!r}, but scores of it.{near}")
        for name, scores in self.cameras.items():
            camera = sensors.cameras[name].camera
            _check(f"camera {name!r}", frame, scores, (camera.height, camera.width))
        for name, scores in self.lidars.items():
            _check(f"lidar {name!r}", frame, scores, (int(sensors.lidars[name].measured.returned.sum()),))


def _check(sensor: str, frame: DrivingFrame, scores: Array, shape: tuple[int, ...]) -> None:
    found = np.asarray(scores)
    if found.dtype.kind not in "fiu" or found.shape != shape:
        raise InvalidScores(
            f"frame {frame.number}: the scores of {sensor} are an array of {found.dtype} with shape {found.shape}; "
            f"expected numbers with shape {shape}."
        )
    if not np.isfinite(found).all():
        raise InvalidScores(f"frame {frame.number}: some scores of {sensor} are not finite.")
