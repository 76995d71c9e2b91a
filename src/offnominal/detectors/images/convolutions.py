"""Convolutional encoder and decoder of images."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable

from torch import Tensor, nn
from torch.nn import functional

from offnominal.detectors.images.image_scaling import COLOURS, Shape

UNPADDED = 64
"""Smallest image side without padding."""

ENTRY = (2, 2, 1, 2)
"""Strides of the encoder."""

EXIT = (5, 5, 6, 6)
"""Kernel sizes of the decoder; each layer doubles the image."""

ARM = platform.machine().lower() in ("aarch64", "arm64")

Activation = Callable[[], nn.Module]


def padding_for(shape: Shape) -> int:
    """Return the padding of convolutions for images of this shape."""
    return 1 if min(shape[1:]) < UNPADDED else 0


class ConvEncoder(nn.Module):
    """Four convolutions with kernel size 4, followed by a linear layer.

    At 128 × 128 pixels the feature maps are 63, 30, 27 and 12 wide. Below 64 pixels convolutions pad by one pixel.

    Args:
        shape: Image shape.
        channels: Channels of the first convolution; each next one has twice as many.
        outputs: Size of the output vector.
        activation: Activation after every convolution.
    """

    def __init__(self, shape: Shape, *, channels: int, outputs: int, activation: Activation = nn.ReLU) -> None:
        super().__init__()
        padding = padding_for(shape)
        layers: list[nn.Module] = []
        before, sides = COLOURS, list(shape[1:])
        for depth, stride in enumerate(ENTRY):
            after = channels << depth
            layers += [nn.Conv2d(before, after, 4, stride, padding), activation()]
            before, sides = after, [(side + 2 * padding - 4) // stride + 1 for side in sides]
        self.layers = nn.Sequential(*layers)
        self.head = nn.Linear(before * math.prod(sides), outputs)

    def forward(self, frames: Tensor) -> Tensor:
        """Return (..., outputs) for frames (..., 3, H, W)."""
        # Frames are stored with channels last, which is also the fastest layout on GPUs.
        flat = frames.movedim(-3, -1).flatten(0, -4).movedim(-1, -3)
        outputs: Tensor = self.head(self.layers(flat).flatten(1))
        return outputs.view(*frames.shape[:-3], -1)


class UpsamplingConvolution(nn.ConvTranspose2d):
    """A transposed convolution with stride 2."""

    def forward(self, maps: Tensor, output_size: list[int] | None = None) -> Tensor:
        """Return maps about twice as large."""
        if maps.is_cuda or not ARM:
            return super().forward(maps, output_size)
        # On ARM, oneDNN has no fast kernel for this; a matrix product and `fold` are two to four times as fast.
        kernel, padding = self.kernel_size[0], int(self.padding[0])
        height, width = (2 * side - 2 + kernel - 2 * padding for side in maps.shape[-2:])
        columns = self.weight.flatten(1).t() @ maps.flatten(2)
        sums = functional.fold(columns, (height, width), kernel, stride=2, padding=padding)
        return sums if self.bias is None else sums + self.bias[:, None, None]


class ConvDecoder(nn.Module):
    """A linear layer, followed by four transposed convolutions that each double the image.

    At 128 × 128 pixels the first feature map is 5 wide. If the convolutions cannot produce the exact size, the output
    is larger and is cropped to its centre.

    Args:
        shape: Image shape.
        channels: Input channels of the last convolution.
        inputs: Size of the input vector.
        activation: Activation between the convolutions.
    """

    def __init__(self, shape: Shape, *, channels: int, inputs: int, activation: Activation = nn.ReLU) -> None:
        super().__init__()
        padding = padding_for(shape)
        more = 18 if padding else 48
        height, width = (max(1, math.ceil((side - more) / 16)) for side in shape[1:])
        self.seed = height, width, 32 * channels
        self.sides = shape[1:]
        self.margins = [(more + 16 * seed - side) // 2 for seed, side in zip(self.seed, self.sides, strict=False)]
        self.entry = nn.Linear(inputs, math.prod(self.seed))
        layers: list[nn.Module] = []
        widths = (32 * channels, 4 * channels, 2 * channels, channels, COLOURS)
        for kernel, before, after in zip(EXIT, widths[:-1], widths[1:], strict=True):
            layers += [UpsamplingConvolution(before, after, kernel, 2, padding), activation()]
        self.layers = nn.Sequential(*layers[:-1])

    def forward(self, inputs: Tensor) -> Tensor:
        """Return frames (..., 3, H, W) for vectors (..., inputs)."""
        maps = self.entry(inputs.flatten(0, -2)).view(-1, *self.seed).movedim(-1, 1)
        (top, left), (height, width) = self.margins, self.sides
        frames: Tensor = self.layers(maps)[..., top : top + height, left : left + width]
        return frames.reshape(*inputs.shape[:-1], *frames.shape[1:])
