"""Transfer studies as data: worlds, detectors and faults."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from offnominal.anomalies.catalogue import anomalies_with, camera_anomalies
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.kinds.faults.cell import Cell
from offnominal.kinds.faults.study import Study
from offnominal.kinds.transfer.cell import TransferCell, TransferFault
from offnominal.studies.source_names import check_world, is_dataset
from offnominal.worlds.catalogue import worlds as world_registry


@dataclass(frozen=True)
class TransferStudy(Study):
    """Detectors that are trained in one world and tested in every world, for all pairs.

    The worlds have equal observation and action shapes. The other fields are those of
    :class:`~offnominal.kinds.Study`.

    Args:
        name: Id in commands.
        title: Title of the report.
        summary: The question of the study, in one or two sentences.
        worlds: Ids of the worlds in which detectors are tested.
        detectors: Detectors.
        alarms: Alarms, applied to the scores of every detector.
        policies: Policies: ``"expert"``, ids of other shipped ones, or ``"scripted"``. All worlds of a cell have the
            one with this id.
        seeds: Training seeds.
        data: Episodes in each world. `anomalies` and `levels` choose among the faults.
        replicates: Number of bootstrap replicates.
        scales: Smaller or larger versions by name.
        train_worlds: Ids of the worlds in which detectors are trained; as `worlds` if empty.
        faults: Faults and their parameters; all calibrated ones of each world if empty.
        kind: Id of the study kind.

    Example:
        >>> from offnominal.studies import DetectorEntry
        >>> worlds = ("SAP-Goal0-v0", "SAP-Goal1-v0")
        >>> study = TransferStudy("mine", worlds=worlds, detectors=(DetectorEntry("KNN"),))
        >>> [cell.label for cell in study.cells()]
        ['SAP-Goal0-v0/expert/KNN/0', 'SAP-Goal1-v0/expert/KNN/0']
    """

    train_worlds: tuple[str, ...] = ()
    faults: tuple[TransferFault, ...] = ()
    kind: Literal["transfer"] = field(default="transfer", kw_only=True)  # type: ignore[misc]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_episodes:
            raise InvalidParameter(
                f"study {self.name!r} has max_episodes; in a transfer study all worlds have the episodes of `data`."
            )
        for world in self.train_worlds:
            check_world(world)
        self._check_shapes()
        self._check_faults()

    def _check_shapes(self) -> None:
        """Raise an error if two registered worlds differ in the number of observation or action channels."""
        worlds = dict.fromkeys((*self.worlds, *self.train_worlds))
        cards = [world_registry.card(world) for world in worlds if world in world_registry]
        sizes = {card.id: (len(card.observation), len(card.action)) for card in cards}
        if len(set(sizes.values())) > 1:
            given = "; ".join(f"{world} has {size[0]} and {size[1]}" for world, size in sizes.items())
            raise InvalidParameter(
                f"the worlds of study {self.name!r} differ in the numbers of observation and action channels: "
                f"{given}; choose worlds with equal shapes."
            )

    def _check_faults(self) -> None:
        """Raise an error if a fault names an unknown world, or an anomaly that the world does not have."""
        for fault in self.faults:
            for world in fault.parameters:
                names = [parameter.name for parameter in world_registry.card(world).physics_parameters]
                known = [*anomalies_with(names), *camera_anomalies()]
                if fault.anomaly not in known:
                    raise UnknownName(
                        f"{world} has no anomaly {fault.anomaly!r}, which study {self.name!r} names."
                        f"{did_you_mean(fault.anomaly, known)}"
                    )

    def cells(self) -> list[Cell]:
        """Return every cell, policy by policy: cells that share their datasets follow each other."""
        policies = ("",) if all(map(is_dataset, (*self.worlds, *self.train_worlds))) else self.policies
        return [
            TransferCell(
                world=world,
                name=entry.name,
                detector=entry.id,
                parameters=entry.parameters,
                seed=seed,
                policy=policy,
                data=self.data,
                alarms=self.alarms,
                replicates=self.replicates,
                test_worlds=self.worlds,
                faults=self.faults,
                budget=self.budget,
            )
            for policy in policies
            for world in self.train_worlds or self.worlds
            for entry in self.detectors
            for seed in self.seeds_of(entry)
        ]
