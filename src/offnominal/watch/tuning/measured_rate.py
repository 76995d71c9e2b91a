"""A measured rate of false alarms with its exact bounds, and the hours that would show a lower one."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import gammaincinv

from offnominal.core.config import Config

CONFIDENCE = 0.95


@dataclass(frozen=True)
class MeasuredRate(Config):
    """False alarms that were counted in some hours.

    The bounds are those of a Poisson distribution, one-sided at 95 %: alarms come one by one, independently of each
    other. Without any alarm in T hours, the upper bound is 3.0 / T.

    Args:
        alarms: Number of false alarms.
        hours: Hours in which one could have been raised.

    Example:
        >>> MeasuredRate(0, 10.0).upper, MeasuredRate(3, 10.0).upper, MeasuredRate(3, 10.0).lower
        (0.299..., 0.775..., 0.0817...)
    """

    alarms: int
    hours: float

    @property
    def rate(self) -> float:
        """False alarms per hour."""
        return self.alarms / self.hours if self.hours > 0.0 else math.inf

    @property
    def upper(self) -> float:
        """Rate per hour that is at least the true one, with a confidence of 95 %."""
        return float(gammaincinv(self.alarms + 1.0, CONFIDENCE)) / self.hours if self.hours > 0.0 else math.inf

    @property
    def lower(self) -> float:
        """Rate per hour that is at most the true one, with a confidence of 95 %."""
        return float(gammaincinv(self.alarms, 1.0 - CONFIDENCE)) / self.hours if self.alarms else 0.0

    def hours_to_show(self, per_hour: float) -> float:
        """Return the hours that show a rate of at most `per_hour`, if alarms come as often as here.

        Without an alarm here, none in those hours, either. Infinite if the rate here is not below it.

        Example:
            >>> MeasuredRate(0, 10.0).hours_to_show(0.1), MeasuredRate(2, 10.0).hours_to_show(0.1)
            (29.957..., inf)
        """
        if self.rate >= per_hour:
            return math.inf
        low = high = hours_without_alarm(per_hour)
        while self._upper_after(high) > per_hour:
            low, high = high, 2.0 * high
        while high - low > 1e-6 * high:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self._upper_after(middle) > per_hour else (low, middle)
        return high

    def _upper_after(self, hours: float) -> float:
        return float(gammaincinv(self.rate * hours + 1.0, CONFIDENCE)) / hours * (1.0 - 1e-12)

    def __add__(self, other: MeasuredRate) -> MeasuredRate:
        return MeasuredRate(self.alarms + other.alarms, self.hours + other.hours)


def hours_without_alarm(per_hour: float) -> float:
    """Return for how many hours no alarm must be raised to show a rate.

    Example:
        >>> hours_without_alarm(1.0)
        2.995...
    """
    return float(gammaincinv(1.0, CONFIDENCE)) / per_hour
