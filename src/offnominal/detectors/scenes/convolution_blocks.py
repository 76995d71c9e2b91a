"""Building blocks of the small networks of scene detectors."""

from __future__ import annotations

from typing import Literal

from torch import Tensor, nn
from torch.nn import functional

GROUPS = 8
"""Groups of the normalisation; the features of an image do not depend on its batch."""
Padding = Literal["zeros", "circular"]


class Block(nn.Module):
    """A convolution with normalisation and ReLU; with equal sizes of input and output it is residual.

    Args:
        inputs: Number of input channels.
        outputs: Number of output channels, a multiple of 8.
        stride: Stride down and across.
        turning: Whether the columns of the image are a whole turn, so that the last one is beside the first.
    """

    def __init__(self, inputs: int, outputs: int, stride: tuple[int, int] = (1, 1), *, turning: bool = False) -> None:
        super().__init__()
        self.turning = turning
        self.residual = inputs == outputs and stride == (1, 1)
        across = 0 if turning else 1
        self.convolution = nn.Conv2d(inputs, outputs, 3, stride, padding=(1, across), bias=False)
        self.norm = nn.GroupNorm(GROUPS, outputs)

    def forward(self, values: Tensor) -> Tensor:
        """Return the features of a batch."""
        padded = functional.pad(values, (1, 1, 0, 0), mode="circular") if self.turning else values
        found = self.norm(self.convolution(padded))
        return functional.relu(values + found if self.residual else found)


class FeaturePyramid(nn.Module):
    """An encoder of four stages, and a decoder that adds the coarse features to the finer ones.

    Args:
        inputs: Number of input channels.
        widths: Channels of the stages, each a multiple of 8.
        embedded: Channels of the output, a multiple of 8.
        strides: Strides of the stages. The output has the resolution of the second stage.
        turning: See :class:`Block`.
    """

    def __init__(
        self,
        inputs: int,
        widths: tuple[int, ...],
        embedded: int,
        strides: tuple[tuple[int, int], ...] = ((2, 2),) * 4,
        *,
        turning: bool = False,
    ) -> None:
        super().__init__()
        self.stages = nn.ModuleList()
        before = inputs
        for number, (width, stride) in enumerate(zip(widths, strides, strict=True)):
            same = [Block(width, width, turning=turning) for _ in range(min(number, 2))]
            self.stages.append(nn.Sequential(Block(before, width, stride, turning=turning), *same))
            before = width
        self.lateral = nn.ModuleList([nn.Conv2d(width, embedded, 1) for width in widths[1:]])
        self.smooth = nn.ModuleList([Block(embedded, embedded, turning=turning) for _ in widths[1:]])

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Return the features of the second stage, and those of the coarsest one, both with `embedded` channels."""
        found, values = [], images
        for stage in self.stages:
            values = stage(values)
            found.append(values)
        merged: Tensor | None = None
        coarsest: Tensor | None = None
        for lateral, smooth, features in zip(
            reversed(self.lateral), reversed(self.smooth), reversed(found[1:]), strict=True
        ):
            own = lateral(features)
            if merged is not None:
                # Nearest neighbours have a gradient that is deterministic on a GPU; bilinear interpolation has not.
                own = own + functional.interpolate(merged, own.shape[-2:], mode="nearest")
            merged = smooth(own)
            coarsest = merged if coarsest is None else coarsest
        assert merged is not None
        assert coarsest is not None
        return merged, coarsest
