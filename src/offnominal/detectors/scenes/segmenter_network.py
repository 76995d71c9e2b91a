"""A small encoder-decoder network from images to class logits."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional

from offnominal.detectors.scenes.convolution_blocks import FeaturePyramid
from offnominal.detectors.scenes.label_classes import IGNORED, N_CLASSES

MULTIPLE = 16
"""Images are padded to multiples of so many pixels."""
STRIDE = 4
"""Pixels per cell of the output."""


class SegmenterNetwork(nn.Module):
    """Class logits of every fourth pixel in each direction.

    Args:
        width: Channels of the first stage, a multiple of 8; later stages have more.
        classes: Number of classes.
    """

    def __init__(self, width: int, classes: int = N_CLASSES) -> None:
        super().__init__()
        self.pyramid = FeaturePyramid(3, (width, 2 * width, 3 * width, 4 * width), 2 * width)
        self.head = nn.Conv2d(2 * width, classes, 1)

    def forward(self, images: Tensor) -> Tensor:
        """Return logits (n, classes, height / 4, width / 4) of images in [0, 1]."""
        logits: Tensor = self.head(self.pyramid(2.0 * padded(images) - 1.0)[0])
        return logits


def padded(images: Tensor) -> Tensor:
    """Return images whose sides are multiples of 16; the border is repeated."""
    height, width = images.shape[-2:]
    return functional.pad(images, (0, -width % MULTIPLE, 0, -height % MULTIPLE), mode="replicate")


def enlarged(values: Tensor, height: int, width: int) -> Tensor:
    """Return maps (n, channels, rows, columns) interpolated to the pixels of images."""
    full = functional.interpolate(values, scale_factor=STRIDE, mode="bilinear", align_corners=False)
    return full[..., :height, :width]


def reduced_classes(classes: Tensor) -> Tensor:
    """Return the classes (n, height, width) at the cells of the output, with the padding as ignored pixels."""
    height, width = classes.shape[-2:]
    full = functional.pad(classes, (0, -width % MULTIPLE, 0, -height % MULTIPLE), value=IGNORED)
    return full[:, STRIDE // 2 :: STRIDE, STRIDE // 2 :: STRIDE]


def class_loss(logits: Tensor, classes: Tensor, weight: Tensor | None = None) -> Tensor:
    """Return the mean cross-entropy of the pixels with a class.

    Args:
        logits: (n, classes, rows, columns).
        classes: (n, rows, columns): classes, or :data:`IGNORED`.
        weight: (classes,): weight of each class; None for equal weights.
    """
    # The two-dimensional form of this loss is not deterministic on a GPU.
    flat = logits.movedim(1, -1).reshape(-1, logits.shape[1])
    target = classes.reshape(-1)
    kept = target != IGNORED
    if not bool(kept.any()):
        return logits.sum() * 0.0
    return functional.cross_entropy(flat[kept], target[kept], weight)


def class_weights(counts: Tensor) -> Tensor:
    """Return weights of classes from their numbers of pixels: 1 / sqrt(share), limited, with a mean of 1.

    Example:
        >>> import torch
        >>> class_weights(torch.tensor([90.0, 10.0, 0.0])).tolist()
        [0.5, 1.5, 1.0]
    """
    share = counts / counts.sum().clamp(min=1.0)
    weight = share.clamp(min=1e-3).rsqrt().clamp(max=10.0)
    weight[counts == 0] = weight[counts > 0].mean() if bool((counts > 0).any()) else 1.0
    return weight / weight.mean()
