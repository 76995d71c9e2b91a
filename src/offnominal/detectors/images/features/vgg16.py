"""VGG-16 in plain torch, with the parameter names of the published file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from offnominal.detectors.images.features.backbone import IMAGENET_MEAN, IMAGENET_STD, Backbone, Features, patches

SIDE, WIDTH = 224, 4096
STAGES = ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))
"""Channels and number of convolutions of each stage; a stage ends with a pooling layer."""

OUTPUT = "classifier.6."
"""Names of the output layer of the published file, which is not used."""


class VGG16(Backbone):
    """VGG-16 of Simonyan and Zisserman (2015); the pooled vector is the second hidden layer of its classifier.

    Tokens are the 7 × 7 cells of the last feature map.
    """

    def __init__(self) -> None:
        super().__init__("vgg16", SIDE, IMAGENET_MEAN, IMAGENET_STD)
        layers: list[nn.Module] = []
        before = 3
        for channels, depth in STAGES:
            for _ in range(depth):
                layers += [nn.Conv2d(before, channels, 3, padding=1), nn.ReLU()]
                before = channels
            layers.append(nn.MaxPool2d(2))
        self.convolutions = nn.Sequential(*layers)
        self.classifier = nn.Sequential(
            nn.Linear(512 * 49, WIDTH), nn.ReLU(), nn.Dropout(), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Dropout()
        )

    def features(self, images: Tensor) -> Features:
        """Return the features of standardised images."""
        maps: Tensor = self.convolutions(images)
        pooled: Tensor = self.classifier(maps.flatten(1))
        return Features(pooled, pooled, patches(maps))

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        """Load weights; in the published file convolutions have another name, and there is an output layer more."""
        renamed = {
            name.replace("features.", "convolutions.", 1): value
            for name, value in state_dict.items()
            if not name.startswith(OUTPUT)
        }
        return super().load_state_dict(renamed, strict, assign)
