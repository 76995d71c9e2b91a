"""Cells of a study of streams: one detector with all alarms in one condition of one world."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from offnominal.core.config import Config
from offnominal.core.files import sha256_of
from offnominal.datasets.policy_source import SCRIPTED
from offnominal.detectors.catalogue import detectors as detector_registry
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.kinds.faults.cell import AlarmEntry
from offnominal.kinds.streams.condition import StreamCondition
from offnominal.kinds.streams.plan import DEFAULT_PLAN, StreamPlan
from offnominal.kinds.transfer.cell import TransferFault
from offnominal.studies.base import BaseCell, Target
from offnominal.studies.source_names import importable_names

STREAMS = "streams"


@dataclass(frozen=True)
class StreamAlarm(AlarmEntry):
    """An alarm of a study of streams.

    Its promise and its window are those of the plan; `parameters` are its other arguments.

    Args:
        recalibrated: Whether it is calibrated again after each event, with the segments without faults that follow.
        by_cycle: Whether its mode is the quarter of the cycle, for :class:`~offnominal.alarms.ModeThresholds`.
    """

    recalibrated: bool = False
    by_cycle: bool = False


@dataclass(frozen=True)
class StreamCell(BaseCell):
    """One detector in one condition of one world: fitted once, then scored over all streams with every alarm.

    Args:
        world: Id of the world.
        condition: How nominal operation changes.
        name: Name of the detector in tables.
        detector: Its registered id, or ``"package.module:Class"``.
        parameters: Arguments of its constructor.
        seed: Training seed. Each seed has streams of its own.
        policy: Policy at the beginning.
        update: Policy after an update.
        plan: Parts of the streams.
        background: Anomalies that always act, and are nominal: noise of sensors and actuators.
        faults: Faults of the test, drawn with equal probability.
        alarms: Alarms.
        nulls: Nulls that are evaluated with the same alarms, beside the detector.
        time_limit: Steps after which a task of the world ends; None for no limit.
        replicates: Number of bootstrap replicates.

    Example:
        >>> cell = StreamCell("OOD-CartPole-v0", StreamCondition("steady"), "KNN", "KNN")
        >>> cell.label, cell == StreamCell.from_dict(cell.to_dict())
        ('OOD-CartPole-v0/steady/KNN/0', True)
    """

    world: str
    condition: StreamCondition
    name: str
    detector: str
    parameters: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    policy: str = SCRIPTED
    update: str = ""
    plan: StreamPlan = DEFAULT_PLAN
    background: tuple[TransferFault, ...] = ()
    faults: tuple[TransferFault, ...] = ()
    alarms: tuple[StreamAlarm, ...] = ()
    nulls: tuple[str, ...] = ()
    time_limit: int | None = None
    replicates: int = REPLICATES
    kind: Literal["streams"] = field(default="streams", kw_only=True)

    @property
    def label(self) -> str:
        """World, condition, detector and seed."""
        return "/".join([self.world, self.condition.name, self.name, str(self.seed)])

    @property
    def source(self) -> str:
        """Hash of what decides its streams."""
        parts: list[Config] = [self.condition, self.plan, *self.background, *self.faults]
        text = [self.world, self.seed, self.policy, self.update, self.time_limit, *(part.to_dict() for part in parts)]
        return sha256_of(json.dumps([STREAMS, *text], sort_keys=True))

    @property
    def data_label(self) -> str:
        """Name of its streams in progress messages."""
        return f"streams of {self.world}/{self.condition.name}"

    def columns(self) -> dict[str, Any]:
        """Return world, condition, policy, detector and seed."""
        return {
            "world": self.world,
            "condition_name": self.condition.name,
            "policy": self.policy,
            "name": self.name,
            "detector": self.detector,
            "parameters": json.dumps(self.parameters, sort_keys=True),
            "seed": self.seed,
        }

    def targets(self) -> Iterator[Target]:
        """Yield the detector and its parts, and policies of modules."""
        yield from ((detector_registry, name) for name in detector_registry.names(self.detector, self.parameters))
        yield from importable_names([self.policy, self.update])
