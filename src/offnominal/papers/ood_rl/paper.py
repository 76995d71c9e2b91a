"""The paper about out-of-distribution detection inside policies: its study, study kind and published results."""

from __future__ import annotations

from offnominal.core.registry import Spec
from offnominal.papers.paper import Paper
from offnominal.studies.catalogue import study_file

_PACKAGE = "offnominal.papers.ood_rl"

PAPER = Paper(
    "ood-rl",
    studies=(
        study_file("ood-rl", _PACKAGE, "study.toml", "policies with uncertainty estimates in modified environments"),
    ),
    study_kinds=(Spec("ood-rl", f"{_PACKAGE}.kind:OODKind", "policies in modified environments"),),
    published=f"{_PACKAGE}.published_tables:PUBLISHED",
)
