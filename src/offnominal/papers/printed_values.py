"""Every number of the published tables, as printed, and what is known to be wrong with the print."""

from __future__ import annotations

import csv
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from offnominal.core.errors import UnknownName

FOLDERS = {
    "anomaly-gym": "anomaly_gym",
    "anovox": "anovox",
    "comparison": "comparison",
    "novelcraft": "novelcraft",
    "ood-rl": "ood_rl",
}
ERRATA = "errata"
Row = dict[str, str]


@dataclass(frozen=True, slots=True)
class Erratum:
    """A misprint, an inconsistency or a doubtful reading of a published table.

    Args:
        item: Table or figure, such as ``"table_9"``.
        where: The cells, often as ``"rows: columns"``; see :func:`erratum_about`.
        problem: What is wrong, and how it is known.
    """

    item: str
    where: str
    problem: str


@cache
def printed_values(paper: str, item: str) -> tuple[Row, ...]:
    """Return a published table or figure, one row per printed value.

    The digits are those of the print: ``0.780`` stays ``0.780``. The column ``sure`` says whether the reading is
    without doubt; whether the number itself can be right is a matter of :func:`errata`.

    Args:
        paper: Such as ``"anomaly-gym"``.
        item: Such as ``"table_IV"`` or ``"figure_4"``.

    Example:
        >>> rows = printed_values("ood-rl", "table_3")
        >>> rows[0]["method"], rows[0]["parameter"], rows[0]["best_auc"]
        ('MC Dropout', 'force', '0.780')
    """
    found = printed_items(paper)
    if item not in found:
        raise UnknownName(f"{paper} has no {item!r}; expected one of {', '.join(found)}.")
    return tuple(_rows(_folder(paper).joinpath(f"{item}.csv")))


def printed_items(paper: str) -> list[str]:
    """Return the published tables and figures of a paper that have numbers.

    Example:
        >>> printed_items("anovox")
        ['table_1', 'table_2', 'table_3', 'table_4']
    """
    names = (file.name.removesuffix(".csv") for file in _folder(paper).iterdir() if file.name.endswith(".csv"))
    return sorted(name for name in names if name != ERRATA)


@cache
def errata(paper: str) -> tuple[Erratum, ...]:
    """Return what is known to be wrong or doubtful in the published tables of a paper.

    Example:
        >>> [erratum.where for erratum in errata("anovox") if erratum.item == "table_4"]
        ['RbA, +norm: F1 and PPV', 'all: FPR95', 'REAL: F1 and PPV']
    """
    return tuple(Erratum(**row) for row in _rows(_folder(paper).joinpath(f"{ERRATA}.csv")))


def erratum_about(paper: str, item: str, rows: Collection[str], column: str) -> Erratum | None:
    """Return what is known about one published number, or None.

    Args:
        paper: Such as ``"anovox"``.
        item: Such as ``"table_4"``.
        rows: The names of its row in errata, such as a method, and a method with its variant; ``"all"`` is always one.
        column: Name of its column. An erratum without columns is about all of them.

    Example:
        >>> erratum_about("anovox", "table_4", ["REAL"], "FPR95").where
        'all: FPR95'
        >>> erratum_about("anovox", "table_4", ["REAL"], "AUROC")
    """
    for erratum in errata(paper):
        named, _, columns = erratum.where.partition(": ")
        about = set(named.split("; ")) & {"all", *rows} and (not columns or column in columns.split(" and "))
        if erratum.item == item and about:
            return erratum
    return None


def _folder(paper: str) -> Traversable:
    if paper not in FOLDERS:
        raise UnknownName(f"there is no paper {paper!r}; expected one of {', '.join(FOLDERS)}.")
    return files("offnominal.papers").joinpath(FOLDERS[paper], "printed")


def _rows(file: Traversable) -> list[Row]:
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
