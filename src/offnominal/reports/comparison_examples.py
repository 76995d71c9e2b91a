"""Example episodes of a comparison, for the score curves of its page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from offnominal.alarms.alarm import Alarm
from offnominal.core.episode import Episode
from offnominal.detectors.detector import Detector
from offnominal.evaluation.dataset_evaluation import Splits
from offnominal.evaluation.split_evaluation import effective_onsets
from offnominal.studies.example_episodes import PER_SPLIT, SCHEMA, example_rows

TWINS = "twins"
LONGEST = 200_000
"""Longest example, in transitions; curves of longer episodes are left out."""


def comparison_examples(
    name: str, world: str, detector: Detector, alarms: Mapping[str, Alarm], data: Splits, splits: Iterable[str]
) -> list[dict[str, Any]]:
    """Return one row for each example: the first faulty episodes of each split with their scores and alarms.

    Args:
        name: Name of the detector in the comparison, which is also the key of its rows.
        world: Name of the dataset.
        detector: A fitted detector.
        alarms: Fitted alarms by name.
        data: The dataset, or episodes by name of the split.
        splits: Names of the splits with faults.
    """
    about = {"key": name, "world": world, "policy": "", "name": name, "seed": 0}
    rows: list[dict[str, Any]] = []
    for split in splits:
        chosen = _first_faulty(data[split])
        episodes = [data[split][index] for index in chosen]
        if not episodes:
            continue
        twins = [data[TWINS][index] for index in chosen] if TWINS in data else None
        scores = detector.score(episodes)
        twin_scores = None if twins is None else detector.score(twins)
        effective = None if twins is None else effective_onsets(episodes, twins)
        raised = {each: alarm.alarm(scores) for each, alarm in alarms.items()}
        found = example_rows(split, episodes, scores, twin_scores, effective, alarms, raised)
        rows += [about | row for row in found]
    return rows


def examples_table(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return the rows of all detectors as the table of examples of a run."""
    return pa.Table.from_pylist([dict(row) for row in rows], SCHEMA)


def _first_faulty(episodes: Sequence[Episode]) -> list[int]:
    """Return the indices of the first faulty episodes; as few episodes are read as possible."""
    known = getattr(episodes, "faulty", None)
    candidates = range(len(episodes)) if known is None else np.flatnonzero(known).tolist()
    chosen: list[int] = []
    for index in candidates:
        episode = episodes[index]
        if episode.onset is not None and len(episode) <= LONGEST:
            chosen.append(index)
        if len(chosen) == PER_SPLIT:
            break
    return chosen
