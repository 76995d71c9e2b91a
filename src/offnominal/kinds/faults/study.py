"""Studies of detectors on faults, as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from offnominal.agents.experts import EXPERT
from offnominal.alarms.catalogue import alarms as alarm_registry
from offnominal.core.checks import integer_in
from offnominal.core.errors import InvalidParameter
from offnominal.core.imported_modules import import_modules
from offnominal.datasets.recipe import without
from offnominal.detectors.catalogue import detectors as detector_registry
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.evaluation.false_alarm_budget import DEFAULT, FalseAlarmBudget
from offnominal.kinds.faults.cell import AlarmEntry, Cell, DataEntry
from offnominal.studies.base import Target
from offnominal.studies.detector_study import DetectorEntry, DetectorScale, DetectorStudy
from offnominal.studies.results import STUDY
from offnominal.studies.scales import MOST
from offnominal.studies.source_names import (
    check_policy,
    check_world,
    importable_names,
    is_dataset,
    matching_policies,
)


@dataclass(frozen=True)
class Scale(DetectorScale):
    """Scale of a study of faults; None leaves a field of the study unchanged. The other fields are those of all scales.

    Args:
        worlds: Ids of worlds.
        policies: Policies.
        world_policies: Policies of some worlds, in place of `policies`.
    """

    worlds: tuple[str, ...] | None = None
    policies: tuple[str, ...] | None = None
    world_policies: dict[str, tuple[str, ...]] | None = None


@dataclass(frozen=True)
class Study(DetectorStudy):
    """Detectors that are evaluated on the faults of worlds.

    Args:
        name: Id in commands.
        title: Title of the report.
        summary: The question of the study, in one or two sentences.
        worlds: Worlds: ids of worlds or of Gymnasium environments; datasets, by their folder or by their name in the
            data home; or functions that make an environment, as ``"package.module:function"``.
        detectors: Detectors.
        alarms: Alarms, applied to the scores of every detector.
        policies: Policies in every world that is no dataset: ``"expert"``, ids of other shipped policies, patterns of
            these such as ``"sac-[0-2]"``, which may match none in a world, ``"scripted"``, ``"random"``,
            ``.safetensors`` files, ``.zip`` files of Stable-Baselines3, or ``"package.module:attribute"`` for a policy
            or a function from observations to actions.
        seeds: Training seeds.
        data: Episodes.
        world_policies: Policies of some worlds, in place of `policies`.
        max_episodes: Maximum number of episodes of any split in a world, by its id; at every scale.
        replicates: Number of bootstrap replicates.
        budget: Budget of false alarms at which detectors are compared: per 1,000 steps, or per hour with the length of
            the steps of each world.
        scales: Smaller or larger versions by name.

    Example:
        >>> study = Study("mine", worlds=("SAP-Goal0-v0",), detectors=(DetectorEntry("KNN"), DetectorEntry("Time")))
        >>> [cell.label for cell in study.cells()]
        ['SAP-Goal0-v0/expert/KNN/0', 'SAP-Goal0-v0/expert/Time/0']
    """

    kind: ClassVar[str] = STUDY
    cell_class: ClassVar[type[Cell]] = Cell

    worlds: tuple[str, ...] = ()
    detectors: tuple[DetectorEntry, ...] = ()
    alarms: tuple[AlarmEntry, ...] = ()
    policies: tuple[str, ...] = (EXPERT,)
    seeds: tuple[int, ...] = (0,)
    data: DataEntry = DataEntry()
    world_policies: dict[str, tuple[str, ...]] = field(default_factory=dict)
    max_episodes: dict[str, int] = field(default_factory=dict)
    replicates: int = REPLICATES
    scales: dict[str, Scale] = field(default_factory=dict)
    budget: FalseAlarmBudget = field(default=DEFAULT, kw_only=True)

    def __post_init__(self) -> None:
        import_modules(self.modules)
        self._check("worlds", "policies")
        for world in (*self.worlds, *self.max_episodes, *self.world_policies):
            check_world(world)
        for policy in self._policies():
            check_policy(policy)
        for world in self.worlds:
            if not self.policies_in(world):
                named = ", ".join(self.world_policies.get(world, self.policies))
                raise InvalidParameter(
                    f"study {self.name!r} has the policies {named} in {world}, but no shipped policy matches; "
                    "`offnominal agents` lists them."
                )
        for world in (world for fault in self.data.faults for world in fault.worlds or ()):
            check_world(world)
        for world, most in self.max_episodes.items():
            integer_in(f"max_episodes of {world}", most, 1, MOST)
            if is_dataset(world):
                raise InvalidParameter(f"max_episodes names the dataset {world}; a dataset is taken as it is.")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, without the budget if it is the default."""
        return without(super().to_dict(), budget=DEFAULT.to_dict())

    def _policies(self) -> list[str]:
        """Return all policies, in all worlds."""
        return [*self.policies, *(policy for policies in self.world_policies.values() for policy in policies)]

    def policies_in(self, world: str) -> tuple[str, ...]:
        """Return the policies in a world; a dataset has one without a name."""
        named = self.world_policies.get(world, self.policies)
        return ("",) if is_dataset(world) else matching_policies(named, world)

    def targets(self) -> Iterator[Target]:
        """Yield the detectors and their parts, the alarms, and functions that make worlds or are policies."""
        for entry in self.detectors:
            yield from ((detector_registry, name) for name in detector_registry.names(entry.id, entry.parameters))
        yield from ((alarm_registry, entry.alarm) for entry in self.alarms)
        yield from importable_names([*self.worlds, *self._policies()])

    def cells(self) -> list[Cell]:
        """Return every cell, world by world: cells that share a dataset follow each other."""
        return [
            self.cell_class(
                world=world,
                name=entry.name,
                detector=entry.id,
                parameters=entry.parameters,
                seed=seed,
                policy=policy,
                data=self.data_in(world),
                alarms=self.alarms,
                replicates=self.replicates,
                budget=self.budget,
            )
            for world in self.worlds
            for policy in self.policies_in(world)
            for entry in self.detectors
            for seed in self.seeds_of(entry)
        ]

    def data_in(self, world: str) -> DataEntry:
        """Return the episodes in a world: those of the study with its faults, up to its maximum number."""
        data, most = self.data.in_world(world), self.max_episodes.get(world)
        if most is None:
            return data
        sizes = {name: getattr(data, name) for name in ("episodes", "nominal", "validation")}
        return data.replace(**{name: min(size, most) for name, size in sizes.items() if size is not None})
