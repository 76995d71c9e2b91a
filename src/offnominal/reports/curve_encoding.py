"""Curves as short text: two characters per point."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from offnominal.core.types import FloatArray

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
STEPS = len(ALPHABET) ** 2 - 1


def downsampled_maximum(curve: FloatArray, stride: int) -> FloatArray:
    """Return the highest of every `stride` neighbours, so that no peak is lost.

    Example:
        >>> downsampled_maximum(np.array([1.0, 5.0, 2.0, 0.0, 3.0]), 2)
        array([5., 2., 3.])
    """
    short = np.full(math.ceil(len(curve) / stride) * stride, -np.inf)
    short[: len(curve)] = curve
    return np.asarray(short.reshape(-1, stride).max(axis=1))


def encode_curve(curve: FloatArray, low: float, high: float) -> str:
    """Return a curve in 4,095 steps between two limits.

    Example:
        >>> encode_curve(np.array([0.0, 0.5, 1.0]), 0.0, 1.0)
        'AAgA__'
    """
    share = (np.clip(curve, low, high) - low) / (high - low) if high > low else np.zeros(len(curve))
    codes = np.rint(np.nan_to_num(share) * STEPS).astype(int)
    return "".join(ALPHABET[code // len(ALPHABET)] + ALPHABET[code % len(ALPHABET)] for code in codes)


def limits(curves: Sequence[FloatArray]) -> tuple[float, float]:
    """Return the lowest and the highest finite point of some curves."""
    joined = np.concatenate(curves)
    finite = joined[np.isfinite(joined)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
