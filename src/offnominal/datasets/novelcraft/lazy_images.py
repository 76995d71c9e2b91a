"""Images that are decoded when they are used, with or without labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from offnominal.core.checks import positive_integer
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, BoolArray, FloatArray, Frame, Frames, IntArray
from offnominal.datasets.novelcraft.episode_files import IMAGE, EpisodeFiles
from offnominal.datasets.png import decode_png

SIDE = 256
Source = tuple[EpisodeFiles, int]
"""Files of an episode and id of a frame."""


class LazyImages:
    """A sequence of images, each of which is read and decoded when it is used.

    An index gives one image, (256, 256, 3) uint8. A slice, a list of indices or a boolean array gives an array of
    images, (k, 256, 256, 3). ``np.asarray(images)`` decodes all of them.

    Args:
        sources: Where each image is stored.
    """

    dtype = np.dtype(np.uint8)

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources

    def __len__(self) -> int:
        return len(self._sources)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} images)"

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Shape of the array of all images."""
        return len(self), SIDE, SIDE, 3

    def __getitem__(self, rows: int | np.integer[Any] | slice | Sequence[int] | Array) -> Frames:
        if isinstance(rows, int | np.integer):
            return self._decoded(range(len(self))[rows])
        chosen = self._rows(rows)
        found = np.empty((len(chosen), SIDE, SIDE, 3), np.uint8)
        for place, row in enumerate(chosen.tolist()):
            found[place] = self._decoded(row)
        return found

    def __iter__(self) -> Iterator[Frame]:
        return (self._decoded(row) for row in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self[:] if dtype is None else self[:].astype(dtype)

    def batches(self, size: int) -> Iterator[Frames]:
        """Yield arrays of at most `size` images, in order."""
        positive_integer("size", size)
        for first in range(0, len(self), size):
            yield self[first : first + size]

    def shrunk(self, side: int) -> Frames:
        """Return all images with fewer pixels, (n, side, side, 3) bytes; a pixel is the mean of those that it covers.

        One image at a time is decoded, so the memory is that of the result.

        Args:
            side: Pixels per side: 256 divided by an integer.
        """
        positive_integer("side", side)
        if SIDE % side:
            raise InvalidParameter(f"side is {side}; expected {SIDE} divided by an integer, such as {SIDE // 4}.")
        factor = SIDE // side
        found = np.empty((len(self), side, side, 3), np.uint8)
        for row, image in enumerate(self):
            rows = np.add.reduce(image.reshape(side, factor, -1), axis=1, dtype=np.uint32)
            sums = sum(rows.reshape(side, side, factor, 3)[:, :, place] for place in range(factor))
            found[row] = (sums + factor * factor // 2) // (factor * factor)
        return found

    def _rows(self, rows: slice | Sequence[int] | Array) -> IntArray:
        """Return the numbers of the chosen images."""
        every = np.arange(len(self))
        if isinstance(rows, slice):
            return every[rows]
        chosen = np.asarray(rows)
        if chosen.ndim != 1 or (chosen.size and chosen.dtype.kind not in "iub"):
            raise InvalidParameter(f"rows are {chosen.dtype} of shape {chosen.shape}; expected indices or a mask.")
        found: IntArray = every[chosen if chosen.dtype == np.bool_ else chosen.astype(np.int64)]
        return found

    def _decoded(self, row: int) -> Frame:
        files, frame = self._sources[row]
        image = decode_png(files.read(frame, IMAGE))
        if image.shape != (SIDE, SIDE, 3):
            raise InvalidParameter(
                f"frame {frame} of {files.path} has the shape {image.shape}; expected 256 × 256 × 3."
            )
        return image


class LabelledImages(LazyImages):
    """Images with their classes.

    Args:
        sources: Where each image is stored.
        ids: Id of each image, ``class/episode/frame``.
        labels: (n,): number of the class of each image.
        novel: (n,): whether the class of the image is novel.
        fractions: (n,): fraction of the pixels that show the novelty.
        classes: Names of all classes by number.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        ids: Sequence[str],
        labels: IntArray,
        novel: BoolArray,
        fractions: FloatArray,
        classes: tuple[str, ...],
    ) -> None:
        super().__init__(sources)
        self.ids = tuple(ids)
        self.labels = labels
        self.novel = novel
        self.fractions = fractions
        self.classes = classes

    def __repr__(self) -> str:
        return f"LabelledImages({len(self)} images of {len(np.unique(self.labels))} classes)"

    @property
    def episode_ids(self) -> tuple[str, ...]:
        """Episode of each image, ``class/episode``."""
        return tuple(id.rpartition("/")[0] for id in self.ids)

    def select(self, rows: slice | Sequence[int] | Array) -> Self:
        """Return some of the images: a slice, indices, or a boolean array."""
        chosen = self._rows(rows)
        numbers = chosen.tolist()
        return type(self)(
            [self._sources[row] for row in numbers],
            [self.ids[row] for row in numbers],
            self.labels[chosen],
            self.novel[chosen],
            self.fractions[chosen],
            self.classes,
        )

    def counts(self) -> dict[str, int]:
        """Return the number of images of each class that has some."""
        found = np.bincount(self.labels, minlength=len(self.classes))
        return {name: int(count) for name, count in zip(self.classes, found, strict=True) if count}
