"""The default backbone: a small encoder that is trained on the nominal frames and needs no download."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.detectors.images.features.backbone import Backbone, Features, patches

SMALLEST, LARGEST = 32, 128
WIDTH, EMBEDDED = 256, 128


class EncoderBackbone(Backbone):
    """A convolutional network with a million weights.

    The first layer has stride 4 and each of the three stages stride 2: at 128 × 128 pixels the feature maps have 16, 8
    and 4 cells per side. A token is one of the 8 × 8 cells, with the features of this stage and the averaged features
    of the stage before. The pooled vector is a linear layer over the last 4 × 4 cells, not their mean, so it contains
    positions.

    Args:
        side: Longer side of the images. Images are resized to the next smaller multiple of 32, at most 128.
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
        """Return the features of standardised images."""
        fine: Tensor = self.fine(images)
        coarse: Tensor = self.coarse(fine)
        pooled: Tensor = self.pool(self.last(coarse))
        tokens = patches(torch.cat([functional.avg_pool2d(fine, 2), coarse], dim=1))
        return Features(pooled, self.head(pooled), tokens)


def _layer(inputs: int, outputs: int, stride: int) -> tuple[nn.Module, ...]:
    """A convolution with group normalisation, so the features of an image do not depend on the batch."""
    return nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False), nn.GroupNorm(8, outputs), nn.ReLU()
