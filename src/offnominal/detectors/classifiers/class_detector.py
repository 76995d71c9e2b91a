"""The contract of a detector that knows the normal classes: a novelty score for each image."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import check_seed
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.classifiers.class_images import COLOURS, SMALLEST, ClassImages
from offnominal.detectors.learned_state import LearnedState
from offnominal.detectors.observation_limits import bounded
from offnominal.detectors.parameters import Range, check_parameters, plain_parameters
from offnominal.detectors.state_arrays import StateArrays, all_or_nothing

LARGEST_SIDE = 100_000
LARGEST_LABEL = 2**53


@dataclass(kw_only=True, eq=False)
class ClassDetector(LearnedState):
    """Gives every image a novelty score. Higher is more novel.

    :meth:`fit` learns from normal images and their classes. A score does not depend on other images, and scoring
    changes nothing that `fit` learned. A constructor only stores its arguments; attributes that `fit` learns end in
    ``_``.

    A subclass implements :meth:`_fit`, :meth:`_score`, :meth:`_state_dict` and :meth:`_load_state_dict`.

    Attributes:
        shape_: Shape (3, H, W) of the images.
        classes_: (c,): labels of the normal classes, in ascending order.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {}
    LEARNED: ClassVar[str] = "classes_"

    needs_classes: ClassVar[bool] = True
    """Whether the labels of the images are used; two classes are needed then."""

    def __post_init__(self) -> None:
        check_parameters(self)

    def fit(self, images: Any, labels: Any = None, *, seed: int = 0) -> Self:
        """Learn from normal images.

        Args:
            images: (n, H, W, 3), (n, H, W, 1), (n, H, W) or (n, 3, H, W) bytes, or a lazy sequence of images.
            labels: (n,): integer class of each image; may be None for a detector that does not use classes.
            seed: Of all random numbers of the training.

        Raises:
            InvalidParameter: The images are not bytes of such a shape, or the labels do not fit.
        """
        seed = check_seed(seed)
        given = ClassImages(images)
        classes, numbers = self._checked_labels(labels, len(given))
        with all_or_nothing(self):
            self.shape_, self.classes_ = given.shape, classes
            self._fit(given, numbers, seed)
        return self

    def _checked_labels(self, labels: Any, n: int) -> tuple[IntArray, IntArray]:
        """Return the classes, and the number of the class of each image."""
        if labels is None and not self.needs_classes:
            return np.zeros(1, np.int64), np.zeros(n, np.int64)
        values = np.asarray(labels)
        if values.shape != (n,) or values.dtype.kind not in "iu":
            raise InvalidParameter(
                f"the labels are {values.dtype} of shape {values.shape}; expected an integer for each of {n} images."
            )
        classes, numbers = np.unique(values.astype(np.int64), return_inverse=True)
        if self.needs_classes and len(classes) < 2:
            raise InvalidParameter(f"all images have the class {classes[0]}; {self.name} needs two classes or more.")
        return classes, numbers

    @abstractmethod
    def _fit(self, images: ClassImages, labels: IntArray, seed: int) -> None:
        """Learn from checked images; labels are numbers of the classes."""

    def score(self, images: Any) -> FloatArray:
        """Return the novelty score of each image; every score is finite."""
        self._require_fitted()
        given = ClassImages(images)
        if given.shape != self.shape_:
            raise InvalidParameter(
                f"the images have shape {given.shape}; {self.name} was fitted to {self.shape_}, colours first."
            )
        with np.errstate(all="ignore"):
            return bounded(self._score(given))

    @abstractmethod
    def _score(self, images: ClassImages) -> FloatArray:
        """Score checked images."""

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments as values that JSON can represent."""
        return plain_parameters(self)

    def _shared_state(self) -> dict[str, Array]:
        return {"shape": np.array(self.shape_, np.int64), "classes": self.classes_.copy()}

    def _load_shared_state(self, state: StateArrays) -> None:
        colours, height, width = state.integers("shape", (3,), low=1, high=LARGEST_SIDE).tolist()
        if colours != COLOURS or min(height, width) < SMALLEST:
            raise InvalidParameter(f"the images have shape {(colours, height, width)}")
        self.shape_ = (colours, height, width)
        self.classes_ = state.integers("classes", ("classes",), low=-LARGEST_LABEL, high=LARGEST_LABEL)
