"""The ground truth of an episode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.episode import Episode, Event
from offnominal.core.types import BoolArray
from offnominal.evaluation.failure import ended_by_failure


@dataclass(frozen=True, slots=True, eq=False)
class GroundTruth:
    """The labels and the injected faults of an episode.

    Args:
        active: (T,): a fault was switched on during this transition.
        events: Injected faults.
        failed: Whether the world ended the episode without success.
    """

    active: BoolArray
    events: tuple[Event, ...] = ()
    failed: bool = False

    @classmethod
    def of(cls, episode: Episode) -> GroundTruth:
        """Return the ground truth of an episode."""
        return cls(episode.active, episode.events, ended_by_failure(episode))

    @property
    def onset(self) -> int | None:
        """First transition with a fault switched on, or None."""
        return int(np.argmax(self.active)) if self.active.any() else None

    @property
    def ends_early(self) -> bool:
        """Whether a label of the episode ends before the episode."""
        return bool(np.any(self.active[:-1] & ~self.active[1:]))

    def over(self, length: int) -> BoolArray:
        """Return the labels that an episode of another length would have with the same faults.

        Beyond the end of this episode the labels follow from the events; without events, the last label is repeated.

        Args:
            length: Number of transitions of the other episode.

        Example:
            >>> early_end = GroundTruth(np.array([False, False]), (Event("action/offset", 1.0, onset=3, end=5),))
            >>> early_end.over(6)
            array([False, False, False,  True,  True, False])
        """
        shared = min(len(self.active), length)
        labels = np.zeros(length, np.bool_)
        labels[:shared] = self.active[:shared]
        if not self.events and shared:
            labels[shared:] = self.active[shared - 1]
        for event in self.events:
            labels[max(event.onset, shared) : event.end] = True
        return labels
