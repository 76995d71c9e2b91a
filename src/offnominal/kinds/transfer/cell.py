"""Cells of a transfer study: one detector, trained in one world and tested in several worlds."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

from offnominal.core.checks import file_name, number_in
from offnominal.core.config import Config
from offnominal.core.files import sha256_of
from offnominal.kinds.faults.cell import Cell

TRANSFER = "transfer"
TRAIN_WORLD = "train_world_name"
"""Column of results with the training world; the column ``world`` has the tested one."""


@dataclass(frozen=True)
class TransferFault(Config):
    """A fault with its parameter in each world.

    Args:
        anomaly: Id of the anomaly.
        level: Name of the strength.
        parameters: Fault parameters by world; worlds that are not named do not have the fault,
            and worlds that are not tested are ignored.
    """

    anomaly: str
    level: str
    parameters: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        file_name(f"the level of {self.anomaly}", self.level)
        for world, parameter in self.parameters.items():
            number_in(f"the parameter of {self.anomaly}@{self.level} in {world}", parameter)


@dataclass(frozen=True)
class TransferCell(Cell):
    """One detector with one seed: fitted in one world, then evaluated on the faults of every tested world.

    Args:
        world: Id of the world of the training episodes.
        name: Name of the detector in tables.
        detector: Its registered id, or ``"package.module:Class"``.
        parameters: Arguments of its constructor.
        seed: Training seed.
        policy: Policy in all worlds: ``"expert"``, the id of another shipped one, or ``"scripted"``.
        data: Episodes in each world.
        alarms: Alarms, calibrated on the validation episodes of the training world and, apart from that, of the tested
            world.
        replicates: Number of bootstrap replicates.
        test_worlds: Ids of the worlds of the test episodes.
        faults: Faults; all calibrated ones of each world if empty.
        kind: Id of the study kind.

    Example:
        >>> cell = TransferCell("SAP-Goal0-v0", "KNN", "KNN", test_worlds=("SAP-Goal0-v0", "SAP-Goal1-v0"))
        >>> cell.label, cell == TransferCell.from_dict(cell.to_dict())
        ('SAP-Goal0-v0/expert/KNN/0', True)
    """

    test_worlds: tuple[str, ...] = ()
    faults: tuple[TransferFault, ...] = ()
    kind: Literal["transfer"] = field(default="transfer", kw_only=True)  # type: ignore[misc]

    @property
    def worlds(self) -> tuple[str, ...]:
        """Every world whose episodes are needed, sorted."""
        return tuple(sorted({self.world, *self.test_worlds}))

    @property
    def source(self) -> str:
        """Hash of the options of the datasets of all worlds."""
        faults = [fault.to_dict() for fault in self.faults]
        text = json.dumps([TRANSFER, self.worlds, self.policy, self.data.to_dict(), faults], sort_keys=True)
        return sha256_of(text)

    @property
    def data_label(self) -> str:
        """Name of its datasets in progress messages."""
        worlds = " and ".join(self.worlds)
        return f"episodes of {worlds}/{self.policy}" if self.policy else f"episodes of {worlds}"

    def columns(self) -> dict[str, Any]:
        """Return training world, policy, detector and seed; the rows of a tested world replace ``world``."""
        return {**super().columns(), TRAIN_WORLD: self.world}
