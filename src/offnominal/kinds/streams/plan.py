"""The plan of a stream: its parts in the order of time, and the promise that all alarms are made for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.checks import integer_in, number_in, positive_number
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import IntArray
from offnominal.datasets.recipe import SEED

MOST_UNITS = 10**7


@dataclass(frozen=True)
class StreamPlan(Config):
    """Parts of a stream in the order of time: training, calibration, test.

    A stream is cut into units, for which alarms make their promises, and into segments of several units. A fault lies
    within one segment of the test.

    Args:
        streams: Number of streams; each has a twin with the same random numbers and no faults.
        unit: Steps of a unit.
        segment: Units of a segment.
        train: Segments for the fit of the detector, of all streams together.
        calibration: Segments after them, for the fit of the alarms of each stream.
        test: Segments after these.
        fault: Units that a fault lasts.
        chance: Probability that a segment of the test has a fault.
        events: Shares of the test after which there is an event: maintenance, or an update of the policy.
        recalibration: Segments after an event without faults, with which alarms are calibrated again if they are.
        cycle: Segments of a cycle, such as a day.
        promise: Promised share of nominal units with a false alarm, the same for all alarms that promise something.
        seed: Random seed of the first stream.

    Example:
        >>> plan = StreamPlan(unit=200, segment=10, train=6, calibration=40, test=100, promise=0.02)
        >>> plan.segments, plan.event_segments.tolist(), plan.hours(0.05)
        (146, [79, 113], 2.77...)
    """

    streams: int = 8
    unit: int = 200
    segment: int = 10
    train: int = 6
    calibration: int = 40
    test: int = 100
    fault: int = 3
    chance: float = 0.5
    events: tuple[float, ...] = (0.33, 0.67)
    recalibration: int = 10
    cycle: int = 20
    promise: float = 0.02
    seed: int = SEED

    def __post_init__(self) -> None:
        for name in ("streams", "unit", "segment", "train", "calibration", "test", "fault", "recalibration", "cycle"):
            integer_in(name, getattr(self, name), 1, MOST_UNITS)
        integer_in("seed", self.seed, 0)
        number_in("chance", self.chance, 0.0, 1.0)
        number_in("promise", self.promise, 0.0, 1.0, open_low=True, open_high=True)
        if self.fault > self.segment:
            raise InvalidParameter(f"a fault lasts {self.fault} units, and a segment has {self.segment}; it must fit.")
        for share in self.events:
            number_in("events", share, 0.0, 1.0, open_low=True, open_high=True)
        bounds = [0, *(round(share * self.test) for share in self.events), self.test]
        gaps = np.diff(bounds)
        if (gaps[:1] < 1).any() or ((gaps[1:] <= self.recalibration).any() and self.events):
            raise InvalidParameter(
                f"events after {self.events} of {self.test} segments are too close for {self.recalibration} segments "
                "of recalibration; name shares in ascending order, further apart."
            )

    @property
    def steps(self) -> int:
        """Steps of a segment."""
        return self.segment * self.unit

    @property
    def segments(self) -> int:
        """Segments of a stream."""
        return self.train + self.calibration + self.test

    @property
    def event_segments(self) -> IntArray:
        """Segments of the stream that begin with an event."""
        found: IntArray = np.array([self.first_test + round(share * self.test) for share in self.events], np.int64)
        return found

    @property
    def first_test(self) -> int:
        """First segment of the test."""
        return self.train + self.calibration

    def hours(self, dt: float) -> float:
        """Return the hours of the test of a stream with steps of `dt` seconds."""
        return self.test * self.steps * positive_number("dt", dt) / 3600.0

    def units_per_hour(self, dt: float) -> float:
        """Return the number of units in an hour with steps of `dt` seconds."""
        return 3600.0 / (self.unit * positive_number("dt", dt))


DEFAULT_PLAN = StreamPlan()
"""The plan of the shipped study."""
