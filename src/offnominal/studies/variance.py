"""The variance of a metric in a run with several policies, in parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.evaluation.variance_split import VarianceSplit, split_variance
from offnominal.studies.metric_table import MetricTable

Trainings = dict[int, dict[str, FloatArray]]
"""Numbers with their replicates, by training seed and fault."""


@dataclass(frozen=True, slots=True, eq=False)
class MetricVariance:
    """The variance of a metric of one detector, in parts, and what it was estimated from.

    Args:
        name: Name of the detector.
        metric: Name of the metric.
        mean: Mean over worlds of the mean over faults, policies and trainings.
        split: The parts.
        worlds: Number of worlds.
        faults: Number of faults in all worlds.
        policies: Number of policies in all worlds.
        trainings: Number of trainings of the detector in all worlds.
        left_out: Number of faults without a number in some training, which do not count.
    """

    name: str
    metric: str
    mean: float
    split: VarianceSplit
    worlds: int
    faults: int
    policies: int
    trainings: int
    left_out: int


def variance_of(table: Any, metric: str, *, draws: int | None = None) -> list[MetricVariance]:
    """Return the variance of a metric in parts, one entry per detector; none if no world has several policies.

    Faults without a number in some training of a world are left out there.

    Args:
        table: Rows of a run, see :class:`~offnominal.studies.results.RunResults`.
        metric: A metric with replicates, such as ``"matched_auroc"``.
        draws: Draws of the intervals; the default of :func:`~offnominal.evaluation.variance_split.split_variance` if
            None.

    Example:
        >>> import pyarrow as pa
        >>> rows = [
        ...     {"world": "A", "policy": policy, "name": "KNN", "seed": 0, "split": split, "kind": "action"}
        ...     | {"level": "tiny", "alarm": None, "auroc": value}
        ...     for policy, shift in (("tqc-0", 0.0), ("tqc-1", 0.1))
        ...     for split, value in (("a@tiny", 0.6 + shift), ("b@tiny", 0.8 + shift))
        ... ]
        >>> (found,) = variance_of(pa.Table.from_pylist(rows), "auroc")
        >>> {name: round(part.variance, 4) for name, part in found.split.parts.items()}
        {'fault': 0.02, 'policy': 0.005, 'policy by fault': 0.0}
    """
    measured = MetricTable.of(table, metric)
    rows = table.filter(pc.is_null(table["alarm"])).select(["world", "policy"]).to_pylist()
    values = np.column_stack([measured.values, _filled(measured.draws)]) if measured.draws.shape[1] else None
    found = []
    for name in measured.names:
        worlds: dict[str, dict[str, Trainings]] = {}
        for number in np.flatnonzero(measured.name == name):
            world, policy = rows[number]["world"], rows[number]["policy"]
            numbers = measured.values[number : number + 1] if values is None else values[number]
            trainings = worlds.setdefault(world, {}).setdefault(policy, {})
            trainings.setdefault(int(measured.seed[number]), {})[measured.split[number]] = numbers
        each = _split(name, metric, worlds, {} if draws is None else {"draws": draws})
        found += [each] if each is not None else []
    return found


def _split(name: str, metric: str, worlds: dict[str, dict[str, Trainings]], options: Any) -> MetricVariance | None:
    """Return the variance of one detector; None if there are too few policies or faults."""
    if max((len(policies) for policies in worlds.values()), default=0) < 2:
        return None
    tables, left_out = [], 0
    for policies in worlds.values():
        runs = [faults for trainings in policies.values() for faults in trainings.values()]
        everything = dict.fromkeys(split for faults in runs for split in faults)
        complete = [split for split in everything if all(_has(faults, split) for faults in runs)]
        left_out += len(everything) - len(complete)
        if complete:
            tables.append([_table(trainings, complete) for trainings in policies.values()])
    if any(np.isnan(policy).any() for world in tables for policy in world):
        tables = [[policy[:1] for policy in world] for world in tables]
    try:
        split = split_variance(tables, **options)
    except InvalidParameter:
        return None
    return MetricVariance(
        name,
        metric,
        mean=float(np.mean([np.mean([policy[0].mean() for policy in world]) for world in tables])),
        split=split,
        worlds=len(tables),
        faults=sum(world[0].shape[1] for world in tables),
        policies=sum(map(len, tables)),
        trainings=sum(policy.shape[2] for world in tables for policy in world),
        left_out=left_out,
    )


def _has(faults: dict[str, FloatArray], split: str) -> bool:
    return split in faults and bool(np.isfinite(faults[split][0]))


def _table(trainings: Trainings, splits: list[str]) -> FloatArray:
    """Return the numbers of a policy, (1 + replicates, faults, trainings)."""
    found = np.array([[faults[split] for split in splits] for _, faults in sorted(trainings.items())], np.float64)
    return np.moveaxis(found, (0, 1, 2), (2, 1, 0))


def _filled(draws: FloatArray) -> FloatArray:
    """Return replicates with the mean of the others in place of undefined ones; rows without any stay NaN."""
    defined = np.isfinite(draws)
    counts = defined.sum(axis=1)
    means = np.where(defined, draws, 0.0).sum(axis=1, dtype=np.float64) / np.where(counts, counts, np.nan)
    filled: FloatArray = np.where(defined, draws, means[:, None])
    return filled
