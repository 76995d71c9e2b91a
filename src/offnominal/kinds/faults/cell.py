"""Cells of a study on faults: one detector, fitted once, evaluated on the faults of one dataset."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import combinations
from typing import Any, ClassVar, Literal, Self

from offnominal.agents.experts import EXPERT
from offnominal.alarms.catalogue import alarms as alarm_registry
from offnominal.core.checks import text
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.datasets.recipe import SEED, without
from offnominal.datasets.recording_changes import with_changes_in_one_field
from offnominal.detectors.catalogue import detectors as detector_registry
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.evaluation.false_alarm_budget import DEFAULT, FalseAlarmBudget
from offnominal.kinds.faults.fault_entry import FaultEntry
from offnominal.studies.base import BaseCell, Target
from offnominal.studies.results import STUDY
from offnominal.studies.scales import check_integers
from offnominal.studies.source_names import importable_names

AnomaliesByWorld = dict[str, tuple[str, ...]]
"""Fields with ids of anomalies by world."""
ChangedWorlds = tuple[str, ...]
"""Fields with worlds whose images are changed."""
Change = AnomaliesByWorld | ChangedWorlds


@dataclass(frozen=True)
class DataEntry(Config):
    """Episodes for training and evaluation of a cell; see :class:`~offnominal.datasets.Recipe`.

    Args:
        episodes: Number of episodes of the test split and of each fault.
        nominal: Number of episodes of the training split; as `episodes` if None.
        validation: Number of episodes for the calibration of alarms; a tenth of the training split if None.
        anomalies: Ids of anomalies; all if None.
        levels: Levels of strength; all if None.
        twins: Whether to record and score the nominal twins of the faulty episodes.
        seed: Random seed of the first training episode.
        frames: Whether observations are images instead of vectors.
        camera: Effect of a fault of the vector sensors on the images: none if ``"clean"``; if ``"affected"``, images
            show the state that the sensors report.
        faults: Faults of your own, in place of `anomalies` and `levels`. Worlds without any have all calibrated ones.
        max_steps: Time limit; the world's own if None.
        published_strengths: Whether faults have the parameters that Anomaly-Gym published, where it did.
        unpublished_neutral: Whether faults of sensors and actions without such a parameter have no effect.
        changes: Changes of what is recorded, by their ids: worlds, or ids of anomalies by world, all of whose names may
            have ``*`` and ``?``; see :class:`~offnominal.datasets.recording_changes.RecordingChange`.
    """

    episodes: int = 100
    nominal: int | None = None
    validation: int | None = None
    anomalies: tuple[str, ...] | None = None
    levels: tuple[str, ...] | None = None
    twins: bool = True
    seed: int = SEED
    frames: bool = False
    camera: Literal["clean", "affected"] = "clean"
    faults: tuple[FaultEntry, ...] = ()
    max_steps: int | None = None
    published_strengths: bool = False
    unpublished_neutral: bool = False
    changes: dict[str, Change] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_integers(self, 1, "episodes", "nominal", "max_steps")
        check_integers(self, 0, "validation", "seed")
        if self.faults and (self.anomalies is not None or self.levels is not None):
            raise InvalidParameter("the data have faults of their own besides anomalies or levels; give one of them.")
        if self.unpublished_neutral and not self.published_strengths:
            raise InvalidParameter("unpublished_neutral is for data with published_strengths = true; set both or none.")
        for first, second in combinations(self.faults, 2):
            if first.clashes_with(second):
                raise InvalidParameter(f"two faults are called {first.split!r}; give one of them a name = '...'.")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with a field for each change.

        Fields that were added later are left out at their default: old hashes stay valid.
        """
        data = without(super().to_dict(), faults=[], max_steps=None)
        data = without(data, published_strengths=False, unpublished_neutral=False)
        data |= data.pop("changes")
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the data of a study or cell from plain data."""
        return super().from_dict(with_changes_in_one_field(data, cls.__dataclass_fields__))

    def in_world(self, world: str) -> DataEntry:
        """Return the data of one world: without the faults and changes of other worlds."""
        if not self.changes and all(fault.worlds is None for fault in self.faults):
            return self
        faults = tuple(fault.replace(worlds=None) for fault in self.faults if fault.is_in(world))
        changes = {id: _change_in(world, given) for id, given in self.changes.items()}
        return self.replace(faults=faults, changes={id: here for id, here in changes.items() if here})

    def options(self) -> dict[str, Any]:
        """Return the arguments of :meth:`offnominal.datasets.Recipe.for_world`, without those that are None."""
        own = ("faults", "published_strengths", "unpublished_neutral")
        given = {name: value for name, value in vars(self).items() if value is not None and name not in own}
        return given | {"changes": {id: _anomalies_of(change) for id, change in self.changes.items()}}


def _change_in(world: str, given: Change) -> Change:
    """Return what a change is in one world; empty if the world does not have it."""
    here = [pattern for pattern in given if fnmatchcase(world, pattern)]
    if not isinstance(given, dict):
        return (world,) if here else ()
    ids = tuple(id for pattern in here for id in given[pattern])
    return {world: ids} if ids else {}


def _anomalies_of(change: Change) -> tuple[str, ...] | bool:
    """Return the ids of the anomalies of a change in one world; True if it is a change of all episodes."""
    return tuple(id for ids in change.values() for id in ids) if isinstance(change, dict) else bool(change)


@dataclass(frozen=True)
class AlarmEntry(Config):
    """An alarm of a study.

    Args:
        name: Name in tables.
        alarm: Its registered id, or ``"package.module:Class"``.
        parameters: Arguments of its constructor.
    """

    name: str
    alarm: str
    parameters: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        text("the name of an alarm", self.name)


@dataclass(frozen=True)
class Cell(BaseCell):
    """One detector with one seed on one dataset: fitted once, then evaluated on every fault with every alarm.

    It does not depend on its study: studies that share a cell share its result.

    Args:
        world: Id of the world or of a Gymnasium environment, a dataset, or ``"package.module:function"``.
        name: Name of the detector in tables.
        detector: Its registered id, or ``"package.module:Class"``.
        parameters: Arguments of its constructor.
        seed: Training seed.
        policy: Policy, see :class:`~offnominal.kinds.Study`; empty for a dataset.
        data: Episodes; those of a dataset are taken as they are.
        alarms: Alarms, all applied to the same scores.
        replicates: Number of bootstrap replicates; their seed is the same for all cells.
        budget: Budget of false alarms at which detectors are compared.

    Example:
        >>> cell = Cell("SAP-Goal0-v0", "3-NN", "KNN", {"n_neighbors": 3})
        >>> cell.label
        'SAP-Goal0-v0/expert/3-NN/0'
        >>> cell == Cell.from_dict(cell.to_dict())
        True
    """

    kind: ClassVar[str] = STUDY

    world: str
    name: str
    detector: str
    parameters: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    policy: str = EXPERT
    data: DataEntry = DataEntry()
    alarms: tuple[AlarmEntry, ...] = ()
    replicates: int = REPLICATES
    budget: FalseAlarmBudget = field(default=DEFAULT, kw_only=True)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; the default budget is left out, so that hashes from before stay valid."""
        return without(super().to_dict(), budget=DEFAULT.to_dict())

    @property
    def label(self) -> str:
        """World, policy (if there is one), detector and seed."""
        return "/".join([self.world, *([self.policy] if self.policy else []), self.name, str(self.seed)])

    @property
    def source(self) -> str:
        """Hash of the options of the dataset: cells with the same hash share their data."""
        text = json.dumps([self.world, self.policy, self.data.to_dict()], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def data_label(self) -> str:
        """Name of its dataset in progress messages."""
        return f"episodes of {self.world}/{self.policy}" if self.policy else f"episodes of {self.world}"

    def columns(self) -> dict[str, Any]:
        """Return world, policy, detector and seed."""
        return {
            "world": self.world,
            "policy": self.policy,
            "name": self.name,
            "detector": self.detector,
            "parameters": json.dumps(self.parameters, sort_keys=True),
            "seed": self.seed,
        }

    def targets(self) -> Iterator[Target]:
        """Yield the detector and its parts, the alarms, and functions that make the world or are the policy."""
        yield from ((detector_registry, name) for name in detector_registry.names(self.detector, self.parameters))
        yield from ((alarm_registry, entry.alarm) for entry in self.alarms)
        yield from importable_names([self.world, self.policy])
