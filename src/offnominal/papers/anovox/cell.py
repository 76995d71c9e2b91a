"""Cells of a study of driving scenes: one detector with one seed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from offnominal.detectors.scenes import scene_detectors
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.evaluation.scenes.elements import UNITS, Unit
from offnominal.evaluation.scenes.scored_scenes import Statistic
from offnominal.papers.anovox.scene_data import SceneData
from offnominal.sensing.voxels import Reduction
from offnominal.studies.base import BaseCell, Target

SCENES = "scenes"


@dataclass(frozen=True)
class DrivingCell(BaseCell):
    """One detector with one seed on driving scenes.

    Args:
        name: Name of the detector in tables.
        detector: Its registered id, or ``"package.module:Class"``.
        parameters: Arguments of its constructor.
        seed: Training seed.
        data: Scenes.
    """

    name: str
    detector: str
    parameters: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    data: SceneData = field(default_factory=SceneData)

    @property
    def source(self) -> str:
        """Hash of the description of its scenes."""
        return self.data.digest()

    @property
    def data_label(self) -> str:
        """Name of its scenes in progress messages."""
        return f"driving scenes {self.source[:8]}"

    def columns(self) -> dict[str, Any]:
        """Return the columns of every row."""
        parameters = json.dumps(self.parameters, sort_keys=True)
        about = {"name": self.name, "detector": self.detector, "parameters": parameters, "seed": self.seed}
        return {"world": self.kind, "policy": self.data.rig, **about}

    def targets(self) -> Iterator[Target]:
        """Yield the detector and its parts."""
        return ((scene_detectors, name) for name in scene_detectors.names(self.detector, self.parameters))


@dataclass(frozen=True)
class SceneCell(DrivingCell):
    """One detector with one seed: fitted to normal scenes, then evaluated on content and temporal anomalies.

    The other fields are those of :class:`DrivingCell`.

    Args:
        units: Elements that get metrics; those that the detector does not score are left out.
        reduction: Score of a voxel: the max or mean of its points, or that of the point nearest to its centre.
        statistic: Score of a frame, for temporal anomalies.
        shipped_weights: Whether a network has its weights in the package, if there are any, and is not trained.
        replicates: Number of bootstrap replicates.
        kind: Id of the study kind.

    Example:
        >>> cell = SceneCell("Motion", "Motion", seed=1)
        >>> cell.label, cell == SceneCell.from_dict(cell.to_dict())
        ('mono/Motion/1', True)
    """

    units: tuple[Unit, ...] = UNITS
    reduction: Reduction = "mean"
    statistic: Statistic = "max"
    shipped_weights: bool = True
    replicates: int = REPLICATES
    kind: Literal["scenes"] = "scenes"

    @property
    def label(self) -> str:
        """Rig, name of the detector and seed."""
        return f"{self.data.rig}/{self.name}/{self.seed}"
