"""A mask-classification network with free queries that are matched with classes, after Mask2Former."""

from __future__ import annotations

from typing import TypeAlias

import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor, nn
from torch.nn import functional

from offnominal.detectors.scenes.convolution_blocks import FeaturePyramid
from offnominal.detectors.scenes.label_classes import IGNORED, N_CLASSES
from offnominal.detectors.scenes.mask_classifier import (
    CLASS_WEIGHT,
    DICE_WEIGHT,
    MASK_WEIGHT,
    DecoderLayer,
    place_embedding,
)
from offnominal.detectors.scenes.segmenter_network import padded

NO_OBJECT = 0.1
"""Weight of queries without a class in the loss of the classes."""
Prediction: TypeAlias = tuple[Tensor, Tensor]
"""Class logits (n, queries, classes + 1), the last one for no class, and mask logits (n, queries, rows, columns)."""


class MaskQueries(nn.Module):
    """Queries that each predict a class, or none, and a mask at every fourth pixel.

    Each decoder layer lets a query attend to where its mask was before. The published network has a transformer in
    place of the convolutional encoder, and attends to three resolutions in turn.

    Args:
        width: Channels of the first stage, a multiple of 8.
        layers: Number of decoder layers.
        queries: Number of queries.
    """

    def __init__(self, width: int, layers: int, queries: int) -> None:
        super().__init__()
        embedded = 2 * width
        self.pyramid = FeaturePyramid(3, (width, 2 * width, 3 * width, 4 * width), embedded)
        self.queries, self.place = (nn.Parameter(0.1 * torch.randn(queries, embedded)) for _ in range(2))
        self.layers = nn.ModuleList([DecoderLayer(embedded) for _ in range(layers)])
        self.norm = nn.LayerNorm(embedded)
        self.classes = nn.Linear(embedded, N_CLASSES + 1)
        self.mask = nn.Sequential(nn.Linear(embedded, embedded), nn.ReLU(), nn.Linear(embedded, embedded))

    def predictions(self, images: Tensor) -> list[Prediction]:
        """Return the predictions before the first and after each decoder layer."""
        pixels, coarse = self.pyramid(2.0 * padded(images) - 1.0)
        where, memory = place_embedding(coarse), coarse.flatten(2).transpose(1, 2)
        found = self.queries.expand(len(images), -1, -1)
        made = [self._prediction(found, pixels)]
        for layer in self.layers:
            found = layer(found, self.place, memory, where, outside(made[-1][1], coarse.shape[-2:]))
            made.append(self._prediction(found, pixels))
        return made

    def _prediction(self, queries: Tensor, pixels: Tensor) -> Prediction:
        normed = self.norm(queries)
        masks = torch.einsum("nqc,nchw->nqhw", self.mask(normed), pixels) / pixels.shape[1] ** 0.5
        return self.classes(normed), masks

    def forward(self, images: Tensor) -> Tensor:
        """Return the semantic logits (n, classes, rows, columns) and, as a last channel, the claim of masks."""
        return claims(*self.predictions(images)[-1])


def outside(masks: Tensor, shape: tuple[int, ...] | torch.Size) -> Tensor:
    """Return which cells (n, queries, cells) are outside of masks; none of a mask without a cell."""
    rows, columns = shape
    reduced = functional.adaptive_avg_pool2d(masks.detach().float(), (rows, columns)).flatten(2)
    beyond = reduced < 0.0
    return beyond & ~beyond.all(dim=2, keepdim=True)


def semantic_claims(classes: Tensor, masks: Tensor) -> Tensor:
    """Return the semantic logits: the sum over queries of class probability times mask."""
    return torch.einsum("nqk,nqhw->nkhw", classes.softmax(dim=2)[..., :N_CLASSES], masks.sigmoid())


def claims(classes: Tensor, masks: Tensor) -> Tensor:
    """Return the semantic logits and, as a last channel, the sum of masks times their largest class probability."""
    confidence = classes.softmax(dim=2)[..., :N_CLASSES].amax(dim=2)
    sure = torch.einsum("nq,nqhw->nhw", confidence, masks.sigmoid())
    return torch.cat([semantic_claims(classes, masks), sure[:, None]], dim=1)


def query_loss(prediction: Prediction, target: Tensor) -> Tensor:
    """Return the loss of a prediction: each class of an image is matched with one query, as in Mask2Former.

    Args:
        prediction: Class and mask logits.
        target: (n, rows, columns): classes; another number for pixels of no class; or :data:`IGNORED`.
    """
    classes, masks = prediction
    wanted = torch.full(classes.shape[:2], N_CLASSES, dtype=torch.int64, device=classes.device)
    crossed, overlaps, n_masks = classes.new_zeros(()), classes.new_zeros(()), 0
    for number, labels in enumerate(target):
        kept = labels != IGNORED
        known = [int(each) for each in labels[kept].unique().tolist() if each < N_CLASSES]
        if not known:
            continue
        truth = torch.stack([(labels == each)[kept] for each in known]).to(masks.dtype)
        own = masks[number][:, kept]
        with torch.no_grad():
            share = classes[number].softmax(dim=1)[:, known]
            entropy, overlap = mask_costs(own, truth)
            cost = MASK_WEIGHT * entropy + DICE_WEIGHT * overlap - CLASS_WEIGHT * share
            query, place = (torch.as_tensor(each) for each in linear_sum_assignment(cost.float().cpu().numpy()))
        query, place = query.to(masks.device), place.to(masks.device)
        wanted[number, query] = torch.tensor(known, device=masks.device)[place]
        entropy, overlap = mask_costs(own[query], truth[place], paired=True)
        crossed, overlaps, n_masks = crossed + entropy.sum(), overlaps + overlap.sum(), n_masks + len(query)
    weight = torch.ones(N_CLASSES + 1, device=classes.device)
    weight[-1] = NO_OBJECT
    chosen = functional.cross_entropy(classes.flatten(0, 1), wanted.flatten(), weight)
    return CLASS_WEIGHT * chosen + (MASK_WEIGHT * crossed + DICE_WEIGHT * overlaps) / max(1, n_masks)


def mask_costs(masks: Tensor, truth: Tensor, *, paired: bool = False) -> tuple[Tensor, Tensor]:
    """Return the cross-entropy and one minus the overlap of masks and true masks.

    Args:
        masks: (q, pixels): logits.
        truth: (k, pixels): 1 in the mask, 0 elsewhere.
        paired: Whether each mask is compared with the true one at its place (q,), not with all of them (q, k).
    """
    share = masks.sigmoid()
    if paired:
        entropy = functional.binary_cross_entropy_with_logits(masks, truth, reduction="none").mean(dim=1)
        common, total = (share * truth).sum(dim=1), share.sum(dim=1) + truth.sum(dim=1)
    else:
        entropy = (functional.softplus(-masks) @ truth.T + functional.softplus(masks) @ (1.0 - truth).T) / len(truth.T)
        common, total = share @ truth.T, share.sum(dim=1)[:, None] + truth.sum(dim=1)[None]
    return entropy, 1.0 - (2.0 * common + 1.0) / (total + 1.0)
