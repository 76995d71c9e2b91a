"""The schedule of a fault: onset, duration, ramp and period."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.core.config import Config
from offnominal.core.errors import InvalidSchedule

EARLIEST_RANDOM_ONSET = 2


@dataclass(frozen=True)
class Schedule(Config):
    """The weight of a fault over an episode.

    The *weight* is 0 while the fault is off and 1 at full strength; the parameter is interpolated between the neutral
    and the full value. A fault is *active*, and the transition is labelled so, while its weight is above zero.

    Args:
        onset: First affected transition: an index, ``"start"`` (0), ``"random"`` (uniform over 2 .. L - 1, where L is
            the length of an expert's episode), or a pair (first, last) to draw uniformly from, both included.
        duration: Number of transitions; None until the end.
        ramp: Number of transitions until full strength; 0 for none.
        recovery: Number of transitions of the decay after `duration`; 0 for none.
        period: Period of an intermittent fault; None for a continuous one.
        duty: Share of each period in which the fault is on.
        walk: Standard deviation of the steps of a random walk of the weight, reflected into [0, 1]; 0 for none.
        after: Number of transitions between the onset of the first fault of the episode and that of this one, in place
            of `onset`; None for an onset of its own. For cascades of faults, and for faults that begin together.

    Example:
        >>> Schedule(onset=50, duration=20, recovery=5)
        Schedule(onset=50, duration=20, ramp=0, recovery=5, period=None, duty=0.5, walk=0.0, after=None)
        >>> Schedule(onset=3, duration=4, ramp=2, recovery=1).weights(10)
        array([0. , 0. , 0. , 0.5, 1. , 1. , 1. , 0.5, 0. , 0. ])
    """

    onset: int | str | tuple[int, int] = "random"
    duration: int | None = None
    ramp: int = 0
    recovery: int = 0
    period: int | None = None
    duty: float = 0.5
    walk: float = 0.0
    after: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.onset, list):
            object.__setattr__(self, "onset", tuple(self.onset))
        for name in ("onset", "duration", "ramp", "recovery", "period", "after"):
            if isinstance(getattr(self, name), np.integer):
                object.__setattr__(self, name, int(getattr(self, name)))
        self._check_onset()
        for name, low in (("duration", 1), ("ramp", 0), ("recovery", 0), ("period", 2), ("after", 0)):
            value = getattr(self, name)
            if value is None and name in ("duration", "period", "after"):
                continue
            if not _is_whole(value) or value < low:
                raise InvalidSchedule(f"{name} is {value!r}; expected a whole number of at least {low}.")
        if self.recovery and self.duration is None:
            raise InvalidSchedule("recovery needs a duration to recover from; give one.")
        if isinstance(self.duty, bool) or not isinstance(self.duty, int | float) or not 0.0 < self.duty <= 1.0:
            raise InvalidSchedule(f"duty is {self.duty!r}; expected a share in (0, 1].")
        if isinstance(self.walk, bool) or not isinstance(self.walk, int | float) or not 0.0 <= self.walk < np.inf:
            raise InvalidSchedule(f"walk is {self.walk!r}; expected a standard deviation of at least 0.")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, without `after` if it is None: hashes from before stay valid."""
        data = super().to_dict()
        return data if self.after is not None else {name: value for name, value in data.items() if name != "after"}

    def _check_onset(self) -> None:
        onset = self.onset
        if self.after is not None and onset != "random":
            raise InvalidSchedule(f"after is {self.after} and onset is {onset!r}; give one of them.")
        if isinstance(onset, str):
            if onset not in ("start", "random"):
                raise InvalidSchedule(
                    f"onset is {onset!r}; expected an index, 'start', 'random' or a pair (first, last)."
                )
        elif isinstance(onset, tuple):
            if len(onset) != 2 or not all(_is_whole(bound) for bound in onset) or not 0 <= onset[0] <= onset[1]:
                raise InvalidSchedule(f"onset is {onset!r}; expected a pair 0 <= first <= last.")
        elif not _is_whole(onset) or onset < 0:
            raise InvalidSchedule(f"onset is {onset!r}; expected an index of at least 0.")

    @property
    def on_steps(self) -> int:
        """Transitions per period in which the fault is on."""
        return 0 if self.period is None else max(1, round(self.duty * self.period))

    def bounds(self, *, length: int | None, limit: int | None) -> tuple[int, int]:
        """Return the first and the last possible onset.

        Args:
            length: Length of an expert's episode, for random onsets.
            limit: Time limit of the episode, if it has one.

        Raises:
            InvalidSchedule: The onset may lie after the end of the episode.
        """
        if self.onset == "start" or self.after is not None:
            first, last = 0, 0
        elif self.onset == "random":
            steps = min((bound for bound in (length, limit) if bound is not None), default=None)
            if steps is None:
                raise InvalidSchedule(
                    "a random onset needs the length of an episode, and this environment has no time limit; give a "
                    "pair (first, last)."
                )
            first = min(EARLIEST_RANDOM_ONSET, steps - 1)
            last = steps - 1
        elif isinstance(self.onset, tuple):
            first, last = self.onset
        else:
            first = last = int(self.onset)
        if limit is not None and last >= limit:
            raise InvalidSchedule(
                f"onset {last} lies after the last transition {limit - 1} of the episode; choose a smaller one."
            )
        return first, last

    def weights(self, length: int, *, onset: int | None = None) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Return the weight of each transition of a schedule without random parts."""
        from offnominal.anomalies.kernel import SLOT, weight

        first, last = self.bounds(length=length, limit=None)
        if onset is None and first != last:
            raise InvalidSchedule("the onset is random; give one.")
        slots = np.zeros((1, 1), SLOT)
        self.fill(slots[0, 0], onset if onset is not None else first)
        return np.array([weight(slots, 0, 0, t) for t in range(length)])

    def fill(self, slot: np.void, onset: int) -> None:
        """Write the schedule into a slot of the compiled kernel."""
        slot["onset"] = onset
        slot["duration"] = -1 if self.duration is None else self.duration
        slot["ramp"] = self.ramp
        slot["recovery"] = self.recovery
        slot["period"] = self.period or 0
        slot["on"] = self.on_steps
        slot["walk"] = self.walk

    def end(self, onset: int) -> int | None:
        """Return the first transition after the fault, or None if the fault does not end."""
        return None if self.duration is None else onset + self.duration + self.recovery


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
