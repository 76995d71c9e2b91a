"""A network of points in a grid of cylindrical cells, after Cylinder3D."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.detectors.scenes.convolution_blocks import GROUPS
from offnominal.detectors.scenes.label_classes import N_CLASSES

FARTHEST = 50.0
"""Radius of the grid, m; points farther away are in its last cells."""
HEIGHTS = (-2.2, 3.8)
"""Heights of the grid above the road, m: 4 m below to 2 m above a lidar at 1.8 m."""
POINT = 9
"""Features of a point: place in its cell, place in the grid, x, y and intensity."""


class CylinderNetwork(nn.Module):
    """Logits of the classes and of the dummies for every point of a range image, from a grid of cylindrical cells.

    Features of points are averaged in the cells of a dense grid; an encoder and decoder of asymmetric convolutions
    works on the cells; a point has the features of its cell and its own. The published grid is sparse.

    Args:
        width: Channels of the cells, a multiple of 8.
        dummies: Number of dummy logits.
        cells: Numbers of cells along distance, angle and height, multiples of 4.
    """

    def __init__(self, width: int, dummies: int, cells: tuple[int, int, int]) -> None:
        super().__init__()
        self.cells = cells
        self.points = nn.Sequential(nn.Linear(POINT, width), nn.ReLU(), nn.Linear(width, width))
        self.fine = AsymmetricBlock(width, width)
        self.middle = AsymmetricBlock(width, 2 * width)
        self.coarse = AsymmetricBlock(2 * width, 2 * width)
        self.narrow = nn.ModuleList([nn.Conv3d(2 * width, width, 1), nn.Conv3d(2 * width, 2 * width, 1)])
        self.merge = nn.ModuleList([AsymmetricBlock(width, width), AsymmetricBlock(2 * width, 2 * width)])
        self.head = nn.Sequential(
            nn.Linear(2 * width, 2 * width), nn.ReLU(), nn.Linear(2 * width, N_CLASSES + dummies)
        )  # fmt: skip

    def forward(self, inputs: Tensor) -> Tensor:
        """Return logits (n, classes + 1, rows, columns) of range images; the last one is the largest of the dummies."""
        n, _, rows, columns = inputs.shape
        features, cell = self._in_cells(inputs)
        own = self.points(features)
        there = (inputs[:, 5] > 0.0).reshape(n, -1)
        grid = torch.stack([self._grid(*each) for each in zip(own, cell, there, strict=True)])
        fine = self.fine(grid.reshape(*grid.shape[:2], *self.cells))
        middle = self.middle(halved(fine))
        coarse = self.coarse(halved(middle))
        middle = self.merge[1](middle + doubled(self.narrow[1](coarse)))
        fine = self.merge[0](fine + doubled(self.narrow[0](middle)))
        around = fine.flatten(2).gather(2, cell[:, None].expand(-1, fine.shape[1], -1)).transpose(1, 2)
        logits = self.head(torch.cat([own, around], dim=2)).transpose(1, 2)
        joined = torch.cat([logits[:, :N_CLASSES], logits[:, N_CLASSES:].amax(dim=1, keepdim=True)], dim=1)
        return joined.reshape(n, -1, rows, columns)

    def _in_cells(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Return the features (n, points, 9) of all points, and the number (n, points) of the cell of each."""
        x, y = 50.0 * inputs[:, 0].flatten(1), 50.0 * inputs[:, 1].flatten(1)
        low, high = HEIGHTS
        place = torch.stack(
            [
                (x * x + y * y).sqrt() / FARTHEST,
                (torch.atan2(y, x) + math.pi) / (2.0 * math.pi),
                (3.0 * inputs[:, 2].flatten(1) - low) / (high - low),
            ],
            dim=2,
        ).clamp(0.0, 1.0)
        size = torch.tensor(self.cells, device=inputs.device)
        scaled = place * size
        index = torch.minimum(scaled.long(), size - 1)
        number = (index[..., 0] * self.cells[1] + index[..., 1]) * self.cells[2] + index[..., 2]
        rest = torch.stack([x / FARTHEST, y / FARTHEST, inputs[:, 4].flatten(1)], dim=2)
        return torch.cat([scaled - index - 0.5, place, rest], dim=2), number

    def _grid(self, features: Tensor, cell: Tensor, there: Tensor) -> Tensor:
        """Return the mean features (channels, cells) of the points in each cell; zeros in cells without points."""
        n_cells = math.prod(self.cells)
        kept, where = features[there], cell[there]
        total = features.new_zeros((n_cells, features.shape[1])).index_add(0, where, kept)
        count = features.new_zeros(n_cells).index_add(0, where, torch.ones_like(where, dtype=features.dtype))
        return (total / count.clamp(min=1.0)[:, None]).T


class AsymmetricBlock(nn.Module):
    """Convolutions along distance and height, and along angle and height; with equal sizes it is residual.

    Args:
        inputs: Number of input channels.
        outputs: Number of output channels, a multiple of 8.
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.outwards = nn.Conv3d(inputs, outputs, (3, 1, 3), padding=(1, 0, 1), bias=False)
        self.around = nn.Conv3d(inputs, outputs, (1, 3, 3), padding=(0, 0, 1), bias=False)
        self.norm = nn.GroupNorm(GROUPS, outputs)
        self.residual = inputs == outputs

    def forward(self, values: Tensor) -> Tensor:
        """Return the features (n, outputs, distance, angle, height) of cells."""
        turned = functional.pad(values, (0, 0, 1, 1, 0, 0), mode="circular")
        found: Tensor = self.norm(self.outwards(values) + self.around(turned))
        return functional.relu(values + found if self.residual else found)


def halved(values: Tensor) -> Tensor:
    """Return the largest feature of each two cells in all three directions."""
    found = values
    for axis in (2, 3, 4):
        shape = found.shape
        found = found.reshape(*shape[:axis], -1, 2, *shape[axis + 1 :]).amax(dim=axis + 1)
    return found


def doubled(values: Tensor) -> Tensor:
    """Return each cell twice in all three directions; the gradient is deterministic on a GPU."""
    n, channels, *cells = values.shape
    wide = values[:, :, :, None, :, None, :, None].expand(-1, -1, -1, 2, -1, 2, -1, 2)
    return wide.reshape(n, channels, *(2 * each for each in cells))


def lovasz_loss(probabilities: Tensor, classes: Tensor) -> Tensor:
    """Return the mean over present classes of the Lovász extension of one minus the Jaccard index.

    Args:
        probabilities: (points, k): class probabilities.
        classes: (points,): classes below k.

    Example:
        >>> lovasz_loss(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([0, 1])).item()
        0.0
    """
    losses = []
    for number in torch.unique(classes).tolist():
        own = (classes == number).long()
        errors, order = (own - probabilities[:, number]).abs().sort(descending=True, stable=True)
        # Sums of integers are deterministic on a GPU.
        common = own.sum() - own[order].cumsum(0)
        union = own.sum() + (1 - own[order]).cumsum(0)
        jaccard = 1.0 - common.to(errors.dtype) / union
        step = torch.cat([jaccard[:1], jaccard[1:] - jaccard[:-1]])
        losses.append((errors * step).sum())
    return torch.stack(losses).mean() if losses else probabilities.sum() * 0.0
