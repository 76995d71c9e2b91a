"""RbA: pixels that every class rejects (Nayal et al., 2023)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from offnominal.detectors.parameters import NOT_NEGATIVE, Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.scenes.camera_network import CameraNetwork, Loss
from offnominal.detectors.scenes.label_classes import N_CLASSES
from offnominal.detectors.scenes.labelled_images import ImageBatch, LabelledImages
from offnominal.detectors.scenes.mask_classifier import MaskClassifier, mask_loss, rejection_loss, semantic_logits
from offnominal.detectors.scenes.mask_queries import MaskQueries, query_loss, semantic_claims
from offnominal.detectors.scenes.pasted_objects import with_objects
from offnominal.detectors.scenes.segmenter_network import reduced_classes

LARGEST = 0.1
"""Weight of the largest semantic logit in the bounded score."""


@dataclass(kw_only=True, eq=False)
class RbA(CameraNetwork[MaskClassifier | MaskQueries]):
    """Rejected by all: minus the sum over classes of tanh of the semantic logits of a mask-classification network.

    A semantic logit is the probability that a class is present times its mask. The published scores are from minus the
    number of classes to 0: a pixel that two classes claim, which is common on unknown objects, has a lower score than a
    pixel of exactly one class. The bounded score ends at that of one class, -tanh(1), and a tenth of the largest logit
    is subtracted, so that a pixel with two partial claims has a higher score than a pixel with a whole one.

    The network follows the published one in a size that trains in minutes: a convolutional encoder in place of a Swin
    transformer, and one query per class, so that no matching of queries with classes is needed. With `n_queries` the
    queries are free and matched with the classes of an image, as in the published network. As in the published
    training with outliers, a squared hinge loss raises the scores of outliers. The published outliers are objects of
    other datasets; here they are synthesised, so that training needs normal scenes only. ``RbA-NoOutliers`` is the
    published form without outliers.

    Args:
        width: Channels of the first stage, a multiple of 8.
        n_layers: Number of decoder layers; the published network has one.
        n_queries: Number of queries; 0 is one for each class. The published network has 100.
        max_outliers: Largest number of synthesised objects in a training image.
        outlier_weight: Weight of the hinge loss; 0 leaves it out.
        bounded: Whether the claims of several classes count as that of one; False is the published score.
        crop: Height and width of the random crops in training, in pixels.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {
        "n_layers": Range(1, 20),
        "n_queries": Range(0, 1_000),
        "max_outliers": Range(0, 100),
        "outlier_weight": NOT_NEGATIVE,
    }

    n_layers: int = 1
    n_queries: int = 0
    max_outliers: int = 4
    outlier_weight: float = 5.0
    bounded: bool = True

    def _network(self) -> MaskClassifier | MaskQueries:
        if self.n_queries:
            return MaskQueries(self.width, self.n_layers, self.n_queries)
        return MaskClassifier(self.width, self.n_layers)

    def _changed(self, batch: ImageBatch, random: RandomNumbers) -> ImageBatch:
        return with_objects(batch, self.max_outliers, random)

    def _loss(self, images: LabelledImages) -> Loss:
        def loss(batch: ImageBatch) -> Tensor:
            target = reduced_classes(batch.classes)
            found, logits = self._masks(batch.pixels, target)
            if not self.outlier_weight:
                return found
            return found + self.outlier_weight * rejection_loss(rejection(logits), target)

        return loss

    def _masks(self, pixels: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """Return the loss of the masks, and the semantic logits."""
        network = self.network_
        with torch.autocast("cuda", torch.bfloat16, enabled=self.device_.type == "cuda"):
            made = network.predictions(pixels) if isinstance(network, MaskQueries) else [network.parts(pixels)]
        pairs = [(first.float(), masks.float()) for first, masks in made]
        if isinstance(network, MaskQueries):
            return torch.stack([query_loss(each, target) for each in pairs]).mean(), semantic_claims(*pairs[-1])
        return mask_loss(*pairs[-1], target), semantic_logits(*pairs[-1])

    def _pixel_scores(self, logits: Tensor) -> Tensor:
        classes = logits[:N_CLASSES]
        return bounded_rejection(classes, dim=0) if self.bounded else rejection(classes, dim=0)


def rejection(logits: Tensor, dim: int = 1) -> Tensor:
    """Return minus the sum of tanh of the semantic logits over the classes."""
    return -logits.tanh().sum(dim=dim)


def bounded_rejection(logits: Tensor, dim: int = 1) -> Tensor:
    """Return the rejection, at least that of one class, minus a tenth of the largest semantic logit.

    Example:
        >>> logits = torch.tensor([[1.0, 0.0], [0.8, 0.8], [0.0, 0.0]])
        >>> [round(each, 2) for each in rejection(logits).tolist()]
        [-0.76, -1.33, -0.0]
        >>> [round(each, 2) for each in bounded_rejection(logits).tolist()]
        [-0.86, -0.84, 0.0]
    """
    return rejection(logits, dim).clamp(min=-math.tanh(1.0)) - LARGEST * logits.amax(dim=dim)
