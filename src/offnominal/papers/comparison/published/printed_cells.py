"""The published values by our names of tables, image sets, classes and methods."""

from __future__ import annotations

from functools import cache

from offnominal.papers.comparison.search_spaces import has_default
from offnominal.papers.printed_values import Row, printed_values

PAPER = "comparison"
ALL = "ALL"
"""Data set of a value over all data sets, such as a mean rank."""
CELLS = ("mean_over_folds", "mean_over_classes", "value")
"""Quantities of a single data set or class."""
IMAGE_SETS = {"mnist": "mnist", "fmnist": "fashion_mnist", "cifar10": "cifar10", "svhn2": "svhn2"}
"""Our name of an image set by its alias in the paper."""
OTHER_NAMES = {"KDD99 (10%)": "kdd99_small", "PageBlocks": "page-blocks"}
"""Names of tables here where they are not those of the paper in lower case."""
OTHER_CLASSES = {"T-Shirt": "T-shirt"}


def rows_of(item: str, **wanted: str) -> list[Row]:
    """Return the rows of a published table that have the wanted values.

    Example:
        >>> [row["value"] for row in rows_of("table_IV", dataset="wne", method="knn")]
        ['0.98']
    """
    rows = printed_values(PAPER, item)
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


@cache
def table_names() -> dict[str, str]:
    """Return our name of each table by its alias in the paper.

    Example:
        >>> table_names()["wne"], table_names()["kdd"]
        ('wine', 'kdd99_small')
    """
    names = {row["alias"]: row["dataset"] for row in printed_values(PAPER, "table_I")}
    return {alias: OTHER_NAMES.get(name, name.lower().replace(" ", "-")) for alias, name in names.items()}


def class_name(printed: str) -> str:
    """Return our name of a class of images."""
    return OTHER_CLASSES.get(printed, printed)


@cache
def table_cells(item: str) -> dict[tuple[str, str], float]:
    """Return the published values of Table IV, B.1, B.2 or B.3 by table and method.

    Example:
        >>> len(table_cells("table_IV")), table_cells("table_IV")["wine", "knn"]
        (920, 0.98)
    """
    return {
        (table_names()[row["dataset"]], row["method"]): float(row["value"])
        for row in printed_values(PAPER, item)
        if row["dataset"] != ALL
    }


@cache
def image_cells(item: str) -> dict[tuple[str, str, str], float]:
    """Return the published values on images by image set, class and method; the class is empty for means.

    Example:
        >>> image_cells("table_VI")["mnist", "", "knn"], image_cells("table_C5")["mnist", "1", "vaek"]
        (0.87, 0.86)
    """
    return {
        (IMAGE_SETS[row["dataset"]], class_name(row.get("class", "")), row["method"]): float(row["value"])
        for row in printed_values(PAPER, item)
        if row["dataset"] != ALL
    }


def overall(item: str, quantity: str, **wanted: str) -> dict[str, float]:
    """Return a published quantity over all data sets by method.

    Example:
        >>> overall("table_IV", "mean_rank")["osvm"]
        2.8
    """
    return {row["method"]: float(row["value"]) for row in rows_of(item, dataset=ALL, quantity=quantity, **wanted)}


def is_classical(method: str) -> bool:
    """Whether a method is in the study of classical methods rather than in that of deep ones."""
    return has_default(method)
