"""Eight anomalies of a camera."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from offnominal.anomalies.anomaly import CameraAnomaly, FaultContext, require_frame
from offnominal.anomalies.camera_kernel import add_noise, apply_lookup_table, blur, fill_bits, gain_table, noise_table
from offnominal.core.errors import InvalidParameter, InvalidState
from offnominal.core.types import Frame

STUCK = np.array([[0, 0, 0], [255, 255, 255], [255, 0, 0], [0, 255, 0], [0, 0, 255]], np.uint8)
"""Colours of a dead pixel: black, white, red, green or blue."""


@dataclass(frozen=True)
class CameraNoise(CameraAnomaly):
    """Gaussian noise on every pixel, as in low light.

    The noise takes 65,536 equally likely quantiles of the normal distribution, so no value is beyond 4.3 s.
    """

    kind: ClassVar[str] = "noise"
    typical: ClassVar[float] = 20.0
    symbol: ClassVar[str] = "s"
    minimum: ClassVar[float] = 0.0
    formula: ClassVar[str] = "p' = p + s e,  e ~ N(0, 1) per pixel, colour and step; s in grey levels of 255"

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Add noise to every byte."""
        require_frame(frame)
        noisy = np.empty(frame.shape, np.uint8)
        bits = np.empty(8 * (frame.size // 8 + 1), np.uint16)
        fill_bits(context.stream.key, context.step, context.lane, bits)
        add_noise(frame.reshape(-1), noise_table(parameter), bits, noisy.reshape(-1))
        return noisy


@dataclass(frozen=True)
class Blur(CameraAnomaly):
    """Gaussian blur, as by a lens out of focus."""

    kind: ClassVar[str] = "blur"
    typical: ClassVar[float] = 2.0
    symbol: ClassVar[str] = "s"
    minimum: ClassVar[float] = 0.0
    formula: ClassVar[str] = "the image convolved with a Gaussian of standard deviation s pixels"

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Return the blurred image."""
        require_frame(frame)
        if parameter <= 0.0:
            return frame
        blurred = np.empty(frame.shape, np.uint8)
        blur(frame, parameter, blurred)
        return blurred


@dataclass(frozen=True)
class Exposure(CameraAnomaly):
    """Wrong exposure by b stops: 1 doubles the light, -1 halves it."""

    kind: ClassVar[str] = "exposure"
    typical: ClassVar[float] = -1.5
    formula: ClassVar[str] = "p' = min(2^b p, 255)"

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Return the image with the light multiplied."""
        require_frame(frame)
        exposed = np.empty(frame.shape, np.uint8)
        apply_lookup_table(frame.reshape(-1), gain_table(parameter), exposed.reshape(-1))
        return exposed


@dataclass(frozen=True)
class DeadPixels(CameraAnomaly):
    """Dead pixels with a constant colour: black, white, red, green or blue.

    The dead pixels of an episode are fixed; a larger share adds more of them.
    """

    kind: ClassVar[str] = "dead_pixels"
    typical: ClassVar[float] = 0.02
    minimum: ClassVar[float] = 0.0
    maximum: ClassVar[float] = 1.0
    formula: ClassVar[str] = "a share b of the pixels is stuck, the same ones for the whole episode"

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Return the image with the first pixels of the episode's random order overwritten."""
        require_frame(frame)
        pixels = frame.shape[0] * frame.shape[1]
        if "order" not in context.memory:
            drawn = context.uniform_per_episode(2 * pixels)
            context.memory["order"] = np.argsort(drawn[:pixels], kind="stable")
            context.memory["colours"] = STUCK[(drawn[pixels:] * len(STUCK)).astype(np.int64)]
        dead = context.memory["order"][: int(parameter * pixels + 0.5)]
        stuck = frame.copy()
        stuck.reshape(pixels, -1)[dead] = context.memory["colours"][: len(dead)]
        return stuck


@dataclass(frozen=True)
class Occlusion(CameraAnomaly):
    """An opaque patch on the lens, at one position for the whole episode.

    Args:
        grey: Grey level of the patch.
    """

    grey: int = 48
    kind: ClassVar[str] = "occlusion"
    typical: ClassVar[float] = 0.3
    minimum: ClassVar[float] = 0.0
    maximum: ClassVar[float] = 1.0
    formula: ClassVar[str] = "a grey patch hides b of the height and b of the width, at one position per episode"

    def __post_init__(self) -> None:
        if isinstance(self.grey, bool) or not isinstance(self.grey, int) or not 0 <= self.grey <= 255:
            raise InvalidParameter(f"grey is {self.grey!r}; expected a whole number from 0 to 255.")

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Return the image with the patch, which grows around a fixed point."""
        require_frame(frame)
        if "position" not in context.memory:
            context.memory["position"] = context.uniform_per_episode(2).tolist()
        down, right = context.memory["position"]
        height, width = (int(parameter * side + 0.5) for side in frame.shape[:2])
        top, left = int(down * (frame.shape[0] - height) + 0.5), int(right * (frame.shape[1] - width) + 0.5)
        hidden = frame.copy()
        hidden[top : top + height, left : left + width] = self.grey
        return hidden


@dataclass(frozen=True)
class Frozen(CameraAnomaly):
    """A frozen camera: it shows a new image only when the current one is more than b frames old.

    With b = 1 it shows every second image twice; with b at least the length of the episode it never changes. The image
    that is shown at the onset is the last one before it.
    """

    kind: ClassVar[str] = "frozen"
    typical: ClassVar[float] = 10.0
    minimum: ClassVar[float] = 0.0
    integer: ClassVar[bool] = True
    formula: ClassVar[str] = "an image is shown for 1 + b frames"

    def lookback(self, parameter: float) -> int:
        """The image before the onset."""
        return 1

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Return the held image, or hold a new one."""
        require_frame(frame)
        _require_observed("held", context)
        context.memory["age"] += 1
        if context.memory["age"] > int(parameter + 0.5):
            self.observe(frame, parameter, context)
        held: Frame = context.memory["held"]
        return held

    def observe(self, frame: Frame, parameter: float, context: FaultContext) -> None:
        """Hold this image."""
        context.memory.update(held=frame.copy(), age=0)


@dataclass(frozen=True)
class Drop(CameraAnomaly):
    """Dropped images: each image is lost with probability b.

    Args:
        show: Replacement of a lost image: ``"black"``, or ``"last"`` for the last image that was not lost.
    """

    show: Literal["black", "last"] = "black"
    kind: ClassVar[str] = "drop"
    typical: ClassVar[float] = 0.3
    minimum: ClassVar[float] = 0.0
    maximum: ClassVar[float] = 1.0
    formula: ClassVar[str] = "with probability b, p' = 0 (black)"

    def __post_init__(self) -> None:
        if self.show not in ("black", "last"):
            raise InvalidParameter(f"show is {self.show!r}; choose 'black' or 'last'.")

    def lookback(self, parameter: float) -> int:
        """The image before the onset, if it is shown in place of a lost one."""
        return 1 if self.show == "last" else 0

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Return the image or its replacement."""
        require_frame(frame)
        if context.uniform(1)[0] >= parameter:
            self.observe(frame, parameter, context)
            return frame
        if self.show == "black":
            return np.zeros_like(frame)
        _require_observed("last", context)
        last: Frame = context.memory["last"]
        return last

    def observe(self, frame: Frame, parameter: float, context: FaultContext) -> None:
        """Keep the image as a replacement of the next one."""
        if self.show == "last":
            context.memory["last"] = frame.copy()


@dataclass(frozen=True)
class CameraDelay(CameraAnomaly):
    """A delayed camera: the image of d steps ago, or the first one of the episode."""

    kind: ClassVar[str] = "delay"
    typical: ClassVar[float] = 5.0
    symbol: ClassVar[str] = "d"
    minimum: ClassVar[float] = 0.0
    integer: ClassVar[bool] = True
    formula: ClassVar[str] = "p'[t] = p[max(t - d, 0)]"

    def lookback(self, parameter: float) -> int:
        """The length of the delay."""
        return int(parameter)

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Queue this image and return an earlier one."""
        require_frame(frame)
        _require_observed("queue", context)
        queue: deque[Frame] = context.memory["queue"]
        queue.append(frame.copy())
        return queue[max(len(queue) - 1 - int(parameter + 0.5), 0)]

    def observe(self, frame: Frame, parameter: float, context: FaultContext) -> None:
        """Queue this image."""
        queue = context.memory.setdefault("queue", deque(maxlen=int(parameter + 0.5) + 1))
        queue.append(frame.copy())


def _require_observed(name: str, context: FaultContext) -> None:
    """Raise :class:`InvalidState` if an earlier image is needed and none was observed."""
    if name not in context.memory:
        raise InvalidState("no earlier image of this episode was observed; call observe with its first image.")
