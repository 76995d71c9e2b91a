"""The network of the patch autoencoder: residual convolutions to a code and back."""

from __future__ import annotations

from itertools import pairwise

from torch import Tensor, nn
from torch.nn import functional

PATCH, STRIDE = 32, 16
"""Side of a patch, and the distance between two patches, in pixels."""
CODE = 100
"""Width of the code."""


class Halving(nn.Module):
    """Two convolutions that halve the maps, with a shortcut."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, 2, padding=1, bias=False)
        self.second = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.shortcut = nn.Conv2d(inputs, outputs, 1, 2, bias=False)
        self.norms = nn.ModuleList(_norm(outputs) for _ in range(3))

    def forward(self, maps: Tensor) -> Tensor:
        """Return maps of half the size."""
        inner = self.norms[1](self.second(functional.leaky_relu(self.norms[0](self.first(maps)))))
        return functional.leaky_relu(inner + self.norms[2](self.shortcut(maps)))


class Doubling(nn.Module):
    """Two convolutions that double the maps, with a shortcut."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 5, padding=2, bias=False)
        self.second = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.shortcut = nn.Conv2d(inputs, outputs, 1, bias=False)
        self.norms = nn.ModuleList(_norm(outputs) for _ in range(3))

    def forward(self, maps: Tensor) -> Tensor:
        """Return maps of twice the size."""
        inner = self.norms[1](self.second(functional.leaky_relu(self.norms[0](self.first(_doubled(maps))))))
        return functional.leaky_relu(inner + _doubled(self.norms[2](self.shortcut(maps))))


class PatchNetwork(nn.Module):
    """An autoencoder of patches of 32 × 32 pixels with a code of 100 numbers (Abati et al. 2019, without estimator).

    Normalisation is by groups of channels, so that the output of a patch does not depend on the batch.

    Args:
        channels: Channels of the first layer; each of three halvings doubles them.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        sizes = [channels << depth for depth in range(4)]
        self.entry = nn.Conv2d(3, channels, 3, padding=1, bias=False)
        self.down = nn.Sequential(*(Halving(*pair) for pair in pairwise(sizes)))
        inner = sizes[-1] * (PATCH // 8) ** 2
        self.encode = nn.Sequential(nn.Linear(inner, 256), nn.LayerNorm(256), nn.LeakyReLU(), nn.Linear(256, CODE))
        self.decode = nn.Sequential(
            nn.Linear(CODE, 256), nn.LayerNorm(256), nn.LeakyReLU(), nn.Linear(256, inner), nn.LeakyReLU()
        )
        self.up = nn.Sequential(*(Doubling(*pair) for pair in pairwise(sizes[::-1])))
        self.exit = nn.Conv2d(channels, 3, 1)

    def forward(self, patches: Tensor) -> Tensor:
        """Return the reconstruction of patches (n, 3, 32, 32) with values from 0 to 1."""
        maps = self.down(functional.leaky_relu(self.entry(patches)))
        code = self.encode(maps.flatten(1)).sigmoid()
        restored: Tensor = self.exit(self.up(self.decode(code).view_as(maps)))
        return restored


def _doubled(maps: Tensor) -> Tensor:
    """Return maps in which every cell is repeated twice in both directions."""
    n, channels, height, width = maps.shape
    repeated = maps[:, :, :, None, :, None].expand(n, channels, height, 2, width, 2)
    return repeated.reshape(n, channels, 2 * height, 2 * width)


def _norm(channels: int) -> nn.Module:
    return nn.GroupNorm(min(8, channels), channels)
