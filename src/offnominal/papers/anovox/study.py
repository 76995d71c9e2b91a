"""Studies of driving scenes as data: detectors and scenes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from offnominal.core.checks import one_of
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.detectors.scenes import scene_detectors
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.evaluation.scenes.elements import UNITS, Unit
from offnominal.evaluation.scenes.scored_scenes import STATISTICS, Statistic
from offnominal.papers.anovox.cell import SceneCell
from offnominal.papers.anovox.scene_data import SceneData
from offnominal.sensing.voxels import Reduction
from offnominal.studies.base import BaseStudy, Target
from offnominal.studies.scales import check_integers, check_names, scale_of
from offnominal.studies.study import DetectorEntry


@dataclass(frozen=True)
class SceneScale(Config):
    """Scale of a study of driving scenes; None leaves a field of the study unchanged.

    Args:
        summary: One line for listings.
        detectors: Names of detectors in tables.
        seeds: Training seeds; a detector with seeds of its own keeps as many of them at most.
        data: Changed fields of :class:`~offnominal.papers.anovox.scene_data.SceneData`.
        units: Elements that get metrics.
        parameters: Changed parameters by the name of the detector in tables.
        shipped_weights: Whether networks have their weights in the package.
        replicates: Number of bootstrap replicates.
    """

    summary: str = ""
    detectors: tuple[str, ...] | None = None
    seeds: tuple[int, ...] | None = None
    data: dict[str, Any] = field(default_factory=dict)
    units: tuple[Unit, ...] | None = None
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    shipped_weights: bool | None = None
    replicates: int | None = None


@dataclass(frozen=True)
class SceneStudy(BaseStudy):
    """Scene detectors on content and temporal anomalies of driving scenes.

    Args:
        name: Id in commands.
        title: Title of the report.
        summary: The question of the study, in one or two sentences.
        detectors: Detectors.
        seeds: Training seeds.
        data: Scenes.
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

    detectors: tuple[DetectorEntry, ...] = ()
    seeds: tuple[int, ...] = (0,)
    data: SceneData = field(default_factory=SceneData)
    units: tuple[Unit, ...] = UNITS
    reduction: Reduction = "mean"
    statistic: Statistic = "max"
    shipped_weights: bool = True
    replicates: int = REPLICATES
    scales: dict[str, SceneScale] = field(default_factory=dict)
    kind: Literal["scenes"] = "scenes"

    def __post_init__(self) -> None:
        check_names(self.name, self.scales)
        for what in ("detectors", "seeds", "units"):
            if not getattr(self, what):
                raise InvalidParameter(f"study {self.name!r} has no {what}; name at least one.")
        check_integers(self, 0, "seeds", "replicates")
        one_of("statistic", self.statistic, STATISTICS)
        one_of("reduction", self.reduction, get_args(Reduction))
        names = [entry.name for entry in self.detectors]
        if len(set(names)) < len(names):
            raise InvalidParameter(
                f"study {self.name!r} has two detectors with the same name among {', '.join(names)}."
            )
        for registry, name in self.targets():
            registry.find(name)

    def targets(self) -> Iterator[Target]:
        """Yield the detectors."""
        return ((scene_detectors, entry.id) for entry in self.detectors)

    def at(self, scale: str | None) -> SceneStudy:
        """Return the study at a scale, or unchanged if None."""
        if scale is None:
            return self
        change = scale_of(self.name, self.scales, scale)
        names = [entry.name for entry in self.detectors]
        for given in (change.detectors or (), change.parameters):
            _check_known(given, names, f"scale {scale!r} of study {self.name!r}")
        chosen = names if change.detectors is None else change.detectors
        fields = {name: getattr(change, name) for name in ("seeds", "units", "shipped_weights", "replicates")}
        return self.replace(
            **{name: value for name, value in fields.items() if value is not None},
            data=SceneData.from_dict({**self.data.to_dict(), **change.data}),
            detectors=tuple(
                entry.replace(
                    parameters={**entry.parameters, **change.parameters.get(entry.name, {})},
                    seeds=entry.seeds and entry.seeds[: len(change.seeds or entry.seeds)],
                )
                for entry in self.detectors
                if entry.name in chosen
            ),
        )

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
            for seed in (self.seeds if entry.seeds is None else entry.seeds)
        ]


def _check_known(given: Iterable[str], names: list[str], where: str) -> None:
    for name in given:
        if name not in names:
            raise UnknownName(
                f"{where} names detector {name!r}.{did_you_mean(name, names)} It has: {', '.join(names)}."
            )
