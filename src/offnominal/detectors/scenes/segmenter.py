"""A plain segmenter: low confidence in its class is anomalous."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal, Self

import torch
from torch import Tensor

from offnominal.core.checks import one_of
from offnominal.detectors.scenes.camera_network import CameraNetwork, Loss
from offnominal.detectors.scenes.labelled_images import ImageBatch, LabelledImages
from offnominal.detectors.scenes.segmenter_network import (
    SegmenterNetwork,
    class_loss,
    class_weights,
    reduced_classes,
)

Confidence = Literal["max_softmax", "max_logit", "entropy", "energy"]
CONFIDENCES: tuple[Confidence, ...] = ("max_softmax", "max_logit", "entropy", "energy")


@dataclass(kw_only=True, eq=False)
class Segmenter(CameraNetwork[SegmenterNetwork]):
    """A small encoder-decoder network that predicts the class of each pixel; low confidence is anomalous.

    Args:
        confidence: ``"max_softmax"``: negative logarithm of the largest class probability (Hendrycks and Gimpel, 2017);
            ``"max_logit"``: negative largest logit (Hendrycks et al., 2022); ``"entropy"``: entropy of the class
            probabilities; ``"energy"``: minus the logarithm of the sum of the exponentials of the logits (Liu et al.,
            2020).
        width: Channels of the first stage, a multiple of 8.
        crop: Height and width of the random crops in training, in pixels.
    """

    confidence: Confidence = "max_softmax"

    def with_confidence(self, confidence: Confidence) -> Self:
        """Return a detector with the same network and another score."""
        other = copy(self)
        other.confidence = one_of("confidence", confidence, CONFIDENCES)
        return other

    def _network(self) -> SegmenterNetwork:
        return SegmenterNetwork(self.width)

    def _loss(self, images: LabelledImages) -> Loss:
        return segmenter_loss(self, images, self.network_)

    def _pixel_scores(self, logits: Tensor) -> Tensor:
        return lack_of_confidence(logits, self.confidence)


def segmenter_loss(detector: CameraNetwork[Any], images: LabelledImages, logits: Callable[[Tensor], Tensor]) -> Loss:
    """Return the loss of a segmenter: the cross-entropy of the classes, with rare ones weighted more.

    Args:
        detector: The detector that is fitted.
        images: Its training images.
        logits: Function from pixels to class logits.
    """
    weight = class_weights(images.counts()).to(detector.device_)

    def loss(batch: ImageBatch) -> Tensor:
        with torch.autocast("cuda", torch.bfloat16, enabled=detector.device_.type == "cuda"):
            found = logits(batch.pixels)
        return class_loss(found.float(), reduced_classes(batch.classes), weight)

    return loss


def lack_of_confidence(logits: Tensor, confidence: Confidence) -> Tensor:
    """Return the score of each pixel from its logits (classes, height, width).

    Example:
        >>> lack_of_confidence(torch.tensor([[[0.0]], [[0.0]]]), "entropy").item()
        0.6931471824645996
    """
    if confidence == "max_logit":
        return -logits.amax(dim=0)
    if confidence == "energy":
        return -logits.logsumexp(dim=0)
    # Logarithms tell apart probabilities that single precision rounds to one.
    log_share = logits.log_softmax(dim=0)
    return -log_share.amax(dim=0) if confidence == "max_softmax" else -(log_share.exp() * log_share).sum(dim=0)
