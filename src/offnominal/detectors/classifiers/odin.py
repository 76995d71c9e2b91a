"""ODIN: softmax with a temperature, after a small change of the image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch.nn import functional

from offnominal.core.device import deterministic_kernels
from offnominal.core.types import FloatArray
from offnominal.detectors.classifiers.class_images import ClassImages
from offnominal.detectors.classifiers.image_classifier import ImageClassifier
from offnominal.detectors.classifiers.logit_scores import log_doubt
from offnominal.detectors.parameters import NOT_NEGATIVE, POSITIVE, Range


@dataclass(kw_only=True, eq=False)
class ODIN(ImageClassifier):
    """Doubt in the most probable class at a high temperature (Liang et al. 2018).

    The image is first changed by `epsilon` in the direction that makes its class more probable, which helps normal
    images more than novel ones. The score is the logarithm of one minus the largest softmax.

    Args:
        temperature: Divisor of the logits.
        epsilon: Size of the change of the standardised image; 0 for none, as selected by NovelCraft.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {"temperature": POSITIVE, "epsilon": NOT_NEGATIVE}

    temperature: float = 1000.0
    epsilon: float = 0.0

    def _score(self, images: ClassImages) -> FloatArray:
        if not self.epsilon:
            return super()._score(images)
        logits = []
        with deterministic_kernels(self.device_):
            for batch, n in self._batches(images):
                inputs = batch.clone().requires_grad_(True)
                with torch.enable_grad():
                    found = self.network_(inputs)[1] / self.temperature
                    loss = functional.cross_entropy(found, found.argmax(dim=1), reduction="sum")
                    (gradient,) = torch.autograd.grad(loss, inputs)
                with torch.no_grad():
                    changed = self.network_(inputs - self.epsilon * gradient.sign())[1]
                logits.append(changed[:n].cpu().numpy().astype(np.float64))
        return log_doubt(np.concatenate(logits) / self.temperature)

    def _novelty(self, features: FloatArray, logits: FloatArray) -> FloatArray:
        return log_doubt(logits / self.temperature)
