"""Contrastive losses of category discovery: two views of an image are alike, and so are images of one class."""

from __future__ import annotations

import torch
from torch import Tensor

from offnominal.core.checks import number_in, positive_number
from offnominal.core.errors import InvalidParameter


def discovery_loss(
    first: Tensor,
    second: Tensor,
    labels: Tensor,
    *,
    supervised_weight: float = 0.35,
    temperature: float = 0.1,
    as_published: bool = False,
) -> Tensor:
    """Return the weighted sum of the loss of all images and of the loss of labelled images (Vaze et al. 2022).

    Args:
        first: (n, d): normalised embeddings of one view of each image.
        second: (n, d): those of the other view.
        labels: (n,): class of each image; -1 without one.
        supervised_weight: Weight of the loss of labelled images; the other one has the rest.
        temperature: Divisor of the similarities.
        as_published: Whether to use the rules of the public code of NovelCraft.

    Raises:
        InvalidParameter: The shapes do not fit, the weight is outside [0, 1] or the temperature is not positive.
    """
    if first.ndim != 2 or second.shape != first.shape or labels.shape != first.shape[:1]:
        given = f"{tuple(first.shape)}, {tuple(second.shape)} and {tuple(labels.shape)}"
        raise InvalidParameter(f"embeddings and labels have the shapes {given}; expected (n, d), (n, d) and (n,).")
    number_in("supervised_weight", supervised_weight, 0.0, 1.0)
    positive_number("temperature", temperature)
    views = view_loss(first, second, temperature, as_published=as_published)
    classes = class_loss(first[labels >= 0], labels[labels >= 0], temperature, as_published=as_published)
    return (1.0 - supervised_weight) * views + supervised_weight * classes


def view_loss(first: Tensor, second: Tensor, temperature: float, *, as_published: bool = False) -> Tensor:
    """Return how badly the other view of an image is found among other images.

    Each of the 2 n embeddings is compared with all others. As published, only those of the first view are compared with
    each other, and the similarity of the two views is not among the alternatives, so the loss can be negative.

    Example:
        >>> views = torch.eye(3)
        >>> bool(view_loss(views, views, 0.1) < view_loss(views, views.roll(1, 0), 0.1))
        True
    """
    n = len(first)
    if as_published:
        among = _alternatives(first @ first.T / temperature)
        return (among - (first * second).sum(dim=1) / temperature).mean()
    both = torch.cat([first, second])
    similar = both @ both.T / temperature
    partner = torch.arange(2 * n, device=first.device).roll(n)
    return (_alternatives(similar) - similar[torch.arange(2 * n, device=first.device), partner]).mean()


def class_loss(embedded: Tensor, labels: Tensor, temperature: float, *, as_published: bool = False) -> Tensor:
    """Return how badly images of the same class are found among labelled images; 0 without two images of a class.

    The loss of an image is the mean over the others of its class. As published, the divisor is the number of images of
    the class with the image itself, and images that are alone in their class count as 0.
    """
    if len(embedded) < 2:
        return embedded.sum() * 0.0
    similar = embedded @ embedded.T / temperature
    alone = torch.eye(len(embedded), device=embedded.device, dtype=torch.bool)
    same = (labels[:, None] == labels[None]) & ~alone
    count = same.sum(dim=1)
    total = torch.where(same, _alternatives(similar)[:, None] - similar, 0.0).sum(dim=1)
    if as_published:
        return (total / (count + 1)).mean()
    return (total / count.clamp(min=1)).sum() / (count > 0).sum().clamp(min=1)


def _alternatives(similar: Tensor) -> Tensor:
    """Return the logarithm of the summed exponentials of each row, without the diagonal."""
    itself = torch.eye(len(similar), device=similar.device, dtype=torch.bool)
    return torch.logsumexp(similar.masked_fill(itself, -torch.inf), dim=1)
