"""Detection over time: cumulative incidences of faults, over training runs, faults and worlds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc

from offnominal.core.types import FloatArray, IntArray
from offnominal.evaluation.cumulative_incidence import CumulativeIncidence
from offnominal.evaluation.outcome_steps import DETECTED, OUTCOME_STEPS, incidence_of_steps
from offnominal.evaluation.timing import HORIZON
from offnominal.reports.page_numbers import rounded
from offnominal.studies.metric_table import world_labels

SHOWN = 0.99
"""Share of all detections that lie on the axis of time."""
MOST_STEPS = 40
"""Points of a curve on a page."""
MOST_TICKS = 10
ROUND = [digit * 10**power for power in range(7) for digit in (1, 2, 5)]
SHARES = ("detected", "low", "high", "failed")


@dataclass(frozen=True, slots=True, eq=False)
class IncidenceCurve:
    """Cumulative incidence of one detector with one alarm: mean over faults, then worlds, with equal weights.

    Args:
        detected: (k,): share of the faults with an alarm at most d steps after the onset, for d = 0, 1, and so on.
        low: (k,): mean of the lower ends of the pointwise intervals of the faults; wider than a 95 % band unless the
            faults err together.
        high: (k,): mean of the upper ends.
        failed: (k,): share of the episodes that failed by then without an alarm.
        at_risk: (k,): number of episodes, over all faults and worlds, that have neither ended nor had an alarm before
            step d; over training runs, which have the same episodes, the mean.
    """

    detected: FloatArray
    low: FloatArray
    high: FloatArray
    failed: FloatArray
    at_risk: IntArray

    def rows(self, steps: IntArray) -> list[list[float | None]]:
        """Return the points at some steps, rounded for a page: shares as in :data:`SHARES`, and the number at risk."""
        columns = [[rounded(value) for value in getattr(self, name)[steps].tolist()] for name in SHARES]
        return [list(point) for point in zip(*columns, self.at_risk[steps].tolist(), strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class IncidenceTable:
    """The steps of the outcomes of every alarm, world, fault, detector and training run.

    Args:
        alarms: Names of the alarms.
        last: Last step of the axis of time, the same in all figures of a run.
        found: Cumulative incidence by alarm, detector, world, split and training seed.
    """

    alarms: tuple[str, ...]
    last: int
    found: Mapping[tuple[str, str, str, str, int], CumulativeIncidence]

    @classmethod
    def of(cls, table: Any) -> IncidenceTable | None:
        """Return the outcomes of a run; None without alarms, or if it was computed by an older version.

        Args:
            table: Rows of a run.
        """
        if any(name not in table.column_names for name in OUTCOME_STEPS):
            return None
        rows = table.filter(pc.and_(pc.is_valid(table["alarm"]), pc.is_valid(table[DETECTED])))
        if not rows.num_rows:
            return None
        steps = rows.select(OUTCOME_STEPS).to_pylist()
        places = zip(
            rows["alarm"].to_pylist(),
            rows["name"].to_pylist(),
            world_labels(rows).tolist(),
            rows["split"].to_pylist(),
            rows["seed"].to_pylist(),
            strict=True,
        )
        found = {
            place: incidence_of_steps(each) for place, each in zip(places, steps, strict=True) if any(each.values())
        }
        detections = np.sort(np.concatenate([np.zeros(1, np.int64), *(each[DETECTED] for each in steps)]))
        last = max(HORIZON, int(detections[int(SHOWN * (len(detections) - 1))]))
        return cls(tuple(dict.fromkeys(rows["alarm"].to_pylist())), last, found)

    @property
    def ticks(self) -> IntArray:
        """Steps at which pages show the numbers at risk: at most about ten, a round number apart."""
        apart = next(each for each in ROUND if each * MOST_TICKS >= self.last)
        return np.arange(0, self.last + 1, apart)

    @property
    def steps(self) -> IntArray:
        """Steps of the points of a page: all of them, or about :data:`MOST_STEPS`, closer together after the onset."""
        if self.last < MOST_STEPS:
            return np.arange(self.last + 1)
        spaced = self.last * np.linspace(0.0, 1.0, MOST_STEPS) ** 2
        return np.union1d(spaced.round().astype(np.int64), self.ticks)

    def curves(self, alarm: str, *, world: str | None = None) -> dict[str, IncidenceCurve]:
        """Return the curve of each detector.

        Args:
            alarm: Name of the alarm.
            world: Only this world; all if None.
        """
        runs: dict[str, dict[str, dict[str, list[FloatArray]]]] = {}
        for (one, name, place, split, _), curve in self.found.items():
            if one == alarm and world in (None, place):
                runs.setdefault(name, {}).setdefault(place, {}).setdefault(split, []).append(self._columns(curve))
        return {name: self._mean(worlds) for name, worlds in runs.items()}

    def _columns(self, curve: CumulativeIncidence) -> FloatArray:
        """Return shares and numbers at risk (5, k) up to the last step; after its end a curve stays where it is."""
        places = np.minimum(np.arange(self.last + 1), len(curve.delays) - 1)
        own = (curve.detected.share, curve.detected.low, curve.detected.high, curve.failed.share)
        at_risk = np.where(np.arange(self.last + 1) < len(curve.delays), curve.at_risk[places], 0)
        return np.stack([*(each[places] for each in own), at_risk.astype(np.float64)])

    def _mean(self, worlds: Mapping[str, Mapping[str, Sequence[FloatArray]]]) -> IncidenceCurve:
        by_world = [np.array([np.mean(of_runs, axis=0) for of_runs in splits.values()]) for splits in worlds.values()]
        columns = np.mean([faults.mean(axis=0) for faults in by_world], axis=0)
        at_risk = np.sum([faults[:, -1].sum(axis=0) for faults in by_world], axis=0)
        detected, low, high, failed, _ = columns
        return IncidenceCurve(detected, low, high, failed, np.rint(at_risk).astype(np.int64))


def incidence_data(table: Any, names: Sequence[str], places: Sequence[str]) -> dict[str, Any] | None:
    """Return the curves of a page: by alarm, for all worlds ("-1") and each, a list of points per detector.

    Args:
        table: Rows of a run.
        names: Detectors of the page.
        places: Worlds of the page.
    """
    found = IncidenceTable.of(table)
    if found is None:
        return None
    steps = found.steps

    def points(alarm: str, number: int) -> list[list[list[float | None]] | None]:
        curves = found.curves(alarm, world=None if number < 0 else places[number])
        return [curves[name].rows(steps) if name in curves else None for name in names]

    alarms = {
        alarm: {str(number): points(alarm, number) for number in range(-1, len(places) if len(places) > 1 else 0)}
        for alarm in found.alarms
    }
    return {"steps": steps.tolist(), "ticks": found.ticks.tolist(), "alarms": alarms}
