"""Rows that a network can take: tables and images in single precision."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.points.point import table
from offnominal.detectors.random_numbers import RandomNumbers

FURTHEST = 1e6
"""What lies further from zero counts as this, so that no finite row overflows."""

CHECKED = 2048
"""Rows that a check of the training looks at, at most."""

HELD_OUT = 0.1
"""Share of the rows that checks look at if no others are given."""

STRANGEST = float(np.finfo(np.float32).max)
"""The score of a row that is too far out for numbers of single precision."""

Shape = tuple[int, ...]


def checked(rows: Array, kinds: Sequence[int], name: str) -> Array:
    """Return rows in single precision, or say what is wrong with them.

    Args:
        rows: As given.
        kinds: Numbers of axes that are taken: 2 for tables, 4 for images.
        name: Of the detector.
    """
    values = np.asarray(rows)
    if 4 in kinds and values.ndim == 4:
        return _images(values)
    if 2 not in kinds:
        raise InvalidParameter(f"{name} takes images (n, channels, height, width); the rows have shape {values.shape}.")
    return np.clip(table(values), -FURTHEST, FURTHEST).astype(np.float32)


def _images(values: Array) -> Array:
    if 0 in values.shape or values.dtype.kind != "f":
        raise InvalidParameter(f"the images are {values.dtype} of shape {values.shape}; expected some floats.")
    flat = np.isfinite(values).reshape(len(values), -1).all(axis=1)
    if not flat.all():
        raise InvalidParameter(f"row {int(np.argmin(flat))} is not finite; leave it out.")
    if values.min() < 0 or values.max() > 1:
        raise InvalidParameter(
            f"the images go from {values.min():g} to {values.max():g}; expected 0 to 1. Divide bytes by 255."
        )
    return np.ascontiguousarray(values, np.float32)


def in_words(shape: Shape) -> str:
    """Return the shape of a row as an error says it."""
    return f"{shape[0]} columns" if len(shape) == 1 else "the shape " + " × ".join(map(str, shape))


def apart(rows: Array, validation: Array | None, random: RandomNumbers) -> tuple[Tensor, Tensor]:
    """Return the rows to learn from and those to check by."""
    known = torch.from_numpy(rows)
    if validation is not None:
        return known, torch.from_numpy(validation)[random.permutation(len(validation))[:CHECKED]]
    order = random.permutation(len(known))
    first = max(1, round(HELD_OUT * len(known)))
    return known[order[first:]], known[order[:first][:CHECKED]]


def finite(scores: FloatArray) -> FloatArray:
    """Return scores with the strangest one for rows that overflow."""
    return np.nan_to_num(scores, nan=STRANGEST, posinf=STRANGEST, neginf=-STRANGEST)
