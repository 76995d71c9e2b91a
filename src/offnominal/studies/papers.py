"""Papers whose tables we put ours beside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.studies.comparison import Comparison
from offnominal.studies.results import RunResults

PAPERS = {"anomaly-gym": "offnominal.studies.anomaly_gym.tables"}


@dataclass(frozen=True, slots=True)
class Printed:
    """A table of a paper.

    Args:
        number: Its number.
        title: What it shows.
        study: The study whose run it is made from.
        compare: Makes it from the results of that run.
    """

    number: int
    title: str
    study: str
    compare: Callable[[RunResults], list[Comparison]]


def tables_of(paper: str, numbers: Sequence[int] | None = None) -> list[Printed]:
    """Return the tables of a paper.

    Args:
        paper: Its short name.
        numbers: Only these tables.

    Example:
        >>> [table.number for table in tables_of("anomaly-gym")]
        [3, 4, 5, 12]
    """
    if paper not in PAPERS:
        raise UnknownName(f"no paper {paper!r}.{did_you_mean(paper, PAPERS)} There is: {', '.join(PAPERS)}.")
    tables: list[Printed] = import_module(PAPERS[paper]).TABLES
    known = [table.number for table in tables]
    for number in numbers or ():
        if number not in known:
            raise UnknownName(f"{paper} has no table {number} here; choose from {', '.join(map(str, known))}.")
    return [table for table in tables if not numbers or table.number in numbers]


def tables_from(study: str) -> list[Printed]:
    """Return the tables of all papers that are made from a study.

    Example:
        >>> [table.number for table in tables_from("anomaly-gym-policies")]
        [5]
    """
    return [table for paper in PAPERS for table in tables_of(paper) if table.study == study]
