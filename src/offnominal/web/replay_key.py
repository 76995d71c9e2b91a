"""The key of a replay: everything that an episode and its twin depend on, as the address has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Self
from urllib.parse import urlencode

from offnominal.anomalies.fault import Fault
from offnominal.anomalies.schedule import Schedule
from offnominal.core.checks import integer_in
from offnominal.core.errors import InvalidParameter, OffnominalError
from offnominal.core.streams import check_seed
from offnominal.web.monitor_choice import QUICK, MonitorChoice
from offnominal.worlds.catalogue import worlds

MOST_STEPS = 600


@dataclass(frozen=True)
class ReplayKey(MonitorChoice):
    """An episode with a fault, its nominal twin, and the detectors that score both.

    Args:
        seed: Seed of the episode.
        fault: Id of the anomaly.
        strength: The parameter, or the name of a strength.
        onset: First faulty transition; ``"random"`` for the one that the seed draws.
        duration: Number of faulty transitions; None until the end.
        channels: Indices of the channels; empty for all.

    Example:
        >>> key = ReplayKey.from_query({"world": "SAP-Goal0-v0", "fault": "action/offset", "seed": "3"})
        >>> key.seed, key.strength
        (3, 'strong')
        >>> ReplayKey.from_query({"world": "SAP-Goal0-v0", "fault": "action/offset", "seed": "three"})
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: seed is 'three'; expected a whole number.
    """

    seed: int = 0
    fault: str = "observation/offset"
    strength: float | str = "strong"
    onset: int | str = "random"
    duration: int | None = None
    channels: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_seed(self.seed)
        if self.duration is not None:
            integer_in("duration", self.duration, 1, MOST_STEPS)
        if self.uses_images:
            raise InvalidParameter("a replay shows detectors of vectors; choose others.")
        if self.fault.startswith("camera/"):
            raise InvalidParameter("a replay has no faults of the camera; choose another fault.")
        self.make_fault()

    @property
    def steps(self) -> int:
        """Largest number of transitions."""
        return min(worlds.card(self.world).max_steps, MOST_STEPS)

    def make_fault(self) -> Fault:
        """Return the fault."""
        return Fault(self.fault, self.strength, Schedule(self.onset, self.duration), self.channels or None)

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Self:
        """Return the key of the part of an address after the question mark; other entries are left out."""
        data: dict[str, object] = {}
        for field in fields(cls):
            if not (given := query.get(field.name, "").strip()):
                continue
            if field.name in ("detectors", "channels"):
                words = tuple(word.strip() for word in given.split(",") if word.strip())
                data[field.name] = (
                    words if field.name == "detectors" else tuple(_whole("channels", each) for each in words)
                )
            elif field.name in ("seed", "duration") or (field.name == "onset" and given != "random"):
                data[field.name] = _whole(field.name, given)
            elif field.name == "strength":
                data[field.name] = _number_or_name(given)
            else:
                data[field.name] = given
        return cls.from_dict(data)

    def query(self) -> str:
        """Return the part of an address after the question mark; entries with their default value are left out.

        Example:
            >>> ReplayKey("SAP-Goal0-v0", seed=3, channels=(0, 1)).query()
            'world=SAP-Goal0-v0&seed=3&channels=0%2C1'
        """
        entries = []
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                entries.append((field.name, ",".join(map(str, value)) if isinstance(value, tuple) else str(value)))
        return urlencode(entries)


def recorded_key(
    world: str, policy: str, split: str, seed: int, onset: int | None, detectors: tuple[str, ...] = QUICK
) -> ReplayKey | None:
    """Return the key of a recorded example episode of a run, or None if it cannot be made again from its keys.

    Args:
        world: Name of the world.
        policy: Name of the policy.
        split: Name of the split, ``"anomaly@level"``.
        seed: Seed of the episode.
        onset: Its onset.
        detectors: Detectors of the replay.

    Example:
        >>> recorded_key("SAP-Goal0-v0", "tqc", "action/offset@strong", 7, 12).query()
        'world=SAP-Goal0-v0&policy=tqc&seed=7&fault=action%2Foffset&onset=12'
        >>> recorded_key("my.module:World", "tqc", "action/offset@strong", 7, 12)
    """
    anomaly, _, level = split.partition("@")
    try:
        return ReplayKey(
            world, policy, detectors, seed=seed, fault=anomaly, strength=_number_or_name(level), onset=onset or 0
        )
    except OffnominalError:
        return None


def _whole(name: str, text: str) -> int:
    if not text.isdecimal() or len(text) > 19:
        raise InvalidParameter(f"{name} is {text[:40]!r}; expected a whole number.")
    return int(text)


def _number_or_name(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
