"""Example episodes: the first few faulty ones of each split, with scores and alarms."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from offnominal.alarms.alarm import Alarm
from offnominal.core.episode import Episode
from offnominal.core.types import BoolArray, FloatArray

PER_SPLIT = 2

SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("world", pa.string()),
        ("policy", pa.string()),
        ("name", pa.string()),
        ("seed", pa.int64()),
        ("split", pa.string()),
        ("episode_seed", pa.int64()),
        ("onset", pa.int64()),
        ("end", pa.int64()),
        ("effective_onset", pa.int64()),
        ("scores", pa.list_(pa.float32())),
        ("twin_scores", pa.list_(pa.float32())),
        ("thresholds", pa.string()),
        ("alarms", pa.string()),
        ("total_reward", pa.float64()),
    ]
)


def example_rows(
    split: str,
    episodes: Sequence[Episode],
    scores: Sequence[FloatArray],
    twin_scores: Sequence[FloatArray] | None,
    effective: Sequence[int | None] | None,
    alarms: Mapping[str, Alarm],
    raised: Mapping[str, Sequence[BoolArray]],
) -> list[dict[str, Any]]:
    """Return one row for each example episode.

    Args:
        split: Name of the split.
        episodes: Episodes of the split.
        scores: Scores of the episodes.
        twin_scores: Scores of their nominal twins.
        effective: Their effective onsets.
        alarms: Alarms by name.
        raised: For each alarm, whether it is raised at each step of each episode.
    """
    kept = [number for number, episode in enumerate(episodes) if episode.onset is not None][:PER_SPLIT]
    limits = json.dumps({name: alarm.threshold_ for name, alarm in alarms.items() if _is_threshold(alarm)})
    return [
        {
            "split": split,
            "episode_seed": episodes[number].seed,
            "onset": episodes[number].onset,
            "end": _end(episodes[number]),
            "effective_onset": None if effective is None else effective[number],
            "scores": np.asarray(scores[number], np.float32),
            "twin_scores": None if twin_scores is None else np.asarray(twin_scores[number], np.float32),
            "thresholds": limits,
            "alarms": json.dumps({name: _first(rows[number]) for name, rows in raised.items()}),
            "total_reward": episodes[number].total_reward,
        }
        for number in kept
    ]


def _end(episode: Episode) -> int | None:
    """Return the end of the first fault; None if a labelled fault lasts to the end of the episode."""
    if episode.events or episode.onset is None:
        return episode.events[0].end if episode.events else None
    after = ~episode.active[episode.onset :]
    return episode.onset + int(np.argmax(after)) if after.any() else None


def _is_threshold(alarm: Alarm) -> bool:
    """Whether the statistic of an alarm is the score itself."""
    return type(alarm).update_statistic is Alarm.update_statistic


def _first(raised: BoolArray) -> int | None:
    return int(np.argmax(raised)) if raised.any() else None
