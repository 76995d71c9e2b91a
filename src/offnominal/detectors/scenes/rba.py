"""RbA: pixels that every class rejects (Nayal et al., 2023)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from offnominal.detectors.parameters import Range
from offnominal.detectors.scenes.camera_network import CameraNetwork, Loss
from offnominal.detectors.scenes.labelled_images import LabelledImages
from offnominal.detectors.scenes.mask_classifier import MaskClassifier, mask_loss
from offnominal.detectors.scenes.segmenter_network import reduced_classes


@dataclass(kw_only=True, eq=False)
class RbA(CameraNetwork[MaskClassifier]):
    """Rejected by all: minus the sum over classes of tanh of the semantic logits of a mask-classification network.

    A semantic logit is the sum over queries of class probability times mask. The scores are from minus the number of
    classes to 0. The network follows the published one in a size that trains in minutes: a convolutional encoder in
    place of a Swin transformer, and fewer queries. It is trained without outliers.

    Args:
        width: Channels of the first stage, a multiple of 8.
        n_queries: Number of queries.
        n_layers: Number of decoder layers; the published network has one.
        crop: Height and width of the random crops in training, in pixels.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {
        "n_queries": Range(20, 1000),
        "n_layers": Range(1, 20),
    }

    n_queries: int = 40
    n_layers: int = 2

    def _network(self) -> MaskClassifier:
        return MaskClassifier(self.width, self.n_queries, self.n_layers)

    def _loss(self, images: LabelledImages) -> Loss:
        def loss(pixels: Tensor, classes: Tensor) -> Tensor:
            with torch.autocast("cuda", torch.bfloat16, enabled=self.device_.type == "cuda"):
                found, masks = self.network_.parts(pixels)
            return mask_loss(found.float(), masks.float(), reduced_classes(classes))

        return loss

    def _pixel_scores(self, logits: Tensor) -> Tensor:
        return -logits.tanh().sum(dim=0)
