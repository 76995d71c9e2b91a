"""Metrics of the pixels of road images, such as those of SegmentMeIfYouCan."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from offnominal.core.checks import instances_of
from offnominal.core.errors import InvalidParameter, InvalidScores
from offnominal.core.printable import shown
from offnominal.core.types import Array
from offnominal.datasets.scenes.road_images import ANOMALY, NORMAL, RoadImage
from offnominal.detectors.scenes.scene_detector import SceneDetector
from offnominal.evaluation.bootstrap import REPLICATES, Resamples
from offnominal.evaluation.discrimination import Ranking
from offnominal.evaluation.scenes.score_pool import ScorePool


@dataclass(frozen=True, slots=True)
class RoadImageMetrics:
    """Metrics of all pixels of a set of images. Intervals are bootstrapped over groups of images.

    Args:
        images: Number of images.
        positives: Number of pixels of anomalies.
        negatives: Number of other pixels; void pixels are left out.
        ranking: AUROC, average precision and FPR95.
    """

    images: int
    positives: int
    negatives: int
    ranking: Ranking


def evaluate_road_images(
    score: Callable[[RoadImage], Array], images: Iterable[RoadImage], *, replicates: int = REPLICATES, seed: int = 0
) -> RoadImageMetrics:
    """Evaluate scores of the pixels of road images.

    Args:
        score: Function that returns the scores (height, width) of an image; see :func:`image_scores`.
        images: Images with labels.
        replicates: Bootstrap replicates, over groups of images; an image without a group is one.
        seed: Seed of the bootstrap.

    Raises:
        InvalidParameter: There are no images.
        InvalidScores: Scores have another shape than their image, or are not finite.
    """
    positives: dict[str, list[Array]] = {}
    negatives: dict[str, list[Array]] = {}
    count = 0
    for image in instances_of("images", images, RoadImage):
        found = np.asarray(score(image))
        if found.shape != image.label.shape or found.dtype.kind not in "fiu" or not np.isfinite(found).all():
            raise InvalidScores(
                f"the scores of image {image.id} are an array of {found.dtype} with shape {found.shape}; expected "
                f"finite numbers with shape {image.label.shape}."
            )
        values = found.astype(np.float32, copy=False)
        group, count = image.group or image.id, count + 1
        positives.setdefault(group, []).append(values[image.label == ANOMALY])
        negatives.setdefault(group, []).append(values[image.label == NORMAL])
    if not count:
        raise InvalidParameter("there are no images to evaluate; give at least one.")
    pool = ScorePool.of(list(positives.values()), list(negatives.values()))
    resamples = Resamples.draw(len(pool), replicates, seed=seed)
    return RoadImageMetrics(count, pool.n_positives, pool.n_negatives, pool.ranking(resamples))


def image_scores(detector: SceneDetector) -> Callable[[RoadImage], Array]:
    """Return the function that scores an image with a fitted detector of colours.

    Raises:
        InvalidScores: The detector gives no scores to pixels.
    """
    if not isinstance(detector, SceneDetector):
        raise InvalidParameter(f"detector is {shown(detector)}; expected a fitted scene detector.")

    def score(image: RoadImage) -> Array:
        _, found = detector.update(detector.start(), image.frame())
        if "front" not in found.cameras:
            raise InvalidScores(f"{detector.name} gives no scores to pixels; choose a detector of images.")
        return found.cameras["front"]

    return score
