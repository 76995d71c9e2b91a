"""Base class of the scene detectors whose network predicts logits of classes for the pixels of an image."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from offnominal.core.device import deterministic_kernels
from offnominal.detectors.network_state import Network
from offnominal.detectors.parameters import Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.scenes.frame_scores import FrameScores
from offnominal.detectors.scenes.labelled_images import ImageBatch, LabelledImages
from offnominal.detectors.scenes.observation import SceneObservation
from offnominal.detectors.scenes.scene_detector import NormalScenes, Sensor
from offnominal.detectors.scenes.scene_network import SceneNetwork
from offnominal.detectors.scenes.segmenter_network import enlarged

VALIDATED = 64
"""Largest number of images for validation."""
Loss = Callable[[ImageBatch], Tensor]


@dataclass(kw_only=True, eq=False)
class CameraNetwork(SceneNetwork[Network]):
    """A network that is trained on labelled images; the score of a pixel depends on its logits.

    Args:
        width: Channels of the first stage, a multiple of 8.
        crop: Height and width of the random crops in training, in pixels.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {"width": Range(8, 512), "crop": Range(16, 10_000)}
    sensors: ClassVar[tuple[Sensor, ...]] = ("camera",)

    width: int = 24
    crop: tuple[int, ...] = (256, 512)

    @abstractmethod
    def _loss(self, images: LabelledImages) -> Loss:
        """Return the loss of a batch."""

    @abstractmethod
    def _pixel_scores(self, logits: Tensor) -> Tensor:
        """Return the score of each pixel from its logits (classes, height, width)."""

    def _batches(
        self, scenes: NormalScenes, random: RandomNumbers, seed: int
    ) -> tuple[Callable[[], Tensor], Callable[[], float]]:
        images = LabelledImages.of(scenes, (self.crop[0], self.crop[-1]), random)
        loss = self._loss(images)
        fixed = RandomNumbers(seed, self.device_)
        held_out = [self._changed(each, fixed) for each in images.validation_batches(self.batch_size, VALIDATED)]

        def training_loss() -> Tensor:
            return loss(self._changed(images.batch(self.batch_size), random))

        return training_loss, lambda: float(torch.stack([loss(batch) for batch in held_out]).mean())

    def _changed(self, batch: ImageBatch, random: RandomNumbers) -> ImageBatch:
        """Return a batch as the network is trained with it."""
        return batch

    @torch.inference_mode()
    def _update(self, state: None, observation: SceneObservation) -> tuple[None, FrameScores]:
        scores = {}
        for name, camera in observation.cameras.items():
            pixels = torch.from_numpy(np.ascontiguousarray(camera.rgb.transpose(2, 0, 1))).float() / 255.0
            with deterministic_kernels(self.device_):
                logits = enlarged(self._output(pixels)[None], *camera.depth.shape)[0]
                scores[name] = self._pixel_scores(logits).cpu().numpy()
        return None, FrameScores(scores)
