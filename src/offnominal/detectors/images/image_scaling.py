"""Checks and scaling of images and actions."""

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

MIN_SIDE = 32
COLOURS = 3
DIMENSIONS = 4


@dataclass(frozen=True, slots=True)
class ImageScaling:
    """Image shape, and standardisation of the actions.

    Pixels are scaled by :func:`scale_pixels`, which has no fitted parameters.

    Args:
        shape: (3, H, W).
        action: Mean and scale of the actions; a constant action is not scaled.
    """

    shape: Shape
    action: Normaliser

    @classmethod
    def of(cls, shape: Shape, actions: Sequence[Array]) -> ImageScaling:
        """Fit to the actions of nominal episodes."""
        return cls(shape, Normaliser.of(np.concatenate(actions)))

    def actions(self, actions: Array) -> SinglePrecision:
        """Return normalised actions, (n, width)."""
        rows = np.asarray(actions).reshape(len(actions), -1)
        return np.clip(self.action(rows), -MAX_VALUE, MAX_VALUE).astype(np.float32)

    def arrays(self) -> dict[str, Array]:
        """Return the fitted parameters as arrays."""
        shape = np.array(self.shape, np.int64)
        return {"shape": shape, "action.mean": self.action.mean, "action.scale": self.action.scale}

    @classmethod
    def restored(cls, state: StateArrays, observation: int, action: int) -> ImageScaling:
        """Restore the scaling from arrays, given the widths of observations and actions."""
        shape = restored_shape(state, observation)
        return cls(shape, Normaliser.restored(state, "action.mean", "action.scale", action))


def restored_shape(state: StateArrays, n_values: int) -> Shape:
    """Restore the image shape from arrays.

    Args:
        state: Arrays of a detector.
        n_values: Number of values of an image.
    """
    colours, height, width = state.integers("shape", (3,), low=1, high=n_values).tolist()
    if colours != COLOURS or colours * height * width != n_values:
        raise DamagedFile(
            f"the images have shape {(colours, height, width)}; {state.owner} was fitted to {COLOURS} colours "
            f"and {n_values} values."
        )
    return colours, height, width


def scale_pixels(frames: Tensor, lowest: float, highest: float) -> Tensor:
    """Return uint8 images as floats: 0 becomes the lowest value, 255 the highest.

    Example:
        >>> import torch
        >>> scale_pixels(torch.tensor([0, 255], dtype=torch.uint8), -1.0, 1.0)
        tensor([-1.,  1.])
    """
    return frames.float().mul_((highest - lowest) / 255.0).add_(lowest)


def image_shape(observations: Array, where: str, *, expected: Shape | None = None) -> Shape:
    """Return the shape of images (n, 3, H, W) uint8; raise :class:`InvalidParameter` for anything else.

    Args:
        observations: Images to check.
        where: Their origin, for the error message.
        expected: Required shape; None for any shape.
    """
    values = np.asarray(observations)
    if values.ndim != DIMENSIONS or values.shape[1] != COLOURS or values.dtype != np.uint8:
        raise InvalidParameter(
            f"{where} has observations of shape {values.shape[1:]} and type {values.dtype}; expected images "
            "(3, H, W) uint8: record with frames=True and use .images()."
        )
    shape = COLOURS, values.shape[2], values.shape[3]
    if expected is not None and shape != expected:
        raise InvalidParameter(
            f"{where} has images of {shape[1]} × {shape[2]} pixels; expected {expected[1]} × {expected[2]}."
        )
    if min(shape[1:]) < MIN_SIDE:
        raise InvalidParameter(
            f"{where} has images of {shape[1]} × {shape[2]} pixels; expected at least {MIN_SIDE} × {MIN_SIDE}."
        )
    return shape
