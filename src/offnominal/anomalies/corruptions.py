"""The four picture corruptions that studies of image classifiers and of game players share, each at five severities."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from offnominal.anomalies.anomaly import CameraAnomaly, FaultContext
from offnominal.anomalies.camera_kernel import add_noise, fill_bits
from offnominal.anomalies.corruption_kernel import add_impulse_noise, grain_table, half_gaussian, motion_blur, pixelated
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, Frame


@dataclass(frozen=True)
class Corruption(CameraAnomaly):
    """A corruption of which only five settings were ever published: its parameter is the *severity*, 1 to 5.

    Severity 0 returns the very picture. Nothing is made up between two severities: a fault that grows step by step
    passes through the whole numbers, each from one half below to one half above. Every picture has a draw of its own.

    Attributes:
        settings: What severities 1 to 5 stand for.
    """

    settings: ClassVar[tuple[Any, ...]]
    typical: ClassVar[float] = 3.0
    symbol: ClassVar[str] = "severity"
    minimum: ClassVar[float] = 0.0
    maximum: ClassVar[float] = 5.0
    integer: ClassVar[bool] = True

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Corrupt the picture as hard as its severity says."""
        severity = int(parameter + 0.5)
        return frame if severity == 0 else self.corrupt(frame, self.settings[severity - 1], context)

    @abstractmethod
    def corrupt(self, frame: Frame, setting: Any, context: FaultContext) -> Frame:
        """Return the corrupted picture.

        Args:
            frame: (H, W, 3) bytes.
            setting: The entry of :attr:`settings`.
            context: Where in the episode.
        """


@dataclass(frozen=True)
class Gaussian(Corruption):
    """Noise of a sensor in poor light.

    It is what ``camera/noise`` is, up to the direction of rounding, at standard deviations that others used.
    """

    kind: ClassVar[str] = "gaussian"
    settings: ClassVar[tuple[float, ...]] = (0.08, 0.12, 0.18, 0.26, 0.38)
    formula: ClassVar[str] = (
        "p' = floor(255 clip(p/255 + e)),  e ~ N(0, s^2) per pixel and colour; s = 0.08, 0.12, 0.18, 0.26, 0.38"
    )

    def corrupt(self, frame: Frame, setting: float, context: FaultContext) -> Frame:
        """Add noise to every byte."""
        noisy = np.empty(frame.shape, np.uint8)
        add_noise(frame.reshape(-1), grain_table(setting), _bits(frame.size, context), noisy.reshape(-1))
        return noisy


@dataclass(frozen=True)
class Impulse(Corruption):
    """Salt and pepper: numbers that arrive as the largest or the smallest there is.

    Args:
        by: What is struck: each ``"byte"`` on its own, so that one colour of a pixel may be lost and the others not,
            or each ``"pixel"`` as a whole, black or white.
    """

    by: Literal["byte", "pixel"] = "byte"
    kind: ClassVar[str] = "impulse"
    settings: ClassVar[tuple[float, ...]] = (0.03, 0.06, 0.09, 0.17, 0.27)
    formula: ClassVar[str] = (
        "p' = 0 or 255, equally likely, with probability b per pixel and colour; b = 0.03, 0.06, 0.09, 0.17, 0.27"
    )

    def __post_init__(self) -> None:
        if self.by not in ("byte", "pixel"):
            raise InvalidParameter(f"by is {self.by!r}; choose 'byte' or 'pixel'.")

    def corrupt(self, frame: Frame, setting: float, context: FaultContext) -> Frame:
        """Strike some of the numbers."""
        struck = frame.copy()
        targets = struck.reshape(-1, 1 if self.by == "byte" else frame.shape[-1])
        add_impulse_noise(targets, setting, _bits(len(targets), context))
        return struck


@dataclass(frozen=True)
class MotionBlur(Corruption):
    """A camera that moves while its shutter is open, in a direction of its own for every picture.

    The trail goes to one side, as from a jerk. What would come from beyond the edge goes on as at the edge.
    """

    kind: ClassVar[str] = "motion_blur"
    settings: ClassVar[tuple[tuple[int, float], ...]] = ((10, 3.0), (15, 5.0), (15, 8.0), (15, 12.0), (20, 15.0))
    formula: ClassVar[str] = (
        "p' = sum_i k_i p shifted by i pixels at an angle ~ U(-45, 45) degrees,  k_i ~ exp(-i^2 / 2 s^2), "
        "i = 0 .. 2 r; (r, s) = (10, 3), (15, 5), (15, 8), (15, 12), (20, 15)"
    )

    def corrupt(self, frame: Frame, setting: tuple[int, float], context: FaultContext) -> Frame:
        """Add up shifted pictures."""
        radius, spread = setting
        angle = (context.uniform(1)[0] - 0.5) * (0.5 * np.pi)
        blurred = np.empty(frame.shape, np.uint8)
        motion_blur(frame, half_gaussian(2 * radius + 1, spread), angle, blurred)
        return blurred


@dataclass(frozen=True)
class Pixelate(Corruption):
    """A picture that was made small for the way and large again; the only one of the four without a draw."""

    kind: ClassVar[str] = "pixelate"
    settings: ClassVar[tuple[float, ...]] = (0.6, 0.5, 0.4, 0.3, 0.25)
    formula: ClassVar[str] = (
        "shrunk to a share f of its height and width by means over boxes, then enlarged by the nearest pixel; "
        "f = 0.6, 0.5, 0.4, 0.3, 0.25"
    )

    def corrupt(self, frame: Frame, setting: float, context: FaultContext) -> Frame:
        """Shrink and enlarge."""
        return pixelated(frame, setting)


def _bits(count: int, context: FaultContext) -> Array:
    """Return at least so many random numbers of 16 bits that belong to this fault and this picture."""
    bits = np.empty(8 * (count // 8 + 1), np.uint16)
    fill_bits(context.stream.key, context.step, context.lane, bits)
    return bits
