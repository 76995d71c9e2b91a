"""Feature vectors of normal scenes: a sample in bounded memory, a covering subset, and distances to it."""

from __future__ import annotations

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.observation_limits import MAX_READING
from offnominal.detectors.rows.neighbour_search import NeighbourSearch
from offnominal.detectors.state_arrays import StateArrays

LEAST_SCALE = 1e-6
CANDIDATES = 8
"""Number of sampled vectors for each one of the subset."""


class RowSample:
    """A uniform sample of a stream of vectors of unknown length, in bounded memory.

    Args:
        size: Largest number of vectors.
        draw: Source of random numbers.

    Example:
        >>> sample = RowSample(4, np.random.default_rng(0))
        >>> for number in range(10):
        ...     sample.add(np.full((2, 3), float(number)))
        >>> sample.rows().shape
        (4, 3)
    """

    def __init__(self, size: int, draw: np.random.Generator) -> None:
        self.size, self.draw = size, draw
        self._threshold = np.inf
        self._rows: list[FloatArray] = []
        self._keys: list[FloatArray] = []

    @property
    def empty(self) -> bool:
        """Whether no vectors were added."""
        return not any(map(len, self._rows))

    def add(self, rows: FloatArray) -> None:
        """Add vectors (n, width) of the stream."""
        keys = self.draw.random(len(rows))
        kept = keys < self._threshold
        self._rows.append(rows[kept])
        self._keys.append(keys[kept])
        if sum(map(len, self._keys)) > 2 * self.size:
            self._shrink()

    def _shrink(self) -> None:
        rows, keys = np.concatenate(self._rows), np.concatenate(self._keys)
        if len(keys) > self.size:
            self._threshold = float(np.partition(keys, self.size)[self.size])
            rows, keys = rows[keys < self._threshold], keys[keys < self._threshold]
        self._rows, self._keys = [rows], [keys]

    def rows(self) -> FloatArray:
        """Return the sample, (n, width)."""
        if self.empty:
            raise InvalidParameter("the normal scenes have no valid measurements; give frames with an image or points.")
        self._shrink()
        return self._rows[0]


class NominalRows:
    """Standardised vectors of normal scenes, with exact nearest-neighbour search.

    Args:
        mean: (width,): mean of each feature in normal scenes.
        scale: (width,): its standard deviation, divided by its weight.
        rows: (n, width): standardised vectors.
    """

    def __init__(self, mean: FloatArray, scale: FloatArray, rows: FloatArray) -> None:
        self.mean, self.scale = mean, scale
        self._search = NeighbourSearch(rows)

    @classmethod
    def of(cls, sample: FloatArray, size: int, draw: np.random.Generator) -> NominalRows:
        """Return a subset of a sample that covers it; see :func:`covering`."""
        mean, scale = sample.mean(axis=0), np.maximum(sample.std(axis=0), LEAST_SCALE)
        rows = (sample - mean) / scale
        return cls(mean, scale, rows[covering(rows, size, draw)])

    def distances(self, rows: FloatArray, k: int) -> FloatArray:
        """Return the mean distance of each row (n, width) to its k nearest vectors."""
        if not len(rows):
            return np.zeros(0)
        standard = np.clip((rows - self.mean) / self.scale, -MAX_READING, MAX_READING)
        distances, _ = self._search.nearest(standard, min(k, len(self._search.points)))
        found: FloatArray = distances.mean(axis=1)
        return found

    def arrays(self) -> dict[str, Array]:
        """Return everything as arrays."""
        return {"mean": self.mean.copy(), "scale": self.scale.copy(), "points": self._search.points.copy()}

    @classmethod
    def restored(cls, state: StateArrays, least: int) -> NominalRows:
        """Return the vectors from the result of :meth:`arrays`."""
        points = state.points(least)
        shape = ("width",)
        return cls(state.floats("mean", shape), state.floats("scale", shape, low=LEAST_SCALE), points)


def covering(rows: FloatArray, size: int, draw: np.random.Generator) -> IntArray:
    """Return the indices of a greedy k-centre subset: each next row is the farthest from those selected before.

    Rare normal vectors are part of such a subset, while a random one of the same size misses them.

    Args:
        rows: (n, width).
        size: Number of rows to select; fewer if the remaining ones are equal to selected ones.
        draw: Source of the first row.

    Example:
        >>> corners = np.array([[0.0, 0.0], [0.1, 0.0], [5.0, 0.0], [5.0, 9.0]])
        >>> sorted(covering(corners, 3, np.random.default_rng(0)).tolist())[1:]
        [2, 3]
    """
    columns = np.ascontiguousarray(rows.T, np.float32)
    latest = int(draw.integers(len(rows)))
    chosen = [latest]
    far = np.full(len(rows), np.inf, np.float32)
    while len(chosen) < min(size, len(rows)):
        gap = columns - columns[:, latest : latest + 1]
        np.minimum(far, np.einsum("ij,ij->j", gap, gap), out=far)
        latest = int(far.argmax())
        if far[latest] == 0.0:
            break
        chosen.append(latest)
    return np.array(chosen, np.int64)
