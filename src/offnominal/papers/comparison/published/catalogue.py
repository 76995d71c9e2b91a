"""The published tables and figures, which study each is compared with, and which runs are too small for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from offnominal.papers.comparison.cells import Leave
from offnominal.papers.comparison.published.cost_tables import count_table, image_count_table, table_viii
from offnominal.papers.comparison.published.drawn_figures import published_figures
from offnominal.papers.comparison.published.ensemble_tables import ensemble_table
from offnominal.papers.comparison.published.image_tables import (
    CLASSES,
    FEWEST_CLASSES,
    class_table,
    figure_c3,
    mean_table,
    table_c1,
    table_c4,
)
from offnominal.papers.comparison.published.metric_tables import cell_table, table_v
from offnominal.papers.comparison.published.printed_cells import IMAGE_SETS, PAPER, class_name, rows_of, table_cells
from offnominal.papers.comparison.published.rank_lines import FEWEST_METHODS, FEWEST_TABLES
from offnominal.papers.comparison.published.search_space_tables import space_table
from offnominal.papers.comparison.published.size_tables import table_i, table_ii
from offnominal.papers.comparison.studies import ImageStudy, SearchStudy
from offnominal.papers.paper import Published, PublishedTable
from offnominal.papers.protocol import protocol
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

Compare = Callable[[RunResults], list[PublishedComparison]]
Unfilled = Callable[[Any], str]
FEWEST_CONFIGURATIONS = 4
"""Of a search that may have several scores of a VAE; that of three, at scale smoke, has none."""
TABLES, DEEP, OUT, IN = "comparison", "comparison-deep", "comparison-images", "comparison-images-one-in"
SEARCH = "search"
"""Scale of the image studies with most configurations that fits one GPU."""
IMAGE_STUDIES: dict[Leave, str] = {"leave-one-out": OUT, "leave-one-in": IN}


def _halves(
    number: str,
    title: str,
    compare: Callable[..., list[PublishedComparison]],
    *,
    as_published: bool = False,
    unfilled: Unfilled | None = None,
) -> Iterator[PublishedTable]:
    """Yield a table on tables: classical and deep methods are two studies."""
    for study, classical in ((TABLES, True), (DEEP, False)):
        about = "classical methods" if classical else "deep methods"
        whole = partial(compare, classical=classical)
        defects = partial(whole, as_published=True) if as_published else None
        yield PublishedTable(number, f"{title}, {about}", study, whole, compare_as_published=defects, unfilled=unfilled)


def _settings(
    number: str, title: str, compare: Callable[..., list[PublishedComparison]], unfilled: Unfilled | None = None
) -> Iterator[PublishedTable]:
    """Yield a table on images: one class anomalous and one class normal are two studies."""
    for setting, study in IMAGE_STUDIES.items():
        yield _images(number, f"{title}, {setting}", study, partial(compare, setting=setting), unfilled)


def _images(number: str, title: str, study: str, compare: Compare, unfilled: Unfilled | None = None) -> PublishedTable:
    return PublishedTable(number, title, study, compare, images=True, scale=SEARCH, unfilled=unfilled)


def _with_errors(
    number: str, title: str, compare: Callable[..., list[PublishedComparison]], unfilled: Unfilled | None = None
) -> PublishedTable:
    """Return a table on images with one class left out, whose DeepSVDD has an error in the public code."""
    return replace(
        _images(number, title, OUT, compare, unfilled), compare_as_published=partial(compare, as_published=True)
    )


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


def too_few_methods(study: ImageStudy) -> str:
    """Return why a run of a study has no ranks on classes; empty if it has five methods."""
    count = len(study.methods)
    return "" if count >= FEWEST_METHODS else f"ranks need {FEWEST_METHODS} methods, and the run has {count}"


def without_airplanes(study: ImageStudy) -> str:
    """Return why a run of a study has no number for the figure of methods trained on airplanes."""
    wanted = {(IMAGE_SETS[row["dataset"]], class_name(row["class"])) for row in rows_of("figure_C3")}
    sets = sorted({images for images, _ in wanted})
    if not set(sets) & set(study.sets):
        return f"it is about {', '.join(sets)}, and the run has {', '.join(study.sets)}"
    return ""


SOME_CLASSES = partial(too_few_classes, fewest=FEWEST_CLASSES)
PUBLISHED_TABLES = (
    PublishedTable("I", "sizes of the tables after the split", "", table_i, needs_data=True),
    PublishedTable("II", "sizes of the image sets, first class left out", "", table_ii, needs_data=True),
    *_halves("IV", "test AUC on tables, mean protocol", partial(cell_table, metric="AUC"), as_published=True),
    *_halves("V", "mean ranks on tables by the selection of the configuration", table_v, unfilled=too_few_for_ranks),
    _with_errors(
        "VI", "test AUC on images, one class left out, max protocol", partial(mean_table, item="table_VI"), SOME_CLASSES
    ),
    _images(
        "VII",
        "test AUC on images, one class left in, max protocol",
        IN,
        partial(mean_table, item="table_VII"),
        SOME_CLASSES,
    ),
    PublishedTable("VIII", "prediction times of VAE variants", DEEP, table_viii, unfilled=too_few_configurations),
    PublishedTable("A1", "search spaces of classical methods", "", partial(space_table, item="table_A1")),
    PublishedTable("A2", "search spaces of flows", "", partial(space_table, item="table_A2")),
    PublishedTable(
        "A3", "search spaces of autoencoders and adversarial networks", "", partial(space_table, item="table_A3")
    ),
    *_halves(
        "B1", "TPR at 5 % false alarms on tables, mean protocol", partial(cell_table, metric="TPR@5"), as_published=True
    ),
    *_halves("B2", "numbers of trained models per split", partial(count_table, item="table_B2")),
    *_halves("B3", "numbers of evaluated scores per split", partial(count_table, item="table_B3")),
    _images("C1", "test AUC on images by the seed of the split", OUT, table_c1, too_few_classes),
    _with_errors(
        "C2",
        "test AUC on images, one class left out, mean protocol",
        partial(mean_table, item="table_C2"),
        too_few_classes,
    ),
    _images(
        "C3",
        "test AUC on images, one class left in, mean protocol",
        IN,
        partial(mean_table, item="table_C3"),
        too_few_classes,
    ),
    *_settings("C4", "configurations among the ten best of every class", table_c4, too_few_classes),
    _with_errors("C5", "test AUC by the class that is left out", partial(class_table, item="table_C5")),
    _images("C6", "test AUC by the class that is left in", IN, partial(class_table, item="table_C6")),
    *_settings("C7", "numbers of trained models per class", partial(image_count_table, item="table_C7")),
    *_settings("C8", "numbers of evaluated scores per class", partial(image_count_table, item="table_C8")),
    _images("figC3", "test AUC of methods trained on airplanes", IN, figure_c3, without_airplanes),
    *_halves("D1", "AUC of ensembles on tables", partial(ensemble_table, item="table_D1"), unfilled=too_few_tables),
    *_halves(
        "D2",
        "TPR at 5 % false alarms of ensembles on tables",
        partial(ensemble_table, item="table_D2"),
        unfilled=too_few_tables,
    ),
    _images("D3", "AUC of ensembles on images", OUT, partial(ensemble_table, item="table_D3")),
    _images("D4", "TPR at 5 % false alarms of ensembles on images", OUT, partial(ensemble_table, item="table_D4")),
)
UNKNOWN_TABLES = {"III": "It has names and acronyms of methods, no numbers."}
_NOT_TOLD = (
    "What it shows is not known here: its caption is missing. No table and no number of the paper that the package has "
    "names it, and the public code, which draws more figures than the paper has, does not number them."
)
UNKNOWN_FIGURES = {"2": _NOT_TOLD, "C4": _NOT_TOLD, "C5": _NOT_TOLD, "C6": _NOT_TOLD, "C7": _NOT_TOLD}
FIGURES = published_figures(
    TABLES,
    DEEP,
    OUT,
    IN,
    scale=SEARCH,
    unfilled=(too_few_for_ranks, too_few_methods, too_few_configurations, without_airplanes),
)
PUBLISHED = Published(PUBLISHED_TABLES, FIGURES, UNKNOWN_TABLES, UNKNOWN_FIGURES, protocol(PAPER))
