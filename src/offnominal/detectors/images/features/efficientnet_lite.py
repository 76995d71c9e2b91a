"""EfficientNet-Lite 0 to 2 in plain torch, with the parameters of the published files."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from torch import Tensor, nn
from torch.nn import functional

from offnominal.detectors.images.features.backbone import Backbone, Features, patches

MEAN, STD = 127.0 / 255.0, 128.0 / 255.0
"""Scaling of the inputs: pixels from 0 to 255 less 127, divided by 128."""
STEM, HEAD, CLASSES = 32, 1280, 1000
EPSILON = 1e-3
"""Epsilon of the batch normalisations."""
TOKEN_STAGE = 5
"""Stages up to the last one with a cell per 16 × 16 pixels."""


class Stage(NamedTuple):
    """Blocks of the same kind.

    Args:
        blocks: Number of blocks, for a depth of 1.
        kernel: Side of the kernels.
        stride: Stride of the first block.
        expansion: Factor of the channels in a block.
        channels: Channels of the outputs, for a width of 1.
    """

    blocks: int
    kernel: int
    stride: int
    expansion: int
    channels: int


STAGES = (
    Stage(1, 3, 1, 1, 16),
    Stage(2, 3, 2, 6, 24),
    Stage(2, 5, 2, 6, 40),
    Stage(3, 3, 2, 6, 80),
    Stage(3, 5, 1, 6, 112),
    Stage(4, 5, 2, 6, 192),
    Stage(1, 3, 1, 6, 320),
)


class Scaling(NamedTuple):
    """Scaling of a network.

    Args:
        side: Side of the images.
        width: Factor of the channels.
        depth: Factor of the number of blocks, except in the first and last stage.
    """

    side: int
    width: float
    depth: float


SCALINGS = (Scaling(224, 1.0, 1.0), Scaling(240, 1.0, 1.1), Scaling(260, 1.1, 1.2))


class EfficientNetLite(Backbone):
    """EfficientNet-Lite (2020): EfficientNet (Tan and Le, 2019) with ReLU6 and without squeeze-and-excitation.

    The pooled vector, of width 1,280, is the mean of the last feature map. Tokens are the cells of the fifth stage, one
    per 16 × 16 pixels. The side of the images is 224, 240 and 260.

    Args:
        number: Which network: 0, 1 or 2.
    """

    def __init__(self, number: int) -> None:
        side, width, depth = SCALINGS[number]
        super().__init__(f"efficientnet_lite{number}", side, (MEAN,) * 3, (STD,) * 3)
        self.conv_stem = SameConv2d(3, STEM, 3, 2, bias=False)
        self.bn0 = nn.BatchNorm2d(STEM, eps=EPSILON)
        blocks: list[nn.Module] = []
        before = STEM
        for place, stage in enumerate(STAGES):
            fixed = place in (0, len(STAGES) - 1)
            channels = rounded_width(stage.channels * width)
            for repeat in range(stage.blocks if fixed else math.ceil(stage.blocks * depth)):
                stride = 1 if repeat else stage.stride
                blocks.append(MobileBlock(before, channels, stage.kernel, stride, stage.expansion))
                before = channels
            if place + 1 == TOKEN_STAGE:
                self.n_token_blocks = len(blocks)
        self.blocks = nn.Sequential(*blocks)
        self.conv_head = nn.Conv2d(before, HEAD, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(HEAD, eps=EPSILON)
        self.fc = nn.Linear(HEAD, CLASSES)

    def features(self, images: Tensor) -> Features:
        """Return the features of standardised images; ``fc`` of the pooled vector gives the logits of ImageNet."""
        stem = functional.relu6(self.bn0(self.conv_stem(images)))
        fifth: Tensor = self.blocks[: self.n_token_blocks](stem)
        last = self.conv_head(self.blocks[self.n_token_blocks :](fifth))
        pooled = functional.relu6(self.bn1(last)).mean(dim=(2, 3))
        return Features(pooled, pooled, patches(fifth))

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        """Load weights; in the published files names of layers begin with an underscore."""
        renamed = {f".{name}".replace("._", ".")[1:]: value for name, value in state_dict.items()}
        return super().load_state_dict(renamed, strict, assign)


def rounded_width(channels: float) -> int:
    """Return a multiple of 8 next to a number of channels, and at most a tenth smaller.

    Example:
        >>> [rounded_width(1.1 * stage.channels) for stage in STAGES]
        [16, 24, 48, 88, 120, 208, 352]
    """
    rounded = max(8, int(channels + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * channels else rounded


class SameConv2d(nn.Conv2d):
    """A convolution with the padding ``SAME`` of TensorFlow: if uneven, more at the right and at the bottom."""

    def forward(self, maps: Tensor) -> Tensor:
        """Return the next feature maps."""
        (top, bottom), (left, right) = (
            same_padding(maps.shape[axis - 2], self.kernel_size[axis], self.stride[axis]) for axis in (0, 1)
        )
        if top == bottom and left == right:
            return functional.conv2d(maps, self.weight, self.bias, self.stride, (top, left), 1, self.groups)
        return super().forward(functional.pad(maps, (left, right, top, bottom)))


def same_padding(size: int, kernel: int, stride: int) -> tuple[int, int]:
    """Return the padding before and after a side, so that the output has ``ceil(size / stride)`` cells.

    Example:
        >>> same_padding(224, 3, 2), same_padding(65, 5, 2), same_padding(14, 5, 1)
        ((0, 1), (2, 2), (2, 2))
    """
    total = max((math.ceil(size / stride) - 1) * stride + kernel - size, 0)
    return total // 2, total - total // 2


class MobileBlock(nn.Module):
    """An inverted residual block: expansion, convolution per channel, and projection.

    Args:
        inputs: Input channels.
        outputs: Output channels.
        kernel: Side of the kernels.
        stride: Stride of the convolution.
        expansion: Factor of the channels between expansion and projection; 1 for no expansion.
    """

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int, expansion: int) -> None:
        super().__init__()
        wide = inputs * expansion
        self.residual = stride == 1 and inputs == outputs
        if expansion > 1:
            self.expand_conv = nn.Conv2d(inputs, wide, 1, bias=False)
            self.bn0 = nn.BatchNorm2d(wide, eps=EPSILON)
        self.expands = expansion > 1
        self.depthwise_conv = SameConv2d(wide, wide, kernel, stride, groups=wide, bias=False)
        self.bn1 = nn.BatchNorm2d(wide, eps=EPSILON)
        self.project_conv = nn.Conv2d(wide, outputs, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs, eps=EPSILON)

    def forward(self, maps: Tensor) -> Tensor:
        """Return the next feature maps."""
        wide = functional.relu6(self.bn0(self.expand_conv(maps))) if self.expands else maps
        wide = functional.relu6(self.bn1(self.depthwise_conv(wide)))
        outputs: Tensor = self.bn2(self.project_conv(wide))
        return outputs + maps if self.residual else outputs
