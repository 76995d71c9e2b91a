"""The times of samples: gaps, rate, jitter and clocks that go back."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from typing import Any

from offnominal.watch.channel_checks import WINDOW, TimingCheck


class SampleTimes:
    """Compares the times of the samples of one robot with the nominal ones.

    Args:
        check: What is nominal.

    Example:
        >>> times = SampleTimes(TimingCheck(period=0.1, longest=0.1))
        >>> [times.update(each)["gap"] is not None for each in (0.0, 0.1, 0.2, 0.9)]
        [False, False, False, True]
    """

    __slots__ = ("_steps", "last", "nominal")

    def __init__(self, check: TimingCheck) -> None:
        self.last: float | None = None
        self.nominal = check
        self._steps: deque[float] = deque(maxlen=WINDOW)

    def update(self, time: float) -> dict[str, float | None]:
        """Return the value of each condition that holds, by the name of its alarm; None for those that do not hold.

        Args:
            time: Time of the sample in seconds.
        """
        found: dict[str, float | None] = {"clock": None, "gap": None, "rate": None, "jitter": None}
        step = None if self.last is None else time - self.last
        self.last = time
        if step is None:
            return found
        if step <= 0.0:
            found["clock"] = step
            self._steps.clear()
            return found
        period = self.nominal.period
        if not period:
            return found
        if step > self.nominal.most_gap:
            found["gap"] = step
        self._steps.append(step)
        if len(self._steps) == WINDOW:
            mean = math.fsum(self._steps) / WINDOW
            if abs(mean / period - 1.0) > self.nominal.most_deviation:
                found["rate"] = 1.0 / mean
            jitter = math.sqrt(math.fsum((each - mean) ** 2 for each in self._steps) / WINDOW) / period
            if jitter > self.nominal.most_jitter:
                found["jitter"] = jitter
        return found

    def pause(self) -> None:
        """Leave out the step to the next sample, as between two episodes."""
        self.last = None

    def restart(self) -> None:
        """Begin anew, as after a break that is no fault."""
        self.last = None
        self._steps.clear()

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain data."""
        return {"last": self.last, "steps": list(self._steps)}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Go on from the result of :meth:`to_dict`."""
        self.last = data["last"]
        self._steps = deque(map(float, data["steps"]), maxlen=WINDOW)
