"""The simulations of one split of a dataset."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.anomalies.fault import Fault
from offnominal.core.types import IntArray


@dataclass(frozen=True)
class Plan:
    """Simulations of one split.

    Args:
        name: Name of the split.
        seeds: Seed of every episode.
        faults: Faults that are injected into every episode.
    """

    name: str
    seeds: IntArray
    faults: tuple[Fault, ...] = ()
