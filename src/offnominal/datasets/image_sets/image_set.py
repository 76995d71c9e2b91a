"""Sets of labelled images."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from offnominal.core.checks import require_shape
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import IntArray


@dataclass(frozen=True, slots=True)
class ImageSet:
    """Labelled images, training and test images together.

    Attributes:
        name: Name of the set.
        images: (n, height, width, channels) bytes.
        labels: (n,) class indices from 0.
        classes: Names of the classes.

    Raises:
        InvalidParameter: The images are not bytes of that shape, or a label is missing or has no name.

    Example:
        >>> images = np.zeros((3, 2, 2, 1), np.uint8)
        >>> tiny = ImageSet("tiny", images, [1, 0, 1], ("cat", "dog"))
        >>> tiny.order
        (1, 0)
    """

    name: str
    images: NDArray[np.uint8]
    labels: IntArray
    classes: tuple[str, ...]

    def __post_init__(self) -> None:
        images, labels = np.asarray(self.images), np.asarray(self.labels, np.int64)
        if images.dtype != np.uint8 or images.ndim != 4:
            raise InvalidParameter(
                f"{self.name}: images are {images.dtype} of shape {images.shape}; expected uint8 of images × height × "
                "width × channels."
            )
        if labels.shape != (len(images),):
            raise InvalidParameter(
                f"{self.name}: labels have the shape {labels.shape}; expected one for each of {len(images)} images."
            )
        if len(labels) and not 0 <= labels.min() <= labels.max() < len(self.classes):
            raise InvalidParameter(
                f"{self.name}: labels go from {labels.min()} to {labels.max()}; expected 0 to {len(self.classes) - 1}."
            )
        object.__setattr__(self, "images", images)
        object.__setattr__(self, "labels", labels)

    @property
    def order(self) -> tuple[int, ...]:
        """Labels in the order of their first appearance, which is the order of classes in the paper."""
        found, first = np.unique(self.labels, return_index=True)
        return tuple(int(label) for label in found[np.argsort(first)])

    def pixels(self, rows: IntArray) -> NDArray[np.float32]:
        """Return the given images as (n, channels, height, width) numbers from 0 to 1."""
        require_shape("rows", rows, "n")
        chosen = np.ascontiguousarray(self.images[rows].transpose(0, 3, 1, 2))
        return np.divide(chosen, 255, dtype=np.float32)

    def __len__(self) -> int:
        return len(self.images)

    def __repr__(self) -> str:
        shape = " × ".join(map(str, self.images.shape[1:]))
        return f"ImageSet({self.name!r}, {len(self)} images of {shape}, {len(self.classes)} classes)"
