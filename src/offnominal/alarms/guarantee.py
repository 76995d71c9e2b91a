"""The guarantee of an alarm about false alarms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from offnominal.core.config import Config
from offnominal.core.rounding import significant

Kind = Literal["none", "marginal", "pac", "long run"]
Unit = Literal["episode", "step", "window"]

HOUR = 3600.0
LONG_RUN = "in the long run"
EXCHANGEABLE = "new nominal episodes are exchangeable with the calibration episodes"


@dataclass(frozen=True)
class Guarantee(Config):
    """An upper bound on the probability of a false alarm.

    Guaranteed:
        With ``"marginal"``, the probability of a false alarm in a new nominal unit is at most `level`, averaged over
        calibrations. With ``"pac"``, it is at most `level` for this calibration with probability `confidence`. With
        ``"long run"``, the share of units with an alarm is `share` within `error` over the first `horizon` units.

    Not guaranteed:
        Anything if the assumption does not hold, and anything about faults: whether they are detected, or how soon. A
        share in the long run says nothing about a single unit: alarms may come together, and quiet times, too.

    Args:
        kind: Kind of the guarantee; ``"none"`` means no guarantee.
        level: Largest probability of a false alarm; None without a guarantee.
        unit: Unit of the probability: a whole episode, a single step, or a window of steps.
        assumption: Condition under which the guarantee holds.
        confidence: Confidence of a ``"pac"`` guarantee; else None.
        window: Steps of a window; else None.
        window_s: Seconds of a window, if they are known.
        run_length: Smallest mean number of nominal steps to a false alarm, for alarms on streams that never end; they
            have no level.
        share: Share of units with an alarm in the long run, for alarms that adapt; they have no level.
        error: Largest distance of the measured share from it over the first `horizon` units.
        horizon: Number of units for which `error` is stated; it is larger for fewer.
        counted: Which units are counted; empty for all.

    Example:
        >>> print(Guarantee("marginal", 0.05, "episode", EXCHANGEABLE))
        a false alarm in at most 5% of nominal episodes, on average over calibrations
    """

    kind: Kind
    level: float | None
    unit: Unit
    assumption: str
    confidence: float | None = None
    window: int | None = None
    window_s: float | None = None
    run_length: int | None = None
    share: float | None = None
    error: float | None = None
    horizon: int | None = None
    counted: str = ""

    @property
    def per_hour(self) -> float | None:
        """Largest mean number of windows with a false alarm per hour; None if the seconds of a window are unknown."""
        if self.level is None or self.window_s is None:
            return None
        return self.level * HOUR / self.window_s

    def __str__(self) -> str:
        if self.run_length is not None:
            guarantee = f"{self.run_length:,} or more steps to a false alarm on average"
            return guarantee + ("" if self.confidence is None else self._in_calibrations())
        if self.share is not None:
            return self._in_the_long_run(self.share, self.error or 0.0, self.horizon or 0)
        if self.level is None:
            return "no guarantee"
        guarantee = f"a false alarm in at most {significant(100 * self.level)}% of nominal {self.unit}s"
        if self.window is not None:
            guarantee += f" of {self.window:,} steps"
        if self.per_hour is not None:
            guarantee += f" ({significant(self.per_hour)} per hour)"
        if self.confidence is None:
            return f"{guarantee}, on average over calibrations"
        return guarantee + self._in_calibrations()

    def _in_the_long_run(self, share: float, error: float, horizon: int) -> str:
        unit = "steps" if self.window == 1 else f"{self.unit}s"
        unit += f" of {self.window:,} steps" if (self.window or 1) > 1 else ""
        low, high = (significant(100.0 * min(max(end, 0.0), 1.0)) for end in (share - error, share + error))
        return (
            f"alarms in {significant(100.0 * share)}% of {unit}{self.counted} {LONG_RUN}: in {low}% to {high}% of "
            f"the first {horizon:,}"
        )

    def _in_calibrations(self) -> str:
        return f", in at least {significant(100 * (self.confidence or 0.0))}% of calibrations"
