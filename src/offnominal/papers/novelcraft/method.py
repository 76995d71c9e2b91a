"""Methods of a study: what is done with the scores or features of detectors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from offnominal.core.checks import text
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter

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
