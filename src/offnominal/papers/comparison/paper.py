"""The paper that compares anomaly detectors on tables and images: its studies, study kinds and published results."""

from __future__ import annotations

from offnominal.core.registry import Spec
from offnominal.papers.paper import Paper
from offnominal.studies.catalogue import study_file

_PACKAGE = "offnominal.papers.comparison"

PAPER = Paper(
    "comparison",
    studies=(
        study_file("comparison", _PACKAGE, "study.toml", "row detectors on forty tables, with a search of parameters"),
        study_file("comparison-mine", _PACKAGE, "mine.toml", "one more row detector beside those of the paper"),
        study_file("comparison-modern", _PACKAGE, "modern.toml", "detectors that are not in the paper, beside its own"),
        study_file(
            "comparison-contaminated", _PACKAGE, "contaminated.toml", "row detectors trained with unknown anomalies"
        ),
        study_file("comparison-clustered", _PACKAGE, "clustered.toml", "row detectors on anomalies in a cluster"),
        study_file("comparison-deep", _PACKAGE, "deep.toml", "deep detectors on forty tables"),
        study_file("comparison-images", _PACKAGE, "images.toml", "detectors on images, one class is anomalous"),
        study_file(
            "comparison-images-one-in", _PACKAGE, "images_one_in.toml", "detectors on images, one class is normal"
        ),
    ),
    study_kinds=(
        Spec("search", f"{_PACKAGE}.kinds:TableSearchKind", "row detectors on tables", version=2),
        Spec("image-search", f"{_PACKAGE}.kinds:ImageSearchKind", "detectors on image sets", version=2),
    ),
    published=f"{_PACKAGE}.published.catalogue:PUBLISHED",
)
