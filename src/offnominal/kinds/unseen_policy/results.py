"""The results of a study of unseen policies: with the policy of the training, and with others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow.compute as pc

from offnominal.alarms.share_interval import clopper_pearson
from offnominal.core.types import Array, BoolArray
from offnominal.evaluation.estimate import Estimate
from offnominal.kinds.transfer.cell_run import RECALIBRATED
from offnominal.kinds.transfer.results import Rate
from offnominal.kinds.unseen_policy.cell import TRAIN_POLICY
from offnominal.studies.leaderboards import mean_of
from offnominal.studies.metric_table import MetricTable

METRIC = "matched_auroc"
SAME, UNSEEN = "same policy", "unseen policy"
AGAIN = "unseen policy, recalibrated"


@dataclass(frozen=True, slots=True, eq=False)
class UnseenPolicyResults:
    """The results of a study of unseen policies.

    Args:
        measured: One metric; `world` is the world with the tested policy, and `seed` numbers the pairs of a policy of
            the training and a seed.
        world: (n,): world of each entry.
        same: (n,): whether it is of the policy of the training.
        rates: Share of nominal episodes with a false alarm, by detector, alarm and case.
    """

    measured: MetricTable
    world: Array
    same: BoolArray
    rates: dict[tuple[str, str, str], Rate]

    @classmethod
    def of(cls, table: Any, metric: str = METRIC) -> UnseenPolicyResults:
        """Return the results in the table of a run.

        Args:
            table: Rows of the run.
            metric: A metric with replicates.
        """
        rows = table.filter(pc.is_null(table["alarm"])).select(["world", "policy", TRAIN_POLICY, "seed"]).to_pylist()
        trained = {
            pair: number for number, pair in enumerate(sorted({(row[TRAIN_POLICY], row["seed"]) for row in rows}))
        }
        measured = replace(
            MetricTable.of(table, metric),
            world=np.array([f"{row['world']} ({row['policy']})" for row in rows], object),
            seed=np.array([trained[row[TRAIN_POLICY], row["seed"]] for row in rows], np.int64),
        )
        world = np.array([row["world"] for row in rows], object)
        same = np.array([row["policy"] == row[TRAIN_POLICY] for row in rows], np.bool_)
        return cls(measured, world, same, _rates(table))

    @property
    def worlds(self) -> list[str]:
        """Names of the worlds."""
        return list(dict.fromkeys(self.world.tolist()))

    @property
    def names(self) -> list[str]:
        """Detectors: the highest mean with unseen policies first."""

        def value(name: str) -> float:
            found = self.estimate(name, UNSEEN)
            return -1.0 if found is None or found.value is None else found.value

        return sorted(self.measured.names, key=lambda name: -value(name))

    @property
    def alarms(self) -> list[str]:
        """Names of the alarms."""
        return list(dict.fromkeys(alarm for _, alarm, _ in self.rates))

    def estimate(self, name: str, case: str, world: str | None = None, split: str | None = None) -> Estimate | None:
        """Return the mean of the metric over tested policies and faults, or None if there are no results.

        Args:
            name: Name of the detector.
            case: With the policy of the training (SAME), or with all others (UNSEEN).
            world: One of the worlds; all if None.
            split: One of the faults; all if None.
        """
        found = self.measured
        chosen = (found.name == name) & (self.same == (case == SAME)) & ~np.isnan(found.values)
        chosen &= True if world is None else self.world == world
        chosen &= True if split is None else found.split == split
        return mean_of(found.take(chosen)) if chosen.any() else None

    def change(self, name: str, world: str | None = None, split: str | None = None) -> Estimate | None:
        """Return what a detector gains or loses with unseen policies, in pairs on the same test episodes."""
        moved, stayed = self.estimate(name, UNSEEN, world, split), self.estimate(name, SAME, world, split)
        return None if moved is None or stayed is None else moved - stayed


def _rates(table: Any) -> dict[tuple[str, str, str], Rate]:
    """Return the mean false-alarm rates over worlds, tested policies and trainings; intervals count episodes once."""
    rows = table.filter(pc.is_valid(table["alarm"]))
    columns = ["world", "policy", TRAIN_POLICY, "name", "alarm", "seed", "false_alarm_episodes", "nominal_episodes"]
    if not rows.num_rows or not set(columns) <= set(rows.column_names):
        return {}
    found: dict[tuple[str, str, str], dict[tuple[Any, ...], float]] = {}
    sizes: dict[tuple[str, str], int] = {}
    for row in rows.select(columns).to_pylist():
        if row["false_alarm_episodes"] is None:
            continue
        alarm = row["alarm"].removesuffix(RECALIBRATED)
        case = AGAIN if alarm != row["alarm"] else SAME if row["policy"] == row[TRAIN_POLICY] else UNSEEN
        place = (row["world"], row["policy"], row[TRAIN_POLICY], row["seed"])
        found.setdefault((row["name"], alarm, case), {})[place] = row["false_alarm_episodes"]
        sizes[row["world"], row["policy"]] = row["nominal_episodes"] or 0
    n = sum(sizes.values())
    rates = {}
    for key, values in found.items():
        mean = float(np.mean(list(values.values())))
        rates[key] = Rate(mean, *clopper_pearson(mean * n, n), n)
    return rates
