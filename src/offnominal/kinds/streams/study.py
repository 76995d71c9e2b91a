"""Studies of streams, as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from offnominal.anomalies.catalogue import anomalies_with
from offnominal.core.checks import positive_integer
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.core.imported_modules import import_modules
from offnominal.datasets.policy_source import SCRIPTED
from offnominal.detectors.catalogue import detectors as detector_registry
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.kinds.streams.cell import STREAMS, StreamAlarm, StreamCell
from offnominal.kinds.streams.condition import StreamCondition
from offnominal.kinds.streams.null_scores import NULLS
from offnominal.kinds.streams.plan import DEFAULT_PLAN, StreamPlan
from offnominal.kinds.transfer.cell import TransferFault
from offnominal.studies.base import Target
from offnominal.studies.detector_study import DetectorEntry, DetectorScale, DetectorStudy
from offnominal.studies.source_names import check_policy, importable_names
from offnominal.worlds.catalogue import worlds as world_registry
from offnominal.worlds.named_world import is_shipped_id


@dataclass(frozen=True)
class StreamScale(DetectorScale):
    """Scale of a study of streams; None leaves a field of the study unchanged.

    Args:
        worlds: Ids of worlds.
        conditions: Names of conditions.
        alarm_parameters: Changed parameters by the name of the alarm in tables.
    """

    worlds: tuple[str, ...] | None = None
    conditions: tuple[str, ...] | None = None
    alarm_parameters: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class StreamStudy(DetectorStudy):
    """Alarms over long runs without resets, in which nominal operation changes and faults come and go.

    Args:
        name: Id in commands.
        title: Title of the report.
        summary: The question of the study.
        worlds: Ids of worlds.
        conditions: How nominal operation changes with time.
        detectors: Detectors, fitted once on the first hours.
        nulls: Nulls beside the first detector: ``"clock"``, ``"restarts"``, ``"drift"``.
        alarms: Alarms, applied to the scores of every detector and null. Promise and window are those of `data`.
        policy: Policy at the beginning.
        updates: Policy after an update, by world.
        background: Anomalies that always act, as part of nominal operation.
        faults: Faults of the test.
        time_limits: Steps of a task, by world; no limit in the others.
        seeds: Training seeds, each with streams of its own.
        data: Parts of the streams.
        replicates: Number of bootstrap replicates.
        scales: Smaller or larger versions by name.

    Example:
        >>> fault = TransferFault("observation/offset", "strong", {"OOD-CartPole-v0": 0.1})
        >>> parts = {"detectors": (DetectorEntry("KNN"),), "alarms": (StreamAlarm("Maximum", "EpisodeMaximum"),)}
        >>> conditions = (StreamCondition("steady"),)
        >>> study = StreamStudy("mine", worlds=("OOD-CartPole-v0",), conditions=conditions, faults=(fault,), **parts)
        >>> [cell.label for cell in study.cells()]
        ['OOD-CartPole-v0/steady/KNN/0']
    """

    worlds: tuple[str, ...] = ()
    conditions: tuple[StreamCondition, ...] = ()
    detectors: tuple[DetectorEntry, ...] = ()
    nulls: tuple[str, ...] = ("clock",)
    alarms: tuple[StreamAlarm, ...] = ()
    policy: str = SCRIPTED
    updates: dict[str, str] = field(default_factory=dict)
    background: tuple[TransferFault, ...] = ()
    faults: tuple[TransferFault, ...] = ()
    time_limits: dict[str, int] = field(default_factory=dict)
    seeds: tuple[int, ...] = (0,)
    data: StreamPlan = DEFAULT_PLAN
    replicates: int = REPLICATES
    scales: dict[str, StreamScale] = field(default_factory=dict)
    kind: str = field(default=STREAMS, kw_only=True)

    def __post_init__(self) -> None:
        import_modules(self.modules)
        self._check("worlds", "conditions", "alarms", "faults")
        for world in (*self.worlds, *self.updates, *self.time_limits):
            if not is_shipped_id(world):
                raise InvalidParameter(
                    f"study {self.name!r} names {world}; a stream needs a world whose restarts are known. "
                    "`offnominal worlds` lists them."
                )
        for policy in (self.policy, *self.updates.values()):
            check_policy(policy)
        for limit in self.time_limits.values():
            positive_integer("time_limits", limit)
        for null in self.nulls:
            if null not in NULLS:
                raise UnknownName(f"no null {null!r}.{did_you_mean(null, NULLS)} Choose from {', '.join(NULLS)}.")
        self._check_anomalies()
        self._check_conditions()

    def _check_anomalies(self) -> None:
        """Raise an error for an anomaly that a world does not have, and for a world without faults."""
        named = [pair for condition in self.conditions for pair in condition.anomalies.items()]
        named += [(world, each.anomaly) for each in (*self.background, *self.faults) for world in each.parameters]
        for world, anomaly in named:
            names = [parameter.name for parameter in world_registry.card(world).physics_parameters]
            if anomaly not in (known := anomalies_with(names)):
                raise UnknownName(f"{world} has no anomaly {anomaly!r}.{did_you_mean(anomaly, known)}")
        for world in self.worlds:
            if not any(world in fault.parameters for fault in self.faults):
                raise InvalidParameter(f"study {self.name!r} has no faults in {world}; name a parameter of one.")

    def _check_conditions(self) -> None:
        """Raise an error if a condition lacks a parameter or a policy in one of the worlds."""
        names = [condition.name for condition in self.conditions]
        if len(set(names)) < len(names):
            raise InvalidParameter(f"study {self.name!r} has two conditions with the same name: {', '.join(names)}.")
        for condition in self.conditions:
            for world in self.worlds:
                if condition.course != "none" and world not in condition.anomalies:
                    raise InvalidParameter(f"condition {condition.name!r} has no anomaly in {world}; name one.")
                if condition.event == "update" and world not in self.updates:
                    raise InvalidParameter(f"condition {condition.name!r} needs a policy in updates for {world}.")

    def at(self, scale: str | None) -> Self:
        """Return the study at a scale, or unchanged if None."""
        if scale is None:
            return self
        conditions, alarms, change = self.conditions, self.alarms, self.scales.get(scale)
        if change is not None and change.conditions is not None:
            known = {condition.name: condition for condition in conditions}
            unknown = [name for name in change.conditions if name not in known]
            if unknown:
                raise UnknownName(f"no condition {unknown[0]!r}.{did_you_mean(unknown[0], known)}")
            conditions = tuple(known[name] for name in change.conditions)
        if change is not None:
            changes = change.alarm_parameters
            unknown = [name for name in changes if name not in {alarm.name for alarm in alarms}]
            if unknown:
                raise UnknownName(f"no alarm {unknown[0]!r} in study {self.name!r} at the scale {scale!r}.")
            alarms = tuple(each.replace(parameters=each.parameters | changes.get(each.name, {})) for each in alarms)
        return super().at(scale).replace(conditions=conditions, alarms=alarms)

    def _changes(self, change: DetectorScale, entries: tuple[DetectorEntry, ...]) -> dict[str, Any]:
        """Return the changed fields at a scale; those of conditions and alarms are made by :meth:`at`."""
        changed = super()._changes(change, entries)
        return {name: value for name, value in changed.items() if name not in ("conditions", "alarm_parameters")}

    def targets(self) -> Iterator[Target]:
        """Yield the detectors and their parts, and policies of modules."""
        for entry in self.detectors:
            yield from ((detector_registry, name) for name in detector_registry.names(entry.id, entry.parameters))
        yield from importable_names([self.policy, *self.updates.values()])

    def cells(self) -> Sequence[StreamCell]:
        """Return every cell: those with the same streams follow each other."""
        return [
            self._cell(world, condition, entry, seed)
            for world in self.worlds
            for condition in self.conditions
            for seed in self.seeds
            for entry in self.detectors
            if entry.seeds is None or seed in entry.seeds
        ]

    def _cell(self, world: str, condition: StreamCondition, entry: DetectorEntry, seed: int) -> StreamCell:
        return StreamCell(
            world=world,
            condition=condition.in_world(world),
            name=entry.name,
            detector=entry.id,
            parameters=entry.parameters,
            seed=seed,
            policy=self.policy,
            update=self.updates.get(world, "") if condition.event == "update" else "",
            plan=self.data,
            background=_in_world(self.background, world),
            faults=_in_world(self.faults, world),
            alarms=self.alarms,
            nulls=self.nulls if entry == self.detectors[0] else (),
            time_limit=self.time_limits.get(world),
            replicates=self.replicates,
            modules=self.modules,
        )


def _in_world(faults: Sequence[TransferFault], world: str) -> tuple[TransferFault, ...]:
    """Return the faults that a world has, without the parameters of other worlds."""
    return tuple(
        fault.replace(parameters={world: fault.parameters[world]}) for fault in faults if world in fault.parameters
    )
