"""Every pair of detectors for the page: outcome on each fault, and paired differences with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from offnominal.core.types import BoolArray, FloatArray
from offnominal.evaluation.simultaneous import simultaneous_intervals
from offnominal.reports.page_numbers import in_units
from offnominal.studies.leaderboards import paired_intervals
from offnominal.studies.metric_table import MOST, MetricTable

WIN, TIE, LOSS, NONE = "wtl-"


@dataclass(frozen=True, slots=True, eq=False)
class FaultDraws:
    """One metric of all detectors on all faults, over training runs.

    Args:
        values: (faults, detectors): NaN where there is no result.
        draws: (faults, detectors, replicates): no replicates if there are none.
        units: Smallest number of independent units of a fault; None if it is unknown.
    """

    values: FloatArray
    draws: FloatArray
    units: int | None = None

    @classmethod
    def of(cls, pooled: MetricTable, faults: Sequence[Mapping[str, str]], names: Sequence[str]) -> FaultDraws:
        """Return the numbers of a table with one row per world, detector and split.

        A detector whose training runs have different splits has no numbers: it cannot be compared in pairs.
        """
        row = {(fault["world"], fault["split"]): number for number, fault in enumerate(faults)}
        column = {name: number for number, name in enumerate(names)}
        size = (len(faults), len(names))
        values, draws = np.full(size, np.nan), np.full((*size, pooled.draws.shape[1]), np.nan)
        counts = np.zeros(size, np.int64)
        for number, place in enumerate(zip(pooled.world, pooled.split, pooled.name, strict=True)):
            at = row[place[0], place[1]], column[place[2]]
            counts[at] += 1
            values[at], draws[at] = pooled.values[number], pooled.draws[number]
        values[counts > 1] = np.nan
        return cls(values, draws, int(pooled.units.min(initial=MOST)) % MOST or None)


def pair_outcomes(found: FaultDraws, *, higher: bool) -> list[str]:
    """Return a text per pair of detectors with a letter per fault: win, tie or loss of the first; a dash for no result.

    A tie is a difference whose interval contains 0; the intervals of all faults are simultaneous. Without replicates
    the sign of the difference decides.

    Example:
        >>> values = np.array([[0.9, 0.6], [0.5, 0.5]])
        >>> pair_outcomes(FaultDraws(values, np.empty((2, 2, 0))), higher=True)
        ['wt']
    """
    outcomes = []
    for one, other in combinations(range(found.values.shape[1]), 2):
        difference = found.values[:, one] - found.values[:, other]
        better = np.where(difference * (1.0 if higher else -1.0) > 0.0, WIN, LOSS)
        better[difference == 0.0] = TIE
        both = ~np.isnan(difference)
        if found.draws.shape[2] and both.any():
            draws = found.draws[both, one] - found.draws[both, other]
            intervals = simultaneous_intervals(difference[both], draws, units=found.units)
            tied = ~(intervals.excludes_zero | np.isnan(intervals.low))
            better[np.flatnonzero(both)[tied]] = TIE
        better[~both] = NONE
        outcomes.append("".join(better))
    return outcomes


def pair_differences(found: FaultDraws, worlds: Sequence[str], chosen: BoolArray) -> list[Any]:
    """Return, for each pair of detectors, the difference of their means and the ends of its interval, in units.

    Args:
        found: One metric.
        worlds: (faults,): world of each fault. Faults of a world count the same, and so do worlds.
        chosen: (faults,): which faults count. A pair is compared on those for which both have results.

    Returns:
        Lists of three numbers, of one without replicates; None without a fault in common.
    """
    defined = ~np.isnan(found.values) & chosen[:, None]
    means, draws = _means(found, worlds, chosen)
    low, high = paired_intervals(list(draws), found.units) if draws.shape[1] else (None, None)
    entries: list[Any] = []
    for number, (one, other) in enumerate(combinations(range(found.values.shape[1]), 2)):
        common = defined[:, one] & defined[:, other]
        if not common.any():
            entries.append(None)
        elif not (common == chosen).all():
            pair = FaultDraws(found.values[:, [one, other]], found.draws[:, [one, other]], found.units)
            entries += pair_differences(pair, worlds, common)
        else:
            ends = [] if low is None or high is None else [low[number], high[number]]
            entries.append([in_units(float(value)) for value in (means[one] - means[other], *ends)])
    return entries


def _means(found: FaultDraws, worlds: Sequence[str], chosen: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return the means of all detectors over faults, then worlds, for the values and for each replicate."""
    places = np.array(worlds, object)
    here = [chosen & (places == world) for world in dict.fromkeys(places[chosen])]
    values = np.mean([found.values[rows].mean(axis=0) for rows in here], axis=0)
    draws = np.mean([found.draws[rows].mean(axis=0) for rows in here], axis=0)
    return values, draws
