"""Anomaly problems from labelled images: one class is anomalous, or all except one are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import BoolArray, IntArray
from offnominal.datasets.image_sets.image_set import ImageSet
from offnominal.datasets.tables.table_split import split_rows


@dataclass(frozen=True, slots=True)
class ImagePart:
    """Part of an image set.

    Attributes:
        source: Image set.
        rows: (n,) indices of the images.
        anomalous: (n,) labels.
    """

    source: ImageSet
    rows: IntArray
    anomalous: BoolArray

    @property
    def images(self) -> NDArray[np.float32]:
        """Images as (n, channels, height, width) numbers from 0 to 1, computed on access."""
        return self.source.pixels(self.rows)

    @property
    def points(self) -> NDArray[np.float32]:
        """Images as rows, (n, channels · height · width)."""
        return self.images.reshape(len(self), -1)

    @property
    def normal(self) -> ImagePart:
        """Normal images, for example for early stopping."""
        keep = ~self.anomalous
        return ImagePart(self.source, self.rows[keep], self.anomalous[keep])

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"ImagePart({self.source.name!r}, {len(self)} images, {int(self.anomalous.sum())} anomalous)"


@dataclass(frozen=True, slots=True)
class ImageSplit:
    """Training, validation and test split of an image set."""

    train: ImagePart
    validation: ImagePart
    test: ImagePart


def leave_one_out(images: ImageSet, class_index: int, seed: int, *, contamination: float = 0.0) -> ImageSplit:
    """Return a split with one anomalous class; all others are normal. The proportions are those of tables.

    Args:
        images: Image set.
        class_index: 0 to 9, in the order in which the classes first appear (see ``images.order``).
        seed: Seed of the shuffle.
        contamination: Fraction of anomalies among the training images.

    Raises:
        InvalidParameter: The class does not exist, or there are too few images.

    Example:
        >>> pixels = np.zeros((30, 2, 2, 1), np.uint8)
        >>> tiny = ImageSet("tiny", pixels, np.arange(30) % 3, ("a", "b", "c"))
        >>> leave_one_out(tiny, 0, seed=1).test
        ImagePart('tiny', 9 images, 5 anomalous)
    """
    return _split(images, images.labels == _label(images, class_index), seed, contamination)


def leave_one_in(images: ImageSet, class_index: int, seed: int, *, contamination: float = 0.0) -> ImageSplit:
    """Return a split with one normal class; all others are anomalous. See :func:`leave_one_out` for the arguments.

    Example:
        >>> pixels = np.zeros((30, 2, 2, 1), np.uint8)
        >>> tiny = ImageSet("tiny", pixels, np.arange(30) % 3, ("a", "b", "c"))
        >>> leave_one_in(tiny, 0, seed=1).test
        ImagePart('tiny', 12 images, 10 anomalous)
    """
    return _split(images, images.labels != _label(images, class_index), seed, contamination)


def _label(images: ImageSet, class_index: int) -> int:
    order = images.order
    if isinstance(class_index, bool) or class_index not in range(len(order)):
        raise InvalidParameter(f"class_index is {class_index!r}; {images.name} has 0 to {len(order) - 1}.")
    return order[class_index]


def _split(images: ImageSet, anomalous: BoolArray, seed: int, contamination: float) -> ImageSplit:
    at = np.concatenate([np.flatnonzero(~anomalous), np.flatnonzero(anomalous)])
    chosen = split_rows(
        int((~anomalous).sum()), int(anomalous.sum()), seed, contamination=contamination, name=images.name
    )
    parts = [at[rows] for rows in (chosen.train, chosen.validation, chosen.test)]
    return ImageSplit(*(ImagePart(images, rows, anomalous[rows]) for rows in parts))
