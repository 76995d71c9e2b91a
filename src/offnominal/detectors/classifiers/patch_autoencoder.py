"""Patch autoencoder: reconstruction error of small patches of an image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from offnominal.core.device import choose_device, deterministic_kernels
from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray, IntArray
from offnominal.detectors.classifiers.class_detector import ClassDetector
from offnominal.detectors.classifiers.class_images import ClassImages, Images
from offnominal.detectors.classifiers.patch_network import PATCH, STRIDE, PatchNetwork
from offnominal.detectors.network_state import NetworkState
from offnominal.detectors.parameters import NOT_NEGATIVE, POSITIVE, STEPS, STEPS_OR_NONE, Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.training import GradientStep, train


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
