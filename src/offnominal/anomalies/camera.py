"""The eight anomalies of a camera: what its picture suffers on the way to whoever looks at it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from offnominal.anomalies.anomaly import CameraAnomaly, FaultContext
from offnominal.anomalies.camera_kernel import add_noise, apply_lookup_table, blur, fill_bits, gain_table, noise_table
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Frame

STUCK = np.array([[0, 0, 0], [255, 255, 255], [255, 0, 0], [0, 255, 0], [0, 0, 255]], np.uint8)
"""What a dead pixel shows: black, white, or one hot colour."""


@dataclass(frozen=True)
class CameraNoise(CameraAnomaly):
    """Grain, as in the dark.

    Each number is drawn from 65,536 equally likely quantiles of the normal distribution, so none is beyond 4.3 s.
    """

    kind: ClassVar[str] = "noise"
    typical: ClassVar[float] = 20.0
    symbol: ClassVar[str] = "s"
    minimum: ClassVar[float] = 0.0
    formula: ClassVar[str] = "p' = p + s e,  e ~ N(0, 1) per pixel, colour and step; s in grey levels of 255"

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Add noise to every byte."""
        noisy = np.empty(frame.shape, np.uint8)
        bits = np.empty(8 * (frame.size // 8 + 1), np.uint16)
        fill_bits(context.stream.key, context.step, context.lane, bits)
        add_noise(frame.reshape(-1), noise_table(parameter), bits, noisy.reshape(-1))
        return noisy


@dataclass(frozen=True)
class Blur(CameraAnomaly):
    """A lens out of focus."""

    kind: ClassVar[str] = "blur"
    typical: ClassVar[float] = 2.0
    symbol: ClassVar[str] = "s"
    minimum: ClassVar[float] = 0.0
    formula: ClassVar[str] = "the picture convolved with a Gaussian of standard deviation s pixels"

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Convolve the picture."""
        if parameter <= 0.0:
            return frame
        blurred = np.empty(frame.shape, np.uint8)
        blur(frame, parameter, blurred)
        return blurred


@dataclass(frozen=True)
class Exposure(CameraAnomaly):
    """Too much light or too little, by b stops: 1 doubles it, -1 halves it."""

    kind: ClassVar[str] = "exposure"
    typical: ClassVar[float] = -1.5
    formula: ClassVar[str] = "p' = min(2^b p, 255)"

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Look every byte up in a table."""
        exposed = np.empty(frame.shape, np.uint8)
        apply_lookup_table(frame.reshape(-1), gain_table(parameter), exposed.reshape(-1))
        return exposed


@dataclass(frozen=True)
class DeadPixels(CameraAnomaly):
    """Pixels that show the same whatever stands before them: black, white, or red, green or blue at its brightest.

    An episode's dead pixels are fixed; a greater share adds to them.
    """

    kind: ClassVar[str] = "dead_pixels"
    typical: ClassVar[float] = 0.02
    minimum: ClassVar[float] = 0.0
    maximum: ClassVar[float] = 1.0
    formula: ClassVar[str] = "a share b of the pixels is stuck, the same ones for the whole episode"

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Overwrite the first pixels of the episode's random order."""
        pixels = frame.shape[0] * frame.shape[1]
        if "order" not in context.memory:
            drawn = context.uniform_per_episode(2 * pixels)
            context.memory["order"] = np.argsort(drawn[:pixels], kind="stable")
            context.memory["shown"] = STUCK[(drawn[pixels:] * len(STUCK)).astype(np.int64)]
        dead = context.memory["order"][: int(parameter * pixels + 0.5)]
        stuck = frame.copy()
        stuck.reshape(pixels, -1)[dead] = context.memory["shown"][: len(dead)]
        return stuck


@dataclass(frozen=True)
class Occlusion(CameraAnomaly):
    """Something opaque on the lens: a patch in one place for the whole episode.

    Args:
        grey: Its grey level.
    """

    grey: int = 48
    kind: ClassVar[str] = "occlusion"
    typical: ClassVar[float] = 0.3
    minimum: ClassVar[float] = 0.0
    maximum: ClassVar[float] = 1.0
    formula: ClassVar[str] = "a grey patch hides b of the height and b of the width, in one place per episode"

    def __post_init__(self) -> None:
        if isinstance(self.grey, bool) or not isinstance(self.grey, int) or not 0 <= self.grey <= 255:
            raise InvalidParameter(f"grey is {self.grey!r}; expected a whole number from 0 to 255.")

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Paint the patch; it grows around a fixed point."""
        if "place" not in context.memory:
            context.memory["place"] = context.uniform_per_episode(2).tolist()
        down, right = context.memory["place"]
        height, width = (int(parameter * side + 0.5) for side in frame.shape[:2])
        top, left = int(down * (frame.shape[0] - height) + 0.5), int(right * (frame.shape[1] - width) + 0.5)
        hidden = frame.copy()
        hidden[top : top + height, left : left + width] = self.grey
        return hidden


@dataclass(frozen=True)
class Frozen(CameraAnomaly):
    """A camera that hangs: it renews its picture only once the shown one is more than b frames old.

    With b = 1 it shows every second picture twice; with b at least the length of the episode it stands still for good.
    The picture on which it hangs at its onset is the last one before.
    """

    kind: ClassVar[str] = "frozen"
    typical: ClassVar[float] = 10.0
    minimum: ClassVar[float] = 0.0
    integer: ClassVar[bool] = True
    formula: ClassVar[str] = "a picture is shown for 1 + b frames"

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Show the held picture, or hold a new one."""
        context.memory["age"] += 1
        if context.memory["age"] > int(parameter + 0.5):
            self.observe(frame, parameter, context)
        held: Frame = context.memory["held"]
        return held

    def observe(self, frame: Frame, parameter: float, context: FaultContext) -> None:
        """Hold this picture."""
        context.memory.update(held=frame.copy(), age=0)


@dataclass(frozen=True)
class Drop(CameraAnomaly):
    """Pictures get lost, each by its own toss of a coin.

    Args:
        show: What is seen in place of a lost one: ``"black"``, or ``"last"`` for the last one that was not lost.
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

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Toss the coin."""
        if context.uniform(1)[0] >= parameter:
            self.observe(frame, parameter, context)
            return frame
        lost: Frame = np.zeros_like(frame) if self.show == "black" else context.memory["last"]
        return lost

    def observe(self, frame: Frame, parameter: float, context: FaultContext) -> None:
        """Keep the picture in case the next one gets lost."""
        if self.show == "last":
            context.memory["last"] = frame.copy()


@dataclass(frozen=True)
class CameraDelay(CameraAnomaly):
    """The picture of d steps ago; before there were d, the first one."""

    kind: ClassVar[str] = "delay"
    typical: ClassVar[float] = 5.0
    symbol: ClassVar[str] = "d"
    minimum: ClassVar[float] = 0.0
    integer: ClassVar[bool] = True
    formula: ClassVar[str] = "p'[t] = p[max(t - d, 0)]"

    def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
        """Queue this picture and show an earlier one."""
        queue: deque[Frame] = context.memory["queue"]
        queue.append(frame.copy())
        return queue[max(len(queue) - 1 - int(parameter + 0.5), 0)]

    def observe(self, frame: Frame, parameter: float, context: FaultContext) -> None:
        """Queue this picture."""
        queue = context.memory.setdefault("queue", deque(maxlen=int(parameter + 0.5) + 1))
        queue.append(frame.copy())
