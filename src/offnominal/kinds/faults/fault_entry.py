"""Faults of a study that are not those of the catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from offnominal.anomalies.fault import Fault
from offnominal.anomalies.schedule import Schedule
from offnominal.anomalies.strengths import parameter_for
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.datasets.manifest import file_of
from offnominal.datasets.recipe import FaultCell, without


@dataclass(frozen=True)
class FaultEntry(Config):
    """A fault of a study: an anomaly with its strength, schedule and channels.

    Args:
        anomaly: Id of the anomaly.
        strength: Named strength, in worlds where it is calibrated. Give this or `parameter`.
        parameter: Fault parameter.
        schedule: Schedule or its onset; that of a :class:`~offnominal.datasets.Recipe` (random onset, until the end) if
            None.
        channels: Indices or names of the affected channels; all if None.
        name: Name of the level in tables; the strength or the parameter if empty.
        worlds: Worlds of the study that have the fault; all if None.
        also: Further faults of the same episodes. With a schedule ``{after = 20}`` they begin 20 transitions after this
            one, with ``{after = 0}`` together with it.

    Example:
        >>> FaultEntry("observation/offset", parameter=0.2, channels=(0,)).split
        'observation/offset@0.2'
        >>> FaultEntry("observation/offset")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: the fault observation/offset needs a strength or a parameter...
    """

    anomaly: str
    strength: str | None = None
    parameter: float | None = None
    schedule: Schedule | int | str | tuple[int, int] | None = None
    channels: tuple[int | str, ...] | None = None
    name: str = ""
    worlds: tuple[str, ...] | None = None
    also: tuple[FaultEntry, ...] = ()

    def __post_init__(self) -> None:
        for fault in self.also:
            if fault.worlds is not None or fault.name:
                raise InvalidParameter(
                    f"{fault.split} is a further fault of {self.anomaly} and has worlds or a name; give them to "
                    f"{self.anomaly} alone."
                )
        if (self.strength is None) == (self.parameter is None):
            raise InvalidParameter(
                f"the fault {self.anomaly} needs a strength or a parameter, not both or none: a named strength, such "
                "as strength = 'strong', exists in calibrated worlds; parameter = 0.2 works everywhere."
            )
        given = self.strength if self.parameter is None else self.parameter
        assert given is not None
        Fault(self.anomaly, given, self.resolved_schedule or Schedule(), self.channels)
        file_of(self.split)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, without further faults if there are none: hashes from before stay valid."""
        return without(super().to_dict(), also=[])

    @property
    def anomalies(self) -> list[str]:
        """Ids of the anomalies of all faults."""
        return [self.anomaly, *(id for fault in self.also for id in fault.anomalies)]

    def is_in(self, world: str) -> bool:
        """Whether a world of the study has the fault."""
        return self.worlds is None or world in self.worlds

    @property
    def level(self) -> str:
        """Name of the level in tables."""
        return self.name or self.strength or f"{self.parameter:g}"

    @property
    def split(self) -> str:
        """Name of the split with this fault."""
        return f"{self.anomaly}@{self.level}"

    @property
    def resolved_schedule(self) -> Schedule | None:
        """The schedule, or None for that of the recipe."""
        given = self.schedule
        return given if given is None or isinstance(given, Schedule) else Schedule(onset=given)

    def clashes_with(self, other: FaultEntry) -> bool:
        """Whether some world has both faults, under the same name."""
        apart = self.worlds is not None and other.worlds is not None and not set(self.worlds) & set(other.worlds)
        return self.split == other.split and not apart

    def cell(self, world: str) -> FaultCell:
        """Return the split of a recipe with this fault.

        Args:
            world: Id of the world, for named strengths.
        """
        parameter = self.parameter
        if parameter is None:
            parameter = parameter_for(world, self.anomaly, str(self.strength))
        also = tuple(fault.cell(world) for fault in self.also)
        return FaultCell(self.anomaly, self.level, float(parameter), self.resolved_schedule, self.channels, also)
