"""The encoder that needs nothing from outside: a small network that learns from the nominal pictures."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.detectors.images.features.backbone import Backbone, Features, patches

SMALLEST, LARGEST = 32, 128
WIDTH, EMBEDDED = 256, 128


class EncoderBackbone(Backbone):
    """A convolutional network of a million weights.

    The first layer makes a cell of 4 × 4 pixels; each of the three stages behind it joins 2 × 2 cells, which leaves 16,
    8 and 4 of them on a side of 128 pixels. A token is one of the 8 × 8: its own features beside the finer ones below
    it. The pooled vector is a layer over the last 4 × 4, not their mean, because where a thing is matters as much as
    what it is.

    Args:
        side: Of the pictures, the longer one. They are resized to the next multiple of 32 below it, at most 128.
    """

    def __init__(self, side: int) -> None:
        size = max(SMALLEST, min(LARGEST, side // SMALLEST * SMALLEST))
        super().__init__("encoder", size, (0.5, 0.5, 0.5), (0.25, 0.25, 0.25))
        stem = nn.Conv2d(3, 32, 8, 4, padding=2)
        self.fine = nn.Sequential(stem, nn.GroupNorm(8, 32), nn.ReLU(), *_layer(32, 64, 2), *_layer(64, 64, 1))
        self.coarse = nn.Sequential(*_layer(64, 128, 2), *_layer(128, 128, 1))
        self.last = nn.Sequential(*_layer(128, 128, 2), *_layer(128, 128, 1), nn.Flatten())
        self.pool = nn.Linear(128 * (size // SMALLEST) ** 2, WIDTH)
        self.head = nn.Sequential(nn.LayerNorm(WIDTH), nn.ReLU(), nn.Linear(WIDTH, EMBEDDED))

    def features(self, images: Tensor) -> Features:
        """Return the features of scaled pictures."""
        fine: Tensor = self.fine(images)
        coarse: Tensor = self.coarse(fine)
        pooled: Tensor = self.pool(self.last(coarse))
        tokens = patches(torch.cat([functional.avg_pool2d(fine, 2), coarse], dim=1))
        return Features(pooled, self.head(pooled), tokens)


def _layer(inputs: int, outputs: int, stride: int) -> tuple[nn.Module, ...]:
    """A convolution, normalised within each picture, so that no picture's features depend on another."""
    return nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False), nn.GroupNorm(8, outputs), nn.ReLU()
