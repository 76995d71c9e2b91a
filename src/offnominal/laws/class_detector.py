"""The laws of detectors that know the normal classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from offnominal.core.checks import instance_of
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.classifiers.catalogue import (
    class_detectors,
    load_class_detector,
    make_class_detector,
    save_class_detector,
)
from offnominal.detectors.classifiers.class_detector import ClassDetector
from offnominal.detectors.registered_id import registered_id
from offnominal.laws.capabilities import require_gpu_tag
from offnominal.laws.code import executed, require_covered_detector
from offnominal.laws.detector import ROUNDING
from offnominal.laws.named_errors import require_named_error
from offnominal.laws.report import LawReport, SkipLaw, check_laws
from offnominal.laws.require import require

SIDE, TRAINING, FRESH = 32, 24, 9
COLOURS = ((200, 40, 40), (40, 200, 40), (40, 40, 200))
"""Colours of the squares of the two normal classes and of the novel one."""


def check_class_detector(
    detector: str | Callable[[], ClassDetector],
    *,
    images: Array | None = None,
    labels: Array | None = None,
    fresh: Array | None = None,
    tolerance: float = ROUNDING,
) -> LawReport:
    """Check the laws of detectors that know the normal classes for one detector.

    1. Batch-invariant: the score of an image does not depend on the other images of the call.
    2. The layout of the images, colours first or last, has no effect.
    3. Pure: scoring changes nothing that was learned.
    4. Training is reproducible by its seed; a saved and loaded detector gives the same scores.
    5. Not degenerate: scores are finite and not constant.
    6. The values of the labels have no effect, only which images share one.
    7. Invalid input is a named error.
    8. Its code version, part of the key of stored results, covers all code that it runs.
    9. It has a torch network if its entry has the tag ``gpu``, and only then.

    Args:
        detector: Id, or a function that returns a new, unfitted detector, such as its class.
        images: Normal images for training; small images with a square if None.
        labels: Their classes.
        fresh: Other images to score.
        tolerance: Largest relative difference of scores in another batch.

    Example:
        >>> check_class_detector(partial(make_class_detector, "MaxLogit", n_epochs=1, device="cpu")).ok
        True
    """
    make = partial(make_class_detector, detector) if isinstance(detector, str) else detector
    made, classes = square_images(TRAINING, 2, seed=0)
    case = _Case(
        make,
        made if images is None else images,
        classes if labels is None else np.asarray(labels),
        square_images(FRESH, 3, seed=1)[0] if fresh is None else fresh,
        tolerance,
    )
    return check_laws(
        case.fitted.name,
        {
            "scores do not depend on the batch": case.batch_invariant,
            "the layout of images has no effect": case.layout_has_no_effect,
            "scoring changes nothing": case.pure,
            "training is reproducible by its seed": case.deterministic,
            "a saved detector is loaded unchanged": case.saved,
            "scores are finite and differ": case.not_degenerate,
            "the values of labels have no effect": case.label_values_have_no_effect,
            "invalid input is a named error": case.invalid_input,
            "its code version covers its code": case.code_is_covered,
            "its declared capabilities are true": case.capabilities,
        },
    )


def square_images(n: int, n_classes: int, *, seed: int) -> tuple[Array, IntArray]:
    """Return small images of noise with a square, and their classes, which are the colours of the square.

    Args:
        n: Number of images.
        n_classes: Number of classes, up to three.
        seed: Seed of the noise and of the places.
    """
    draw = np.random.default_rng(seed)
    images = draw.integers(0, 60, (n, SIDE, SIDE, 3), np.uint8)
    labels = np.arange(n) % n_classes
    for image, label in zip(images, labels, strict=True):
        row, column = draw.integers(0, SIDE - 10, 2)
        image[row : row + 10, column : column + 10] = COLOURS[label]
    return images, labels


class _Case:
    """A fitted detector with the scores of its laws."""

    def __init__(
        self, make: Callable[[], ClassDetector], images: Array, labels: IntArray, fresh: Array, tolerance: float
    ) -> None:
        self.make, self.images, self.labels, self.fresh, self.tolerance = make, images, labels, fresh, tolerance
        self.fitted = instance_of("what the function returns", make(), ClassDetector).fit(images, labels, seed=1)  # type: ignore[type-abstract]
        self.id = registered_id(class_detectors, self.fitted)
        self.scores = self.fitted.score(fresh)

    def batch_invariant(self) -> None:
        alone = np.concatenate([self.fitted.score(self.fresh[row : row + 1]) for row in range(len(self.fresh))])
        self._require_close(alone, "alone")
        self._require_close(self.fitted.score(self.fresh[::-1])[::-1], "in another order")

    def layout_has_no_effect(self) -> None:
        first = np.ascontiguousarray(np.moveaxis(np.asarray(self.fresh), -1, 1))
        require(np.array_equal(self.fitted.score(first), self.scores), "images with colours first have other scores")

    def pure(self) -> None:
        before = {name: values.copy() for name, values in self.fitted.state_dict().items()}
        require(np.array_equal(self.fitted.score(self.fresh), self.scores), "scoring again gives other scores")
        for name, values in self.fitted.state_dict().items():
            require(np.array_equal(values, before[name]), f"scoring changed {name}")

    def deterministic(self) -> None:
        require(np.array_equal(self.repeated[0], self.scores), "fitted again with the same seed, scores differ")

    def saved(self) -> None:
        if self.id is None:
            raise SkipLaw("it is not registered, so it cannot be saved")
        with TemporaryDirectory() as folder:
            path = Path(folder) / "detector"
            save_class_detector(path, self.fitted)
            loaded = load_class_detector(path).score(self.fresh)
        require(np.array_equal(loaded, self.scores), "loaded again, scores differ")

    def not_degenerate(self) -> None:
        require(self.scores.shape == (len(self.fresh),), f"scores have the shape {self.scores.shape}")
        require(bool(np.isfinite(self.scores).all()), "a score is not finite")
        require(bool(np.ptp(self.scores) > 0.0), f"every score is {self.scores[0]:g}")

    def label_values_have_no_effect(self) -> None:
        again = self.make().fit(self.images, 3 * self.labels + 7, seed=1)
        require(np.array_equal(again.score(self.fresh), self.scores), "other label values give other scores")

    def invalid_input(self) -> None:
        cases: dict[str, Callable[[], object]] = {
            "images of floats": lambda: self.fitted.score(self.fresh.astype(np.float64)),
            "images of another size": lambda: self.fitted.score(self.fresh[:, :-2]),
            "no images": lambda: self.fitted.score(self.fresh[:0]),
            "a single image": lambda: self.fitted.score(self.fresh[0, 0]),
            "too few labels": lambda: self.make().fit(self.images, self.labels[:-1]),
            "labels of floats": lambda: self.make().fit(self.images, self.labels + 0.5),
            "scoring before training": lambda: self.make().score(self.fresh),
        }
        for what, call in cases.items():
            require_named_error(what, call)

    @cached_property
    def repeated(self) -> tuple[FloatArray, set[str]]:
        """The scores after a second training, and the executed definitions."""
        detector = self.make()
        with executed(type(detector).__module__.partition(".")[0]) as found:
            scores = detector.fit(self.images, self.labels, seed=1).score(self.fresh)
        return scores, found

    def code_is_covered(self) -> None:
        require_covered_detector(self.make, self.fitted, self.id, class_detectors, self.repeated[1])

    def capabilities(self) -> None:
        require_gpu_tag(self.fitted, self.id, class_detectors)

    def _require_close(self, scores: FloatArray, how: str) -> None:
        close = np.allclose(scores, self.scores, rtol=self.tolerance, atol=0.01 * self.tolerance)
        require(bool(close), f"images have other scores {how}")
