"""A check of the indices that compiled functions use without any check."""

from __future__ import annotations

from offnominal.core.checks import require_integers
from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.types import IntArray


def require_indices(name: str, indices: IntArray, n: int) -> None:
    """Raise :class:`InvalidParameter` unless an array is a vector of indices. It is fast enough for every step.

    Args:
        name: Name of the array, for the error message.
        indices: Array to check.
        n: Number of entries that there are; the indices are from 0 to n - 1.

    Example:
        >>> import numpy as np
        >>> require_indices("rows", np.array([0, 3]), 3)
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: rows is array([0, 3]); expected indices from 0 to 2.
    """
    if indices.ndim != 1 or indices.dtype.kind != "i":
        require_integers(name, indices, name)
    if not _all_within(indices, n):
        raise InvalidParameter(f"{name} is {shown(indices)}; expected indices from 0 to {n - 1}.")


@compiled
def _all_within(indices: IntArray, n: int) -> bool:
    for i in range(indices.shape[0]):
        if not 0 <= indices[i] < n:
            return False
    return True
