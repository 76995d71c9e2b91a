"""A conformal threshold in which recent units weigh more, with a bound on what a drift costs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from offnominal.alarms.adaptive import METHOD, MOST_RECENT, THRESHOLD, AdaptiveAlarm, alarm_of_unit, learns
from offnominal.alarms.guarantee import Guarantee, Unit
from offnominal.core.checks import integer_in, number_in, positive_integer
from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.rounding import significant
from offnominal.core.types import BoolArray, FloatArray

NOW, COUNT, VALUES = METHOD, METHOD + 1, METHOD + 2
"""Where the memory has the number of units so far, of those that it holds, and their values (sorted) and numbers."""


@dataclass(eq=False)
class RecencyWeighted(AdaptiveAlarm):
    """Alarms above a conformal threshold in which a unit weighs less, the longer ago it was.

    Conformal prediction without exchangeability (Barber, Candès, Ramdas and Tibshirani, 2023): a unit that was a units
    ago has the weight ``decay**a``, and the new one has one. The threshold is the smallest largest score so that the
    units above it, and the new one, have at most the share `alpha` of all weights.

    Guaranteed:
        P(any alarm in a new nominal unit) <= alpha + gap, averaged over calibrations, if units are independent and the
        total variation distance of successive ones is at most `drift`: each old unit adds its share of the
        weights times twice its distance from the new one. With `drift` 0, units must be exchangeable, and
        the gap is zero.

    Not guaranteed:
        Anything after a jump, until the units after it have the weight; unlike :class:`~offnominal.alarms.aci.ACI`,
        errors are not corrected later. And anything with the feedback ``"frozen"``: to leave out units by their
        scores makes the others too low.

    Args:
        alpha: Largest probability of an alarm in a nominal unit, without drift.
        decay: Factor of the weight per unit; smaller values forget faster, and have larger thresholds.
        drift: Largest total variation distance between the distributions of successive units, for the guarantee.
        recent: Number of latest units that are weighted.
        window: Steps of a unit; None for episodes.
        feedback: Which units the threshold learns from; see :class:`~offnominal.alarms.adaptive.AdaptiveAlarm`.
        patience: Units of a run of alarms that are learned from with the feedback ``"frozen"``.
        delay: Largest number of units between two confirmations that are learned from.
        horizon: Not used: the guarantee is about each unit.

    Attributes:
        maxima_: Largest scores of the calibration units that are weighted first, in the order of time.

    Example:
        >>> random = np.random.default_rng(0)
        >>> alarm = RecencyWeighted(0.1, decay=0.95, drift=0.001, window=1).fit([random.normal(size=1000)])
        >>> print(alarm.guarantee)
        a false alarm in at most 13.8% of nominal windows of 1 steps, on average over calibrations
        >>> drift = np.linspace(0.0, 3.0, 20_000)
        >>> round(alarm.history([drift + random.normal(size=20_000)]).share, 3)
        0.1
    """

    decay: float = field(default=0.99, kw_only=True)
    drift: float = field(default=0.0, kw_only=True)
    recent: int = field(default=500, kw_only=True)
    maxima_: FloatArray = field(init=False, repr=False)

    @property
    def guarantee(self) -> Guarantee:
        """The probability of an alarm in a nominal unit is at most `alpha` and the gap of the drift."""
        self.require_unchanged()
        unit: Unit = "episode" if self.window is None else "window"
        if self.feedback == "frozen":
            return Guarantee("none", None, unit, "units that are left out by their scores make the others too low")
        assumption = f"nominal {unit}s are exchangeable, in the order of time"
        if self.drift:
            assumption = (
                f"nominal {unit}s are independent, and the total variation distance of successive ones is at most "
                f"{significant(self.drift)}"
            )
        level = min(self.alpha + self.gap(), 1.0)
        return Guarantee("marginal", level, unit, assumption, window=self.window)

    def gap(self) -> float:
        """Return what the drift adds to `alpha`: the mean over weights of twice the distance from the new unit.

        Example:
            >>> [round(RecencyWeighted(decay=0.95, drift=drift).gap(), 4) for drift in (0.0, 0.0001, 0.001)]
            [0.0, 0.0038, 0.038]
        """
        ages = np.arange(1, self.recent + 1)
        weights = self.decay**ages
        return float(np.sum(weights * np.minimum(2.0 * self.drift * ages, 1.0)) / (1.0 + weights.sum()))

    def check(self) -> None:
        """Raise :class:`InvalidParameter` if an argument is invalid."""
        super().check()
        number_in("decay", self.decay, 0.0, 1.0, open_low=True)
        number_in("drift", self.drift, 0.0, 1.0)
        integer_in("recent", self.recent, 1, MOST_RECENT)
        if units_needed(self.alpha, self.decay) > self.recent:
            raise InvalidParameter(
                f"with decay {self.decay:g} and recent {self.recent:,}, old units have too little weight for alpha "
                f"{self.alpha:g}, and no score would raise the alarm; choose a larger decay, recent or alpha."
            )

    def check_fitted(self) -> None:
        """Raise :class:`InvalidParameter` unless the threshold is that of the weighted units."""
        super().check_fitted()
        if self.maxima_.shape != (kept := min(self.n_units_, self.recent),):
            raise InvalidParameter(f"maxima_ has the shape {self.maxima_.shape}; expected ({kept},).")
        if self.threshold_ != (found := self._first_threshold()):
            raise InvalidParameter(f"threshold_ is {self.threshold_:g}; expected {found:g}.")

    def units_needed(self) -> int:
        """Return the smallest number of calibration units."""
        return int(units_needed(self.alpha, self.decay))

    def deviation(self, units: int) -> float:
        """Return 1: the guarantee is about each unit, not about the share of alarms."""
        positive_integer("units", units)
        return 1.0

    def _fit_method(self, maxima: FloatArray) -> None:
        """Keep the latest of the largest scores, and weight them."""
        self.maxima_ = maxima[-self.recent :]
        self.threshold_ = self._first_threshold()

    def _first_threshold(self) -> float:
        return float(_weighted_threshold(self._row(0.0), int(self.recent), float(self.alpha), float(self.decay)))

    def _row(self, threshold: float) -> FloatArray:
        return np.concatenate([[threshold, 0.0], self._first_part()])

    def _first_part(self) -> FloatArray:
        """Return the numbers of units so far and in the memory, and the sorted values with their numbers."""
        n, recent = len(self.maxima_), int(self.recent)
        part = np.zeros(VALUES - METHOD + 2 * recent)
        order = np.argsort(self.maxima_, kind="stable")
        part[0] = part[1] = n
        part[2 : 2 + n], part[2 + recent : 2 + recent + n] = self.maxima_[order], order
        return part

    def _learn(
        self, maxima: FloatArray, part: FloatArray, thresholds: FloatArray, raised: FloatArray, learned: BoolArray
    ) -> None:
        """Weight the units again after each one."""
        options = int(self.recent), float(self.alpha), float(self.decay)
        _learn_units(maxima, part, thresholds, raised, learned, self.threshold_, self._most_in_a_row(), *options)


def units_needed(alpha: float, decay: float) -> float:
    """Return how many units are needed for a finite threshold; infinite if no number is enough.

    Example:
        >>> units_needed(0.05, 1.0), units_needed(0.05, 0.99), units_needed(0.05, 0.9)
        (19.0, 22.0, inf)
    """
    wanted = (1.0 - alpha) / alpha
    if decay == 1.0:
        return float(math.ceil(wanted - 1e-9))
    left = 1.0 - wanted * (1.0 - decay) / decay
    return math.inf if left <= 0.0 else float(math.ceil(math.log(left) / math.log(decay) - 1e-9))


@compiled
def _weighted_threshold(row: FloatArray, recent: int, alpha: float, decay: float) -> float:
    """Return the smallest value so that those above it and the new one have at most a share alpha of the weights."""
    n = min(max(int(row[COUNT]), 0), recent)
    total = 1.0 + (float(n) if decay == 1.0 else decay * (1.0 - decay**n) / (1.0 - decay))
    allowed, above, found = alpha * total * (1.0 + 1e-12), 1.0, np.inf
    for k in range(n - 1, -1, -1):
        if above > allowed:
            break
        found = row[VALUES + k]
        above += decay ** (row[NOW] - row[VALUES + recent + k])
    return found


@compiled
def _learn_units(
    maxima: FloatArray,
    part: FloatArray,
    thresholds: FloatArray,
    raised: FloatArray,
    learned: BoolArray,
    first: float,
    most: int,
    recent: int,
    alpha: float,
    decay: float,
) -> None:
    """Learn from units: see :meth:`AdaptiveAlarm._learn`."""
    for i in range(maxima.shape[1]):
        row = part[i]
        values, numbers = row[VALUES : VALUES + recent], row[VALUES + recent : VALUES + 2 * recent]
        for u in range(maxima.shape[0]):
            thresholds[u, i] = row[THRESHOLD]
            raised[u, i] = alarm_of_unit(raised[u, i], maxima[u, i], row[THRESHOLD], first)
            learned[u, i] = learns(row, maxima[u, i], raised[u, i], most)
            if not learned[u, i]:
                continue
            n = min(max(int(row[COUNT]), 0), recent)
            if n == recent:
                gone = np.argmin(numbers)
                values[gone : n - 1], numbers[gone : n - 1] = values[gone + 1 :].copy(), numbers[gone + 1 :].copy()
                n -= 1
            after = np.searchsorted(values[:n], maxima[u, i], side="right")
            values[after + 1 : n + 1], numbers[after + 1 : n + 1] = values[after:n].copy(), numbers[after:n].copy()
            values[after], numbers[after] = maxima[u, i], row[NOW]
            row[NOW], row[COUNT] = row[NOW] + 1.0, n + 1.0
            row[THRESHOLD] = _weighted_threshold(row, recent, alpha, decay)
