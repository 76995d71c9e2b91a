"""A fault: an anomaly with its strength, schedule and channels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from offnominal.anomalies.anomaly import Anomaly
from offnominal.anomalies.catalogue import make_anomaly
from offnominal.anomalies.schedule import Schedule
from offnominal.core.checks import text
from offnominal.core.errors import InvalidChannels, InvalidParameter


@dataclass(frozen=True)
class Fault:
    """An anomaly with its strength, schedule and channels.

    Args:
        anomaly: An id such as ``"observation/noise"``, or an anomaly.
        strength: The parameter itself, or a named strength such as ``"medium"``.
        schedule: A schedule, or its onset: an index, ``"start"``, ``"random"`` or a pair.
        channels: Indices or names of the affected channels; None for all.

    Example:
        >>> Fault("action/offset", 0.3, schedule=20, channels=[1]).id
        'action/offset'
        >>> Fault("action/noise", -1.0)
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: the parameter of action/noise is -1; expected at least 0.
    """

    anomaly: str | Anomaly
    strength: float | str
    schedule: Schedule | str | int | tuple[int, int] = Schedule()
    channels: Sequence[int | str] | None = None

    def __post_init__(self) -> None:
        made = make_anomaly(self.anomaly)
        object.__setattr__(self, "anomaly", made)
        if not isinstance(self.schedule, Schedule):
            object.__setattr__(self, "schedule", Schedule(onset=self.schedule))
        strength = text("strength", self.strength) if isinstance(self.strength, str) else made.check(self.strength)
        object.__setattr__(self, "strength", strength)
        if self.channels is not None:
            if isinstance(self.channels, str) or not isinstance(self.channels, Iterable):
                raise InvalidChannels(f"channels is {self.channels!r}; expected a list of indices or names.")
            object.__setattr__(self, "channels", tuple(self.channels))

    @property
    def id(self) -> str:
        """Id of the anomaly."""
        return self.kind.id

    @property
    def kind(self) -> Anomaly:
        """The anomaly."""
        assert isinstance(self.anomaly, Anomaly)
        return self.anomaly

    @property
    def resolved_schedule(self) -> Schedule:
        """The schedule."""
        assert isinstance(self.schedule, Schedule)
        return self.schedule


Faults: TypeAlias = Fault | Iterable[Fault] | None
"""Faults of one episode: one, several at once, or none."""

FaultsPerRow: TypeAlias = Faults | Sequence[Faults]
"""Faults of several episodes: a list has one entry per episode, anything else holds for every episode."""


def fault_tuple(faults: object) -> tuple[Fault, ...]:
    """Return the faults of one episode as a tuple, or raise :class:`InvalidParameter`."""
    if faults is None:
        return ()
    if isinstance(faults, Fault):
        return (faults,)
    listed = tuple(faults) if isinstance(faults, Iterable) and not isinstance(faults, str) else (faults,)
    for fault in listed:
        if not isinstance(fault, Fault):
            raise InvalidParameter(f"{fault!r} is a {type(fault).__name__}; expected a Fault.")
    return listed
