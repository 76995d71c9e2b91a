"""Voxel grids: a box of space that is divided into cubes of equal size."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from offnominal.core.checks import number_in, positive_number
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.sensing.shapes import Triple

MOST_VOXELS = 2**30
ROUNDING = 1e-6
"""Largest difference of a side from a whole number of voxels, as a share of a voxel."""


@dataclass(frozen=True)
class VoxelGrid(Config):
    """A box that is divided into cubes.

    Voxels are numbered along x first, then y, then z. The default is the grid of the paper of AnoVox: 100 x 100 x 64 m
    in voxels of 0.5 m. It is centred 1.8 m above the ground below the ego vehicle, so that the ground is inside a layer
    of voxels and not between two.

    Args:
        low: Corner with the smallest x, y and z, m.
        high: Opposite corner, m.
        voxel_size: Side of a voxel, m.

    Example:
        >>> VoxelGrid().shape
        (200, 200, 128)
        >>> VoxelGrid((0.0, 0.0, 0.0), (0.0, 1.0, 1.0))
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: the grid goes from x = 0.0 to 0.0; expected a positive size.
    """

    low: Triple = (-50.0, -50.0, -30.2)
    high: Triple = (50.0, 50.0, 33.8)
    voxel_size: float = 0.5

    def __post_init__(self) -> None:
        positive_number("voxel_size", self.voxel_size)
        for name in ("low", "high"):
            corner = getattr(self, name)
            if np.shape(corner) != (3,):
                raise InvalidParameter(
                    f"the corner {name} of the grid is {shown(corner)}; expected (x, y, z) in metres."
                )
            object.__setattr__(self, name, tuple(float(number_in(f"{name} of the grid", each)) for each in corner))
        for axis, low, high in zip("xyz", self.low, self.high, strict=True):
            if not low < high:
                raise InvalidParameter(f"the grid goes from {axis} = {low} to {high}; expected a positive size.")
            voxels = (high - low) / self.voxel_size
            if voxels > MOST_VOXELS or abs(voxels - round(voxels)) > ROUNDING:
                raise InvalidParameter(
                    f"the grid has {voxels:g} voxels along {axis}; expected a whole number of voxels of "
                    f"{self.voxel_size} m."
                )
        if self.n_voxels > MOST_VOXELS:
            raise InvalidParameter(f"the grid has {self.n_voxels:,} voxels; expected at most {MOST_VOXELS:,}.")

    @cached_property
    def shape(self) -> tuple[int, int, int]:
        """Number of voxels along x, y and z."""
        x, y, z = (round((b - a) / self.voxel_size) for a, b in zip(self.low, self.high, strict=True))
        return x, y, z

    @property
    def n_voxels(self) -> int:
        """Number of voxels."""
        x, y, z = self.shape
        return x * y * z

    def coordinates(self, index: Array) -> IntArray:
        """Return the position (n, 3) of numbered voxels in the grid, from 0 along x, y and z."""
        x, y, _ = self.shape
        numbers = np.asarray(index, np.int64)
        return np.stack([numbers % x, numbers // x % y, numbers // (x * y)], axis=-1)

    def numbers(self, coordinates: Array) -> IntArray:
        """Return the numbers (n,) of voxels at positions (n, 3) in the grid.

        Example:
            >>> grid = VoxelGrid()
            >>> grid.numbers(grid.coordinates(np.array([0, 70_000])))
            array([    0, 70000])
        """
        given = np.asarray(coordinates, np.int64)
        if given.ndim != 2 or given.shape[1] != 3:
            raise InvalidParameter(f"the positions of voxels have the shape {given.shape}; expected (n, 3).")
        if ((given < 0) | (given >= self.shape)).any():
            raise InvalidParameter(f"a voxel is outside the grid of {' x '.join(map(str, self.shape))} voxels.")
        numbers: IntArray = given @ np.array([1, self.shape[0], self.shape[0] * self.shape[1]])
        return numbers

    def centres(self, index: Array) -> FloatArray:
        """Return the centres (n, 3) of numbered voxels, m."""
        centres: FloatArray = np.asarray(self.low) + (self.coordinates(index) + 0.5) * self.voxel_size
        return centres
