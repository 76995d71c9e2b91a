"""ResNet-18 in plain torch, with the parameter names of torchvision's file."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from offnominal.detectors.images.features.backbone import IMAGENET_MEAN, IMAGENET_STD, Backbone, Features, patches


class ResNet18(Backbone):
    """The network with 18 layers of He et al. (2016).

    The pooled vector is the mean of the last feature map, of width 512. The tokens are the 14 × 14 cells of the third
    stage, as in PatchCore.
    """

    def __init__(self) -> None:
        super().__init__("resnet18", 224, IMAGENET_MEAN, IMAGENET_STD)
        self.conv1 = nn.Conv2d(3, 64, 7, 2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.layer1 = nn.Sequential(ResidualBlock(64, 64), ResidualBlock(64, 64))
        self.layer2 = nn.Sequential(ResidualBlock(64, 128, 2), ResidualBlock(128, 128))
        self.layer3 = nn.Sequential(ResidualBlock(128, 256, 2), ResidualBlock(256, 256))
        self.layer4 = nn.Sequential(ResidualBlock(256, 512, 2), ResidualBlock(512, 512))
        self.fc = nn.Linear(512, 1000)

    def features(self, images: Tensor) -> Features:
        """Return the features of standardised images; the classifier is not used."""
        stem = nn.functional.max_pool2d(torch.relu(self.bn1(self.conv1(images))), 3, 2, padding=1)
        third: Tensor = self.layer3(self.layer2(self.layer1(stem)))
        pooled: Tensor = self.layer4(third).mean(dim=(2, 3))
        return Features(pooled, pooled, patches(third))


class ResidualBlock(nn.Module):
    """Two convolutions with a residual connection.

    Args:
        inputs: Input channels.
        outputs: Output channels.
        stride: Stride of the first convolution.
    """

    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        if stride > 1:
            shortcut = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
            self.downsample: nn.Sequential | None = nn.Sequential(shortcut, nn.BatchNorm2d(outputs))
        else:
            self.downsample = None

    def forward(self, maps: Tensor) -> Tensor:
        """Return the next feature maps."""
        shortcut = maps if self.downsample is None else self.downsample(maps)
        return torch.relu(self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(maps))))) + shortcut)
