"""Rows for networks: tables and images in single precision."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from offnominal.core.checks import numeric_array
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, BoolArray, FloatArray
from offnominal.detectors.dense_layers import SinglePrecision
from offnominal.detectors.observation_limits import all_valid, invalid, invalid_rows
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.row_detector import readable as table_of
from offnominal.detectors.rows.row_detector import refuse_episodes

MAX_VALUE = 1e6
"""Values are clipped to this magnitude, so that no finite row overflows."""

CHECKED = 2048
"""Largest number of validation rows."""

HELD_OUT = 0.1
"""Fraction of the rows that is held out if no validation rows are given."""

Shape = tuple[int, ...]


def checked(rows: Array, kinds: Sequence[int], name: str) -> Array:
    """Return valid rows in single precision, or raise :class:`InvalidParameter`.

    Args:
        rows: Table or images.
        kinds: Accepted numbers of axes: 2 for tables, 4 for images.
        name: Name of the detector.
    """
    values, broken = readable(rows, kinds, name)
    if broken is not None:
        raise InvalidParameter(f"row {int(np.argmax(broken))} has a value that is not finite or too large; remove it.")
    return values


def readable(rows: Array, kinds: Sequence[int], name: str) -> tuple[Array, BoolArray | None]:
    """Return rows in single precision with zeros for invalid values, and which rows have such values."""
    refuse_episodes(rows)
    given = numeric_array("rows", rows)
    if 4 in kinds and given.ndim == 4:
        return _images(given)
    if 2 not in kinds:
        raise InvalidParameter(f"{name} takes images (n, channels, height, width); the rows have shape {given.shape}.")
    values, broken = table_of(given)
    return clipped(values), broken


def clipped(rows: FloatArray) -> SinglePrecision:
    """Return a table in single precision, clipped so that no finite row overflows."""
    return np.minimum(np.maximum(rows, -MAX_VALUE), MAX_VALUE).astype(np.float32)


def _images(given: Array) -> tuple[Array, BoolArray | None]:
    if 0 in given.shape or given.dtype.kind != "f":
        raise InvalidParameter(
            f"the images are {given.dtype} of shape {given.shape}; expected floats, at least one image."
        )
    broken = None if all_valid(given) else invalid_rows(given)
    values = given if broken is None else np.where(invalid(given), 0.0, given)
    if values.min() < 0 or values.max() > 1:
        raise InvalidParameter(
            f"the images have values from {values.min():g} to {values.max():g}; expected 0 to 1. Divide bytes by 255."
        )
    return np.ascontiguousarray(values, np.float32), broken


def describe_shape(shape: Shape) -> str:
    """Return the shape of a row for an error message."""
    return f"{shape[0]} columns" if len(shape) == 1 else "the shape " + " × ".join(map(str, shape))


def split_validation(rows: Array, validation: Array | None, random: RandomNumbers) -> tuple[Tensor, Tensor]:
    """Return training rows and validation rows."""
    training = torch.from_numpy(rows)
    if validation is not None:
        return training, torch.from_numpy(validation)[random.permutation(len(validation))[:CHECKED]]
    order = random.permutation(len(training))
    first = max(1, round(HELD_OUT * len(training)))
    return training[order[first:]], training[order[:first][:CHECKED]]
