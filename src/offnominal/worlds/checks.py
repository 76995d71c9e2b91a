"""Checks of what users hand to a world, shared by its single and its vector face."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from gymnasium.spaces import Box

from offnominal.core.errors import InvalidAction
from offnominal.core.types import Array


def checked_actions(actions: Any, shape: tuple[int, ...], space: Box) -> Array:
    """Return the actions as float64, or raise :class:`InvalidAction` before anything moves.

    Actions outside the space are let through: a faulty actuator command is exactly that.
    """
    try:
        given = np.asarray(actions)
        array = given.astype(np.float64) if given.dtype.kind in "fiub" else None
    except (TypeError, ValueError, OverflowError):
        array = None
    if array is None:
        raise InvalidAction(
            f"the action is not numeric (type {type(actions).__name__}); expected numbers of shape {shape}."
        )
    if array.shape != shape:
        raise InvalidAction(
            f"the action has shape {array.shape}; expected {shape}, each entry within "
            f"[{space.low.min():g}, {space.high.max():g}]."
        )
    # A finite sum has finite terms; the full check is only needed when the sum overflows or is not a number.
    if not math.isfinite(array.sum()) and not np.isfinite(array).all():
        where = np.argwhere(~np.isfinite(array))[0].tolist()
        raise InvalidAction(f"the action is {array[tuple(where)]} at index {where}; expected finite numbers.")
    return array
