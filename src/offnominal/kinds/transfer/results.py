"""The results of a transfer study by detector, training world and tested world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc

from offnominal.alarms.guarantee_check import PREFIX, GuaranteeCheck, over_runs
from offnominal.alarms.share_interval import clopper_pearson
from offnominal.core.rounding import fixed
from offnominal.core.types import Array
from offnominal.evaluation.estimate import Estimate
from offnominal.kinds.transfer.cell import TRAIN_WORLD
from offnominal.studies.leaderboards import mean_of
from offnominal.studies.metric_table import MetricTable, world_labels

METRIC = "matched_auroc"
Pair = tuple[str, str]
"""Training world and tested world."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Fraction of nominal episodes with a false alarm.

    Args:
        value: Mean over training runs.
        low: Lower end of its 95 % interval, which counts every test episode once.
        high: Upper end.
        episodes: Number of nominal test episodes.
    """

    value: float
    low: float
    high: float
    episodes: int

    def __str__(self) -> str:
        return f"{fixed(self.value, 2)} [{fixed(self.low, 2)}, {fixed(self.high, 2)}]"


@dataclass(frozen=True, slots=True, eq=False)
class TransferResults:
    """The results of a transfer study.

    Args:
        measured: Time-matched AUROC; `world` is the tested world.
        train: (n,): training world of each entry of `measured`.
        pairs: Training and tested worlds of which there are results, by tested world, its own training first.
        rates: False alarms by detector, alarm and pair.
        checks: Guarantees and what was measured, by detector, alarm and pair.
    """

    measured: MetricTable
    train: Array
    pairs: tuple[Pair, ...]
    rates: dict[tuple[str, str, Pair], Rate]
    checks: dict[tuple[str, str, Pair], GuaranteeCheck]

    @classmethod
    def of(cls, table: Any) -> TransferResults:
        """Return the results in the table of a run."""
        measured = MetricTable.of(table, METRIC)
        train = train_labels(table.filter(pc.is_null(table["alarm"])))
        tested = list(dict.fromkeys(measured.world.tolist()))
        pairs = dict.fromkeys(zip(train.tolist(), measured.world.tolist(), strict=True))
        ordered = sorted(pairs, key=lambda pair: (tested.index(pair[1]), pair[0] != pair[1]))
        return cls(measured, train, tuple(ordered), _rates(table), _checks(table))

    @property
    def worlds(self) -> list[str]:
        """Tested worlds."""
        return list(dict.fromkeys(tested for _, tested in self.pairs))

    @property
    def shared_splits(self) -> list[str]:
        """Names of the faults that all tested worlds have."""
        faults = [set(self.splits(world)) for world in self.worlds]
        common = set.intersection(*faults) if faults else set()
        return [split for split in dict.fromkeys(self.measured.split.tolist()) if split in common]

    def splits(self, world: str) -> list[str]:
        """Return the names of the faults of a tested world."""
        return list(dict.fromkeys(self.measured.split[self.measured.world == world].tolist()))

    @property
    def names(self) -> list[str]:
        """Detectors: the highest mean over the pairs of different worlds first."""
        pairs = [pair for pair in self.pairs if pair[0] != pair[1]] or list(self.pairs)
        splits = self.shared_splits or None

        def value(name: str) -> float:
            found = [self.estimate(name, pair, splits) for pair in pairs]
            values = [each.value for each in found if each is not None and each.value is not None]
            return float(np.mean(values)) if values else -1.0

        return sorted(self.measured.names, key=lambda name: -value(name))

    @property
    def alarms(self) -> list[str]:
        """Alarms, those that are calibrated in the tested world included."""
        return list(dict.fromkeys(alarm for _, alarm, _ in self.rates))

    def estimate(self, name: str, pair: Pair, splits: list[str] | None = None) -> Estimate | None:
        """Return the mean time-matched AUROC of a detector, or None if there are no results.

        Args:
            name: Name of the detector.
            pair: Training and tested world.
            splits: Names of the faults; all of the tested world if None.
        """
        found = self.measured
        chosen = (found.name == name) & (self.train == pair[0]) & (found.world == pair[1]) & ~np.isnan(found.values)
        if splits is not None:
            chosen &= np.isin(found.split, splits)
        return mean_of(found.take(chosen)) if chosen.any() else None

    def loss(self, name: str, pair: Pair, splits: list[str] | None = None) -> Estimate | None:
        """Return the AUROC of a detector less that of the same detector trained in the tested world.

        The interval is that of the paired comparison on the same test episodes.
        """
        moved, stayed = self.estimate(name, pair, splits), self.estimate(name, (pair[1], pair[1]), splits)
        return None if moved is None or stayed is None else moved - stayed


def train_labels(rows: Any) -> Array:
    """Return the training world of each row; with the policy, where the rows have several."""
    worlds = rows[TRAIN_WORLD]
    return world_labels(rows.set_column(rows.column_names.index("world"), "world", worlds))


def _rates(table: Any) -> dict[tuple[str, str, Pair], Rate]:
    """Return the mean false-alarm rates over training runs. All rows of a tested world and an alarm have the same."""
    rows = table.filter(pc.is_valid(table["alarm"]))
    if not rows.num_rows:
        return {}
    columns = [rows[name].to_pylist() for name in ("name", "alarm", "seed", "false_alarm_episodes", "episodes")]
    found: dict[tuple[str, str, Pair], dict[int, float]] = {}
    sizes: dict[str, int] = {}
    for train, world, name, alarm, seed, rate, episodes in zip(
        train_labels(rows), world_labels(rows), *columns, strict=True
    ):
        if rate is not None:
            found.setdefault((name, alarm, (train, world)), {})[seed] = rate
            sizes[world] = episodes
    rates = {}
    for key, by_seed in found.items():
        value, n = float(np.mean(list(by_seed.values()))), sizes[key[2][1]]
        rates[key] = Rate(value, *clopper_pearson(value * n, n), n)
    return rates


def _checks(table: Any) -> dict[tuple[str, str, Pair], GuaranteeCheck]:
    """Return the guarantees of alarms and what was measured, over training runs."""
    rows = table.filter(pc.is_valid(table["alarm"]))
    if PREFIX not in rows.column_names:
        return {}
    runs: dict[tuple[str, str, Pair], dict[int, GuaranteeCheck]] = {}
    for train, world, row in zip(train_labels(rows), world_labels(rows), rows.to_pylist(), strict=True):
        check = GuaranteeCheck.from_row(row)
        if check is not None:
            runs.setdefault((row["name"], row["alarm"], (train, world)), {})[row["seed"]] = check
    return {key: over_runs(list(by_seed.values())) for key, by_seed in runs.items()}
