"""A small mask-classification network: queries that each predict a class and a mask (Cheng et al., 2021)."""

from __future__ import annotations

import math

import numpy as np
import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor, nn
from torch.nn import functional

from offnominal.detectors.scenes.convolution_blocks import FeaturePyramid
from offnominal.detectors.scenes.label_classes import IGNORED, N_CLASSES
from offnominal.detectors.scenes.segmenter_network import padded

NO_OBJECT = 0.1
"""Weight of queries without an object in the class loss."""
MASK_WEIGHT, DICE_WEIGHT, CLASS_WEIGHT = 5.0, 5.0, 2.0
"""Weights of the three losses; they are those of Mask2Former."""
SMALLEST = 1e-6


class Attention(nn.Module):
    """Multi-head attention with a residual connection and normalisation.

    Args:
        width: Number of features.
        heads: Number of heads.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.ask, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.norm = nn.LayerNorm(width)

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """Return queries (n, q, width) after they attended to values (n, k, width)."""
        asked, offered, given = (
            layer(each).unflatten(2, (self.heads, -1)).transpose(1, 2)
            for layer, each in ((self.ask, queries), (self.key, keys), (self.value, values))
        )
        weights = (asked @ offered.transpose(2, 3) / math.sqrt(asked.shape[-1])).softmax(dim=-1)
        found: Tensor = self.norm(queries + self.out((weights @ given).transpose(1, 2).flatten(2)))
        return found


class DecoderLayer(nn.Module):
    """Queries attend to the image, then to each other.

    Args:
        width: Number of features.
        heads: Number of heads of the attention.
    """

    def __init__(self, width: int, heads: int = 4) -> None:
        super().__init__()
        self.image, self.mutual = Attention(width, heads), Attention(width, heads)
        self.hidden = nn.Sequential(nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width))
        self.norm = nn.LayerNorm(width)

    def forward(self, queries: Tensor, place: Tensor, memory: Tensor, where: Tensor) -> Tensor:
        """Return the queries after one layer.

        Args:
            queries: (n, q, width).
            place: (q, width): learned embedding of each query.
            memory: (n, cells, width): features of the image.
            where: (cells, width): embedding of the place of each cell.
        """
        queries = self.image(queries + place, memory + where, memory)
        queries = self.mutual(queries + place, queries + place, queries)
        found: Tensor = self.norm(queries + self.hidden(queries))
        return found


class MaskClassifier(nn.Module):
    """Class logits of each query, and its mask at every fourth pixel.

    Args:
        width: Channels of the first stage, a multiple of 8.
        queries: Number of queries.
        layers: Number of decoder layers.
    """

    def __init__(self, width: int, queries: int, layers: int) -> None:
        super().__init__()
        embedded = 2 * width
        self.pyramid = FeaturePyramid(3, (width, 2 * width, 3 * width, 4 * width), embedded)
        self.queries, self.place = (nn.Parameter(0.1 * torch.randn(queries, embedded)) for _ in range(2))
        self.layers = nn.ModuleList([DecoderLayer(embedded) for _ in range(layers)])
        self.classes = nn.Linear(embedded, N_CLASSES + 1)
        self.mask = nn.Sequential(nn.Linear(embedded, embedded), nn.ReLU(), nn.Linear(embedded, embedded))

    def parts(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Return class logits (n, queries, classes + 1), the last one for no object, and mask logits of each query."""
        pixels, coarse = self.pyramid(2.0 * padded(images) - 1.0)
        where = place_embedding(coarse)
        memory = coarse.flatten(2).transpose(1, 2)
        found = self.queries.expand(len(images), -1, -1)
        for layer in self.layers:
            found = layer(found, self.place, memory, where)
        masks = torch.einsum("nqc,nchw->nqhw", self.mask(found), pixels) / math.sqrt(pixels.shape[1])
        return self.classes(found), masks

    def forward(self, images: Tensor) -> Tensor:
        """Return semantic logits (n, classes, height / 4, width / 4): the sum of class probability times mask."""
        classes, masks = self.parts(images)
        return torch.einsum("nqk,nqhw->nkhw", classes.softmax(dim=-1)[..., :-1], masks.sigmoid())


def place_embedding(features: Tensor) -> Tensor:
    """Return sines and cosines of the place of each cell of features (n, width, rows, columns): (cells, width)."""
    _, width, rows, columns = features.shape
    device = features.device
    rates = 2.0 ** (torch.arange(width // 4, device=device) % 7)
    parts = []
    for n in (rows, columns):
        angle = torch.linspace(0.0, 1.0, n, device=device)[:, None] * rates
        parts.append(torch.cat([angle.sin(), angle.cos()], dim=1))
    down, across = parts
    return torch.cat(
        [
            down[:, None].expand(rows, columns, -1).reshape(rows * columns, -1),
            across[None].expand(rows, columns, -1).reshape(rows * columns, -1),
        ],
        dim=1,
    )


def mask_loss(classes: Tensor, masks: Tensor, target: Tensor) -> Tensor:
    """Return the loss of a batch: each class of an image is matched with one query (Hungarian algorithm).

    Args:
        classes: (n, queries, classes + 1): class logits.
        masks: (n, queries, rows, columns): mask logits.
        target: (n, rows, columns): classes, or :data:`IGNORED`.
    """
    losses = [_image_loss(*each) for each in zip(classes, masks.flatten(2), target.flatten(1), strict=True)]
    return torch.stack(losses).mean()


def _image_loss(classes: Tensor, masks: Tensor, target: Tensor) -> Tensor:
    """Return the loss of one image: class logits (q, k + 1), mask logits (q, pixels), classes (pixels,)."""
    kept = target != IGNORED
    masks, target = masks[:, kept], target[kept]
    present = torch.unique(target)
    expected = torch.full((len(classes),), N_CLASSES, dtype=torch.int64, device=classes.device)
    total = classes.sum() * 0.0
    if len(present):
        wanted = (target == present[:, None]).to(masks.dtype)
        query, which = _matched(classes.detach(), masks.detach(), present, wanted)
        expected[query] = present[which]
        total = total + MASK_WEIGHT * functional.binary_cross_entropy_with_logits(masks[query], wanted[which])
        total = total + DICE_WEIGHT * (1.0 - _dice(masks[query].sigmoid(), wanted[which]).diagonal()).mean()
    weight = torch.ones(N_CLASSES + 1, device=classes.device)
    weight[-1] = NO_OBJECT
    return total + CLASS_WEIGHT * functional.cross_entropy(classes, expected, weight)


def _matched(classes: Tensor, masks: Tensor, present: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
    """Return the queries, and the class that each is matched with, as indices."""
    pixels = max(1, masks.shape[1])
    crossed = functional.softplus(-masks) @ wanted.T + functional.softplus(masks) @ (1.0 - wanted).T
    cost = MASK_WEIGHT * crossed / pixels + DICE_WEIGHT * (1.0 - _dice(masks.sigmoid(), wanted))
    cost = cost - CLASS_WEIGHT * classes.softmax(dim=-1)[:, present]
    rows, columns = linear_sum_assignment(np.nan_to_num(cost.cpu().numpy(), nan=1e6, posinf=1e6, neginf=-1e6))
    return torch.as_tensor(rows, device=masks.device), torch.as_tensor(columns, device=masks.device)


def _dice(shares: Tensor, wanted: Tensor) -> Tensor:
    """Return the overlap (q, c) of soft masks (q, pixels) with binary ones (c, pixels), from 0 to 1."""
    both = shares @ wanted.T
    overlap: Tensor = (2.0 * both + SMALLEST) / (shares.sum(dim=1)[:, None] + wanted.sum(dim=1)[None] + SMALLEST)
    return overlap
