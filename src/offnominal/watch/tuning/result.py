"""What tuning found: the choice, what the hours of the log show, and what is missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from offnominal.alarms.alarm import Alarm
from offnominal.alarms.exchangeability import ExchangeabilityCheck
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidState
from offnominal.core.rounding import significant
from offnominal.detectors.detector import Detector
from offnominal.watch.deployment import Manifest
from offnominal.watch.deployment_writer import write_deployment
from offnominal.watch.tuning.allowed_rate import AllowedRate, time_text
from offnominal.watch.tuning.candidates import Candidate
from offnominal.watch.tuning.measured_rate import MeasuredRate, hours_without_alarm
from offnominal.watch.tuning.time_blocks import LAST_SHARE

SHOWN, NOT_SHOWN, REFUSED = "shown", "not shown", "refused"
QUIET = 0.98
"""Share of the last block without a raised alarm below which it is told."""


@dataclass(frozen=True)
class Tried:
    """A candidate on the validation blocks.

    Args:
        candidate: What was tried.
        rate: False alarms; None if it could not be fitted.
        detected: Share of the injected faults that were detected; None likewise.
        reason: Why it could not be fitted.
    """

    candidate: Candidate
    rate: MeasuredRate | None = None
    detected: float | None = None
    reason: str = ""

    def row(self, allowed: AllowedRate) -> dict[str, Any]:
        """Return it as a row of a table."""
        rate = self.rate
        return {
            "detector": self.candidate.detector,
            "alarm": self.candidate.alarm,
            "window": self.candidate.window,
            "made for": allowed.shown(self.candidate.aim * allowed.per_hour),
            "false alarms": None if rate is None else rate.alarms,
            "at most": None if rate is None else allowed.shown(rate.upper),
            "detected": None if self.detected is None else f"{significant(100.0 * self.detected)}%",
        }


@dataclass(frozen=True)
class TuningResult:
    """A chosen detector and alarm, with the rate of false alarms on a time that no choice saw.

    Args:
        allowed: Allowed rate of false alarms.
        period: Seconds per step.
        hours: Nominal hours of the log.
        tried: Every candidate on the validation blocks, the simplest first.
        chosen: The chosen one.
        final: False alarms of the chosen one in the last block.
        order: Test whether the scores change with time; None if there are too few.
        detector: The detector, trained on the earliest blocks.
        alarm: The alarm, fitted on scores of the blocks after them.
        calibration: Episodes of these blocks, from which :meth:`write` learns the checks of samples.
        channels: Names of the channels by ``"observations"`` and ``"actions"``.
    """

    allowed: AllowedRate
    period: float
    hours: float
    tried: tuple[Tried, ...]
    chosen: Candidate
    final: MeasuredRate
    order: ExchangeabilityCheck | None
    detector: Detector = field(repr=False)
    alarm: Alarm = field(repr=False)
    calibration: tuple[Episode, ...] = field(repr=False)
    channels: dict[str, Sequence[str]] = field(repr=False, default_factory=dict)

    @property
    def verdict(self) -> str:
        """Whether the allowed rate is kept.

        ``refused`` if the last block shows a higher rate, or the scores change with time, so that no promise holds;
        ``shown`` if the upper bound of the last block is within the allowed rate; else ``not shown``: too few hours.
        """
        if self.drifts or self.final.lower > self.allowed.per_hour:
            return REFUSED
        return SHOWN if self.final.upper <= self.allowed.per_hour else NOT_SHOWN

    @property
    def drifts(self) -> bool:
        """Whether the scores of the chosen detector change with time."""
        return self.order is not None and self.order.rejected

    @property
    def achievable(self) -> float:
        """Lowest rate per hour that a log of so many hours can show: without any alarm in its last block."""
        return hours_without_alarm(1.0) / (LAST_SHARE * self.hours)

    @property
    def missing_hours(self) -> float:
        """Further hours of log that would show the allowed rate, if alarms come as often as in the last block.

        Infinite if the rate in the last block is not below the allowed one.
        """
        if self.verdict == SHOWN:
            return 0.0
        return max(self.final.hours_to_show(self.allowed.per_hour) / LAST_SHARE - self.hours, 0.0)

    @property
    def assumption(self) -> str:
        """Condition under which the guarantee of the alarm holds, or the model that it is based on."""
        return self.alarm.guarantee.assumption

    def write(self, folder: Path | str, *, name: str = "", overwrite: bool = False, anyway: bool = False) -> Manifest:
        """Write the choice as one deployable folder for ``offnominal watch``.

        Args:
            folder: The folder; see :func:`~offnominal.watch.deployment_writer.write_deployment`.
            name: Name of what is monitored.
            overwrite: Whether to replace a deployable folder.
            anyway: Whether to write it although the promise is refused.

        Raises:
            InvalidState: The promise is refused.
        """
        if self.verdict == REFUSED and not anyway:
            raise InvalidState(f"{self.conclusion} No folder is written; choose `anyway` for one without a promise.")
        return write_deployment(
            folder,
            self.detector,
            self.alarm,
            self.calibration,
            name=name,
            rate=1.0 / self.period,
            overwrite=overwrite,
            **self.channels,
        )

    @property
    def conclusion(self) -> str:
        """The verdict in a sentence."""
        if self.drifts:
            return f"{self.allowed} is refused: the scores change with time, so that no promise holds ({self.order})."
        if self.verdict == REFUSED:
            least = self.allowed.shown(self.final.lower)
            return f"{self.allowed} is refused: the last block shows {least} or more."
        if self.verdict == SHOWN:
            return f"{self.allowed} is shown."
        if math.isinf(self.missing_hours):
            least = time_text(hours_without_alarm(self.allowed.per_hour) / LAST_SHARE)
            return (
                f"{self.allowed} is not shown: the last block has too many alarms; it needs {least} of log without any."
            )
        return f"{self.allowed} is not shown: {time_text(self.missing_hours)} of nominal log are missing."

    def rows(self) -> list[dict[str, Any]]:
        """Return the candidates that could be fitted as rows of a table."""
        return [each.row(self.allowed) for each in self.tried if each.rate is not None]

    @property
    def not_tried(self) -> list[str]:
        """What could not be fitted to this log, and why: a line per alarm, with the reason of the first."""
        failed: dict[str, list[Tried]] = {}
        for each in self.tried:
            if each.rate is None:
                failed.setdefault(each.candidate.alarm, []).append(each)
        return [
            f"{len(each)} of {sum(other.candidate.alarm == alarm for other in self.tried)} with {alarm}, such as "
            f"{each[0].candidate.label} made for {self._aim(each[0].candidate)}: {each[0].reason}"
            for alarm, each in failed.items()
        ]

    def _aim(self, candidate: Candidate) -> str:
        return self.allowed.shown(candidate.aim * self.allowed.per_hour)

    def __str__(self) -> str:
        final, allowed = self.final, self.allowed
        counted = f"{final.alarms} false alarm{'' if final.alarms == 1 else 's'}"
        last = LAST_SHARE * self.hours
        quiet = final.hours / last
        held = "" if quiet > QUIET else f", in {significant(100.0 * (1.0 - quiet), 2)}% of which an alarm was raised"
        lines = [
            self.conclusion,
            f"{self.chosen.label}, made for {self._aim(self.chosen)}: {counted} in the last {time_text(last)}, which "
            f"no choice saw{held}: at most {allowed.shown(final.upper)} (95 %, alarms independent of each other).",
            f"This log has {time_text(self.hours)}; it can show {allowed.shown(self.achievable)} at best.",
            f"Alarm: {self.alarm.guarantee}. Assumption: {self.assumption}.",
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain data; rates are per hour."""
        return {
            "verdict": self.verdict,
            "conclusion": self.conclusion,
            "allowed": str(self.allowed),
            "allowed_per_hour": self.allowed.per_hour,
            "chosen": vars(self.chosen),
            "false_alarms": self.final.alarms,
            "hours": self.final.hours,
            "upper_per_hour": self.final.upper,
            "achievable_per_hour": self.achievable,
            "missing_hours": None if math.isinf(self.missing_hours) else self.missing_hours,
            "log_hours": self.hours,
            "guarantee": str(self.alarm.guarantee),
            "assumption": self.assumption,
            "order_p": None if self.order is None else self.order.p,
            "tried": self.rows(),
            "not_tried": self.not_tried,
        }
