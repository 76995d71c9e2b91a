"""AnoVox: its study, study kind and published results."""

from __future__ import annotations

from offnominal.core.registry import Spec
from offnominal.papers.paper import Paper
from offnominal.studies.catalogue import study_file

_PACKAGE = "offnominal.papers.anovox"

PAPER = Paper(
    "anovox",
    studies=(
        study_file("anovox", _PACKAGE, "study.toml", "camera and lidar detectors on driving scenes"),
        study_file("anovox-gap", _PACKAGE, "gap.toml", "simulated scenes and photographs of roads, one for the other"),
    ),
    study_kinds=(
        Spec("scenes", f"{_PACKAGE}.kind:SceneKind", "scene detectors on driving scenes", version=4),
        Spec("domain-gap", f"{_PACKAGE}.gap_study:GapKind", "detectors between simulated scenes and photographs"),
    ),
    published=f"{_PACKAGE}.published_tables:PUBLISHED",
)
