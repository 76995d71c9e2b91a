"""Which runs are too small for the published tables: their numbers are means and ranks over tables or classes."""

from __future__ import annotations

from offnominal.papers.comparison.published.image_rows import CLASSES
from offnominal.papers.comparison.published.printed_cells import IMAGE_SETS, class_name, rows_of, table_cells
from offnominal.papers.comparison.published.rank_rows import FEWEST_METHODS, FEWEST_TABLES
from offnominal.papers.comparison.studies import ImageStudy, SearchStudy

FEWEST_CONFIGURATIONS = 4
"""Of a search that may have several scores of a VAE; that of three, at scale smoke, has none."""


def too_few_tables(study: SearchStudy) -> str:
    """Return why a run of a study has no mean over tables; empty if it has five of the published ones."""
    published = {table for table, _ in table_cells("table_IV")}
    count = len(published & set(study.tables))
    return "" if count >= FEWEST_TABLES else f"its numbers need {FEWEST_TABLES} tables, and the run has {count}"


def too_few_for_ranks(study: SearchStudy) -> str:
    """Return why a run of a study has no ranks; empty if it has five tables and five methods."""
    if len(study.methods) >= FEWEST_METHODS:
        return too_few_tables(study)
    return f"ranks need {FEWEST_METHODS} methods, and the run has {len(study.methods)}"


def too_few_configurations(study: SearchStudy) -> str:
    """Return why a run of a study has no ratios of times; empty if its search has several scores of one network."""
    if study.configurations >= FEWEST_CONFIGURATIONS:
        return ""
    return f"its ratios need several scores, and the search of {study.configurations} configurations has none"


def too_few_classes(study: ImageStudy, *, fewest: int = CLASSES) -> str:
    """Return why a run of a study has no mean over classes; empty if it has enough of them.

    Args:
        study: The study at the scale of the run.
        fewest: Number of classes that a mean needs.
    """
    count = len(study.classes)
    return "" if count >= fewest else f"its numbers are over at least {fewest} classes, and the run has {count}"


def without_airplanes(study: ImageStudy) -> str:
    """Return why a run of a study has no number for the figure of methods trained on airplanes."""
    wanted = {(IMAGE_SETS[row["dataset"]], class_name(row["class"])) for row in rows_of("figure_C3")}
    sets = sorted({images for images, _ in wanted})
    if not set(sets) & set(study.sets):
        return f"it is about {', '.join(sets)}, and the run has {', '.join(study.sets)}"
    return ""
