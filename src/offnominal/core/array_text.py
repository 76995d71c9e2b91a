"""Arrays as plain data for JSON, exact to the last bit."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from offnominal.core.errors import DamagedFile
from offnominal.core.types import Array

KINDS = "biuf"


def array_to_plain(array: Array) -> dict[str, Any]:
    """Return the type, shape and bytes of a numeric array as plain data.

    Example:
        >>> array_to_plain(np.array([1.0, np.nan]))["shape"]
        [2]
        >>> array_from_plain(array_to_plain(np.array([0.1, np.nan])))
        array([0.1, nan])
    """
    values = np.asarray(array, order="C")
    small_ended = values.astype(values.dtype.newbyteorder("<"), copy=False)
    data = base64.b64encode(small_ended.tobytes()).decode("ascii")
    return {"dtype": small_ended.dtype.str, "shape": list(values.shape), "data": data}


def array_from_plain(data: Any) -> Array:
    """Return the array that :func:`array_to_plain` described.

    Raises:
        DamagedFile: The data do not describe a numeric array.
    """
    if not isinstance(data, Mapping) or data.keys() != {"dtype", "shape", "data"}:
        raise DamagedFile("an array is damaged; expected the entries dtype, shape and data.")
    try:
        dtype, shape = np.dtype(str(data["dtype"])), tuple(int(side) for side in data["shape"])
        content = base64.b64decode(data["data"], validate=True)
    except (TypeError, ValueError) as error:
        raise DamagedFile(f"an array is damaged ({error}).") from None
    if dtype.kind not in KINDS or min(shape, default=0) < 0 or len(content) != math.prod(shape) * dtype.itemsize:
        raise DamagedFile(f"an array is damaged: {len(content)} bytes are no {dtype} of shape {shape}.")
    return np.frombuffer(content, dtype).astype(dtype.newbyteorder("="), copy=True).reshape(shape)
