"""Messages of clients of a live run: each is checked before anything else sees it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NoReturn

from offnominal.anomalies.fault import Fault
from offnominal.anomalies.schedule import Schedule
from offnominal.core.checks import number_in, one_of
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.web.live_run import FASTEST, SLOWEST, FaultOrder, LiveSettings

LARGEST = 4096
"""Largest size of a message in bytes."""


@dataclass(frozen=True)
class Start(Config):
    """Start a run."""

    settings: LiveSettings


@dataclass(frozen=True)
class Join(Config):
    """Watch a run that another client has started."""

    run: str


@dataclass(frozen=True)
class StartFault(Config):
    """Switch a fault on from the next transition.

    Args:
        anomaly: Id of the anomaly.
        strength: The parameter, or the name of a strength.
        channels: Indices or names of channels; None for all.
        duration: Number of transitions; None until it is cleared.
    """

    anomaly: str
    strength: float | str
    channels: tuple[int | str, ...] | None = None
    duration: int | None = None

    def order(self) -> FaultOrder:
        """Return the fault to start."""
        return FaultOrder(Fault(self.anomaly, self.strength, Schedule("start"), self.channels), self.duration)


@dataclass(frozen=True)
class ClearFault(Config):
    """Switch a fault off, or all."""

    id: int | None = None


@dataclass(frozen=True)
class Pause(Config):
    """Pause the run."""


@dataclass(frozen=True)
class Resume(Config):
    """Resume the run."""


@dataclass(frozen=True)
class SetRate(Config):
    """Set the number of steps per second."""

    rate: float

    def __post_init__(self) -> None:
        number_in("rate", self.rate, SLOWEST, FASTEST)


@dataclass(frozen=True)
class Reset(Config):
    """Start an episode, of a seed or the next one."""

    seed: int | None = None


@dataclass(frozen=True)
class Explain(Config):
    """Ask for the evidence of a detector's latest score."""

    detector: int


MESSAGES: dict[str, type[Config]] = {
    "start": Start,
    "join": Join,
    "fault": StartFault,
    "clear": ClearFault,
    "pause": Pause,
    "resume": Resume,
    "rate": SetRate,
    "reset": Reset,
    "explain": Explain,
}


def parse_message(text: str) -> Config:
    """Return the message of a client.

    Raises:
        InvalidParameter: It is no message, or has wrong fields.

    Example:
        >>> parse_message('{"type": "rate", "rate": 10}')
        SetRate(rate=10.0)
        >>> parse_message('{"type": "explode"}')
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: type is 'explode'; expected one of 'start', 'join', ...
    """
    if len(text) > LARGEST:
        raise InvalidParameter(f"the message has {len(text)} characters; expected at most {LARGEST}.")
    try:
        data: Any = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise InvalidParameter("the message is not JSON; expected an object with a `type`.") from None
    if not isinstance(data, dict) or not isinstance(data.get("type"), str):
        raise InvalidParameter("the message has no type; expected an object with a `type`.")
    kind = MESSAGES[one_of("type", data.pop("type"), tuple(MESSAGES))]
    try:
        return kind.from_dict(data)
    except OverflowError:
        raise InvalidParameter("the message has a number that is too large.") from None


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)
