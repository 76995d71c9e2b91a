"""Samples: what a robot sends, as JSON objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.types import Array
from offnominal.watch.deployment import Manifest

LONGEST_NAME = 100
LARGEST_NUMBER = 2**63 - 1
_NUMBERS = {int, float, NoneType}


class InvalidSample(InvalidParameter):
    """A sample is not one of the monitored robot: the message says what was given and expected."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One observation of one robot, with the action that was commanded at it.

    Args:
        robot: Name of the robot.
        observation: (1, width) values; NaN where there is none. None if the robot only says that it ends.
        action: (1, width) values, or (1,) integer; those of the last sample of an episode are not used.
        sequence: Number of the sample in its session; None if samples are not numbered.
        session: Name of the session, in which numbers increase.
        time: Time of the observation in seconds on the clock of the robot; None if it says none.
        start: Whether an episode begins here, so that no transition leads to this observation.
        end: Whether the robot ends its stream, so that nothing is missing from now on.
    """

    robot: str
    observation: Array | None
    action: Array | None
    sequence: int | None = None
    session: str = ""
    time: float | None = None
    start: bool = False
    end: bool = False


class SampleReader:
    """Makes samples of JSON objects, by the channels of a deployable folder.

    Args:
        manifest: Description of the folder.
    """

    def __init__(self, manifest: Manifest) -> None:
        self._observations, self._actions = manifest.observations, manifest.actions
        self._discrete = manifest.discrete_actions

    def read(self, data: Any) -> Sample:
        """Return the sample that a JSON object describes; unknown entries are ignored.

        Raises:
            InvalidSample: It is not a sample of this robot.
        """
        if not isinstance(data, Mapping):
            raise InvalidSample(f"a sample is {shown(data)}; expected a JSON object.")
        robot, session = _name("robot", data.get("robot", "robot")), data.get("session", "")
        if session != "":
            session = _name("session", session)
        end = _flag("end", data.get("end", False))
        observation = action = None
        if "observation" in data or not end:
            observation = self._vector("observation", data.get("observation"), self._observations)
            action = self._action(data.get("action"))
        return Sample(
            robot,
            observation,
            action,
            _sequence(data.get("seq")),
            session,
            _time(data),
            _flag("start", data.get("start", False)),
            end,
        )

    def _action(self, values: Any) -> Array:
        if self._discrete:
            if values is None:
                return np.zeros(1, np.int64)
            if isinstance(values, bool) or not isinstance(values, int) or not 0 <= values < 2**31:
                raise InvalidSample(f"action is {shown(values)}; expected one integer.")
            return np.array([values], np.int64)
        if values is None and not self._actions:
            return np.zeros((1, 0))
        return self._vector("action", values, self._actions)

    def _vector(self, name: str, values: Any, channels: Sequence[str]) -> Array:
        if isinstance(values, Mapping):
            unknown = [each for each in values if each not in channels]
            if unknown:
                raise InvalidSample(f"{name} has the channel {shown(unknown[0])}; expected {', '.join(channels)}.")
            values = [values.get(channel) for channel in channels]
        if not isinstance(values, list) or len(values) != len(channels):
            given = f"{len(values)} values" if isinstance(values, list) else shown(values)
            raise InvalidSample(f"{name} is {given}; expected {len(channels)} numbers: {_listed(channels)}.")
        if not _NUMBERS.issuperset(map(type, values)):
            wrong = next(value for value in values if type(value) not in _NUMBERS)
            raise InvalidSample(f"{name} has the value {shown(wrong)}; expected numbers, and null for a missing one.")
        try:
            return np.array([values], np.float64)
        except OverflowError:
            raise InvalidSample(f"{name} has a number that is too large; expected at most 1.8e308.") from None


def _listed(channels: Sequence[str]) -> str:
    return ", ".join(channels) if len(channels) <= 8 else f"{', '.join(channels[:6])}, …, {channels[-1]}"


def _name(what: str, value: Any) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= LONGEST_NAME or not value.isprintable():
        raise InvalidSample(f"{what} is {shown(value)}; expected 1 to {LONGEST_NAME} printable characters.")
    return value


def _flag(what: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidSample(f"{what} is {shown(value)}; expected true or false.")
    return value


def _sequence(value: Any) -> int | None:
    if value is not None and (type(value) is not int or not 0 <= value <= LARGEST_NUMBER):
        raise InvalidSample(f"seq is {shown(value)}; expected a number of at least 0 that increases.")
    return value


def _time(data: Mapping[str, Any]) -> float | None:
    """Return the time in seconds; nanoseconds can be a text, because many programs round large numbers."""
    value, factor = data.get("time"), 1.0
    if value is None and (value := data.get("time_ns")) is not None:
        factor = 1e-9
        if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= 19:
            value = int(value)
    if value is None:
        return None
    if type(value) not in (int, float) or not abs(value) < 1e300:
        raise InvalidSample(f"the time is {shown(value)}; expected seconds in `time`, or nanoseconds in `time_ns`.")
    return value * factor if factor != 1.0 else float(value)
