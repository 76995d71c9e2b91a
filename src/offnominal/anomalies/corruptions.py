"""Four image corruptions that robustness benchmarks share, each at five severities."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from offnominal.anomalies.anomaly import CameraAnomaly, FaultContext, require_frame
from offnominal.anomalies.camera_kernel import add_noise, fill_bits
from offnominal.anomalies.corruption_kernel import add_impulse_noise, grain_table, half_gaussian, motion_blur, pixelated
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, Frame


@dataclass(frozen=True)
class Corruption(CameraAnomaly):
    """A corruption with five published settings. Its parameter is the *severity*, 1 to 5.

    Severity 0 returns the image unchanged. Severities are not interpolated: a fault with a ramp passes through the
    whole numbers, and each value is rounded to the nearest one. The random numbers are new for every image.

    Attributes:
        settings: Settings of the severities 1 to 5.
    """

    settings: ClassVar[tuple[Any, ...]]
    typical: ClassVar[float] = 3.0
    symbol: ClassVar[str] = "severity"
    minimum: ClassVar[float] = 0.0
    maximum: ClassVar[float] = 5.0
    integer: ClassVar[bool] = True

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Return the image, corrupted at the severity."""
        require_frame(frame)
        severity = int(parameter + 0.5)
        return frame if severity == 0 else self.corrupt(frame, self.settings[severity - 1], context)

    @abstractmethod
    def corrupt(self, frame: Frame, setting: Any, context: FaultContext) -> Frame:
        """Return the corrupted image.

        Args:
            frame: (H, W, 3) bytes.
            setting: Entry of :attr:`settings`.
            context: Context in the episode.
        """


@dataclass(frozen=True)
class Gaussian(Corruption):
    """Gaussian noise.

    It equals ``camera/noise`` at the published standard deviations, except for the direction of rounding.
    """

    kind: ClassVar[str] = "gaussian"
    settings: ClassVar[tuple[float, ...]] = (0.08, 0.12, 0.18, 0.26, 0.38)
    formula: ClassVar[str] = (
        "p' = floor(255 clip(p/255 + e)),  e ~ N(0, s^2) per pixel and colour; s = 0.08, 0.12, 0.18, 0.26, 0.38"
    )

    def corrupt(self, frame: Frame, setting: float, context: FaultContext) -> Frame:
        """Add noise to every byte."""
        require_frame(frame)
        noisy = np.empty(frame.shape, np.uint8)
        add_noise(frame.reshape(-1), grain_table(setting), _bits(frame.size, context), noisy.reshape(-1))
        return noisy


@dataclass(frozen=True)
class Impulse(Corruption):
    """Impulse noise (salt and pepper): values that become 0 or 255.

    Args:
        by: Unit of the noise: each ``"byte"``, so that the colours of a pixel are independent, or each ``"pixel"``,
            which becomes black or white.
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
        """Return the image with impulse noise."""
        require_frame(frame)
        noisy = frame.copy()
        targets = noisy.reshape(-1, 1 if self.by == "byte" else frame.shape[-1])
        add_impulse_noise(targets, setting, _bits(len(targets), context))
        return noisy


@dataclass(frozen=True)
class MotionBlur(Corruption):
    """Motion blur in a random direction, drawn for every image.

    The trail goes to one side only. Pixels beyond the edge repeat the edge.
    """

    kind: ClassVar[str] = "motion_blur"
    settings: ClassVar[tuple[tuple[int, float], ...]] = ((10, 3.0), (15, 5.0), (15, 8.0), (15, 12.0), (20, 15.0))
    formula: ClassVar[str] = (
        "p' = sum_i k_i p shifted by i pixels at an angle ~ U(-45, 45) degrees,  k_i ~ exp(-i^2 / 2 s^2), "
        "i = 0 .. 2 r; (r, s) = (10, 3), (15, 5), (15, 8), (15, 12), (20, 15)"
    )

    def corrupt(self, frame: Frame, setting: tuple[int, float], context: FaultContext) -> Frame:
        """Return the weighted sum of shifted images."""
        require_frame(frame)
        radius, spread = setting
        angle = (context.uniform(1)[0] - 0.5) * (0.5 * np.pi)
        blurred = np.empty(frame.shape, np.uint8)
        motion_blur(frame, half_gaussian(2 * radius + 1, spread), angle, blurred)
        return blurred


@dataclass(frozen=True)
class Pixelate(Corruption):
    """An image that was shrunk and enlarged again. The only one of the four without random numbers."""

    kind: ClassVar[str] = "pixelate"
    settings: ClassVar[tuple[float, ...]] = (0.6, 0.5, 0.4, 0.3, 0.25)
    formula: ClassVar[str] = (
        "shrunk to a share f of its height and width by means over boxes, then enlarged by the nearest pixel; "
        "f = 0.6, 0.5, 0.4, 0.3, 0.25"
    )

    def corrupt(self, frame: Frame, setting: float, context: FaultContext) -> Frame:
        """Return the image, shrunk and enlarged."""
        require_frame(frame)
        return pixelated(frame, setting)


def _bits(count: int, context: FaultContext) -> Array:
    """Return at least `count` random 16-bit numbers for this fault and this image."""
    bits = np.empty(8 * (count // 8 + 1), np.uint16)
    fill_bits(context.stream.key, context.step, context.lane, bits)
    return bits
