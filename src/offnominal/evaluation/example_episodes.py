"""Example episodes: the first few faulty ones of each split, with scores and alarms."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from offnominal.alarms.alarm import Alarm
from offnominal.core.episode import Episode
from offnominal.core.types import BoolArray, FloatArray

PER_SPLIT = 2
LONGEST = 200_000
"""Longest example, in transitions; curves of longer episodes are left out."""


@dataclass(eq=False)
class ExampleEpisodes:
    """The first faulty episodes of a split.

    Args:
        kept: The episodes by their number in the split.
    """

    kept: dict[int, Episode] = field(default_factory=dict)

    def offer(self, number: int, episode: Episode) -> None:
        """Keep an episode if it is one of the first faulty ones.

        Args:
            number: Its number in the split.
            episode: The episode.
        """
        if len(self.kept) < PER_SPLIT and episode.onset is not None and len(episode) <= LONGEST:
            self.kept[number] = episode

    def rows(
        self,
        split: str,
        scores: Sequence[FloatArray],
        twin_scores: Sequence[FloatArray] | None,
        effective: Sequence[int | None] | None,
        alarms: Mapping[str, Alarm],
        raised: Mapping[str, Sequence[BoolArray]],
    ) -> list[dict[str, Any]]:
        """Return one row for each example episode.

        Args:
            split: Name of the split.
            scores: Scores of all episodes of the split.
            twin_scores: Scores of their nominal twins.
            effective: Their effective onsets.
            alarms: Alarms by name.
            raised: For each alarm, whether it is raised at each step of each episode.
        """
        limits = json.dumps({name: alarm.threshold_ for name, alarm in alarms.items() if _is_threshold(alarm)})
        return [
            {
                "split": split,
                "episode_seed": episode.seed,
                "onset": episode.onset,
                "end": _end(episode),
                "effective_onset": None if effective is None else effective[number],
                "scores": np.asarray(scores[number], np.float32),
                "twin_scores": None if twin_scores is None else np.asarray(twin_scores[number], np.float32),
                "thresholds": limits,
                "alarms": json.dumps({name: _first(rows[number]) for name, rows in raised.items()}),
                "total_reward": episode.total_reward,
            }
            for number, episode in self.kept.items()
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
