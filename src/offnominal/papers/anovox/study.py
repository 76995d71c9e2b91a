"""Studies of driving scenes as data: detectors and scenes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, get_args

from offnominal.core.checks import one_of
from offnominal.detectors.scenes import scene_detectors
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.evaluation.scenes.elements import UNITS, Unit
from offnominal.evaluation.scenes.scored_scenes import STATISTICS, Statistic
from offnominal.papers.anovox.cell import SceneCell
from offnominal.papers.anovox.scene_data import SceneData
from offnominal.sensing.voxels import Reduction
from offnominal.studies.base import Target
from offnominal.studies.detector_study import DetectorEntry, DetectorScale, DetectorStudy


@dataclass(frozen=True)
class SceneScale(DetectorScale):
    """Scale of a study of driving scenes; None leaves a field unchanged. The other fields are those of all scales.

    Args:
        units: Elements that get metrics.
        shipped_weights: Whether networks have their weights in the package.
    """

    units: tuple[Unit, ...] | None = None
    shipped_weights: bool | None = None


@dataclass(frozen=True)
class DrivingStudy(DetectorStudy):
    """Scene detectors on driving scenes.

    Args:
        name: Id in commands.
        title: Title of the report.
        summary: The question of the study, in one or two sentences.
        detectors: Detectors.
        seeds: Training seeds.
        data: Scenes.
    """

    detectors: tuple[DetectorEntry, ...] = ()
    seeds: tuple[int, ...] = (0,)
    data: SceneData = field(default_factory=SceneData)

    def targets(self) -> Iterator[Target]:
        """Yield the detectors and their parts."""
        for entry in self.detectors:
            yield from ((scene_detectors, name) for name in scene_detectors.names(entry.id, entry.parameters))


@dataclass(frozen=True)
class SceneStudy(DrivingStudy):
    """Scene detectors on content and temporal anomalies of driving scenes.

    The other fields are those of :class:`DrivingStudy`.

    Args:
        units: Elements that get metrics; those that a detector does not score are left out.
        reduction: Score of a voxel: the max or mean of its points, or that of the point nearest to its centre.
        statistic: Score of a frame, for temporal anomalies.
        shipped_weights: Whether networks have their weights in the package, if there are any, and are not trained.
        replicates: Number of bootstrap replicates.
        scales: Smaller or larger versions by name.
        kind: Id of the study kind.

    Example:
        >>> study = SceneStudy("mine", detectors=(DetectorEntry("HeightAboveRoad"), DetectorEntry("Motion")))
        >>> [cell.label for cell in study.cells()]
        ['mono/HeightAboveRoad/0', 'mono/Motion/0']
    """

    units: tuple[Unit, ...] = UNITS
    reduction: Reduction = "mean"
    statistic: Statistic = "max"
    shipped_weights: bool = True
    replicates: int = REPLICATES
    scales: dict[str, SceneScale] = field(default_factory=dict)
    kind: Literal["scenes"] = "scenes"

    def __post_init__(self) -> None:
        self._check("units")
        one_of("statistic", self.statistic, STATISTICS)
        one_of("reduction", self.reduction, get_args(Reduction))

    def cells(self) -> list[SceneCell]:
        """Return every cell; all of them share their scenes."""
        return [
            SceneCell(
                name=entry.name,
                detector=entry.id,
                parameters=entry.parameters,
                seed=seed,
                data=self.data,
                units=self.units,
                reduction=self.reduction,
                statistic=self.statistic,
                shipped_weights=self.shipped_weights,
                replicates=self.replicates,
            )
            for entry in self.detectors
            for seed in self.seeds_of(entry)
        ]
