"""NovelCraft: its study, study kind and published results."""

from __future__ import annotations

from offnominal.core.registry import Spec
from offnominal.papers.paper import Paper
from offnominal.studies.catalogue import study_file

_PACKAGE = "offnominal.papers.novelcraft"

PAPER = Paper(
    "novelcraft",
    studies=(
        study_file("novelcraft", _PACKAGE, "study.toml", "novel frames, episodes and classes of a voxel world"),
        study_file("novelcraft-pretrained", _PACKAGE, "pretrained.toml", "novel frames, with weights of ImageNet"),
    ),
    study_kinds=(Spec("novelty", f"{_PACKAGE}.kind:NoveltyKind", "novelty detection on NovelCraft sets", version=3),),
    published=f"{_PACKAGE}.published_tables:PUBLISHED",
)
