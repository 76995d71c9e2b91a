"""False alarms per hour, detection and delay of an alarm over streams, each beside its twin without faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.core.types import BoolArray, FloatArray
from offnominal.evaluation.bootstrap import Resamples
from offnominal.kinds.streams.recording import InjectedFault

ALL = "all"
"""Split of the rows about all faults."""


@dataclass(frozen=True, slots=True, eq=False)
class StreamAlarms:
    """What one alarm did in all streams of a cell.

    Args:
        faulty: (streams, steps) whether it was raised, in the streams with faults.
        twins: (streams, steps) the same in their twins.
        injected: Faults of each stream.
        unit: Steps of a unit.
        dt: Seconds per step.
    """

    faulty: BoolArray
    twins: BoolArray
    injected: Sequence[Sequence[InjectedFault]]
    unit: int
    dt: float

    @property
    def per_hour(self) -> float:
        """Units per hour."""
        return 3600.0 / (self.unit * self.dt)

    @property
    def twin_units(self) -> BoolArray:
        """(streams, units): whether there was an alarm in each unit of the twins."""
        return units_with(self.twins, self.unit)

    def false_alarms(self, resamples: Resamples) -> dict[str, float | None]:
        """Return units with a false alarm per hour, and runs of such units, in streams without faults.

        ``after_faults_h`` is about the nominal units of the streams with faults.
        """
        units = self.twin_units
        begun = units & ~np.concatenate([np.zeros((len(units), 1), np.bool_), units[:, :-1]], axis=1)
        nominal = np.stack([nominal_units(each, units.shape[1], self.unit) for each in self.injected])
        seen = units_with(self.faulty, self.unit) & nominal
        return {
            **self._estimate(resamples, "false_alarms_h", self.per_hour * units.mean(axis=1)),
            **self._estimate(resamples, "alarm_events_h", self.per_hour * begun.mean(axis=1)),
            **self._estimate(resamples, "after_faults_h", self.per_hour * seen.sum(axis=1) / nominal.sum(axis=1)),
        }

    def detection(self, resamples: Resamples, split: str = ALL) -> dict[str, Any]:
        """Return how many faults were detected and when.

        ``detected`` is the share of faults with an alarm while they last, ``chance`` the same for the same steps of the
        twins, and ``net_detection`` the difference. ``delay_s`` is the mean time to an alarm that the twin does not
        have; a fault without such an alarm counts as missed, with its whole length. ``middle_delay_s`` is about the
        detected ones alone.
        """
        places, found, chance, delays = [], [], [], []
        for stream, faults in enumerate(self.injected):
            for fault in faults:
                if split in (ALL, fault.split):
                    window, twin = (each[stream, fault.onset : fault.end] for each in (self.faulty, self.twins))
                    places.append(stream)
                    found.append(bool(window.any()))
                    chance.append(bool(twin.any()))
                    own = found[-1] and not chance[-1]
                    delays.append(float(np.argmax(window)) if own else np.inf)
        where, times = np.array(places, np.int64), np.array(delays)
        lengths = np.array([f.end - f.onset for each in self.injected for f in each if split in (ALL, f.split)], float)
        own = np.isfinite(times)
        return {
            "faults": float(len(where)),
            **self._estimate(resamples, "detected", self._by_stream(where, np.array(found, float))),
            **self._estimate(resamples, "chance", self._by_stream(where, np.array(chance, float))),
            **self._estimate(
                resamples, "net_detection", self._by_stream(where, np.array(found, float) - np.array(chance, float))
            ),
            **self._estimate(resamples, "delay_s", self.dt * self._by_stream(where, np.minimum(times, lengths))),
            "middle_delay_s": self.dt * float(np.median(times[own])) if own.any() else None,
        }

    def _by_stream(self, places: Any, values: FloatArray) -> FloatArray:
        """Return the mean over the faults of each stream; NaN for a stream without."""
        means = np.full(len(self.injected), np.nan)
        for stream in np.unique(places):
            means[stream] = values[places == stream].mean()
        return means

    @staticmethod
    def _estimate(resamples: Resamples, name: str, values: FloatArray) -> dict[str, float | None]:
        return resamples.mean(np.asarray(values, np.float64)).columns(name)


def units_with(raised: BoolArray, unit: int) -> BoolArray:
    """Return the (..., units) units with a raised step.

    Example:
        >>> units_with(np.array([[False, True, False, False]]), 2).tolist()
        [[True, False]]
    """
    return np.asarray(raised.reshape(*raised.shape[:-1], -1, unit).any(axis=-1))


def nominal_units(faults: Sequence[InjectedFault], units: int, unit: int) -> BoolArray:
    """Return which units of a stream no fault touches.

    Example:
        >>> nominal_units([InjectedFault("action/noise@strong", 0, 15, 25)], 5, 10).tolist()
        [True, False, False, True, True]
    """
    nominal = np.ones(units, np.bool_)
    for fault in faults:
        nominal[fault.onset // unit : -(-fault.end // unit)] = False
    return nominal
