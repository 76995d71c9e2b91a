"""The convolutions of VGG-16 in plain torch, without its classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from offnominal.detectors.images.features.backbone import IMAGENET_MEAN, IMAGENET_STD, Backbone, Features, patches
from offnominal.detectors.images.features.vgg16 import SIDE, STAGES

LAYER = "Conv_"
"""Name of a convolution in the published file, followed by its number."""


class VGG16Conv(Backbone):
    """The 13 convolutions of VGG-16 (Simonyan and Zisserman, 2015); the published file has no more layers.

    The pooled vector, of width 512, is the mean of the last feature map after its pooling layer. Tokens are the
    14 × 14 cells of the fourth stage after its pooling layer, of width 512.
    """

    def __init__(self) -> None:
        super().__init__("vgg16_conv", SIDE, IMAGENET_MEAN, IMAGENET_STD)
        before = 3
        stages = []
        for channels, depth in STAGES:
            layers: list[nn.Module] = []
            for _ in range(depth):
                layers += [nn.Conv2d(before, channels, 3, padding=1), nn.ReLU()]
                before = channels
            stages.append(nn.Sequential(*layers, nn.MaxPool2d(2)))
        self.stages = nn.Sequential(*stages)

    def features(self, images: Tensor) -> Features:
        """Return the features of standardised images."""
        fourth: Tensor = self.stages[:-1](images)
        pooled: Tensor = self.stages[-1](fourth).mean(dim=(2, 3))
        return Features(pooled, pooled, patches(fourth))

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        """Load weights; in the published file convolutions are numbered, and kernels are (height, width, in, out)."""
        layers = [name for name, each in self.named_modules() if isinstance(each, nn.Conv2d)]
        renamed = dict(_renamed(name, value, layers) for name, value in state_dict.items())
        return super().load_state_dict(renamed, strict, assign)


def _renamed(name: str, value: Any, layers: list[str]) -> tuple[str, Any]:
    """Return a weight of the published file with our name and layout; another one unchanged."""
    layer, _, part = name.rpartition(".")
    number = layer.removeprefix(LAYER)
    if not layer.startswith(LAYER) or not number.isdecimal() or int(number) >= len(layers):
        return name, value
    if part == "kernel":
        return f"{layers[int(number)]}.weight", value.permute(3, 2, 0, 1)
    return f"{layers[int(number)]}.{part}", value
