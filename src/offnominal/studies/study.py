"""Studies: an experiment as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from offnominal.alarms.catalogue import alarms as alarm_registry
from offnominal.core.checks import text
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.detectors.catalogue import detectors as detector_registry
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.studies.base import BaseStudy, Target
from offnominal.studies.cell import AlarmEntry, Cell, DataEntry
from offnominal.studies.results import STUDY
from offnominal.studies.scales import check_integers, check_names, scale_of
from offnominal.worlds.catalogue import worlds as world_registry


@dataclass(frozen=True)
class DetectorEntry(Config):
    """A detector of a study.

    Args:
        name: What tables call it.
        detector: Its registered id, or ``"package.module:Class"``; the name if empty.
        parameters: Of its constructor.
        seeds: Training seeds, if not those of the study; one is enough for a detector without chance.
    """

    name: str
    detector: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    seeds: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        text("the name of a detector", self.name)
        check_integers(self, 0, "seeds")
        if self.seeds == ():
            raise InvalidParameter(f"detector {self.name!r} has no seeds; name at least one, or leave them out.")

    @property
    def id(self) -> str:
        """Registered id or path of the class."""
        return self.detector or self.name


@dataclass(frozen=True)
class Scale(Config):
    """How much of a study to run; what is None is as the study says.

    Args:
        summary: One line for listings.
        worlds: Only these.
        detectors: Only these, by the name in the tables.
        seeds: Training seeds; a detector with seeds of its own keeps as many of them at most.
        policies: Who acts.
        data: Fields of :class:`DataEntry` that differ.
        parameters: Parameters that differ, by the name of the detector in the tables.
        replicates: Of the bootstrap.
    """

    summary: str = ""
    worlds: tuple[str, ...] | None = None
    detectors: tuple[str, ...] | None = None
    seeds: tuple[int, ...] | None = None
    policies: tuple[str, ...] | None = None
    data: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    replicates: int | None = None


@dataclass(frozen=True)
class Study(BaseStudy):
    """Which detectors meet which worlds, how often, and how it is judged.

    Args:
        name: What commands call it.
        title: What people call it.
        summary: What it asks, in a sentence or two.
        worlds: Ids of worlds.
        detectors: Who is compared.
        alarms: When each of them calls.
        policies: Who acts: shipped experts by algorithm, or ``"scripted"``.
        seeds: Training seeds.
        data: Which episodes.
        replicates: Of the bootstrap.
        scales: Smaller or larger versions by name.

    Example:
        >>> study = Study("mine", worlds=("SAP-Goal0-v0",), detectors=(DetectorEntry("KNN"), DetectorEntry("Time")))
        >>> [cell.label for cell in study.cells()]
        ['SAP-Goal0-v0/tqc/KNN/0', 'SAP-Goal0-v0/tqc/Time/0']
    """

    kind: ClassVar[str] = STUDY

    worlds: tuple[str, ...] = ()
    detectors: tuple[DetectorEntry, ...] = ()
    alarms: tuple[AlarmEntry, ...] = ()
    policies: tuple[str, ...] = ("tqc",)
    seeds: tuple[int, ...] = (0,)
    data: DataEntry = DataEntry()
    replicates: int = REPLICATES
    scales: dict[str, Scale] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_names(self.name, self.scales)
        for what in ("worlds", "detectors", "policies", "seeds"):
            if not getattr(self, what):
                raise InvalidParameter(f"study {self.name!r} has no {what}; name at least one.")
        check_integers(self, 0, "seeds", "replicates")
        for world in self.worlds:
            world_registry.spec(world)
        names = [entry.name for entry in self.detectors]
        if len(set(names)) < len(names):
            raise InvalidParameter(f"study {self.name!r} has two detectors of one name among {', '.join(names)}.")
        for registry, name in self.targets():
            registry.find(name)

    def targets(self) -> Iterator[Target]:
        """Yield the detectors and the alarms."""
        yield from ((detector_registry, entry.id) for entry in self.detectors)
        yield from ((alarm_registry, entry.alarm) for entry in self.alarms)

    def at(self, scale: str | None) -> Study:
        """Return the study as a scale changes it; as it is if None."""
        if scale is None:
            return self
        change = scale_of(self.name, self.scales, scale)
        entries = _named(self.detectors, change.detectors, f"scale {scale!r} of study {self.name!r}")
        _named(self.detectors, change.parameters, f"the parameters of scale {scale!r} of study {self.name!r}")
        fields = {name: getattr(change, name) for name in ("worlds", "seeds", "policies", "replicates")}
        return self.replace(
            **{name: value for name, value in fields.items() if value is not None},
            data=DataEntry.from_dict({**self.data.to_dict(), **change.data}),
            detectors=tuple(
                entry.replace(
                    parameters={**entry.parameters, **change.parameters.get(entry.name, {})},
                    seeds=entry.seeds and entry.seeds[: len(change.seeds or entry.seeds)],
                )
                for entry in entries
            ),
        )

    def cells(self) -> list[Cell]:
        """Return every cell: world by world, so that cells which share a dataset follow each other."""
        return [
            Cell(
                world=world,
                name=entry.name,
                detector=entry.id,
                parameters=entry.parameters,
                seed=seed,
                policy=policy,
                data=self.data,
                alarms=self.alarms,
                replicates=self.replicates,
            )
            for world in self.worlds
            for policy in self.policies
            for entry in self.detectors
            for seed in (self.seeds if entry.seeds is None else entry.seeds)
        ]


def _named(entries: tuple[DetectorEntry, ...], names: Iterable[str] | None, where: str) -> tuple[DetectorEntry, ...]:
    """Return the detectors of some names, in the order of the study; all if None."""
    known = [entry.name for entry in entries]
    wanted = known if names is None else list(names)
    for name in wanted:
        if name not in known:
            raise UnknownName(
                f"{where} names detector {name!r}.{did_you_mean(name, known)} It has: {', '.join(known)}."
            )
    return tuple(entry for entry in entries if entry.name in wanted)
