"""Patch autoencoder: reconstruction error of small patches of an image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.core.device import choose_device, deterministic_kernels
from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray, IntArray
from offnominal.detectors.classifiers.class_detector import ClassDetector
from offnominal.detectors.classifiers.class_images import ClassImages, Images
from offnominal.detectors.network_state import NetworkState
from offnominal.detectors.parameters import NOT_NEGATIVE, POSITIVE, STEPS, STEPS_OR_NONE, Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.training import GradientStep, train

PATCH, STRIDE = 32, 16
"""Side of a patch, and the distance between two patches, in pixels."""
CODE = 100
"""Width of the code."""


class Halving(nn.Module):
    """Two convolutions that halve the maps, with a shortcut."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, 2, padding=1, bias=False)
        self.second = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.shortcut = nn.Conv2d(inputs, outputs, 1, 2, bias=False)
        self.norms = nn.ModuleList(_norm(outputs) for _ in range(3))

    def forward(self, maps: Tensor) -> Tensor:
        """Return maps of half the size."""
        inner = self.norms[1](self.second(functional.leaky_relu(self.norms[0](self.first(maps)))))
        return functional.leaky_relu(inner + self.norms[2](self.shortcut(maps)))


class Doubling(nn.Module):
    """Two convolutions that double the maps, with a shortcut."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 5, padding=2, bias=False)
        self.second = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.shortcut = nn.Conv2d(inputs, outputs, 1, bias=False)
        self.norms = nn.ModuleList(_norm(outputs) for _ in range(3))

    def forward(self, maps: Tensor) -> Tensor:
        """Return maps of twice the size."""
        inner = self.norms[1](self.second(functional.leaky_relu(self.norms[0](self.first(_doubled(maps))))))
        return functional.leaky_relu(inner + _doubled(self.norms[2](self.shortcut(maps))))


class PatchNetwork(nn.Module):
    """An autoencoder of patches of 32 × 32 pixels with a code of 100 numbers (Abati et al. 2019, without estimator).

    Normalisation is by groups of channels, so that the output of a patch does not depend on the batch.

    Args:
        channels: Channels of the first layer; each of three halvings doubles them.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        sizes = [channels << depth for depth in range(4)]
        self.entry = nn.Conv2d(3, channels, 3, padding=1, bias=False)
        self.down = nn.Sequential(*(Halving(*pair) for pair in pairwise(sizes)))
        inner = sizes[-1] * (PATCH // 8) ** 2
        self.encode = nn.Sequential(nn.Linear(inner, 256), nn.LayerNorm(256), nn.LeakyReLU(), nn.Linear(256, CODE))
        self.decode = nn.Sequential(
            nn.Linear(CODE, 256), nn.LayerNorm(256), nn.LeakyReLU(), nn.Linear(256, inner), nn.LeakyReLU()
        )
        self.up = nn.Sequential(*(Doubling(*pair) for pair in pairwise(sizes[::-1])))
        self.exit = nn.Conv2d(channels, 3, 1)

    def forward(self, patches: Tensor) -> Tensor:
        """Return the reconstruction of patches (n, 3, 32, 32) with values from 0 to 1."""
        maps = self.down(functional.leaky_relu(self.entry(patches)))
        code = self.encode(maps.flatten(1)).sigmoid()
        restored: Tensor = self.exit(self.up(self.decode(code).view_as(maps)))
        return restored


def _doubled(maps: Tensor) -> Tensor:
    """Return maps in which every cell is repeated twice in both directions."""
    n, channels, height, width = maps.shape
    repeated = maps[:, :, :, None, :, None].expand(n, channels, height, 2, width, 2)
    return repeated.reshape(n, channels, 2 * height, 2 * width)


def _norm(channels: int) -> nn.Module:
    return nn.GroupNorm(min(8, channels), channels)


@dataclass(kw_only=True, eq=False)
class PatchAutoencoder(NetworkState[PatchNetwork], ClassDetector):
    """Mean squared error of the reconstruction of all patches of an image. Classes are not used.

    Patches of 32 × 32 pixels overlap by half. In training a random patch of each image is reconstructed from a noisy
    copy. An image that is smaller than a patch is enlarged.

    Args:
        channels: Channels of the first layer.
        noise: Standard deviation of the noise in training; values of pixels go from 0 to 1.
        crop_bottom: Number of pixel rows at the bottom that are ignored, such as those of a hot bar.
        reduction: Score from the errors of all patches: their mean, as published, or the largest.
        n_epochs: Number of epochs; an epoch has one patch of each image. Zero keeps the random weights.
        batch_size: Patches per update.
        learning_rate: Learning rate of Adam.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {
        "channels": Range(1, 512),
        "noise": NOT_NEGATIVE,
        "crop_bottom": Range(0, 100_000),
        "n_epochs": STEPS_OR_NONE,
        "batch_size": STEPS,
        "learning_rate": POSITIVE,
    }
    CURVE: ClassVar[None] = None
    needs_classes: ClassVar[bool] = False

    channels: int = 32
    noise: float = 1.0 / 40.0
    crop_bottom: int = 0
    reduction: Literal["mean", "max"] = "mean"
    n_epochs: int = 200
    batch_size: int = 128
    learning_rate: float = 1e-3
    device: str = "auto"

    def _fit(self, images: ClassImages, labels: IntArray, seed: int) -> None:
        if images.shape[1] - self.crop_bottom < 1:
            raise InvalidParameter(
                f"crop_bottom is {self.crop_bottom}; the images have {images.shape[1]} rows of pixels."
            )
        self.device_ = choose_device(self.device)
        random = RandomNumbers(seed, self.device_)
        with random.weights():
            network = self._network()
        self.network_ = network.to(self.device_)
        if self.n_epochs:
            self._train(images, random, seed)
        self._settle()

    def _network(self) -> PatchNetwork:
        return PatchNetwork(self.channels)

    def _train(self, images: ClassImages, random: RandomNumbers, seed: int) -> None:
        draw = Stream.named(seed, 0, "patches").generator()
        pixels = torch.cat([self._cropped(part).to(torch.uint8) for part in images.chunks()]).to(self.device_)
        tops, lefts = _corners(pixels.shape[2]), _corners(pixels.shape[3])
        optimizer = torch.optim.Adam(self.network_.parameters(), lr=self.learning_rate)
        step = GradientStep(optimizer)

        def batches(_: int) -> list[IntArray]:
            rows = draw.permutation(len(pixels))
            return [rows[first : first + self.batch_size] for first in range(0, len(rows), self.batch_size)]

        def update(rows: IntArray) -> Tensor:
            where = [torch.from_numpy(draw.choice(each, len(rows))) for each in (tops, lefts)]
            patches = _patches(pixels, torch.from_numpy(rows), where[0], where[1])
            noisy = (patches + self.noise * random.normal_like(patches)).clamp(0.0, 1.0)
            return step(functional.mse_loss(self.network_(noisy), patches))

        with deterministic_kernels(self.device_):
            train(self.network_, update, batches, n_epochs=self.n_epochs, title="Training PatchAutoencoder")

    def _cropped(self, images: Images) -> Tensor:
        """Return images without the rows at the bottom, at least as large as a patch, with values from 0 to 255."""
        given = torch.from_numpy(images)[:, :, : images.shape[2] - self.crop_bottom]
        height, width = (max(side, PATCH) for side in given.shape[-2:])
        if given.shape[-2:] == (height, width):
            return given
        enlarged = functional.interpolate(given.to(torch.float32), (height, width), mode="bilinear")
        return enlarged.round().clamp(0, 255)

    @torch.inference_mode()
    def _score(self, images: ClassImages) -> FloatArray:
        scores = []
        with deterministic_kernels(self.device_):
            for part in images.chunks(1):
                pixels = self._cropped(part).to(self.device_)
                top, left = (torch.from_numpy(_corners(side)) for side in pixels.shape[-2:])
                grid = torch.cartesian_prod(top, left)
                patches = _patches(pixels, torch.zeros(len(grid), dtype=torch.int64), grid[:, 0], grid[:, 1])
                errors = (self.network_(patches) - patches).square().double().mean(dim=(1, 2, 3))
                scores.append(float(errors.max() if self.reduction == "max" else errors.mean()))
        return np.array(scores)


def _corners(side: int) -> IntArray:
    """Return the first pixel of every patch along a side; the last patch ends at the border.

    Example:
        >>> _corners(70)
        array([ 0, 16, 32, 38])
    """
    regular = np.arange(0, side - PATCH + 1, STRIDE)
    return regular if regular[-1] == side - PATCH else np.append(regular, side - PATCH)


def _patches(pixels: Tensor, rows: Tensor, tops: Tensor, lefts: Tensor) -> Tensor:
    """Return patches (n, 3, 32, 32) of some images, with values from 0 to 1."""
    steps, device = torch.arange(PATCH), pixels.device
    down = (tops[:, None] + steps).to(device)[:, None, :, None]
    right = (lefts[:, None] + steps).to(device)[:, None, None, :]
    colours = torch.arange(3, device=device)[None, :, None, None]
    return pixels[rows.to(device)[:, None, None, None], colours, down, right].to(torch.float32) / 255.0
