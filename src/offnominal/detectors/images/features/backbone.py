"""The contract of a backbone: pictures in, features out."""

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
    """What a backbone makes of n pictures.

    Args:
        pooled: (n, width): the last layer before any head, one vector per picture.
        embedded: (n, width): behind the head that was trained to compare pictures; `pooled` where there is none.
        tokens: (n, patches, width): one vector per patch; no patches where the backbone has none.
    """

    pooled: Tensor
    embedded: Tensor
    tokens: Tensor


class Backbone(nn.Module, ABC):
    """Turns pictures into features.

    Args:
        name: What tables call it.
        size: Side of the pictures it wants; None takes them as they are.
        mean: Of its inputs, per colour, on a scale from 0 to 1.
        std: Of its inputs, per colour.
    """

    mean: Tensor
    std: Tensor

    def __init__(self, name: str, size: int | None, mean: Sequence[float], std: Sequence[float]) -> None:
        super().__init__()
        self.name, self.size = name, size
        self.register_buffer("mean", torch.tensor(mean, dtype=torch.float32)[:, None, None], persistent=False)
        self.register_buffer("std", torch.tensor(std, dtype=torch.float32)[:, None, None], persistent=False)

    def scaled(self, frames: Tensor) -> Tensor:
        """Return (n, 3, height, width) bytes as the backbone wants them: from 0 to 1, resized, standardised, once."""
        return self.standardised(frames.to(torch.float32) / 255.0)

    def standardised(self, images: Tensor) -> Tensor:
        """Return pictures from 0 to 1 as the backbone wants them."""
        if self.size is not None and images.shape[-2:] != (self.size, self.size):
            images = functional.interpolate(images, (self.size, self.size), mode="bilinear", antialias=True)
        return (images - self.mean) / self.std

    @abstractmethod
    def features(self, images: Tensor) -> Features:
        """Return the features of scaled pictures."""

    def forward(self, frames: Tensor) -> Features:
        """Return the features of pictures as bytes."""
        return self.features(self.scaled(frames))


class CustomBackbone(Backbone):
    """A function or module of yours as a backbone. It is given pictures from 0 to 1, in their own size.

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
        """Return what the function makes of them; patches are averaged where one vector is wanted."""
        found = self.function(images)
        if not isinstance(found, Tensor) or found.ndim not in (2, 3, 4) or len(found) != len(images):
            shape = tuple(found.shape) if isinstance(found, Tensor) else type(found).__name__
            raise InvalidParameter(
                f"the backbone {self.name} returned {shape} for {len(images)} pictures; expected a tensor of shape "
                "(n, width), (n, patches, width) or (n, width, rows, columns)."
            )
        return features_of_output(found)


def features_of_output(found: Tensor) -> Features:
    """Return the features in an output that is a vector, tokens or a map per picture."""
    if found.ndim == 2:
        return Features(found, found, found[:, None, :][:, :0])
    tokens = patches(found) if found.ndim == 4 else found
    pooled = tokens.mean(dim=1)
    return Features(pooled, pooled, tokens)


def patches(maps: Tensor) -> Tensor:
    """Return (n, width, rows, columns) maps as (n, rows * columns, width) tokens."""
    return maps.flatten(2).transpose(1, 2)


def digest(module: nn.Module) -> bytes:
    """Return the SHA-256 of a module's weights: their names, shapes and values."""
    found = hashlib.sha256()
    for name, value in sorted(module.state_dict().items()):
        found.update(f"{name} {tuple(value.shape)} {value.dtype}".encode())
        found.update(value.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return found.digest()
