"""An allowed rate of false alarms, such as one per day."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, Self, get_args

from offnominal.core.checks import one_of, positive_number
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.core.rounding import significant

Time = Literal["hour", "day", "week", "month"]
HOURS: dict[str, float] = {"hour": 1.0, "day": 24.0, "week": 168.0, "month": 730.0}
SECONDS = 3600.0


@dataclass(frozen=True)
class AllowedRate(Config):
    """How many false alarms are allowed in a time of operation.

    Args:
        false_alarms: Number of false alarms, more than 0: none at all cannot be shown by any log.
        per: The time: ``"hour"``, ``"day"``, ``"week"`` or ``"month"`` (730 hours) of operation.

    Example:
        >>> AllowedRate(1.0, "day").steps_between(period=0.1)
        864000.0
    """

    false_alarms: float = 1.0
    per: Time = "day"

    def __post_init__(self) -> None:
        positive_number("the number of allowed false alarms", self.false_alarms)
        one_of("the time of an allowed rate", self.per, get_args(Time))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the rate of a text.

        Example:
            >>> AllowedRate.parse("2/week")
            AllowedRate(false_alarms=2.0, per='week')
        """
        found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*/\s*(hour|day|week|month)\s*", str(text))
        if found is None:
            raise InvalidParameter(f"the allowed rate is {text!r}; expected such as 1/day, 0.5/hour or 2/week.")
        return cls(float(found[1]), found[2])  # type: ignore[arg-type]

    @classmethod
    def of(cls, rate: str | AllowedRate) -> AllowedRate:
        """Return a rate, given as such or as text."""
        return rate if isinstance(rate, AllowedRate) else cls.parse(rate)

    @property
    def per_hour(self) -> float:
        """False alarms per hour."""
        return self.false_alarms / HOURS[self.per]

    def steps_between(self, period: float) -> float:
        """Return the mean number of steps from one false alarm to the next.

        Args:
            period: Seconds per step.
        """
        return SECONDS / (self.per_hour * positive_number("period", period))

    def shown(self, per_hour: float) -> str:
        """Return a rate per hour as text in the unit of this one.

        Example:
            >>> AllowedRate(1.0, "day").shown(1.0)
            '24/day'
        """
        return f"{significant(per_hour * HOURS[self.per])}/{self.per}"

    def __str__(self) -> str:
        return f"{self.false_alarms:g}/{self.per}"


def time_text(hours: float) -> str:
    """Return a duration in the unit that reads best.

    Example:
        >>> time_text(0.5), time_text(20.0), time_text(300.0)
        ('30 min', '20 h', '12.5 days')
    """
    if hours < 1.0:
        return f"{significant(60.0 * hours)} min"
    return f"{significant(hours)} h" if hours < 48.0 else f"{significant(hours / 24.0)} days"
