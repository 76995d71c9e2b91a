"""A small mask-classification network: queries that each predict the presence and the mask of a class."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.detectors.scenes.convolution_blocks import FeaturePyramid
from offnominal.detectors.scenes.label_classes import IGNORED, N_CLASSES
from offnominal.detectors.scenes.segmenter_network import class_loss, padded

MASK_WEIGHT, DICE_WEIGHT, CLASS_WEIGHT = 5.0, 5.0, 2.0
"""Weights of the three losses; they are those of Mask2Former."""
NORMAL_SCORE, UNKNOWN_SCORE = -0.7, -0.05
"""Margins of the scores of normal and of unknown pixels; a pixel of exactly one class has -tanh(1) = -0.76."""


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

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, hidden: Tensor | None = None) -> Tensor:
        """Return queries (n, q, width) after they attended to values (n, k, width) that are not hidden (n, q, k)."""
        asked, offered, given = (
            layer(each).unflatten(2, (self.heads, -1)).transpose(1, 2)
            for layer, each in ((self.ask, queries), (self.key, keys), (self.value, values))
        )
        fit = asked @ offered.transpose(2, 3) / math.sqrt(asked.shape[-1])
        weights = (fit if hidden is None else fit.masked_fill(hidden[:, None], -1e4)).softmax(dim=-1)
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

    def forward(
        self, queries: Tensor, place: Tensor, memory: Tensor, where: Tensor, outside: Tensor | None = None
    ) -> Tensor:
        """Return the queries after one layer.

        Args:
            queries: (n, q, width).
            place: (q, width): learned embedding of each query.
            memory: (n, cells, width): features of the image.
            where: (cells, width): embedding of the place of each cell.
            outside: (n, q, cells): cells that a query does not attend to; None for none.
        """
        queries = self.image(queries + place, memory + where, memory, outside)
        queries = self.mutual(queries + place, queries + place, queries)
        found: Tensor = self.norm(queries + self.hidden(queries))
        return found


class MaskClassifier(nn.Module):
    """Presence of each class in an image, and its mask at every fourth pixel; each class has one query.

    Args:
        width: Channels of the first stage, a multiple of 8.
        layers: Number of decoder layers.
    """

    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        embedded = 2 * width
        self.pyramid = FeaturePyramid(3, (width, 2 * width, 3 * width, 4 * width), embedded)
        self.queries, self.place = (nn.Parameter(0.1 * torch.randn(N_CLASSES, embedded)) for _ in range(2))
        self.layers = nn.ModuleList([DecoderLayer(embedded) for _ in range(layers)])
        self.presence = nn.Linear(embedded, 1)
        self.mask = nn.Sequential(nn.Linear(embedded, embedded), nn.ReLU(), nn.Linear(embedded, embedded))
        self.common = nn.Conv2d(embedded, N_CLASSES, 1)

    def parts(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (n, classes) of the presence of each class, and mask logits (n, classes, rows, columns)."""
        pixels, coarse = self.pyramid(2.0 * padded(images) - 1.0)
        where = place_embedding(coarse)
        memory = coarse.flatten(2).transpose(1, 2)
        found = self.queries.expand(len(images), -1, -1)
        for layer in self.layers:
            found = layer(found, self.place, memory, where)
        # The mask of a class has a part that is common to all images, and one that depends on the image.
        masks = torch.einsum("nqc,nchw->nqhw", self.mask(found), pixels) / math.sqrt(pixels.shape[1])
        return self.presence(found)[..., 0], self.common(pixels) + masks

    def forward(self, images: Tensor) -> Tensor:
        """Return semantic logits (n, classes, height / 4, width / 4): probability of presence times mask."""
        return semantic_logits(*self.parts(images))


def semantic_logits(presence: Tensor, masks: Tensor) -> Tensor:
    """Return the probability of presence times the mask, from their logits."""
    return presence.sigmoid()[..., None, None] * masks.sigmoid()


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


def mask_loss(presence: Tensor, masks: Tensor, target: Tensor) -> Tensor:
    """Return the loss of a batch: cross-entropies of presence and masks, and the overlap of the masks.

    Each mask is compared with its class, and the masks with each other, which speeds up the training.

    Args:
        presence: (n, classes): logits of the presence of each class.
        masks: (n, classes, rows, columns): mask logits.
        target: (n, rows, columns): classes; another number for pixels of no class; or :data:`IGNORED`.
    """
    kept = (target != IGNORED)[:, None].to(masks.dtype)
    wanted = (target[:, None] == torch.arange(N_CLASSES, device=target.device)[:, None, None]).to(masks.dtype)
    pixels = kept.sum().clamp(min=1.0)
    crossed = functional.binary_cross_entropy_with_logits(masks, wanted, reduction="none")
    shares = masks.sigmoid() * kept
    area = wanted.sum(dim=(2, 3))
    overlap = (2.0 * (shares * wanted).sum(dim=(2, 3)) + 1.0) / (shares.sum(dim=(2, 3)) + area + 1.0)
    present = (area > 0).to(masks.dtype)
    dice = ((1.0 - overlap) * present).sum() / present.sum().clamp(min=1.0)
    seen = functional.binary_cross_entropy_with_logits(presence, present)
    rivals = class_loss(masks, torch.where(target < N_CLASSES, target, IGNORED))
    return MASK_WEIGHT * ((crossed * kept).sum() / pixels + rivals) + DICE_WEIGHT * dice + CLASS_WEIGHT * seen


def rejection_loss(scores: Tensor, target: Tensor) -> Tensor:
    """Return the squared distance of scores beyond their margins: normal pixels below, unknown ones above.

    Args:
        scores: (n, rows, columns): anomaly scores.
        target: (n, rows, columns): classes; the number of classes for unknown pixels; or :data:`IGNORED`.
    """
    normal, unknown = target < N_CLASSES, target == N_CLASSES
    below, above = (scores - NORMAL_SCORE).relu() ** 2, (UNKNOWN_SCORE - scores).relu() ** 2
    parts = ((below * normal).sum() / normal.sum().clamp(min=1), (above * unknown).sum() / unknown.sum().clamp(min=1))
    return 0.5 * (parts[0] + parts[1])
