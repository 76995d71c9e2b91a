"""Studies of novelty as data: detectors, methods and the NovelCraft set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.papers.novelcraft.cell import MethodEntry, NoveltyCell, Task
from offnominal.papers.novelcraft.detector_registries import registry_of
from offnominal.papers.novelcraft.novelty_data import NoveltyData
from offnominal.papers.novelcraft.published import BASIC, PLUS
from offnominal.studies.base import Target
from offnominal.studies.detector_study import DetectorEntry, DetectorScale, DetectorStudy

RELEASED = "released"
"""Name of the set of the authors in commands."""


@dataclass(frozen=True)
class NoveltyScale(DetectorScale):
    """Scale of a study of novelty; None leaves a field unchanged. The other fields are those of all scales.

    Args:
        tasks: Tasks; methods of others are left out.
    """

    tasks: tuple[Task, ...] | None = None


@dataclass(frozen=True)
class NoveltyStudy(DetectorStudy):
    """Detection of novel frames and novel episodes, and discovery of novel categories.

    Args:
        name: Id in commands.
        title: Title of the report.
        summary: The question of the study, in one or two sentences.
        detectors: Detectors, which methods refer to by name.
        methods: Methods. A method of frames without a variant is trained on NovelCraft, and on NovelCraft+ if the set
            has it. Methods with detectors that a scale leaves out are left out.
        tasks: Tasks; methods of others are left out.
        seeds: Training seeds.
        data: The NovelCraft set.
        replicates: Number of bootstrap replicates.
        scales: Smaller or larger versions by name.
        kind: Id of the study kind.

    Example:
        >>> ar = DetectorEntry("Symbolic 2", "Symbolic-AR", {"context": 2})
        >>> method = MethodEntry("episodes", ("Symbolic 2",), "Symbolic", "2")
        >>> [cell.label for cell in NoveltyStudy("mine", detectors=(ar,), methods=(method,)).cells()]
        ['episodes/Symbolic 2/0']
    """

    detectors: tuple[DetectorEntry, ...] = ()
    methods: tuple[MethodEntry, ...] = ()
    tasks: tuple[Task, ...] = ("frames", "episodes", "discovery")
    seeds: tuple[int, ...] = (0,)
    data: NoveltyData = field(default_factory=NoveltyData)
    replicates: int = REPLICATES
    scales: dict[str, NoveltyScale] = field(default_factory=dict)
    kind: Literal["novelty"] = "novelty"

    def __post_init__(self) -> None:
        self._check("methods", "tasks")
        known = [entry.name for entry in self.detectors]
        for name in (name for method in self.methods for name in method.detectors if name not in known):
            raise UnknownName(
                f"a method of study {self.name!r} names detector {name!r}.{did_you_mean(name, known)} "
                f"It has: {', '.join(known)}."
            )
        labels = [method.label for method in self.methods]
        if len(set(labels)) < len(labels):
            raise InvalidParameter(
                f"study {self.name!r} has two methods with the same name and variant among {', '.join(labels)}."
            )

    def on(self, data: str) -> Self:
        """Return the study on the set that the authors released.

        Args:
            data: ``"released"``.

        Raises:
            UnknownName: There is no such set.
        """
        if data != RELEASED:
            raise UnknownName(
                f"no set of NovelCraft named {data!r}.{did_you_mean(data, [RELEASED])} Give {RELEASED!r}."
            )
        return self.replace(name=f"{self.name}-{RELEASED}", data=self.data.replace(released=True))

    def targets(self) -> Iterator[Target]:
        """Yield the detectors and their parts."""
        for entry in self.detectors:
            registry = registry_of(entry.id)
            yield from ((registry, name) for name in registry.names(entry.id, entry.parameters))

    def _changes(self, change: DetectorScale, entries: tuple[DetectorEntry, ...]) -> dict[str, Any]:
        return super()._changes(change, entries) | {"methods": self._methods_of(entries)}

    def with_detectors(self, entries: Iterable[DetectorEntry]) -> Self:
        """Return the study with some of its detectors, and without methods that need the others."""
        kept = tuple(entries)
        return self.replace(detectors=kept, methods=self._methods_of(kept))

    def _methods_of(self, entries: Iterable[DetectorEntry]) -> tuple[MethodEntry, ...]:
        kept = {entry.name for entry in entries}
        return tuple(method for method in self.methods if kept.issuperset(method.detectors))

    def cells(self) -> list[NoveltyCell]:
        """Return every cell, task by task; all of them share their set."""
        entries = {entry.name: entry for entry in self.detectors}
        return [
            NoveltyCell(
                task=task,
                name=method.name,
                variant=variant,
                detectors=tuple(entries[name].replace(seeds=None) for name in method.detectors),
                parameters=method.parameters,
                seed=seed,
                data=self.data,
                replicates=self.replicates,
            )
            for task in self.tasks
            for method in self.methods
            if method.task == task
            for variant in self._variants(method)
            for seed in max((self.seeds_of(entries[name]) for name in method.detectors), key=len)
        ]

    def _variants(self, method: MethodEntry) -> tuple[str, ...]:
        if method.task != "frames" or method.variant:
            return (method.variant,)
        return (BASIC, PLUS) if self.data.plus else (BASIC,)
