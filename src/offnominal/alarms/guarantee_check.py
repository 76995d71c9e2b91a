"""What an alarm guaranteed about false alarms, and what happened in nominal episodes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

import numpy as np
from scipy.special import bdtr, bdtrik

from offnominal.alarms.alarm import Alarm
from offnominal.alarms.guarantee import LONG_RUN, Guarantee
from offnominal.alarms.share_interval import TAIL, effective_interval
from offnominal.core.errors import InvalidParameter
from offnominal.core.rounding import significant
from offnominal.core.types import Array, FloatArray

KEPT, BROKEN, UNDECIDED, NOT_TESTED, NO_GUARANTEE = "kept", "broken", "undecided", "not tested", "no guarantee"
PREFIX = "guarantee"
MARGIN = 0.2
"""A guarantee is kept only if the interval ends at most this part of the guaranteed share above it."""
POWER = 0.8
"""Probability of the verdict *kept* with the number of units that would decide, if the share is the guaranteed one."""
NEAREST = 1.0 + 0.95 * MARGIN
"""Multiple of the guaranteed share up to which a number of units is stated; at the margin no number would decide."""


@dataclass(frozen=True, slots=True)
class GuaranteeCheck:
    """The guaranteed share of nominal episodes with a false alarm, the measured share, and a verdict.

    A guarantee on average over calibrations is about all calibrations, and only one was made. A share above the level
    contradicts such a guarantee only if it is further above than the variance over calibrations explains.

    Args:
        text: The guarantee in words.
        unit: Units that are counted, such as ``"episodes"`` or ``"windows of 100 steps"``.
        level: Guaranteed share: the largest probability of a false alarm in a unit; None without a guarantee.
        share: Measured share of units with a false alarm; None if there was no unit.
        error: Standard error of `share` over units.
        spread: Standard deviation of the probability of a false alarm over calibrations; 0 if the guarantee is about
            this calibration, or if the deviation is unknown.
        n: Number of nominal units.
        hourly: Units per hour, for rates per hour; None if the guarantee has none.

    Example:
        >>> check = GuaranteeCheck("at most 5% of nominal episodes", "episodes", 0.05, 0.04, 0.0062, 0.0, 1000)
        >>> check.interval, check.verdict
        ((0.0287, 0.0541), 'kept')
        >>> print(check)
        Guarantee: at most 5% of nominal episodes. Measured: 4% [2.9%, 5.4%] of 1,000 nominal episodes. Verdict: kept.
    """

    text: str
    unit: str
    level: float | None
    share: float | None
    error: float
    spread: float
    n: int
    hourly: float | None = None

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of the share for this calibration, after Clopper and Pearson; None if there was no unit."""
        if self.share is None or self.n == 0:
            return None
        return effective_interval(self.share, self.error, self.n, max(self.n - 1, 1))

    @property
    def _explained(self) -> bool:
        """Whether the variance over calibrations explains a share above the level."""
        if self.share is None or self.level is None:
            return False
        error = math.hypot(self.error, self.spread)
        return effective_interval(self.share, error, self.n, max(self.n - 1, 1))[0] <= self.level

    @property
    def _other_unit(self) -> bool:
        """Whether the guarantee is not about a share of episodes: about a number of steps, or the long run."""
        return self.level is None and self.text != NO_GUARANTEE

    @property
    def outcome(self) -> str:
        """Whether the guarantee was kept, in one word.

        ``kept`` if the interval ends at most a fifth of the guaranteed share above it; ``broken`` if the whole interval
        is above the guaranteed share, and further than calibrations differ; else ``undecided``.
        """
        if self._other_unit or (self.level is not None and self.interval is None):
            return NOT_TESTED
        return outcome_of(self.level, self.interval or (0.0, 0.0), explained=self._explained)

    @property
    def verdict(self) -> str:
        """The outcome, with what would decide if it is undecided."""
        outcome, unit = self.outcome, self.unit.split()[0]
        if self._other_unit:
            about = "the long run" if LONG_RUN in self.text else "a number of steps"
            return f"{outcome}: a share of {self.unit} says nothing about {about}"
        if outcome == NOT_TESTED:
            return f"{outcome}: no nominal {self.unit}"
        if outcome != UNDECIDED or self.interval is None or self.level is None:
            return outcome
        if self.interval[0] > self.level:
            return f"{outcome}: more calibrations would decide"
        return f"{outcome}: {self.deciding:,} nominal {unit} would decide"

    @property
    def deciding(self) -> int | None:
        """Number of nominal units that would decide, rounded up to two digits; None without a guarantee.

        With so many units, a share that is the guaranteed one has the verdict ``kept`` with a probability of 80 %.
        Where units are correlated, there must be more by the factor by which this increases the variance. If there were
        as many and nothing is decided, it is the number for the measured share.
        """
        if self.level is None:
            return None
        factor = 1.0
        if self.share is not None and 0.0 < self.share < 1.0 and self.n:
            factor = max(1.0, self.error**2 * self.n / (self.share * (1.0 - self.share)))
        found = rounded_up(factor * deciding_units(self.level))
        if self.share is None or self.n < found or self.outcome != UNDECIDED:
            return found
        likely = min(max(self.share, self.level), NEAREST * self.level)
        return rounded_up(factor * deciding_units(self.level, likely))

    @property
    def guaranteed(self) -> str | None:
        """The guaranteed share, such as ``"≤ 5%"``; None without a guarantee."""
        if self.level is None:
            return None
        return f"≤ {percent(self.level)}" + self._hourly(self.level)

    @property
    def measured(self) -> str | None:
        """The measured share with its interval, such as ``"4% [2.9%, 5.4%]"``; None if there was no unit."""
        if self.share is None or self.interval is None:
            return None
        low, high = self.interval
        return f"{percent(self.share)} [{percent(low)}, {percent(high)}]"

    def _hourly(self, share: float) -> str:
        return "" if self.hourly is None else f" ({significant(share * self.hourly)} per hour)"

    def shown(self) -> dict[str, Any]:
        """Return the check as columns of a readable table."""
        measured = self.measured
        if measured is not None and self.share is not None:
            measured += self._hourly(self.share)
        return {
            "verdict": self.verdict,
            "guaranteed": self.guaranteed or self.text,
            "measured": measured,
            "nominal": f"{self.n:,} {self.unit}",
        }

    def row(self) -> dict[str, Any]:
        """Return the check as columns of stored rows; every name begins with ``guarantee``."""
        low, high = self.interval or (None, None)
        ends = {"share_low": low, "share_high": high, "verdict": self.verdict}
        values = {each.name: getattr(self, each.name) for each in fields(self)} | ends
        return {PREFIX if name == "text" else f"{PREFIX}_{name}": value for name, value in values.items()}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> GuaranteeCheck | None:
        """Return the check in a stored row; None if it has none."""
        if row.get(PREFIX) is None:
            return None
        values: dict[str, Any] = {each.name: row.get(f"{PREFIX}_{each.name}") for each in fields(cls)} | {
            "text": row[PREFIX]
        }
        return cls(**values)

    def __str__(self) -> str:
        found = self.measured
        measured = f"Measured: {found} of {self.n:,} nominal {self.unit}. " if found else ""
        return f"Guarantee: {self.text}. {measured}Verdict: {self.verdict}."


def outcome_of(level: float | None, interval: tuple[float, float], *, explained: bool) -> str:
    """Return whether a guarantee was kept: the rule of evaluations and audits.

    Args:
        level: Guaranteed share; None without a guarantee.
        interval: 95 % interval of the measured share.
        explained: Whether chance that the interval does not contain explains a share above the level.

    Example:
        >>> [outcome_of(0.05, ends, explained=False) for ends in ((0.04, 0.06), (0.04, 0.061), (0.051, 0.08))]
        ['kept', 'undecided', 'broken']
    """
    if level is None:
        return NO_GUARANTEE
    low, high = interval
    if high <= (1.0 + MARGIN) * level:
        return KEPT
    return BROKEN if low > level and not explained else UNDECIDED


def rounded_up(n: float) -> int:
    """Return a number rounded up to two digits.

    Example:
        >>> rounded_up(4187.0), rounded_up(57.2)
        (4200, 58)
    """
    step = 10.0 ** max(math.floor(math.log10(n)) - 1, 0)
    return round(math.ceil(n / step - 1e-9) * step)


def deciding_units(level: float, share: float | None = None) -> int:
    """Return how many independent units show that a share is at most `level` plus the margin.

    Args:
        level: The guaranteed share.
        share: The true share; `level` if None.

    Example:
        >>> deciding_units(0.05), deciding_units(0.5), deciding_units(0.05, 0.055)
        (4187, 203, 17426)
    """
    return units_below(min((1.0 + MARGIN) * level, 1.0), level if share is None else share)


@cache
def units_below(bound: float, share: float) -> int:
    """Return how many independent units show that a share is at most a bound, with a probability of 80 %.

    Args:
        bound: The bound, at most 1.
        share: The true share, less than the bound.

    Example:
        >>> units_below(0.05, 0.0), units_below(0.05, 0.02)
        (72, 312)
    """

    def decides(n: int) -> bool:
        """Whether the verdict is *kept* with the wanted probability."""
        k = int(bdtrik(TAIL, n, bound))
        while k >= 0 and bdtr(k, n, bound) > TAIL:
            k -= 1
        return k >= 0 and bool(bdtr(k, n, share) >= POWER)

    low, high = 0, 1
    while not decides(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if decides(middle) else (middle, high)
    return high


def check_guarantee(alarm: Alarm, raised: Sequence[Array]) -> GuaranteeCheck:
    """Count the false alarms of a fitted alarm in the units of its guarantee.

    Args:
        alarm: A fitted alarm.
        raised: Whether it is raised at each step of each nominal episode. The episodes were used neither for the
            detector nor for the alarm.

    Example:
        >>> from offnominal.alarms import EpisodeMaximum, simulate_scores
        >>> alarm = EpisodeMaximum(alpha=0.05).fit(simulate_scores(2000, seed=0))
        >>> check = check_guarantee(alarm, alarm.alarm(simulate_scores(2000, seed=1)))
        >>> check.measured, check.verdict
        ('5.2% [4.27%, 6.27%]', 'undecided: 4,200 nominal episodes would decide')
    """
    guarantee = alarm.guarantee
    counted, sizes = _counted(guarantee, raised)
    n = int(sizes.sum())
    share = float(counted.sum() / n) if n else None
    error = 0.0 if share is None else math.sqrt(_variance(guarantee, counted, sizes, share))
    spread = 0.0
    if guarantee.level is not None and guarantee.confidence is None and alarm.rate_distribution is not None:
        a, b = alarm.rate_distribution
        spread = math.sqrt(a * b / (a + b + 1.0)) / (a + b)
    hourly = None if guarantee.per_hour is None or guarantee.level is None else guarantee.per_hour / guarantee.level
    return GuaranteeCheck(str(guarantee), _unit(guarantee), guarantee.level, share, error, spread, n, hourly)


def untested(alarm: Alarm) -> GuaranteeCheck:
    """Return the guarantee of an alarm without a measured share."""
    return check_guarantee(alarm, [])


def over_runs(checks: Sequence[GuaranteeCheck]) -> GuaranteeCheck:
    """Return the mean over training runs that were tested on the same nominal episodes.

    The episodes count once: more training runs do not make the interval narrower.
    """
    known = [check for check in checks if check.share is not None]
    if not known:
        return _first(checks)
    parts = [(check.share or 0.0, check.error, check.spread) for check in known]
    share, error, spread = (float(np.mean(values)) for values in zip(*parts, strict=True))
    return replace(_first(checks), share=share, error=error, spread=spread, n=known[0].n)


def over_worlds(checks: Sequence[GuaranteeCheck]) -> GuaranteeCheck:
    """Return the share over worlds, each with nominal episodes of its own."""
    known = [check for check in checks if check.share is not None]
    if not known:
        return _first(checks)
    n = sum(check.n for check in known)
    share = sum((check.share or 0.0) * check.n for check in known) / n
    parts = [(check.error * check.n / n, check.spread * check.n / n) for check in known]
    error, spread = (math.hypot(*values) for values in zip(*parts, strict=True))
    return replace(_first(checks), share=share, error=error, spread=spread, n=n)


def percent(share: float) -> str:
    """Return a share in per cent, with three digits.

    Example:
        >>> percent(0.05), percent(0.01234)
        ('5%', '1.23%')
    """
    return f"{significant(100.0 * share)}%"


def _first(checks: Sequence[GuaranteeCheck]) -> GuaranteeCheck:
    if not checks:
        raise InvalidParameter("there are no checks of a guarantee; give at least one.")
    return checks[0]


def _unit(guarantee: Guarantee) -> str:
    if guarantee.level is None:
        return "episodes"
    return f"{guarantee.unit}s" + (f" of {guarantee.window:,} steps" if guarantee.window else "")


def _counted(guarantee: Guarantee, raised: Sequence[Array]) -> tuple[FloatArray, FloatArray]:
    """Return the number of units with a false alarm and of all units, for each independent part."""
    if guarantee.level is not None and guarantee.unit == "step":
        return np.array([float(row.sum()) for row in raised]), np.array([float(len(row)) for row in raised])
    units: list[Any] = list(raised)
    if guarantee.level is not None and guarantee.window is not None:
        size = guarantee.window
        units = [row[start : start + size] for row in raised for start in range(0, len(row) - size + 1, size)]
    return np.array([float(row.any()) for row in units]), np.ones(len(units))


def _variance(guarantee: Guarantee, counted: FloatArray, sizes: FloatArray, share: float) -> float:
    """Return the variance of the share over nominal units; the steps of one episode are not independent."""
    n = float(sizes.sum())
    if guarantee.level is None or guarantee.unit != "step":
        return share * (1.0 - share) / n
    residuals = counted - share * sizes
    return float(np.sum(residuals**2)) / n**2 * len(counted) / max(len(counted) - 1, 1)
