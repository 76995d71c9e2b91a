"""Images and classes of normal scenes on the device of the network, and random crops of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.scenes.label_classes import N_CLASSES, classes_of
from offnominal.detectors.scenes.scene_detector import NormalScenes
from offnominal.detectors.scenes.scene_network import held_out_indices

COLOUR_CHANGE = 0.2
"""Largest relative change of brightness and of each colour in training."""
REDUCTION = 2.0
"""Largest factor by which images are reduced in training, so that a network knows several resolutions."""


@dataclass(frozen=True, eq=False)
class ImageBatch:
    """Images of one size.

    Args:
        pixels: (n, 3, height, width): colours in [0, 1].
        classes: (n, height, width): classes, or :data:`~offnominal.detectors.scenes.label_classes.IGNORED`.
        depth: (n, height, width): distance along the direction of view, m; infinite in the sky.
        focal: (n,): focal length, pixels.
    """

    pixels: Tensor
    classes: Tensor
    depth: Tensor
    focal: Tensor


@dataclass(frozen=True, eq=False)
class StoredImages:
    """Images of one size in small types: colours and classes are bytes, depths have half precision.

    Args:
        rgb: (n, height, width, 3).
        classes: (n, height, width).
        depth: (n, height, width).
        focal: (n,): focal length, pixels.
    """

    rgb: Tensor
    classes: Tensor
    depth: Tensor
    focal: Tensor

    def __len__(self) -> int:
        return len(self.rgb)

    def cut(self, number: Tensor, row: Tensor, column: Tensor, zoom: Tensor) -> ImageBatch:
        """Return the pixels in some rows and columns of some images.

        Args:
            number: (b,): numbers of the images.
            row: (b, height): row of each pixel.
            column: (b, width): column of each pixel.
            zoom: (b,): size of a crop relative to its part of the image.
        """
        where = (number[:, None, None], row[:, :, None], column[:, None, :])
        return ImageBatch(
            self.rgb[where].permute(0, 3, 1, 2).float() / 255.0,
            self.classes[where].long(),
            self.depth[where].float(),
            self.focal[number] * zoom,
        )


class LabelledImages:
    """Images of normal scenes with the classes of their pixels, for training and for validation.

    Args:
        training: Images for training.
        validation: Images of other scenes.
        crop: Height and width of random crops; smaller images are used whole.
        random: Source of random numbers.
    """

    def __init__(
        self, training: StoredImages, validation: StoredImages, crop: tuple[int, int], random: RandomNumbers
    ) -> None:
        self.training, self.validation, self.crop, self.random = training, validation, crop, random

    @classmethod
    def of(cls, scenes: NormalScenes, crop: tuple[int, int], random: RandomNumbers) -> LabelledImages:
        """Read all images of normal scenes; images of several sizes are cut to the smallest one."""
        apart = set(held_out_indices(len(scenes)))
        parts: dict[bool, list[tuple[Tensor, Tensor, Tensor, float]]] = {True: [], False: []}
        for number, scene in enumerate(scenes):
            for frame, observation in scene:
                for name, camera in observation.cameras.items():
                    label = frame.sensors.cameras[name].image.label
                    if label is None:
                        raise InvalidParameter(
                            f"camera {name!r} of frame {frame.number} of scene {number} has no labels; record the "
                            "outputs rgb and label."
                        )
                    focal = 0.5 * camera.depth.shape[1] / float(camera.camera.packed()[12])
                    arrays = (camera.rgb, classes_of(label), camera.depth.astype(np.float16))
                    rgb, classes, depth = (torch.from_numpy(np.ascontiguousarray(each)) for each in arrays)
                    parts[number in apart].append((rgb, classes, depth, focal))
        training, validation = (_stored(each, random.device) for each in (parts[False] or parts[True], parts[True]))
        return cls(training, validation, crop, random)

    def counts(self) -> Tensor:
        """Return the number of training pixels of each class."""
        total = torch.zeros(256, dtype=torch.int64, device=self.random.device)
        for classes in self.training.classes:
            total += torch.bincount(classes.reshape(-1), minlength=256)
        return total[:N_CLASSES].float().cpu()

    def batch(self, n: int) -> ImageBatch:
        """Return n random crops; their size, side and colours are changed at random."""
        data, random = self.training, self.random
        number = random.integers(len(data), (n,)).to(random.device)
        height, width = self._size(data)
        # Pixels are left out, not averaged, as in an image of lower resolution without antialiasing.
        most = min(REDUCTION, data.rgb.shape[1] / height, data.rgb.shape[2] / width)
        zoom = most ** -random.uniform(n)
        row, column = (
            _places(size, full, zoom, random.uniform(n))
            for size, full in zip((height, width), data.rgb.shape[1:3], strict=True)
        )
        mirrored = random.uniform(n, 1) < 0.5
        cut = data.cut(number, row, torch.where(mirrored, column.flip(1), column), zoom)
        change = 1.0 + COLOUR_CHANGE * (2.0 * random.uniform(n, 4, 1, 1) - 1.0)
        pixels = (cut.pixels * change[:, :1] * change[:, 1:]).clamp(0.0, 1.0)
        return ImageBatch(pixels, cut.classes, cut.depth, cut.focal)

    def _size(self, images: StoredImages) -> tuple[int, int]:
        height, width = (min(pair) for pair in zip(self.crop, images.rgb.shape[1:3], strict=True))
        return height, width

    def validation_batches(self, n: int, limit: int) -> list[ImageBatch]:
        """Return the middle crops of validation images, evenly chosen, in batches of n."""
        data, device = self.validation, self.random.device
        height, width = self._size(data)
        chosen = np.linspace(0, len(data) - 1, min(limit, len(data))).astype(int)
        found = []
        for first in range(0, len(chosen), n):
            number = torch.from_numpy(chosen[first : first + n]).to(device)
            one = torch.ones(len(number), device=device)
            row = _places(height, data.rgb.shape[1], one, 0.5 * one)
            found.append(data.cut(number, row, _places(width, data.rgb.shape[2], one, 0.5 * one), one))
        return found


def _places(size: int, full: int, zoom: Tensor, share: Tensor) -> Tensor:
    """Return the rows or columns (n, size) of crops at a share of the free space; a zoom below 1 leaves some out."""
    step = torch.arange(size, device=zoom.device)
    span = ((size - 1) / zoom).floor()
    first = (share * (full - span)).floor()
    return (first[:, None] + (step / zoom[:, None]).floor()).long().clamp(0, full - 1)


def _stored(images: list[tuple[Tensor, Tensor, Tensor, float]], device: torch.device) -> StoredImages:
    height, width = (min(rgb.shape[axis] for rgb, *_ in images) for axis in (0, 1))

    def joined(parts: list[Tensor]) -> Tensor:
        places = [((len(each) - height) // 2, (each.shape[1] - width) // 2) for each in parts]
        cut = [each[y : y + height, x : x + width] for each, (y, x) in zip(parts, places, strict=True)]
        return torch.stack(cut).to(device)

    rgb, classes, depth, focal = zip(*images, strict=True)
    return StoredImages(
        joined(list(rgb)), joined(list(classes)), joined(list(depth)), torch.tensor(focal, device=device)
    )
