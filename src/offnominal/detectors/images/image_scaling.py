"""Pictures and actions in the units a network works in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from torch import Tensor

from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.core.types import Array
from offnominal.detectors.normaliser import Normaliser
from offnominal.detectors.state_arrays import StateArrays
from offnominal.detectors.transitions.scaling import MAX_VALUE, SinglePrecision

Shape: TypeAlias = tuple[int, int, int]

SMALLEST = 32
COLOURS = 3
DIMENSIONS = 4


@dataclass(frozen=True, slots=True)
class ImageScaling:
    """The shape of the pictures, and actions in units of their nominal spread.

    Pixels need nothing that is learned: their bytes are brought to the range of the network once, by
    :func:`scale_pixels`.

    Args:
        shape: (3, H, W).
        action: Of the actions; one that never varies stays in its raw unit.
    """

    shape: Shape
    action: Normaliser

    @classmethod
    def of(cls, shape: Shape, actions: Sequence[Array]) -> ImageScaling:
        """Learn from the actions of nominal episodes."""
        return cls(shape, Normaliser.of(np.concatenate(actions)))

    def actions(self, actions: Array) -> SinglePrecision:
        """Return rows of normalised actions, flat."""
        rows = np.asarray(actions).reshape(len(actions), -1)
        return np.clip(self.action(rows), -MAX_VALUE, MAX_VALUE).astype(np.float32)

    def arrays(self) -> dict[str, Array]:
        """Return what was learned."""
        shape = np.array(self.shape, np.int64)
        return {"shape": shape, "action.mean": self.action.mean, "action.scale": self.action.scale}

    @classmethod
    def restored(cls, state: StateArrays, observation: int, action: int) -> ImageScaling:
        """Read what was learned, given the widths of observations and actions."""
        shape = restored_shape(state, observation)
        return cls(shape, Normaliser.restored(state, "action.mean", "action.scale", action))


def restored_shape(state: StateArrays, numbers: int) -> Shape:
    """Read the shape of pictures that have so many numbers."""
    colours, height, width = state.integers("shape", (3,), low=1, high=numbers).tolist()
    if colours != COLOURS or colours * height * width != numbers:
        raise DamagedFile(
            f"the pictures have shape {(colours, height, width)}; {state.owner} has learned from {COLOURS} colours "
            f"and {numbers} numbers."
        )
    return colours, height, width


def scale_pixels(frames: Tensor, lowest: float, highest: float) -> Tensor:
    """Return bytes as numbers: 0 becomes the lowest, 255 the highest.

    Example:
        >>> import torch
        >>> scale_pixels(torch.tensor([0, 255], dtype=torch.uint8), -1.0, 1.0)
        tensor([-1.,  1.])
    """
    return frames.float().mul_((highest - lowest) / 255.0).add_(lowest)


def image_shape(observations: Array, where: str, *, expected: Shape | None = None) -> Shape:
    """Return the shape of pictures, (n, 3, H, W) of bytes, or raise :class:`InvalidParameter` if they are none.

    Args:
        observations: What should be pictures.
        where: Whose they are, for the error.
        expected: The shape they must have.
    """
    values = np.asarray(observations)
    if values.ndim != DIMENSIONS or values.shape[1] != COLOURS or values.dtype != np.uint8:
        raise InvalidParameter(
            f"{where} has observations of shape {values.shape[1:]} and type {values.dtype}; expected pictures "
            "(3, H, W) uint8: record with frames=True and use .images()."
        )
    shape = COLOURS, values.shape[2], values.shape[3]
    if expected is not None and shape != expected:
        raise InvalidParameter(
            f"{where} has pictures of {shape[1]} × {shape[2]} pixels; expected {expected[1]} × {expected[2]}."
        )
    if min(shape[1:]) < SMALLEST:
        raise InvalidParameter(
            f"{where} has pictures of {shape[1]} × {shape[2]} pixels; expected at least {SMALLEST} × {SMALLEST}."
        )
    return shape
