"""REAL: a redundancy classifier of lidar points, trained with synthesised outliers (Cen et al., 2022)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.parameters import NOT_NEGATIVE, Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.scenes.convolution_blocks import Block, FeaturePyramid
from offnominal.detectors.scenes.cylinder_network import CylinderNetwork, lovasz_loss
from offnominal.detectors.scenes.frame_scores import FrameScores
from offnominal.detectors.scenes.label_classes import IGNORED, N_CLASSES, classes_of
from offnominal.detectors.scenes.observation import SceneObservation
from offnominal.detectors.scenes.range_images import CHANNELS, RangeImages, with_outliers
from offnominal.detectors.scenes.scene_detector import NormalScenes, Sensor
from offnominal.detectors.scenes.scene_network import SceneNetwork, held_out_indices
from offnominal.detectors.scenes.segmenter_network import class_loss

GROUND = (0, 1)
"""Classes on which outliers stand: road and sidewalk."""
VALIDATED = 64
"""Largest number of frames for validation."""
STRIDES = ((1, 1), (1, 2), (2, 2), (2, 2))
LEAST_ROWS = 16
"""Training also uses every second row and column of range images, if so many rows are left."""


class RangeNetwork(nn.Module):
    """Logits of the classes and of the dummies for every point of a range image.

    Args:
        width: Channels of the first stage, a multiple of 8.
        dummies: Number of dummy logits.
    """

    def __init__(self, width: int, dummies: int) -> None:
        super().__init__()
        widths = (width, 2 * width, 2 * width, 3 * width)
        self.fine = Block(CHANNELS, width, turning=True)
        self.pyramid = FeaturePyramid(width, widths, 2 * width, STRIDES, turning=True)
        self.head = nn.Sequential(
            nn.Conv2d(3 * width, 2 * width, 1), nn.ReLU(), nn.Conv2d(2 * width, N_CLASSES + dummies, 1)
        )

    def forward(self, inputs: Tensor) -> Tensor:
        """Return logits (n, classes + 1, rows, columns); the last one is the largest of the dummies."""
        fine = self.fine(inputs)
        merged, _ = self.pyramid(fine)
        wide = functional.interpolate(merged, fine.shape[-2:], mode="nearest")
        logits = self.head(torch.cat([fine, wide], dim=1))
        return torch.cat([logits[:, :N_CLASSES], logits[:, N_CLASSES:].amax(dim=1, keepdim=True)], dim=1)


@dataclass(kw_only=True, eq=False)
class REAL(SceneNetwork[RangeNetwork | CylinderNetwork]):
    """Log-odds of the unknown class of a redundancy classifier.

    The network has more logits than classes; the largest of the additional ones, the dummies, is that of the unknown.
    It is trained with three losses: the class of normal points; the unknown as the second choice of normal points, with
    the logit of their class masked; and the unknown as the class of synthesised outliers. The published network works
    on cylindrical cells, as this one does if `cells` are given; by default it works on range images. The published
    outliers are resized objects; here they are ellipsoids and boxes on the ground. ``REAL-NoObjects`` is the published
    form without synthesised objects.

    Args:
        width: Channels of the first stage, a multiple of 8.
        n_dummies: Number of dummy logits; the published code trains with 3.
        second_choice: Weight of the second loss.
        max_outliers: Largest number of outliers in a training frame.
        cells: Cells of a cylindrical grid along distance, angle and height, multiples of 4; None for range images. The
            published grid has 480, 360 and 32.
        lovasz: Weight of the Lovász loss of the classes; the published code has 1.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {
        "cells": Range(4, 1_000),
        "lovasz": NOT_NEGATIVE,
        "width": Range(8, 512),
        "n_dummies": Range(1, 100),
        "second_choice": NOT_NEGATIVE,
        "max_outliers": Range(0, 100),
    }
    sensors: ClassVar[tuple[Sensor, ...]] = ("lidar",)

    width: int = 24
    n_dummies: int = 3
    second_choice: float = 0.1
    max_outliers: int = 6
    cells: tuple[int, ...] | None = None
    lovasz: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cells is not None and (len(self.cells) != 3 or any(each % 4 for each in self.cells)):
            raise InvalidParameter(f"cells is {self.cells}; expected three multiples of 4, or None.")

    def _network(self) -> RangeNetwork | CylinderNetwork:
        if self.cells is not None:
            distance, angle, height = self.cells
            return CylinderNetwork(self.width, self.n_dummies, (distance, angle, height))
        return RangeNetwork(self.width, self.n_dummies)

    def _batches(
        self, scenes: NormalScenes, random: RandomNumbers, seed: int
    ) -> tuple[Callable[[], Tensor], Callable[[], float]]:
        training, validation = (each.to(self.device_) for each in _labelled(scenes))

        def loss() -> Tensor:
            number = random.integers(len(training.images), (self.batch_size,)).to(self.device_)
            batch = training.chosen(number)
            if min(batch.classes.shape[1:]) >= 2 * LEAST_ROWS:
                halved, row, column = random.integers(2, (3,)).tolist()
                batch = batch.reduced(row, column) if halved else batch
            return self._loss(*self._with_outliers(batch, random))

        fixed = RandomNumbers(seed, self.device_)
        chosen = np.linspace(0, len(validation.images) - 1, min(VALIDATED, len(validation.images))).astype(int)
        parts = [chosen[first : first + self.batch_size] for first in range(0, len(chosen), self.batch_size)]
        numbers = [torch.from_numpy(each).to(self.device_) for each in parts]
        held = [self._with_outliers(validation.chosen(each), fixed) for each in numbers]
        return loss, lambda: float(torch.stack([self._loss(*each) for each in held]).mean())

    def _with_outliers(self, batch: LabelledRanges, random: RandomNumbers) -> tuple[Tensor, Tensor]:
        free = torch.isin(batch.classes, torch.tensor(GROUND, device=batch.classes.device))
        changed, added = with_outliers(batch.images, free, self.max_outliers, random)
        return changed.inputs(), torch.where(added, N_CLASSES, batch.classes.long())

    def _loss(self, inputs: Tensor, classes: Tensor) -> Tensor:
        with torch.autocast("cuda", torch.bfloat16, enabled=self.device_.type == "cuda"):
            logits = self.network_(inputs)
        found = redundancy_loss(logits.float(), classes, self.second_choice)
        if not self.lovasz:
            return found
        kept = classes <= N_CLASSES
        shares = logits.float().movedim(1, -1)[kept].softmax(dim=1)
        return found + self.lovasz * lovasz_loss(shares, classes[kept])

    @torch.inference_mode()
    def _update(self, state: None, observation: SceneObservation) -> tuple[None, FrameScores]:
        scores = {}
        for name, cloud in observation.lidars.items():
            image = RangeImages.of(cloud, float(observation.position[2]))
            logits = self._output(image.inputs()[0])
            odds = (logits[-1] - logits[:-1].logsumexp(dim=0)).cpu().numpy()
            scores[name] = odds[cloud.row, cloud.column]
        return None, FrameScores(lidars=scores)


def redundancy_loss(logits: Tensor, classes: Tensor, second_choice: float) -> Tensor:
    """Return the loss of a redundancy classifier.

    Args:
        logits: (n, classes + 1, rows, columns): the last one is that of the unknown.
        classes: (n, rows, columns): classes; the number of classes for outliers; or :data:`IGNORED`.
        second_choice: Weight of the loss in which the unknown is the second choice of normal points.
    """
    normal = classes < N_CLASSES
    first = class_loss(logits, classes)
    if not second_choice or not bool(normal.any()):
        return first
    flat = logits.movedim(1, -1)[normal]
    own = functional.one_hot(classes[normal], N_CLASSES + 1).bool()
    masked = flat.masked_fill(own, -1e9)
    unknown = torch.full((len(flat),), N_CLASSES, dtype=torch.int64, device=flat.device)
    return first + second_choice * functional.cross_entropy(masked, unknown)


@dataclass(frozen=True, eq=False)
class LabelledRanges:
    """Range images with the classes of their points.

    Args:
        images: The images.
        classes: (n, rows, columns): classes in bytes, or :data:`IGNORED`.
    """

    images: RangeImages
    classes: Tensor

    def to(self, device: torch.device) -> LabelledRanges:
        """Return the images on a device."""
        return LabelledRanges(self.images.to(device), self.classes.to(device))

    def chosen(self, number: Tensor) -> LabelledRanges:
        """Return the images of some numbers."""
        return LabelledRanges(self.images.chosen(number), self.classes[number])

    def reduced(self, row: int, column: int) -> LabelledRanges:
        """Return every second row and column, from the given ones on."""
        return LabelledRanges(self.images.reduced(row, column), self.classes[:, row::2, column::2])


def _labelled(scenes: NormalScenes) -> tuple[LabelledRanges, LabelledRanges]:
    """Read the range images of normal scenes with the classes of their points, for training and for validation."""
    apart = set(held_out_indices(len(scenes)))
    parts: dict[bool, list[tuple[RangeImages, Tensor]]] = {True: [], False: []}
    for number, scene in enumerate(scenes):
        for frame, observation in scene:
            for name, cloud in observation.lidars.items():
                image = RangeImages.of(cloud, float(observation.position[2]))
                label = torch.from_numpy(classes_of(frame.sensors.lidars[name].measured.label))
                parts[number in apart].append((image, torch.where(image.distance > 0.0, label, IGNORED)))
    training, validation = (
        LabelledRanges(RangeImages.joined([image for image, _ in each]), torch.cat([label for _, label in each]))
        for each in (parts[False] or parts[True], parts[True])
    )
    return training, validation
