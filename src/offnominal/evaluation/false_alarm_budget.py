"""The budget of false alarms at which detectors are compared: per 1,000 steps, or per hour."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

from offnominal.core.checks import number_in, one_of
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.evaluation.false_alarm_rate import per_1000_steps

Time = Literal["1000 steps", "hour"]
STEPS: Time = "1000 steps"
HOUR: Time = "hour"
STEPS_COLUMN, HOUR_COLUMN = "budget_per_1000_steps", "budget_per_hour"
"""Columns of results with another budget than the default."""
MEASURED = "budget_detected"
"""Column of results that were measured at a budget."""


@dataclass(frozen=True)
class FalseAlarmBudget(Config):
    """How many false alarms are allowed where detectors are compared at the same rate of false alarms.

    A budget per hour is another one per 1,000 steps in each world: it depends on the length of a step.

    Args:
        false_alarms: Largest number of false alarms; the first alarm of a nominal episode counts.
        per: In which time: ``"1000 steps"`` or ``"hour"`` of nominal operation.

    Example:
        >>> print(FalseAlarmBudget())
        1 false alarm in 1,000 steps
        >>> FalseAlarmBudget(12, per="hour").rate(period=0.1)
        0.3333333333333333
    """

    false_alarms: float = 1.0
    per: Time = STEPS

    def __post_init__(self) -> None:
        number_in("false_alarms of a budget", self.false_alarms, 0.0)
        one_of("per of a budget", self.per, get_args(Time))

    @classmethod
    def of(cls, budget: float | FalseAlarmBudget) -> FalseAlarmBudget:
        """Return a budget; a number is one per 1,000 steps."""
        return budget if isinstance(budget, FalseAlarmBudget) else cls(number_in("budget", budget, 0.0))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the budget of a text of the command line.

        Example:
            >>> print(FalseAlarmBudget.parse("12/hour"), "|", FalseAlarmBudget.parse("0.5/1000 steps"))
            12 false alarms per hour | 0.5 false alarms in 1,000 steps
        """
        found = re.fullmatch(r"\s*([0-9.eE+-]+)\s*/\s*(hour|1000[ -]steps)\s*", text)
        try:
            amount = float(found[1]) if found else None
        except ValueError:
            amount = None
        if found is None or amount is None:
            raise InvalidParameter(f"the budget is {text!r}; expected such as '12/hour' or '0.5/1000 steps'.")
        return cls(amount, HOUR if found[2] == HOUR else STEPS)

    def __str__(self) -> str:
        alarms = f"{self.false_alarms:g} false alarm{'' if self.false_alarms == 1 else 's'}"
        return f"{alarms} per hour" if self.per == HOUR else f"{alarms} in 1,000 steps"

    @property
    def per_hour(self) -> float | None:
        """The budget in false alarms per hour, if it is one."""
        return self.false_alarms if self.per == HOUR else None

    @property
    def slug(self) -> str:
        """Text for the names of folders.

        Example:
            >>> FalseAlarmBudget(0.5).slug, FalseAlarmBudget(12, "hour").slug
            ('0.5-per-1000-steps', '12-per-hour')
        """
        return f"{self.false_alarms:g}-per-{self.per.replace(' ', '-')}"

    def rate(self, period: float | None) -> float:
        """Return the budget in false alarms per 1,000 steps.

        Args:
            period: Seconds per step; None if they are not known, which a budget per hour needs.
        """
        if self.per == STEPS:
            return self.false_alarms
        if period is None:
            raise InvalidParameter(
                f"the budget is {self}, but the length of a step is not known: the episodes have no extra 'time'. "
                "Give `period`, the seconds per step, or a budget per 1,000 steps."
            )
        return per_1000_steps(self.false_alarms, period)


DEFAULT = FalseAlarmBudget()
"""One false alarm in 1,000 steps."""


def budget_of(table: Any) -> FalseAlarmBudget:
    """Return the budget of the rows of a run.

    Raises:
        InvalidParameter: Rows have different budgets.
    """
    names = [name for name in (MEASURED, STEPS_COLUMN, HOUR_COLUMN) if name in table.column_names]
    rows = table.select(names).to_pylist() if MEASURED in names else []
    found = {_stored(row.get(STEPS_COLUMN), row.get(HOUR_COLUMN)) for row in rows if row[MEASURED] is not None}
    if len(found) > 1:
        named = ", ".join(sorted(map(str, found)))
        raise InvalidParameter(f"the results have different budgets of false alarms ({named}); choose one of them.")
    return found.pop() if found else DEFAULT


def _stored(steps: float | None, hour: float | None) -> FalseAlarmBudget:
    """Return the budget of a row of results."""
    if hour is not None:
        return FalseAlarmBudget(hour, HOUR)
    return DEFAULT if steps is None else FalseAlarmBudget(steps)
