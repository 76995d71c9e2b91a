"""One metric of a run as arrays: a number and its bootstrap replicates for every cell and split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.metrics import METRICS

Block = tuple[str, str]
UNITS = ("episodes", "never_faulty", "nominal_episodes")
MOST = 2**31
IDENTITY = ("world", "policy", "name", "seed", "split", "kind", "level")


@dataclass(frozen=True, slots=True, eq=False)
class MetricTable:
    """One metric of every cell and split.

    Args:
        world: (n,): name of the world; with the policy, where a world has several.
        name: (n,): name of the detector.
        seed: (n,): training seed.
        split: (n,): name of the split.
        kind: (n,): kind of fault.
        level: (n,): level of strength.
        values: (n,): NaN where the metric is not defined.
        draws: (n, replicates): no columns if there are none.
        units: (n,): number of independent units: the smaller number of faulty and nominal episodes; 0 if unknown.
        share: (n,): whether the metric is a share of these units.
    """

    world: Array
    name: Array
    seed: Array
    split: Array
    kind: Array
    level: Array
    values: FloatArray
    draws: FloatArray
    units: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    share: BoolArray = field(default_factory=lambda: np.empty(0, np.bool_))

    def __post_init__(self) -> None:
        for name, kind in (("units", np.int64), ("share", np.bool_)):
            if len(getattr(self, name)) != len(self.values):
                object.__setattr__(self, name, np.zeros(len(self.values), kind))

    @classmethod
    def of(cls, table: Any, metric: str) -> MetricTable:
        """Return a metric from the results of a run.

        Args:
            table: Rows of a run, see :class:`~offnominal.studies.results.RunResults`.
            metric: A column of numbers. Without replicates of it there are no intervals.
        """
        if metric not in table.column_names:
            raise InvalidParameter(f"the results have no column {metric!r}; give one of those that they have.")
        wanted = [*IDENTITY, metric, f"draws_{metric}", *UNITS]
        narrow = table.select([name for name in wanted if name in table.column_names])
        rows = narrow.filter(pc.is_null(table["alarm"]))
        values = rows[metric].cast("float64").to_numpy(zero_copy_only=False).astype(np.float64)
        columns = {name: _texts(rows, name) for name in ("name", "split", "kind", "level")}
        return cls(
            world=world_labels(rows),
            seed=rows["seed"].to_numpy(),
            values=values,
            draws=_draws(rows, metric),
            units=_units(rows),
            share=np.full(len(values), metric in METRICS and METRICS[metric].share),
            **columns,
        )

    def where(self, *, world: str | None = None, kind: str | None = None, level: str | None = None) -> MetricTable:
        """Return the part in one world, of one kind of fault, of one level; None stands for all."""
        chosen = np.ones(len(self.values), np.bool_)
        for column, wanted in ((self.world, world), (self.kind, kind), (self.level, level)):
            if wanted is not None:
                chosen &= column == wanted
        return self.take(chosen)

    def take(self, chosen: BoolArray | IntArray) -> MetricTable:
        """Return the chosen rows."""
        return MetricTable(*(getattr(self, field)[chosen] for field in self.__slots__))

    def estimate(self, row: int) -> Estimate:
        """Return one row as an estimate."""
        draws = self.draws[row].astype(np.float64)
        units = int(self.units[row]) or None
        value = float(self.values[row])
        return Estimate(None if np.isnan(value) else value, draws, units, bool(self.share[row]))

    @property
    def names(self) -> list[str]:
        """Detectors, in the order of their first row."""
        return list(dict.fromkeys(self.name.tolist()))

    def blocks(self) -> dict[str, set[Block]]:
        """Return, for each detector, the (world, split) pairs in which all its training runs have a number."""
        found: dict[str, set[Block]] = {name: set() for name in self.names}
        missing: dict[str, set[Block]] = {name: set() for name in self.names}
        for name, world, split, value in zip(self.name, self.world, self.split, self.values, strict=True):
            (missing if np.isnan(value) else found)[name].add((world, split))
        return {name: found[name] - missing[name] for name in found}

    def per_world(self) -> Iterator[tuple[str, list[Estimate]]]:
        """Yield each world with one estimate per training run: the mean over splits, each counting the same."""
        for world in dict.fromkeys(self.world.tolist()):
            here = self.world == world
            yield world, [self._mean(here & (self.seed == seed)) for seed in np.unique(self.seed[here])]

    def runs(self) -> int:
        """Return how many training runs there are in each world, at least."""
        return min((len(set(self.seed[self.world == world])) for world in set(self.world)), default=0)

    def _mean(self, chosen: BoolArray) -> Estimate:
        values, draws = self.values[chosen], self.draws[chosen]
        rows = np.flatnonzero(chosen)
        if len(rows) == 1:
            return self.estimate(int(rows[0]))
        units = int(self.units[chosen].min(initial=0 if not len(rows) else MOST))
        return Estimate(float(values.mean()), draws.mean(axis=0, dtype=np.float64), units or None)


def world_labels(rows: Any) -> Array:
    """Return the world of each row; with the policy, where the rows of a world have several."""
    worlds, policies = _texts(rows, "world"), _texts(rows, "policy")
    pairs = list(zip(worlds, policies, strict=True))
    several = {world for world, count in Counter(world for world, _ in set(pairs)).items() if count > 1}
    return np.array([f"{world} ({policy})" if world in several else world for world, policy in pairs], object)


def _texts(rows: Any, name: str) -> Array:
    return np.array(["" if text is None else text for text in rows[name].to_pylist()], object)


def _units(rows: Any) -> IntArray:
    """Return the smaller number of faulty and nominal episodes of each row; 0 if it is unknown."""
    if any(name not in rows.column_names for name in UNITS):
        return np.zeros(rows.num_rows, np.int64)
    episodes, never, nominal = (pc.fill_null(rows[name], 0).to_numpy().astype(np.int64) for name in UNITS)
    units: IntArray = np.minimum(episodes - never, nominal)
    return units


def _draws(rows: Any, metric: str) -> FloatArray:
    column = f"draws_{metric}"
    if column not in rows.column_names or not rows.num_rows:
        return np.empty((rows.num_rows, 0), np.float32)
    lists = rows[column].combine_chunks()
    lengths = pc.list_value_length(lists).fill_null(0).to_numpy(zero_copy_only=False)
    drawn = np.full((rows.num_rows, int(lengths.max(initial=0))), np.nan, np.float32)
    full = lengths == drawn.shape[1]
    drawn[full] = (
        lists.filter(pa.array(full)).flatten().to_numpy(zero_copy_only=False).reshape(int(full.sum()), drawn.shape[1])
    )
    return drawn
