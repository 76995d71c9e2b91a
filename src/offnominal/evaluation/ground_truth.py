"""What was really going on in an episode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.episode import Episode, Event
from offnominal.core.types import BoolArray


@dataclass(frozen=True, slots=True, eq=False)
class GroundTruth:
    """The labels of an episode and what was injected into it.

    Args:
        active: (T,): a fault was switched on during this transition.
        events: What was injected.
    """

    active: BoolArray
    events: tuple[Event, ...] = ()

    @classmethod
    def of(cls, episode: Episode) -> GroundTruth:
        """Take the truth out of an episode, whose observations can then be forgotten."""
        return cls(episode.active, episode.events)

    @property
    def onset(self) -> int | None:
        """First transition with a fault switched on, or None."""
        return int(np.argmax(self.active)) if self.active.any() else None

    def over(self, length: int) -> BoolArray:
        """Return the labels that another episode would have with the same faults.

        Up to the end of this episode they are its own. Beyond it the events say whether a fault would be on; where
        there are none, the last label stays.

        Args:
            length: Transitions of the other episode.

        Example:
            >>> early_end = GroundTruth(np.array([False, False]), (Event("action/offset", 1.0, onset=3, end=5),))
            >>> early_end.over(6)
            array([False, False, False,  True,  True, False])
        """
        known = min(len(self.active), length)
        labels = np.zeros(length, np.bool_)
        labels[:known] = self.active[:known]
        if not self.events and known:
            labels[known:] = self.active[known - 1]
        for event in self.events:
            labels[max(event.onset, known) : event.end] = True
        return labels
