"""When conditions become alarms: k of n, delays, hysteresis, missing readings, chattering and floods."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from offnominal.core.checks import integer_in, number_in, text
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.core.files import content_errors, read_text

Priority = Literal["low", "medium", "high"]
MissingReadings = Literal["alarm", "hold", "mask"]
LONGEST_WINDOW = 1000


@dataclass(frozen=True)
class AlarmRule(Config):
    """When a condition becomes an alarm, and when the alarm clears.

    Args:
        k: Samples of the last `n` in which the condition must hold.
        n: Number of samples that are looked at.
        on_delay: Seconds for which it must hold before the alarm is raised.
        off_delay: Seconds for which it must not hold before the alarm clears.
        hysteresis: Share by which a value must be back inside its limit before it counts as inside: of the threshold
            for scores, of the nominal span for ranges.
        priority: Priority of the alarm.
        enabled: Whether there is such an alarm.
    """

    k: int = 1
    n: int = 1
    on_delay: float = 0.0
    off_delay: float = 0.0
    hysteresis: float = 0.0
    priority: Priority = "medium"
    enabled: bool = True

    def __post_init__(self) -> None:
        integer_in("n", self.n, 1, LONGEST_WINDOW)
        integer_in("k", self.k, 1, self.n)
        for name in ("on_delay", "off_delay"):
            number_in(name, getattr(self, name), 0.0)
        number_in("hysteresis", self.hysteresis, 0.0, 1.0)


@dataclass(frozen=True)
class Rules(Config):
    """Rules of all alarms.

    Args:
        score: The statistic of the detector's scores is above the threshold. A k or a delay above the default lowers
            the rate of false alarms; the guarantee of the alarm still holds.
        range: A channel is outside of its nominal range.
        stuck: A channel holds one value for too long.
        invalid: A reading is missing, not finite or beyond 1e30.
        gap: Samples were lost, or the time between two samples is too long.
        rate: The mean rate of the last 50 samples differs from the nominal one.
        jitter: The times between the last 50 samples vary too much.
        clock: The time of a sample is not after that of the sample before.
        stale: No sample arrives.
        missing: What the detector gets for an invalid reading. ``"alarm"``: the reading itself, so that the score is
            the largest one. ``"hold"``: the last valid value, for at most `most_held` samples in a row. ``"mask"``: the
            nominal mean, so that the other channels decide.
        most_held: Samples for which ``"hold"`` holds a value.
        stale_after: Seconds without a sample that are stale; 0 for five nominal periods and at least one second.
        chattering_raises: An alarm that is raised so often in `chattering_seconds` is chattering: its changes are
            counted, and no longer told, until it is quiet for as long.
        chattering_seconds: See `chattering_raises`.
        flood_starts: Alarms of all robots in `flood_minutes` above which there is a flood.
        flood_ends: Number below which it ends.
        flood_minutes: Minutes in which alarms are counted.
        most_robots: Robots that are known at a time; samples of further ones are refused.

    Example:
        >>> Rules.from_dict({"missing": "hold", "score": {"k": 3, "n": 5}}).score.k
        3
        >>> Rules.from_dict({"score": {"k": 3}})
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: k is 3; expected an integer from 1 to 1.
    """

    score: AlarmRule = AlarmRule(off_delay=1.0, priority="high")
    range: AlarmRule = AlarmRule(k=3, n=5, off_delay=1.0, hysteresis=0.02)
    stuck: AlarmRule = AlarmRule()
    invalid: AlarmRule = AlarmRule(off_delay=1.0)
    gap: AlarmRule = AlarmRule(off_delay=1.0, priority="low")
    rate: AlarmRule = AlarmRule(off_delay=1.0, priority="low")
    jitter: AlarmRule = AlarmRule(off_delay=1.0, priority="low")
    clock: AlarmRule = AlarmRule(off_delay=1.0)
    stale: AlarmRule = AlarmRule()
    missing: MissingReadings = "alarm"
    most_held: int = 5
    stale_after: float = 0.0
    chattering_raises: int = 3
    chattering_seconds: float = 60.0
    flood_starts: int = 10
    flood_ends: int = 5
    flood_minutes: float = 10.0
    most_robots: int = 1000

    def __post_init__(self) -> None:
        integer_in("most_held", self.most_held, 1)
        number_in("stale_after", self.stale_after, 0.0)
        integer_in("chattering_raises", self.chattering_raises, 2)
        number_in("chattering_seconds", self.chattering_seconds, 0.0, open_low=True)
        integer_in("flood_ends", self.flood_ends, 1, integer_in("flood_starts", self.flood_starts, 1))
        number_in("flood_minutes", self.flood_minutes, 0.0, open_low=True)
        integer_in("most_robots", self.most_robots, 1, 1_000_000)

    def of(self, alarm: str) -> AlarmRule:
        """Return the rule of an alarm by its name, such as ``"range:speed"``."""
        kind = text("alarm", alarm).partition(":")[0]
        rule = getattr(self, kind, None)
        if isinstance(rule, AlarmRule):
            return rule
        known = [each.name for each in fields(self) if isinstance(getattr(self, each.name), AlarmRule)]
        raise UnknownName(f"no alarm of a monitor is named {kind!r}. There are {', '.join(known)}.")


def load_rules(path: Path | str) -> Rules:
    """Return the rules in a TOML file; what it does not name is as by default, also within the rule of an alarm.

    Raises:
        MissingFile: There is no such file.
        DamagedFile: It is not TOML.
        InvalidParameter: A rule does not exist, or has an impossible value.
    """
    place = Path(path)
    content = read_text(place)
    with content_errors(place, "TOML"):
        data = tomllib.loads(content)
    defaults = Rules().to_dict()
    given = {
        name: each for name, each in data.items() if isinstance(each, dict) and isinstance(defaults.get(name), dict)
    }
    tables = {name: {**defaults[name], **each} for name, each in given.items()}
    try:
        return Rules.from_dict({**data, **tables})
    except InvalidParameter as error:
        raise InvalidParameter(f"{place}: {error}") from None
