"""RbA: pixels that every class rejects (Nayal et al., 2023)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from offnominal.core.device import deterministic_kernels
from offnominal.detectors.parameters import Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.scenes.frame_scores import FrameScores
from offnominal.detectors.scenes.labelled_images import LabelledImages
from offnominal.detectors.scenes.mask_classifier import MaskClassifier, mask_loss
from offnominal.detectors.scenes.observation import SceneObservation
from offnominal.detectors.scenes.scene_detector import NormalScenes, Sensor
from offnominal.detectors.scenes.scene_network import SceneNetwork
from offnominal.detectors.scenes.segmenter import VALIDATED
from offnominal.detectors.scenes.segmenter_network import enlarged, reduced_classes


@dataclass(kw_only=True, eq=False)
class RbA(SceneNetwork[MaskClassifier]):
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
        "width": Range(8, 512),
        "n_queries": Range(20, 1000),
        "n_layers": Range(1, 20),
        "crop": Range(16, 10_000),
    }
    sensors: ClassVar[tuple[Sensor, ...]] = ("camera",)

    width: int = 24
    n_queries: int = 40
    n_layers: int = 2
    crop: tuple[int, ...] = (256, 512)

    def _network(self) -> MaskClassifier:
        return MaskClassifier(self.width, self.n_queries, self.n_layers)

    def _batches(
        self, scenes: NormalScenes, random: RandomNumbers, seed: int
    ) -> tuple[Callable[[], Tensor], Callable[[], float]]:
        images = LabelledImages.of(scenes, (self.crop[0], self.crop[-1]), random)

        def loss_of(pixels: Tensor, classes: Tensor) -> Tensor:
            with torch.autocast("cuda", torch.bfloat16, enabled=self.device_.type == "cuda"):
                found, masks = self.network_.parts(pixels)
            return mask_loss(found.float(), masks.float(), reduced_classes(classes))

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
                scores[name] = -logits.tanh().sum(dim=0).cpu().numpy()
        return None, FrameScores(scores)
