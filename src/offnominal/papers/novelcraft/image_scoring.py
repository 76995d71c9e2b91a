"""Image detectors of a study: those that know the normal classes, and feature detectors of frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray, Frames, IntArray
from offnominal.detectors.classifiers import ClassDetector, ImageClassifier
from offnominal.detectors.detector import Detector
from offnominal.detectors.discovery import ContrastiveEncoder
from offnominal.papers.novelcraft.detector_registries import registry_of
from offnominal.studies.detector_study import DetectorEntry

ImageModel: TypeAlias = ClassDetector | Detector | ContrastiveEncoder
CHUNK = 256
"""Images whose features are computed at a time."""


def build(entry: DetectorEntry) -> ImageModel:
    """Return a detector that is not fitted."""
    found: ImageModel = registry_of(entry.id).build(entry.id, entry.parameters)
    return found


def fit_images(detector: ImageModel, images: Frames, labels: IntArray, episodes: Sequence[Any], seed: int) -> None:
    """Fit an image detector.

    Args:
        detector: The detector.
        images: (n, H, W, 3): normal images.
        labels: (n,): their classes; -1 for images without one, which only an encoder learns from.
        episodes: (n,): their episodes, in order.
        seed: Training seed.
    """
    if isinstance(detector, ClassDetector | ContrastiveEncoder):
        detector.fit(images, labels, seed=seed)
        return
    starts = [row for row in range(len(episodes)) if not row or episodes[row] != episodes[row - 1]]
    detector.fit([still_episode(part) for part in np.split(images, starts[1:])], seed=seed)


def score_images(detector: ImageModel, images: Frames) -> FloatArray:
    """Return the score of each image, (n,)."""
    if isinstance(detector, ContrastiveEncoder):
        raise InvalidParameter("ContrastiveEncoder has features and no scores; use it for category discovery.")
    if isinstance(detector, ClassDetector):
        return detector.score(images)
    return np.concatenate([detector.score([still_episode(part)])[0] for part in _chunks(images)])


def image_features(detector: ImageModel, images: Frames) -> FloatArray:
    """Return the features of each image, (n, d).

    Raises:
        InvalidParameter: The detector has none.
    """
    if isinstance(detector, ImageClassifier):
        return detector.outputs(images)[0]
    if isinstance(detector, ContrastiveEncoder):
        return detector.features(images)
    network: Any = getattr(detector, "network_", None)
    if isinstance(detector, ClassDetector) or not hasattr(network, "features"):
        raise InvalidParameter(f"{type(detector).__name__} has no features; choose a feature detector or a classifier.")
    import torch

    found = []
    with torch.inference_mode():
        for part in _chunks(images):
            frames = torch.from_numpy(np.ascontiguousarray(np.moveaxis(part, -1, 1)))
            found.append(network(frames.to(cast(Any, detector).device_)).pooled.cpu().numpy())
    return np.concatenate(found).astype(np.float64)


def still_episode(images: Frames) -> Episode:
    """Return an episode whose transitions lead to the given images; it begins with a copy of the first one."""
    frames = np.moveaxis(np.concatenate([images[:1], images]), -1, 1)
    n = len(images)
    return Episode(frames, np.zeros((n, 1), np.float32), np.zeros(n), np.zeros(n, np.bool_))


def _chunks(images: Frames) -> list[Frames]:
    return [images[first : first + CHUNK] for first in range(0, len(images), CHUNK)]
