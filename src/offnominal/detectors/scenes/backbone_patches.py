"""Patch features of a published network, applied to square parts of an image."""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray

from offnominal.core.device import choose_device, deterministic_kernels
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.detectors.images.features.backbones import load_backbone

SIDE = 224
"""Side of the parts for a network without a fixed size of images, in pixels."""


class BackbonePatches:
    """Features of the patches of an image.

    Args:
        name: Name of the backbone; its weights are downloaded at the first use.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
    """

    def __init__(self, name: str, device: str) -> None:
        self.device = choose_device(device)
        self.backbone = load_backbone(name).to(self.device).requires_grad_(False)

    @torch.inference_mode()
    def __call__(self, rgb: NDArray[np.uint8]) -> FloatArray:
        """Return features (rows, columns, width) of an image (height, width, 3)."""
        parts, down, across = squares(rgb, self.backbone.size or SIDE)
        with deterministic_kernels(self.device):
            tokens = self.backbone(torch.from_numpy(parts).to(self.device)).tokens.float().cpu().numpy()
        side = math.isqrt(tokens.shape[1])
        if not side or side**2 != tokens.shape[1]:
            raise InvalidParameter(f"the backbone {self.backbone.name} has no square grid of patch features.")
        grid = tokens.reshape(down, across, side, side, -1).transpose(0, 2, 1, 3, 4)
        found: FloatArray = grid.reshape(down * side, across * side, -1).astype(np.float64)
        return found


def squares(rgb: NDArray[np.uint8], side: int) -> tuple[NDArray[np.uint8], int, int]:
    """Return an image as nearly square parts (n, 3, height, width), and how many there are down and across.

    Example:
        >>> parts, down, across = squares(np.zeros((512, 768, 3), np.uint8), 224)
        >>> parts.shape, down, across
        ((6, 3, 256, 256), 2, 3)
    """
    height, width = rgb.shape[:2]
    down, across = max(1, round(height / side)), max(1, round(width / side))
    tall, wide = height // down, width // across
    cut = rgb[: down * tall, : across * wide].reshape(down, tall, across, wide, 3)
    return np.ascontiguousarray(cut.transpose(0, 2, 4, 1, 3)).reshape(-1, 3, tall, wide), down, across
