"""A threshold that is controlled like a process: proportional, integral and by a forecast."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from offnominal.alarms.adaptive import ANY_DATA, METHOD, THRESHOLD, AdaptiveAlarm, alarm_of_unit, learns
from offnominal.alarms.guarantee import Guarantee
from offnominal.core.checks import boolean, number_in, positive_integer, positive_number
from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter, InvalidScores
from offnominal.core.types import BoolArray, FloatArray

UNITS, TOO_MANY, TRACKED, FORECAST = METHOD, METHOD + 1, METHOD + 2, METHOD + 3
REACH = 10.0
"""Range of new largest scores, less their forecast, that is assumed without an integrator, in ranges of those of the
calibration."""
LEAST = 1e-300
"""Smallest score that has a logarithm of its own."""
WITHIN_REACH = f"the largest scores, less their forecast, stay within {REACH:g} times their range in the calibration"


@dataclass(eq=False)
class ConformalPID(AdaptiveAlarm):
    """Alarms above a threshold that follows the scores by a controller of the share of alarms.

    Conformal PID control (Angelopoulos, Candès and Tibshirani, 2023). The threshold is the sum of three parts. The
    *proportional* part rises by ``(1 - alpha)`` steps after a unit with an alarm, and falls by `alpha` steps after one
    without; a step is `step` times the range of the calibration. The *integral* part grows with the number of alarms
    that there were too many, without a limit near its saturation. The *forecast* is a moving average of the largest
    scores, so that the other parts follow what is left; it takes the place of the paper's Theta model.

    Guaranteed:
        The share of units with an alarm is `alpha` in the long run; over the first T units that are learned from it is
        at most ``deviation(T)`` away. Without the integral part, the largest scores must stay within 10 times
        their range in the calibration. With it, nothing is assumed, but the error falls only with the logarithm of T.

    Not guaranteed:
        Anything about a single unit, or about the time between alarms. After a jump, the threshold moves by at most one
        step per unit, so that there may be many alarms in a row, or a long time without.

    Args:
        alpha: Share of units with an alarm in the long run.
        step: Change of the threshold per alarm, in ranges of the largest scores of the calibration.
        integral: Gain of the integral part, in the same ranges; 0 for none.
        saturation: Size of the sum of errors at which the integral part grows without limit.
        forecast: Weight of the last unit in the moving average; 0 for no forecast.
        logarithm: Whether the logarithm of the threshold is controlled, for positive scores that change by factors;
            then ranges and steps are those of logarithms.
        window: Steps of a unit; None for episodes.
        feedback: Which units the threshold learns from; see :class:`~offnominal.alarms.adaptive.AdaptiveAlarm`.
        patience: Units of a run of alarms that are learned from with the feedback ``"frozen"``.
        delay: Largest number of units between two confirmations that are learned from.
        horizon: Number of units for which the guarantee states its error.

    Attributes:
        range_: Range of the largest scores of the calibration units.
        forecast_: Forecast for the first unit.

    Example:
        >>> random = np.random.default_rng(0)
        >>> alarm = ConformalPID(0.1, window=1).fit([random.normal(size=1000)])
        >>> print(alarm.guarantee)
        alarms in 10% of steps in the long run: in 8.99% to 11% of the first 10,000
        >>> drift = np.linspace(0.0, 3.0, 20_000)
        >>> round(alarm.history([drift + random.normal(size=20_000)]).share, 3)
        0.1
    """

    step: float = field(default=0.1, kw_only=True)
    integral: float = field(default=0.0, kw_only=True)
    saturation: float = field(default=1.0, kw_only=True)
    forecast: float = field(default=0.0, kw_only=True)
    logarithm: bool = field(default=False, kw_only=True)
    range_: float = field(init=False, repr=False)
    forecast_: float = field(init=False, repr=False)

    @property
    def guarantee(self) -> Guarantee:
        """The share of units with an alarm in the long run, and how far it may be away over `horizon` units."""
        return super().guarantee.replace(assumption=ANY_DATA if self.integral else WITHIN_REACH)

    def check(self) -> None:
        """Raise :class:`InvalidParameter` if an argument is invalid."""
        super().check()
        positive_number("step", self.step)
        number_in("integral", self.integral, 0.0)
        positive_number("saturation", self.saturation)
        number_in("forecast", self.forecast, 0.0, 1.0)
        boolean("logarithm", self.logarithm)

    def check_fitted(self) -> None:
        """Raise :class:`InvalidParameter` if the calibration units had no range."""
        super().check_fitted()
        if self.range_ <= 0.0:
            raise InvalidParameter(f"range_ is {self.range_:g}; expected a positive number.")
        if self.logarithm and self.threshold_ <= 0.0:
            raise InvalidParameter(f"threshold_ is {self.threshold_:g}; expected a positive number.")

    def deviation(self, units: int) -> float:
        """Return the largest distance between `alpha` and the share of alarms in the first units that are counted.

        Example:
            >>> [round(ConformalPID(0.1).deviation(units), 4) for units in (1000, 10_000)]
            [0.101, 0.0101]
            >>> [round(ConformalPID(0.1, integral=1.0).deviation(units), 3) for units in (1000, 10_000)]
            [0.229, 0.171]
        """
        positive_integer("units", units)
        late = self.delay if self.feedback == "confirmed" else 1
        if self.integral:
            return (math.pi / 2.0 * self.saturation * (units + 1) / math.log(units + 1) + late) / units
        reach = REACH if not self.forecast else 2.0 * REACH
        return (reach / self.step + late) / units

    def _fit_method(self, maxima: FloatArray) -> None:
        """Learn the range, and the forecast for the first unit."""
        if self.logarithm:
            if maxima.min() <= 0.0:
                raise InvalidScores(
                    f"the largest score of a calibration unit is {maxima.min():g}, which has no logarithm; use "
                    "logarithm=False for scores that are not positive."
                )
            maxima = np.log(maxima)
        self.range_ = float(np.ptp(maxima))
        if self.range_ == 0.0:
            raise InvalidScores(
                "the largest scores of all calibration units are the same, so a threshold has no step size."
            )
        self.forecast_ = float(maxima[0]) if self.forecast else 0.0
        if self.forecast:
            for largest in maxima:
                self.forecast_ += self.forecast * (float(largest) - self.forecast_)

    def _first_part(self) -> FloatArray:
        """Return the number of units, the alarms that were too many, the proportional part and the forecast."""
        first = math.log(self.threshold_) if self.logarithm else self.threshold_
        return np.array([0.0, 0.0, first - self.forecast_, self.forecast_])

    def _learn(
        self, maxima: FloatArray, part: FloatArray, thresholds: FloatArray, raised: FloatArray, learned: BoolArray
    ) -> None:
        """Control the threshold after each unit."""
        options = float(self.alpha), self.step * self.range_, self.integral * self.range_, float(self.saturation)
        most, forecast, logarithm = self._most_in_a_row(), float(self.forecast), bool(self.logarithm)
        _learn_units(maxima, part, thresholds, raised, learned, self.threshold_, most, *options, forecast, logarithm)


@compiled
def integral_part(too_many: float, units: float, gain: float, saturation: float) -> float:
    """Return the integral part of the threshold; infinite beyond the saturation.

    Args:
        too_many: Number of alarms less the promised number.
        units: Number of units.
        gain: Gain, in units of the score.
        saturation: Size of the sum of errors, relative to ``(units + 1) / log(units + 1)``, for one radian.

    Example:
        >>> integral_part(10.0, 100.0, 1.0, 1.0), integral_part(40.0, 100.0, 1.0, 1.0)
        (0.4916..., inf)
    """
    if gain == 0.0 or units == 0.0:
        return 0.0
    angle = too_many * np.log(units + 1.0) / (saturation * (units + 1.0))
    if angle >= np.pi / 2.0:
        return np.inf
    if angle <= -np.pi / 2.0:
        return -np.inf
    return float(gain * np.tan(angle))


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
    step: float,
    gain: float,
    saturation: float,
    forecast: float,
    logarithm: bool,
) -> None:
    """Learn from units: see :meth:`AdaptiveAlarm._learn`."""
    for i in range(maxima.shape[1]):
        row = part[i]
        for u in range(maxima.shape[0]):
            thresholds[u, i] = row[THRESHOLD]
            raised[u, i] = alarm_of_unit(raised[u, i], maxima[u, i], row[THRESHOLD], first)
            learned[u, i] = learns(row, maxima[u, i], raised[u, i], most)
            if learned[u, i]:
                row[UNITS] += 1.0
                row[TOO_MANY] += raised[u, i] - alpha
                row[TRACKED] += step * (raised[u, i] - alpha)
                value = np.log(max(maxima[u, i], LEAST)) if logarithm else maxima[u, i]
                row[FORECAST] += forecast * (value - row[FORECAST])
                integral = integral_part(row[TOO_MANY], row[UNITS], gain, saturation)
                controlled = row[TRACKED] + row[FORECAST] + integral
                if logarithm:
                    # Below every score, as without logarithms, if the controller asks for alarms at any score.
                    row[THRESHOLD] = np.exp(controlled) if controlled > -np.inf else -np.inf
                else:
                    row[THRESHOLD] = controlled
