"""The study as data: agents, worlds and detectors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from offnominal.agents.uncertainty import UNCERTAINTY_KINDS, UncertaintyKind
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.detectors.catalogue import detectors as detector_registry
from offnominal.papers.ood_rl.cell import SHIPPED, MethodEntry, OODCell
from offnominal.papers.ood_rl.settings import settings
from offnominal.studies.base import BaseStudy, Target
from offnominal.studies.scales import changes_of, check_integers, check_names, scale_of


@dataclass(frozen=True)
class WorldOverrides(Config):
    """Changes in a world; None leaves a field of the study unchanged.

    Args:
        excluded_uncertainties: Kinds of agents that do not exist for it.
        excluded_methods: Names of methods that do not apply there.
        episodes: Number of episodes of each trial and setting.
        train: Number of training episodes of detectors outside the policy.
        max_steps: Time limit, if not the world's own.
    """

    excluded_uncertainties: tuple[UncertaintyKind, ...] = ()
    excluded_methods: tuple[str, ...] = ()
    episodes: int | None = None
    train: int | None = None
    max_steps: int | None = None


@dataclass(frozen=True)
class OODScale(Config):
    """Scale of the study; None leaves a field of the study unchanged.

    Args:
        summary: One line for listings.
        worlds: Ids of worlds.
        uncertainties: Kinds of agents.
        methods: Names of methods.
        agents: Numbers of the agents; 0 is the shipped one, others are trained with that seed.
        trials: Number of trials.
        episodes: Number of episodes of each trial and setting.
        train: Number of training episodes of detectors outside the policy.
        onset: First modified transition.
        anomalies: Ids of anomalies; other settings are left out.
        max_settings: Maximum number of settings of each anomaly.
        parameters: Changed parameters by name of the method.
    """

    summary: str = ""
    worlds: tuple[str, ...] | None = None
    uncertainties: tuple[UncertaintyKind, ...] | None = None
    methods: tuple[str, ...] | None = None
    agents: tuple[int, ...] | None = None
    trials: int | None = None
    episodes: int | None = None
    train: int | None = None
    onset: int | None = None
    anomalies: tuple[str, ...] | None = None
    max_settings: int | None = None
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)


INTERNAL, EXTERNAL = "policy", "outside"
"""Groups of methods that share the episodes of a cell: those that only use signals from inside the policy are cheap."""


@dataclass(frozen=True)
class OODStudy(BaseStudy):
    """Policies with uncertainty estimates in worlds with one modification at a time.

    Args:
        name: Id in commands.
        title: Title of the report.
        summary: The question of the study, in one or two sentences.
        worlds: Ids of worlds with settings in Table 1.
        uncertainties: Kinds of agents.
        changes: Changes in a world, by its id.
        methods: Detectors.
        agents: Numbers of the agents of each kind.
        external_agents: Numbers of the agents for detectors outside the policy, which need training; all if None.
        trials: Number of evaluations of each agent.
        episodes: Number of unmodified episodes of each trial, and of episodes of each setting.
        train: Number of training episodes of detectors outside the policy.
        onset: First modified transition; 0 as in the paper.
        anomalies: Ids of anomalies; other settings are left out.
        max_settings: Maximum number of settings of each anomaly; None for all.
        scales: Smaller or larger versions by name.
        kind: Id of the study kind.

    Example:
        >>> methods = (MethodEntry("Entropy", internal=True), MethodEntry("KNN", uncertainties=("ensemble",)))
        >>> study = OODStudy(
        ...     "mine", worlds=("OOD-CartPole-v0",), methods=methods, uncertainties=("ensemble", "dropout")
        ... )
        >>> [cell.label.removeprefix("OOD-CartPole-v0/") for cell in study.cells()]
        ['ensemble/policy/0', 'ensemble/outside/0', 'dropout/policy/0']
    """

    worlds: tuple[str, ...] = ()
    uncertainties: tuple[UncertaintyKind, ...] = UNCERTAINTY_KINDS
    changes: dict[str, WorldOverrides] = field(default_factory=dict)
    methods: tuple[MethodEntry, ...] = ()
    agents: tuple[int, ...] = (SHIPPED,)
    external_agents: tuple[int, ...] | None = None
    trials: int = 5
    episodes: int = 20
    train: int = 50
    onset: int = 0
    anomalies: tuple[str, ...] | None = None
    max_settings: int | None = None
    scales: dict[str, OODScale] = field(default_factory=dict)
    kind: Literal["ood-rl"] = "ood-rl"

    def __post_init__(self) -> None:
        check_names(self.name, self.scales)
        for what in ("worlds", "methods", "uncertainties", "agents"):
            if not getattr(self, what):
                raise InvalidParameter(f"study {self.name!r} has no {what}; name at least one.")
        check_integers(self, 1, "trials", "episodes", "train", "max_settings")
        check_integers(self, 0, "agents", "external_agents", "onset")
        known = sorted({each.world for each in settings()})
        for world in self.worlds:
            if world not in known:
                raise UnknownName(f"Table 1 has no {world!r}.{did_you_mean(world, known)} It has {', '.join(known)}.")
        names = [entry.name for entry in self.methods]
        if len(set(names)) < len(names):
            raise InvalidParameter(f"study {self.name!r} has two methods with the same name among {', '.join(names)}.")
        for entry in self.methods:
            _check_known(entry.parts, names, f"method {entry.name!r} of study {self.name!r}")

    def targets(self) -> Iterator[Target]:
        """Yield the methods and their parts."""
        for entry in self.methods:
            yield from ((detector_registry, name) for name in detector_registry.names(entry.id, entry.parameters))

    def at(self, scale: str | None) -> OODStudy:
        """Return the study at a scale, or unchanged if None."""
        if scale is None:
            return self
        change = scale_of(self.name, self.scales, scale)
        names = [entry.name for entry in self.methods]
        for named in (change.methods or (), change.parameters):
            _check_known(named, names, f"scale {scale!r} of study {self.name!r}")
        common = changes_of(change, "methods", "parameters")
        chosen = names if change.methods is None else change.methods
        methods = tuple(
            entry.replace(parameters={**entry.parameters, **change.parameters.get(entry.name, {})})
            for entry in self.methods
            if entry.name in chosen
        )
        return self.replace(**common, methods=methods)

    def cells(self) -> list[OODCell]:
        """Return every cell: world by world, agent by agent; methods that share episodes are one."""
        return [
            cell
            for world in self.worlds
            for uncertainty in self.uncertainties
            if uncertainty not in self.change(world).excluded_uncertainties
            for agent in self.agents
            for cell in self._cells_of(world, uncertainty, agent)
        ]

    def change(self, world: str) -> WorldOverrides:
        """Return the changes in a world."""
        return self.changes.get(world, WorldOverrides())

    def _cells_of(self, world: str, uncertainty: UncertaintyKind, agent: int) -> list[OODCell]:
        # The result of a method does not depend on the other agents that it is applied to.
        by_name = {entry.name: entry.replace(uncertainties=None) for entry in self.methods}
        groups: dict[str, list[MethodEntry]] = {INTERNAL: [], EXTERNAL: []}
        for entry in self.methods:
            if (
                uncertainty in (entry.uncertainties or UNCERTAINTY_KINDS)
                and entry.name not in self.change(world).excluded_methods
            ):
                parts = [by_name[name] for name in entry.parts] or [entry]
                groups[INTERNAL if all(part.internal for part in parts) else EXTERNAL].append(by_name[entry.name])
        detections = self.external_agents is None or agent in self.external_agents
        if not detections:
            groups[EXTERNAL] = []
        cells = []
        for group, entries in groups.items():
            shown = {entry.name for entry in entries}
            hidden = [name for entry in entries for name in entry.parts if name not in shown]
            if entries:
                unseen = tuple(by_name[name] for name in dict.fromkeys(hidden))
                cells.append(self._cell(world, uncertainty, agent, group, tuple(entries), unseen))
        return cells

    def _cell(
        self,
        world: str,
        uncertainty: UncertaintyKind,
        agent: int,
        group: str,
        methods: tuple[MethodEntry, ...],
        parts: tuple[MethodEntry, ...],
    ) -> OODCell:
        """Return a cell with the fields that its methods depend on."""
        change = self.change(world)
        return OODCell(
            world=world,
            uncertainty=uncertainty,
            methods=methods,
            parts=parts,
            group=group,
            seed=agent,
            trials=self.trials,
            episodes=change.episodes or self.episodes,
            train=change.train or self.train,
            max_steps=change.max_steps,
            onset=self.onset,
            anomalies=self.anomalies,
            max_settings=self.max_settings,
        )


def _check_known(given: Any, names: list[str], where: str) -> None:
    for name in given:
        if name not in names:
            raise UnknownName(f"{where} names {name!r}.{did_you_mean(name, names)} There is: {', '.join(names)}.")
