"""The splits of a dataset that are evaluated, and those that they are compared with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.core.printable import shown
from offnominal.datasets.dataset import NOT_EVALUATED, Dataset

Splits = Dataset | Mapping[str, Sequence[Episode]]
TEST = "test"
NOMINAL = (TEST, "validation")


def name_of(data: Splits) -> str:
    """Return the name of a dataset, in place of the id of a world."""
    return data.world if isinstance(data, Dataset) else "own data"


def chosen_splits(data: Splits, splits: Iterable[str] | None) -> list[str]:
    """Return the names of the splits to evaluate, or raise an error that says what the data has.

    Args:
        data: The dataset, or episodes by name of the split.
        splits: Names of splits; all with faults if None.

    Raises:
        UnknownName: The data has no such split.
        InvalidParameter: There is no split with faults.
    """
    chosen = faulty_splits(data) if splits is None else list(splits)
    for name in chosen:
        if not isinstance(name, str) or name not in data:
            suggestion = did_you_mean(str(name), map(str, data))
            raise UnknownName(f"the data has no split {shown(name)}.{suggestion} It has {', '.join(map(str, data))}.")
    if not chosen:
        raise InvalidParameter(
            "the dataset has no split with faults; generate a dataset with anomalies, or give labels."
        )
    return chosen


def faulty_splits(data: Splits) -> list[str]:
    """Return the names of the splits with faults: those of the recipe, or those with active labels.

    Raises:
        InvalidParameter: The data is no dataset and no mapping.
    """
    if isinstance(data, Dataset):
        return data.faulty
    if not isinstance(data, Mapping):
        raise InvalidParameter(f"data is {shown(data)}; expected a dataset, or episodes by name of the split.")
    return [name for name, episodes in data.items() if name not in NOT_EVALUATED and _has_labels(episodes)]


def nominal_split(data: Splits, faulty: Collection[str]) -> str | None:
    """Return the name of the split that faulty episodes are compared with: ``test``, or ``validation`` without it.

    Args:
        data: The dataset, or episodes by name of the split.
        faulty: Names of the splits with faults.
    """
    return next((name for name in NOMINAL if name in data and name not in faulty), None)


def _has_labels(episodes: Any) -> bool:
    known = getattr(episodes, "faulty", None)
    return bool(np.any(known)) if known is not None else any(episode.active.any() for episode in episodes)
