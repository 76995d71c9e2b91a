"""Scores of one robot since its maintenance, from which its alarm is fitted again."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np

from offnominal.alarms.alarm import Alarm
from offnominal.core.array_text import array_from_plain, array_to_plain
from offnominal.core.errors import DamagedFile
from offnominal.core.types import FloatArray
from offnominal.detectors.observation_limits import MAX_SCORE

MOST_SCORES, MOST_OF_ALL = 100_000, 500_000
"""Scores that are remembered of one robot, and of all; later ones are not. Each checkpoint has all of them."""


class ScoreRecord:
    """Scores by episode, since a time of the wall clock.

    Scores of invalid readings are left out, as those of lost samples are: they say nothing about the robot. The episode
    in which the record begins, and the one that has not ended, are parts; alarms with a guarantee per episode are not
    fitted to these. A record that is full takes no more scores; the episode in which that happens is a part, too.

    Args:
        since: When it begins.

    Example:
        >>> record = ScoreRecord(100.0)
        >>> record.add(9.0, 100.5)
        >>> for score, time in ((1.0, 101.0), (2.0, 102.0)):
        ...     record.next_episode()
        ...     record.add(score, time)
        >>> [episode.tolist() for episode in record.episodes(whole=False)[0]]
        [[9.0], [1.0], [2.0]]
        >>> [episode.tolist() for episode in record.episodes(whole=True)[0]]
        [[1.0]]
    """

    def __init__(self, since: float) -> None:
        self.since = since
        self.full = False
        self._scores = array("d")
        self._starts = [0]
        self._times = [since]
        self._ended = False

    def __len__(self) -> int:
        return len(self._scores)

    def next_episode(self) -> None:
        """Note that the episode has ended."""
        self._ended = True

    def add(self, score: float, time: float) -> None:
        """Add the score of the next transition."""
        if len(self._scores) >= MOST_SCORES:
            self.full = True
        if self.full or not score < MAX_SCORE:
            return
        if self._ended:
            self._ended = False
            self._starts.append(len(self._scores))
            self._times.append(time)
        self._scores.append(score)

    def episodes(self, *, whole: bool) -> tuple[list[FloatArray], list[float]]:
        """Return the scores of each episode, and when it began.

        Args:
            whole: Whether to leave out the episodes of which only a part is there.
        """
        ends = [*self._starts[1:], len(self._scores)]
        number = len(self._starts) - (0 if self._ended and not self.full else 1) if whole else len(self._starts)
        parts = [
            (np.array(self._scores[begin:end]), time)
            for begin, end, time in zip(self._starts[:number], ends, self._times, strict=False)
        ][1 if whole else 0 :]
        return [scores for scores, _ in parts if len(scores)], [time for scores, time in parts if len(scores)]

    def fitted(self, alarm: Alarm) -> Alarm:
        """Return a copy of an alarm that is fitted to these scores.

        Raises:
            TooFewEpisodes: There are too few for the guarantee.
            InvalidScores: There are none.
        """
        scores, times = self.episodes(whole=alarm.guarantee.unit == "episode" and alarm.guarantee.kind != "none")
        return alarm.recalibrate(scores, times, since=self.since)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain data."""
        return {
            "since": self.since,
            "full": self.full,
            "scores": array_to_plain(np.array(self._scores)),
            "starts": self._starts,
            "times": self._times,
            "ended": self._ended,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ScoreRecord:
        """Return the record that :meth:`to_dict` described."""
        found = cls(float(data["since"]))
        found._scores = array("d", array_from_plain(data["scores"]).astype(np.float64).tobytes())
        found._starts, found._times = [int(each) for each in data["starts"]], [float(each) for each in data["times"]]
        found.full, found._ended = bool(data["full"]), bool(data["ended"])
        inside = all(0 <= start <= len(found) for start in found._starts)
        if not inside or found._starts != sorted(found._starts) or len(found._starts) != len(found._times):
            raise DamagedFile("the record of the scores of a robot is damaged.")
        return found
