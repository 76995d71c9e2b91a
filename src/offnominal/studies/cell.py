"""Cells: one detector, fitted once, on the faults of one dataset. The unit of work, of failure and of resuming."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, ClassVar, Literal

from offnominal.alarms.catalogue import alarms as alarm_registry
from offnominal.core.checks import text
from offnominal.core.config import Config
from offnominal.datasets.recipe import SEED
from offnominal.detectors.catalogue import detectors as detector_registry
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.studies.base import BaseCell, Target
from offnominal.studies.results import STUDY
from offnominal.studies.scales import check_integers

SCRIPTED = "scripted"


@dataclass(frozen=True)
class DataEntry(Config):
    """Which episodes a cell learns from and is tested on; see :class:`~offnominal.datasets.Recipe`.

    Args:
        episodes: Episodes of the test split and of each fault.
        nominal: Episodes of the training split; as `episodes` if None.
        validation: Episodes that alarms are calibrated on; a tenth of the training split if None.
        anomalies: Only these.
        levels: Only these strengths.
        twins: Whether the nominal twins of the faulty episodes are recorded and scored too.
        seed: Of the first training episode.
        frames: Whether detectors see pictures instead of vectors.
        camera: What a fault of the vector sensors does to the pictures: nothing if ``"clean"``; if ``"affected"``,
            they show the world as the sensors report it.
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

    def __post_init__(self) -> None:
        check_integers(self, 1, "episodes", "nominal")
        check_integers(self, 0, "validation", "seed")

    def options(self) -> dict[str, Any]:
        """Return the arguments of :meth:`offnominal.datasets.Recipe.for_world`, without those that are None."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class AlarmEntry(Config):
    """An alarm of a study.

    Args:
        name: What tables call it.
        alarm: Its registered id, or ``"package.module:Class"``.
        parameters: Of its constructor.
    """

    name: str
    alarm: str
    parameters: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        text("the name of an alarm", self.name)


@dataclass(frozen=True)
class Cell(BaseCell):
    """One detector with one seed on one dataset: fitted once, then judged on every fault with every alarm.

    It knows nothing of the study it belongs to, so studies that share a cell share its result.

    Args:
        world: Id of the world.
        name: What tables call the detector.
        detector: Its registered id, or ``"package.module:Class"``.
        parameters: Of its constructor.
        seed: Of its training.
        policy: Who acts: the algorithm of a shipped expert, or ``"scripted"``.
        data: Which episodes.
        alarms: All of them are tried on the same scores.
        replicates: Of the bootstrap, whose seed is the same everywhere.

    Example:
        >>> cell = Cell("SAP-Goal0-v0", "3-NN", "KNN", {"n_neighbors": 3})
        >>> cell.label
        'SAP-Goal0-v0/tqc/3-NN/0'
        >>> cell == Cell.from_dict(cell.to_dict())
        True
    """

    kind: ClassVar[str] = STUDY

    world: str
    name: str
    detector: str
    parameters: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    policy: str = "tqc"
    data: DataEntry = DataEntry()
    alarms: tuple[AlarmEntry, ...] = ()
    replicates: int = REPLICATES

    @property
    def label(self) -> str:
        """World, policy, detector and seed, for people."""
        return f"{self.world}/{self.policy}/{self.name}/{self.seed}"

    @property
    def source(self) -> str:
        """A hash of what decides the cell's dataset: cells that share it share their data."""
        text = json.dumps([self.world, self.policy, self.data.to_dict()], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def data_label(self) -> str:
        """Name of its dataset in progress messages."""
        return f"episodes of {self.world}/{self.policy}"

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
        """Yield the detector and the alarms."""
        yield detector_registry, self.detector
        yield from ((alarm_registry, entry.alarm) for entry in self.alarms)


def result_key(cell: BaseCell, *, data: str, code: str) -> str:
    """Return the name of a cell's result: it changes with the cell, with its data and with the code it uses.

    Args:
        cell: The cell.
        data: Hash of the dataset; see :func:`~offnominal.studies.data.content_hash`.
        code: Hash of the code; see :class:`~offnominal.studies.code.Sources`.

    Example:
        >>> result_key(Cell("SAP-Goal0-v0", "KNN", "KNN"), data="d1", code="c1")[:12]
        '07183d90ade0'
    """
    text = json.dumps({"cell": cell.to_dict(), "data": data, "code": code}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def select_cells(cells: Iterable[BaseCell], only: str | Iterable[str] | None) -> list[BaseCell]:
    """Return the cells whose label matches one of some patterns.

    Args:
        cells: To choose from.
        only: Patterns with ``*`` and ``?``, such as ``"*/KNN/*"``; None for all cells.

    Example:
        >>> cells = [Cell("SAP-Goal0-v0", name, name) for name in ("KNN", "Time")]
        >>> [cell.label for cell in select_cells(cells, "*/T*")]
        ['SAP-Goal0-v0/tqc/Time/0']
    """
    if only is None:
        return list(cells)
    patterns = [only] if isinstance(only, str) else list(only)
    return [cell for cell in cells if any(fnmatchcase(cell.label, pattern) for pattern in patterns)]
