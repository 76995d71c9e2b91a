"""Cells of a diagnosis study: the explanations of one detector in one world."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Literal

from offnominal.core.files import sha256_of
from offnominal.kinds.faults.cell import Cell

DIAGNOSIS = "diagnosis"


@dataclass(frozen=True)
class DiagnosisCell(Cell):
    """One detector with one seed: fitted in a world, then its explanations of faults in single channels are evaluated.

    Args:
        world: Id of the world.
        name: Name of the detector in tables.
        detector: Its registered id, or ``"package.module:Class"``.
        parameters: Arguments of its constructor.
        seed: Training seed.
        policy: Policy: ``"expert"``, the id of another shipped one, or ``"scripted"``.
        data: Episodes. `validation` is at least 19.
        alarms: None; explanations have no alarms.
        replicates: Number of bootstrap replicates.
        kind: Id of the study kind.

    Example:
        >>> cell = DiagnosisCell("SAP-Goal0-v0", "KNN", "KNN")
        >>> cell.label, cell == DiagnosisCell.from_dict(cell.to_dict())
        ('SAP-Goal0-v0/expert/KNN/0', True)
    """

    kind: Literal["diagnosis"] = field(default="diagnosis", kw_only=True)  # type: ignore[misc]

    @property
    def source(self) -> str:
        """Hash of what decides its episodes."""
        return sha256_of(json.dumps([DIAGNOSIS, self.world, self.policy, self.data.to_dict()], sort_keys=True))
