"""Two anomalies on the way from a sensor to the image: dead rows and compression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from offnominal.anomalies.anomaly import CameraAnomaly, FaultContext, require_frame
from offnominal.core.types import Frame
from offnominal.sensing.compression_kernel import compressed


@dataclass(frozen=True)
class DeadRows(CameraAnomaly):
    """Rows of the sensor that are not read: each is black or white in all columns.

    The dead rows of an episode are fixed; a larger share adds more of them.

    Example:
        >>> import offnominal as off
        >>> env = off.make("SAP-Goal0-v0", "camera/dead_rows", strength=0.1, schedule=0, observation="image")
        >>> _ = env.reset(seed=0)
        >>> image, *_ = env.step([0.0, 0.0])
        >>> ((image == 0) | (image == 255)).all(axis=(0, 2)).sum() >= 13  # of 128 rows
        np.True_
    """

    kind: ClassVar[str] = "dead_rows"
    typical: ClassVar[float] = 0.05
    minimum: ClassVar[float] = 0.0
    maximum: ClassVar[float] = 1.0
    formula: ClassVar[str] = "a share b of the rows is black or white, the same ones for the whole episode"

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Return the image with the first rows of the episode's random order overwritten."""
        require_frame(frame)
        height = frame.shape[0]
        if "order" not in context.memory:
            drawn = context.uniform_per_episode(2 * height)
            context.memory["order"] = np.argsort(drawn[:height], kind="stable")
            context.memory["levels"] = np.where(drawn[height:] < 0.5, 0, 255).astype(np.uint8)
        dead = context.memory["order"][: int(parameter * height + 0.5)]
        unread = frame.copy()
        unread[dead] = context.memory["levels"][: len(dead), None, None]
        return unread


@dataclass(frozen=True)
class Compression(CameraAnomaly):
    """Lossy compression as by JPEG, with steps b times those of its tables.

    b = 0.2, 1, 2, 5 and 25 are the qualities 90, 50, 25, 10 and 2 of the usual encoders. Every b above 0 halves the
    resolution of the colours; b = 0 returns the image unchanged.

    Example:
        >>> import offnominal as off
        >>> env = off.make("SAP-Goal0-v0", "camera/compression", strength=5.0, schedule=0, observation="image")
        >>> _ = env.reset(seed=0)
        >>> image, *_, info = env.step([0.0, 0.0])
        >>> (image != info["clean_observation"]).mean() > 0.1
        np.True_
    """

    kind: ClassVar[str] = "compression"
    typical: ClassVar[float] = 5.0
    minimum: ClassVar[float] = 0.0
    maximum: ClassVar[float] = 50.0
    formula: ClassVar[str] = (
        "cosine coefficients of 8 x 8 pixels are rounded to multiples of b times the steps of JPEG; "
        "b = 1 is quality 50, b = 5 quality 10"
    )

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Return the image, compressed and restored."""
        require_frame(frame)
        return frame if parameter <= 0.0 else compressed(frame, parameter)
