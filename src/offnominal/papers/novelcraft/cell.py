"""Cells of a study of novelty: one method with one seed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from offnominal.core.checks import text
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.papers.novelcraft.detector_registries import registry_of
from offnominal.papers.novelcraft.novelty_data import NoveltyData
from offnominal.studies.base import BaseCell, Target
from offnominal.studies.detector_study import DetectorEntry

Task = Literal["frames", "episodes", "discovery"]


@dataclass(frozen=True)
class MethodEntry(Config):
    """A method: the detectors of a task, and what is done with them.

    Args:
        task: ``"frames"``: novelty of single frames, one detector. ``"episodes"``: novelty of episodes, one detector or
            the fusion of several. ``"discovery"``: clusters of the features of one detector.
        detectors: Names of detectors of the study.
        name: Name in tables; that of the first detector if empty. In category discovery, ``SSKM`` or ``SSGMM``.
        variant: Training data of the frame task, ``"NovelCraft"`` or ``"NovelCraft+"``; context of the episode task, or
            features of category discovery, as in the published tables.
        parameters: Parameters of :class:`~offnominal.detectors.score_fusion.ScoreFusion`, or of the clustering;
            ``n_clusters = "estimated"`` estimates the number of clusters.
    """

    task: Task
    detectors: tuple[str, ...]
    name: str = ""
    variant: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.detectors or (len(self.detectors) > 1 and self.task != "episodes"):
            raise InvalidParameter(
                f"a method of task {self.task!r} has {len(self.detectors)} detectors; name one, or more for episodes."
            )
        object.__setattr__(self, "name", self.name or self.detectors[0])
        text("the name of a method", self.name)

    @property
    def label(self) -> str:
        """Task, name and variant."""
        return "/".join(part for part in (self.task, self.name, self.variant) if part)


NOVELTY = "novelty"


@dataclass(frozen=True)
class NoveltyCell(BaseCell):
    """One method with one seed: fitted to normal frames or episodes, then evaluated on normal and novel ones.

    Args:
        task: ``"frames"``, ``"episodes"`` or ``"discovery"``.
        name: Name of the method in tables.
        variant: Training data, context or features.
        detectors: Detectors of the method.
        parameters: Parameters of the fusion or of the clustering.
        seed: Training seed.
        data: The NovelCraft set.
        replicates: Number of bootstrap replicates.
        kind: Id of the study kind.

    Example:
        >>> cell = NoveltyCell("episodes", "Symbolic", "2", (DetectorEntry("Symbolic 2", "Symbolic-AR"),), seed=1)
        >>> cell.label, cell == NoveltyCell.from_dict(cell.to_dict())
        ('episodes/Symbolic 2/1', True)
    """

    task: Task
    name: str
    variant: str
    detectors: tuple[DetectorEntry, ...]
    parameters: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    data: NoveltyData = field(default_factory=NoveltyData)
    replicates: int = REPLICATES
    kind: Literal["novelty"] = "novelty"

    @property
    def label(self) -> str:
        """Task, method and seed."""
        return f"{self.task}/{f'{self.name} {self.variant}'.strip()}/{self.seed}"

    @property
    def source(self) -> str:
        """Hash of the recipe of its set, or ``"released"``."""
        return self.data.source

    @property
    def data_label(self) -> str:
        """Name of its set in progress messages."""
        return f"NovelCraft set {self.source[:8]}"

    def columns(self) -> dict[str, Any]:
        """Return the columns of every row."""
        return {
            "world": "novelcraft",
            "policy": self.task,
            "name": self.name,
            "variant": self.variant,
            "detector": ", ".join(entry.id for entry in self.detectors),
            "parameters": json.dumps(
                [self.parameters, *(entry.parameters for entry in self.detectors)], sort_keys=True
            ),
            "seed": self.seed,
        }

    def targets(self) -> Iterator[Target]:
        """Yield the detectors and their parts."""
        for entry in self.detectors:
            registry = registry_of(entry.id)
            yield from ((registry, name) for name in registry.names(entry.id, entry.parameters))
