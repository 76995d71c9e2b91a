"""A plain segmenter: low confidence in its class is anomalous."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np
import torch
from torch import Tensor

from offnominal.core.checks import one_of
from offnominal.core.device import deterministic_kernels
from offnominal.detectors.parameters import Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.scenes.frame_scores import FrameScores
from offnominal.detectors.scenes.labelled_images import LabelledImages
from offnominal.detectors.scenes.observation import SceneObservation
from offnominal.detectors.scenes.scene_detector import NormalScenes, Sensor
from offnominal.detectors.scenes.scene_network import SceneNetwork
from offnominal.detectors.scenes.segmenter_network import (
    SegmenterNetwork,
    class_loss,
    class_weights,
    enlarged,
    reduced_classes,
)

Confidence = Literal["max_softmax", "max_logit", "entropy"]
CONFIDENCES: tuple[Confidence, ...] = ("max_softmax", "max_logit", "entropy")
VALIDATED = 64
"""Largest number of images for validation."""


@dataclass(kw_only=True, eq=False)
class Segmenter(SceneNetwork[SegmenterNetwork]):
    """A small encoder-decoder network that predicts the class of each pixel; low confidence is anomalous.

    Args:
        confidence: ``"max_softmax"``: negative logarithm of the largest class probability (Hendrycks and Gimpel, 2017);
            ``"max_logit"``: negative largest logit (Hendrycks et al., 2022); ``"entropy"``: entropy of the class
            probabilities.
        width: Channels of the first stage, a multiple of 8.
        crop: Height and width of the random crops in training, in pixels.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {"width": Range(8, 512), "crop": Range(16, 10_000)}
    sensors: ClassVar[tuple[Sensor, ...]] = ("camera",)

    confidence: Confidence = "max_softmax"
    width: int = 24
    crop: tuple[int, ...] = (256, 512)

    def with_confidence(self, confidence: Confidence) -> Self:
        """Return a detector with the same network and another score."""
        other = copy(self)
        other.confidence = one_of("confidence", confidence, CONFIDENCES)
        return other

    def _network(self) -> SegmenterNetwork:
        return SegmenterNetwork(self.width)

    def _batches(
        self, scenes: NormalScenes, random: RandomNumbers, seed: int
    ) -> tuple[Callable[[], Tensor], Callable[[], float]]:
        images = LabelledImages.of(scenes, (self.crop[0], self.crop[-1]), random)
        weight = class_weights(images.counts()).to(self.device_)

        def loss_of(pixels: Tensor, classes: Tensor) -> Tensor:
            with torch.autocast("cuda", torch.bfloat16, enabled=self.device_.type == "cuda"):
                logits = self.network_(pixels)
            return class_loss(logits.float(), reduced_classes(classes), weight)

        held_out = images.validation_batches(self.batch_size, VALIDATED)
        return (
            lambda: loss_of(*images.batch(self.batch_size)),
            lambda: float(np.mean([float(loss_of(*batch)) for batch in held_out])),
        )

    @torch.inference_mode()
    def _update(self, state: None, observation: SceneObservation) -> tuple[None, FrameScores]:
        scores = {}
        for name, camera in observation.cameras.items():
            pixels = torch.from_numpy(np.ascontiguousarray(camera.rgb.transpose(2, 0, 1))).float() / 255.0
            with deterministic_kernels(self.device_):
                logits = enlarged(self._output(pixels)[None], *camera.depth.shape)[0]
                scores[name] = lack_of_confidence(logits, self.confidence).cpu().numpy()
        return None, FrameScores(scores)


def lack_of_confidence(logits: Tensor, confidence: Confidence) -> Tensor:
    """Return the score of each pixel from its logits (classes, height, width).

    Example:
        >>> lack_of_confidence(torch.tensor([[[0.0]], [[0.0]]]), "entropy").item()
        0.6931471824645996
    """
    if confidence == "max_logit":
        return -logits.amax(dim=0)
    # Logarithms tell apart probabilities that single precision rounds to one.
    log_share = logits.log_softmax(dim=0)
    return -log_share.amax(dim=0) if confidence == "max_softmax" else -(log_share.exp() * log_share).sum(dim=0)
