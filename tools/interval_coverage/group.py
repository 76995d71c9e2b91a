"""A group of numbers that are measured together on one kind of simulated data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.evaluation import Estimate


@dataclass(frozen=True, slots=True)
class Interval:
    """A number whose interval is no bootstrap."""

    value: float
    low: float
    high: float


Numbers = dict[str, Estimate | Interval]


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Numbers of one kind of simulated data.

    Args:
        simulate: Returns data of n units from a generator of random numbers.
        measure: Returns the numbers of data, with intervals from a number of bootstrap replicates.
        truth: Units of each set that the true values are computed from.
        known: True values that are known exactly; None if they are computed.
    """

    simulate: Callable[[int, np.random.Generator], Any]
    measure: Callable[[Any, int], Numbers]
    truth: int = 4000
    known: Mapping[str, float] | None = None
