"""Studies of detectors on faults, as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from offnominal.alarms.catalogue import alarms as alarm_registry
from offnominal.core.checks import integer_in, text
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.detectors.catalogue import detectors as detector_registry
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.studies.base import BaseStudy, Target
from offnominal.studies.cell import AlarmEntry, Cell, DataEntry
from offnominal.studies.results import STUDY
from offnominal.studies.scales import MOST, check_integers, check_names, scale_of
from offnominal.worlds.catalogue import worlds as world_registry


@dataclass(frozen=True)
class DetectorEntry(Config):
    """A detector of a study.

    Args:
        name: Name in tables.
        detector: Its registered id, or ``"package.module:Class"``; the name if empty.
        parameters: Arguments of its constructor.
        seeds: Training seeds, if not those of the study; one is enough for a deterministic detector.
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
    """Scale of a study; None leaves a field of the study unchanged.

    Args:
        summary: One line for listings.
        worlds: Ids of worlds.
        detectors: Names of detectors in tables.
        seeds: Training seeds; a detector with seeds of its own keeps as many of them at most.
        policies: Policies.
        data: Changed fields of :class:`DataEntry`.
        parameters: Changed parameters by the name of the detector in tables.
        replicates: Number of bootstrap replicates.
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
    """Detectors that are evaluated on the faults of worlds.

    Args:
        name: Id in commands.
        title: Title of the report.
        summary: The question of the study, in one or two sentences.
        worlds: Ids of worlds.
        detectors: Detectors.
        alarms: Alarms, applied to the scores of every detector.
        policies: Policies: shipped experts by algorithm, or ``"scripted"``.
        seeds: Training seeds.
        data: Episodes.
        max_episodes: Maximum number of episodes of any split in a world, by its id; at every scale.
        replicates: Number of bootstrap replicates.
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
    max_episodes: dict[str, int] = field(default_factory=dict)
    replicates: int = REPLICATES
    scales: dict[str, Scale] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_names(self.name, self.scales)
        for what in ("worlds", "detectors", "policies", "seeds"):
            if not getattr(self, what):
                raise InvalidParameter(f"study {self.name!r} has no {what}; name at least one.")
        check_integers(self, 0, "seeds", "replicates")
        for world in (*self.worlds, *self.max_episodes):
            world_registry.spec(world)
        for world, most in self.max_episodes.items():
            integer_in(f"max_episodes of {world}", most, 1, MOST)
        names = [entry.name for entry in self.detectors]
        if len(set(names)) < len(names):
            raise InvalidParameter(
                f"study {self.name!r} has two detectors with the same name among {', '.join(names)}."
            )
        for registry, name in self.targets():
            registry.find(name)

    def targets(self) -> Iterator[Target]:
        """Yield the detectors and the alarms."""
        yield from ((detector_registry, entry.id) for entry in self.detectors)
        yield from ((alarm_registry, entry.alarm) for entry in self.alarms)

    def at(self, scale: str | None) -> Study:
        """Return the study at a scale, or unchanged if None."""
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
        """Return every cell, world by world: cells that share a dataset follow each other."""
        return [
            Cell(
                world=world,
                name=entry.name,
                detector=entry.id,
                parameters=entry.parameters,
                seed=seed,
                policy=policy,
                data=self.data_in(world),
                alarms=self.alarms,
                replicates=self.replicates,
            )
            for world in self.worlds
            for policy in self.policies
            for entry in self.detectors
            for seed in (self.seeds if entry.seeds is None else entry.seeds)
        ]

    def data_in(self, world: str) -> DataEntry:
        """Return the episodes in a world: those of the study, up to its maximum number."""
        most = self.max_episodes.get(world)
        if most is None:
            return self.data
        sizes = {name: getattr(self.data, name) for name in ("episodes", "nominal", "validation")}
        return self.data.replace(**{name: min(size, most) for name, size in sizes.items() if size is not None})


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
