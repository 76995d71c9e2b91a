"""Arrays of numbers as plain data and back, for the data of figures."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from offnominal.core.types import FloatArray

DIGITS = 6


def plain_numbers(values: FloatArray) -> Any:
    """Return an array as nested lists, with six digits, which no figure shows, and None for NaN.

    Example:
        >>> plain_numbers(np.array([[1.0 / 3.0, np.nan]]))
        [[0.333333, None]]
    """
    if values.ndim:
        return [plain_numbers(part) for part in values]
    value = float(values)
    return None if math.isnan(value) else float(f"{value:.{DIGITS}g}")


def numbers_in(values: Any) -> FloatArray:
    """Return nested lists as an array, with NaN for None.

    Example:
        >>> numbers_in([[0.5, None]])
        array([[0.5, nan]])
    """
    found: FloatArray = np.array(values, np.float64)
    return found
