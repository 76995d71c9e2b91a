"""The contract of a backbone: a network from images to features."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.core.errors import InvalidParameter

IMAGENET_MEAN, IMAGENET_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class Features(NamedTuple):
    """Features of n images.

    Args:
        pooled: (n, width): one vector per image, the last layer before the head.
        embedded: (n, width): output of a head that was trained to compare images; `pooled` without such a head.
        tokens: (n, patches, width): one vector per patch; zero patches if the backbone has none.
    """

    pooled: Tensor
    embedded: Tensor
    tokens: Tensor


class Backbone(nn.Module, ABC):
    """A network from images to features.

    Args:
        name: Name in tables.
        size: Side of the input images; None for no resizing.
        mean: Mean of the inputs per colour, on a scale from 0 to 1.
        std: Standard deviation of the inputs per colour.
    """

    mean: Tensor
    std: Tensor

    def __init__(self, name: str, size: int | None, mean: Sequence[float], std: Sequence[float]) -> None:
        super().__init__()
        self.name, self.size = name, size
        self.register_buffer("mean", torch.tensor(mean, dtype=torch.float32)[:, None, None], persistent=False)
        self.register_buffer("std", torch.tensor(std, dtype=torch.float32)[:, None, None], persistent=False)

    def scaled(self, frames: Tensor) -> Tensor:
        """Return images (n, 3, H, W) uint8 scaled to [0, 1], resized and standardised."""
        return self.standardised(frames.to(torch.float32) / 255.0)

    def standardised(self, images: Tensor) -> Tensor:
        """Return images in [0, 1] resized and standardised."""
        if self.size is not None and images.shape[-2:] != (self.size, self.size):
            images = functional.interpolate(images, (self.size, self.size), mode="bilinear", antialias=True)
        return (images - self.mean) / self.std

    @abstractmethod
    def features(self, images: Tensor) -> Features:
        """Return the features of standardised images."""

    def forward(self, frames: Tensor) -> Features:
        """Return the features of uint8 images."""
        return self.features(self.scaled(frames))


class CustomBackbone(Backbone):
    """A backbone from a function or module, which gets images in [0, 1] of their original size.

    Args:
        function: Returns (n, width) vectors, (n, patches, width) tokens or (n, width, rows, columns) maps.

    Example:
        >>> backbone = CustomBackbone(lambda images: images.mean(dim=(2, 3)))
        >>> backbone(torch.full((1, 3, 8, 8), 255, dtype=torch.uint8)).pooled
        tensor([[1., 1., 1.]])
    """

    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        name = getattr(function, "__name__", type(function).__name__)
        super().__init__(name, None, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
        self.function = function

    def features(self, images: Tensor) -> Features:
        """Return the output of the function; the pooled vector is the mean over patches."""
        output = self.function(images)
        if not isinstance(output, Tensor) or output.ndim not in (2, 3, 4) or len(output) != len(images):
            shape = tuple(output.shape) if isinstance(output, Tensor) else type(output).__name__
            raise InvalidParameter(
                f"the backbone {self.name} returned {shape} for {len(images)} images; expected a tensor of shape "
                "(n, width), (n, patches, width) or (n, width, rows, columns)."
            )
        return features_of_output(output)


def features_of_output(output: Tensor) -> Features:
    """Return the features in an output with a vector, tokens or a feature map per image."""
    if output.ndim == 2:
        return Features(output, output, output[:, None, :][:, :0])
    tokens = patches(output) if output.ndim == 4 else output
    pooled = tokens.mean(dim=1)
    return Features(pooled, pooled, tokens)


def patches(maps: Tensor) -> Tensor:
    """Return feature maps (n, width, rows, columns) as tokens (n, rows * columns, width)."""
    return maps.flatten(2).transpose(1, 2)


def digest(module: nn.Module) -> bytes:
    """Return the SHA-256 of the names, shapes and values of a module's weights."""
    result = hashlib.sha256()
    for name, value in sorted(module.state_dict().items()):
        result.update(f"{name} {tuple(value.shape)} {value.dtype}".encode())
        result.update(value.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return result.digest()
