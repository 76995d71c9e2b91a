"""Papers whose tables we put ours beside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.studies.comparison import Comparison
from offnominal.studies.results import RunResults

PAPERS = {
    "anomaly-gym": "offnominal.studies.anomaly_gym.tables",
    "comparison": "offnominal.studies.detector_comparison.tables",
}


@dataclass(frozen=True, slots=True)
class Printed:
    """A table of a paper.

    Args:
        number: Its number, or a name where print has none.
        title: What it shows.
        study: The study whose run it is made from.
        compare: Makes it from the results of that run.
        images: Whether it, or this half of it, is about detectors of pictures.
    """

    number: int | str
    title: str
    study: str
    compare: Callable[[RunResults], list[Comparison]]
    images: bool = False


def tables_of(paper: str, numbers: Sequence[int | str] | None = None, *, images: bool = False) -> list[Printed]:
    """Return the tables of a paper, vectors or pictures; a table that is about one of them alone is found by number.

    Args:
        paper: Its short name.
        numbers: Only these tables.
        images: Those about detectors of pictures.

    Example:
        >>> [table.number for table in tables_of("anomaly-gym")]
        [3, 4, 5, 12]
        >>> [table.study for table in tables_of("anomaly-gym", [12, 13])]
        ['anomaly-gym', 'anomaly-gym-images']
    """
    if paper not in PAPERS:
        raise UnknownName(f"no paper {paper!r}.{did_you_mean(paper, PAPERS)} There is: {', '.join(PAPERS)}.")
    tables: list[Printed] = import_module(PAPERS[paper]).TABLES
    known = {str(table.number): table.number for table in tables}
    wanted = [str(number) for number in numbers or ()]
    for number in wanted:
        if number not in known:
            raise UnknownName(f"{paper} has no table {number} here; choose from {', '.join(known)}.")
    if not wanted:
        return [table for table in tables if table.images == images]
    halves = {name: [table for table in tables if str(table.number) == name] for name in dict.fromkeys(wanted)}
    return [table for half in halves.values() for table in half if table.images == images or len(half) == 1]


def tables_from(study: str) -> list[Printed]:
    """Return the tables of all papers that are made from a study.

    Example:
        >>> [table.number for table in tables_from("anomaly-gym-policies")]
        [5]
    """
    both = [tables_of(paper, images=images) for paper in PAPERS for images in (False, True)]
    return [table for tables in both for table in tables if table.study == study]
