"""Adaptive conformal inference: the level of a conformal threshold follows its errors."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from offnominal.alarms.adaptive import METHOD, MOST_RECENT, THRESHOLD, AdaptiveAlarm, alarm_of_unit, learns
from offnominal.alarms.sliding_ranks import VALUES, append_value, first_values, value_at_level
from offnominal.core.checks import integer_in, number_in, positive_integer
from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import BoolArray, FloatArray

LEVEL = METHOD
RANKED = METHOD + 1


@dataclass(eq=False)
class RankedUnits(AdaptiveAlarm):
    """An adaptive alarm whose threshold is a rank among the largest scores of earlier units.

    Args:
        recent: Number of latest units, from which it learned, that are ranked; None for those of the calibration for
            ever. The calibration is the first of them.

    Attributes:
        maxima_: Largest scores of the calibration units that are ranked first, in the order of time.
    """

    recent: int | None = field(default=None, kw_only=True)
    maxima_: FloatArray = field(init=False, repr=False)

    def check(self) -> None:
        """Raise :class:`InvalidParameter` if an argument is invalid."""
        super().check()
        if self.recent is not None:
            integer_in("recent", self.recent, self.units_needed(), MOST_RECENT)

    def check_fitted(self) -> None:
        """Raise :class:`InvalidParameter` unless the maxima are as many as are ranked."""
        super().check_fitted()
        if self.maxima_.shape != (kept := self._capacity(),):
            raise InvalidParameter(f"maxima_ has the shape {self.maxima_.shape}; expected ({kept},).")

    def _fit_method(self, maxima: FloatArray) -> None:
        """Keep the largest scores of the calibration units that are ranked."""
        self.maxima_ = maxima[-self._capacity() :]

    def _capacity(self) -> int:
        """Return how many calibration units are ranked."""
        return self.n_units_ if self.recent is None else min(self.n_units_, self.recent)

    def _ranked_first(self) -> FloatArray:
        """Return the memory of ranked units before the first unit; that of the calibration is one for all streams."""
        return np.zeros(VALUES) if self.recent is None else first_values(self.maxima_, self.recent)

    def _ranked_always(self) -> FloatArray:
        """Return the ranked units of the calibration, if they are ranked for ever."""
        return first_values(self.maxima_, len(self.maxima_)) if self.recent is None else np.zeros(VALUES)


@dataclass(eq=False)
class ACI(RankedUnits):
    """Alarms above a conformal threshold whose level follows the share of alarms.

    Adaptive conformal inference (Gibbs and Candès, 2021): after a unit with an alarm, the level falls by
    ``gamma * (1 - alpha)``; after one without, it rises by ``gamma * alpha``. If the level is zero or less, the
    threshold is infinite: no score raises the alarm.

    Guaranteed:
        The share of units with an alarm is `alpha` in the long run, whatever the scores; over the first T units that
        are learned from it is at most ``deviation(T)`` away.

    Not guaranteed:
        Anything about a single unit, or about the time between alarms. While the level is at or below zero, the
        alarm is silent; while it is one or more, it is always raised. That share is one of all alarms: each
        true alarm of a fault leaves less for nominal units. See `feedback` for what a fault does.

    Args:
        alpha: Share of units with an alarm in the long run.
        gamma: Change of the level per alarm. Larger values follow faster changes, with more variation.
        window: Steps of a unit; None for episodes.
        feedback: Which units the threshold learns from; see :class:`AdaptiveAlarm`.
        patience: Units of a run of alarms that are learned from with the feedback ``"frozen"``.
        delay: Largest number of units between two confirmations that are learned from.
        horizon: Number of units for which the guarantee states its error.
        recent: Number of latest units that are ranked; None for those of the calibration for ever.

    Example:
        >>> random = np.random.default_rng(0)
        >>> alarm = ACI(0.1, window=1, gamma=0.005).fit([random.normal(size=1000)])
        >>> print(alarm.guarantee)
        alarms in 10% of steps in the long run: in 8.19% to 11.8% of the first 10,000
        >>> shifted = random.normal(1.5, size=1000)
        >>> len(shifted[shifted > alarm.threshold_]), int(alarm.alarm([shifted])[0].sum())
        (605, 120)
    """

    gamma: float = field(default=0.01, kw_only=True)

    def check(self) -> None:
        """Raise :class:`InvalidParameter` if an argument is invalid."""
        super().check()
        number_in("gamma", self.gamma, 0.0, 1.0, open_low=True)

    def deviation(self, units: int) -> float:
        """Return the largest distance between `alpha` and the share of alarms in the first units that are counted.

        The level stays between ``-delay * gamma`` and ``1 + delay * gamma``, and its change is `gamma` times the
        number of alarms that are missing or too many.

        Example:
            >>> [round(ACI(0.1, gamma=0.005).deviation(units), 4) for units in (1000, 5000)]
            [0.181, 0.0362]
        """
        late = self.delay if self.feedback == "confirmed" else 1
        positive_integer("units", units)
        return (max(self.alpha, 1.0 - self.alpha) + late * self.gamma) / (self.gamma * units)

    def _first_part(self) -> FloatArray:
        """Return the level, and the ranked units if they change."""
        return np.concatenate([[self.alpha], self._ranked_first()])

    def _learn(
        self, maxima: FloatArray, part: FloatArray, thresholds: FloatArray, raised: FloatArray, learned: BoolArray
    ) -> None:
        """Move the level after each unit."""
        most, always = self._most_in_a_row(), self._ranked_always()
        first, alpha, gamma = self.threshold_, float(self.alpha), float(self.gamma)
        _learn_units(maxima, part, thresholds, raised, learned, first, most, alpha, gamma, always)


@compiled
def _learn_units(
    maxima: FloatArray,
    part: FloatArray,
    thresholds: FloatArray,
    raised: FloatArray,
    learned: BoolArray,
    first: float,
    most: int,
    alpha: float,
    gamma: float,
    always: FloatArray,
) -> None:
    """Learn from units: see :meth:`AdaptiveAlarm._learn`."""
    for i in range(maxima.shape[1]):
        row = part[i]
        ranked = always if len(always) > VALUES else row[RANKED:]
        for u in range(maxima.shape[0]):
            thresholds[u, i] = row[THRESHOLD]
            raised[u, i] = alarm_of_unit(raised[u, i], maxima[u, i], row[THRESHOLD], first)
            learned[u, i] = learns(row, maxima[u, i], raised[u, i], most)
            if learned[u, i]:
                row[LEVEL] += gamma * (alpha - raised[u, i])
                if len(always) == VALUES:
                    append_value(ranked, maxima[u, i])
                row[THRESHOLD] = value_at_level(ranked, row[LEVEL])
