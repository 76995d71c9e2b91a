"""Images and classes of normal scenes in memory, and random crops of them."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.scenes.label_classes import N_CLASSES, classes_of
from offnominal.detectors.scenes.scene_detector import NormalScenes
from offnominal.detectors.scenes.scene_network import held_out

COLOUR_CHANGE = 0.2
"""Largest relative change of brightness and of each colour in training."""


class LabelledImages:
    """Images of normal scenes with the classes of their pixels, for training and for validation.

    Args:
        training: Images (3, height, width) and classes (height, width), both of bytes.
        validation: The same of other scenes.
        crop: Height and width of random crops; smaller images are used whole.
        random: Source of random numbers.
    """

    def __init__(
        self,
        training: list[tuple[Tensor, Tensor]],
        validation: list[tuple[Tensor, Tensor]],
        crop: tuple[int, int],
        random: RandomNumbers,
    ) -> None:
        self.training, self.validation, self.crop, self.random = training, validation, crop, random

    @classmethod
    def of(cls, scenes: NormalScenes, crop: tuple[int, int], random: RandomNumbers) -> LabelledImages:
        """Read all images of normal scenes."""
        apart = set(held_out(len(scenes)))
        parts: dict[bool, list[tuple[Tensor, Tensor]]] = {True: [], False: []}
        for number, scene in enumerate(scenes):
            for frame, _ in scene:
                for name, camera in frame.sensors.cameras.items():
                    image = camera.image
                    if image.rgb is None or image.label is None:
                        raise InvalidParameter(
                            f"camera {name!r} of frame {frame.number} of scene {number} has no labels; record the "
                            "outputs rgb and label."
                        )
                    rgb = torch.from_numpy(np.ascontiguousarray(image.rgb.transpose(2, 0, 1)))
                    parts[number in apart].append((rgb, torch.from_numpy(classes_of(image.label))))
        return cls(parts[False] or parts[True], parts[True], crop, random)

    def counts(self) -> Tensor:
        """Return the number of training pixels of each class."""
        total = torch.zeros(256)
        for _, label in self.training:
            total += torch.bincount(label.reshape(-1).long(), minlength=256)
        return total[:N_CLASSES]

    def batch(self, n: int) -> tuple[Tensor, Tensor]:
        """Return random crops (n, 3, height, width) in [0, 1] and their classes, mirrored and recoloured at random."""
        images, classes = [], []
        numbers = self.random.integers(len(self.training), (n,)).tolist()
        height, width = self._size(self.training)
        for number in numbers:
            rgb, label = self.training[number]
            top, left, mirrored = self.random.integers(1 << 30, (3,)).tolist()
            top, left = top % (rgb.shape[1] - height + 1), left % (rgb.shape[2] - width + 1)
            rgb = rgb[:, top : top + height, left : left + width]
            label = label[top : top + height, left : left + width]
            images.append(rgb.flip(2) if mirrored % 2 else rgb)
            classes.append(label.flip(1) if mirrored % 2 else label)
        pixels = torch.stack(images).to(self.random.device).float() / 255.0
        change = 1.0 + COLOUR_CHANGE * (2.0 * self.random.uniform(n, 4, 1, 1) - 1.0)
        pixels = (pixels * change[:, :1] * change[:, 1:]).clamp(0.0, 1.0)
        return pixels, torch.stack(classes).to(self.random.device).long()

    def _size(self, images: list[tuple[Tensor, Tensor]]) -> tuple[int, int]:
        smallest = [min(rgb.shape[axis] for rgb, _ in images) for axis in (1, 2)]
        height, width = (min(side, limit) for side, limit in zip(self.crop, smallest, strict=True))
        return height, width

    def validation_batches(self, n: int, limit: int) -> list[tuple[Tensor, Tensor]]:
        """Return the middle crops of validation images, evenly chosen, in batches of n."""
        height, width = self._size(self.validation)
        chosen = np.linspace(0, len(self.validation) - 1, min(limit, len(self.validation))).astype(int).tolist()
        cut = []
        for number in chosen:
            rgb, label = self.validation[number]
            top, left = (rgb.shape[1] - height) // 2, (rgb.shape[2] - width) // 2
            part = np.s_[top : top + height, left : left + width]
            cut.append((rgb[:, part[0], part[1]], label[part]))
        device = self.random.device
        batches = [cut[first : first + n] for first in range(0, len(cut), n)]
        return [
            (
                torch.stack([rgb for rgb, _ in batch]).to(device).float() / 255.0,
                torch.stack([label for _, label in batch]).to(device).long(),
            )
            for batch in batches
        ]
