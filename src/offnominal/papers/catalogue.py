"""Papers whose tables we put ours beside."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

PAPERS = {
    "anomaly-gym": "offnominal.papers.anomaly_gym.published_tables",
    "comparison": "offnominal.papers.comparison.published_tables",
    "ood-rl": "offnominal.papers.ood_rl.published_tables",
}
DEFAULT_SCALE = "laptop"


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of a paper.

    Args:
        number: Its number, or a name where print has none.
        title: What it shows.
        study: The study whose run it is made from.
        compare: Makes it from the results of that run.
        images: Whether it, or this half of it, is about detectors of pictures.
        scale: Of the study, if none is asked for.
    """

    number: int | str
    title: str
    study: str
    compare: Callable[[RunResults], list[PublishedComparison]]
    images: bool = False
    scale: str = DEFAULT_SCALE


@dataclass(frozen=True, slots=True)
class PublishedFigure:
    """A figure of a paper.

    Args:
        number: Its number.
        title: What it shows.
        study: The study whose run ours is made from.
        file: Name of ours in the report of that run.
        scale: Of the study, if none is asked for.
    """

    number: int
    title: str
    study: str
    file: str
    scale: str = DEFAULT_SCALE


def tables_of(paper: str, numbers: Sequence[int | str] | None = None, *, images: bool = False) -> list[PublishedTable]:
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
    _check_paper(paper)
    tables: list[PublishedTable] = import_module(PAPERS[paper]).TABLES
    known = {str(table.number): table.number for table in tables}
    wanted = [str(number) for number in numbers or ()]
    for number in wanted:
        _check_known(paper, "table", number, known, "UNKNOWN_TABLES")
    if not wanted:
        return [table for table in tables if table.images == images]
    halves = {name: [table for table in tables if str(table.number) == name] for name in dict.fromkeys(wanted)}
    return [table for half in halves.values() for table in half if table.images == images or len(half) == 1]


def figures_of(paper: str, numbers: Sequence[int | str]) -> list[PublishedFigure]:
    """Return figures of a paper that we draw, too.

    Example:
        >>> [figure.file for figure in figures_of("comparison", [6])]
        ['pareto']
    """
    _check_paper(paper)
    figures: list[PublishedFigure] = getattr(import_module(PAPERS[paper]), "FIGURES", [])
    known = {str(figure.number): figure for figure in figures}
    for number in numbers:
        _check_known(paper, "figure", str(number), known, "UNKNOWN_FIGURES")
    return [known[str(number)] for number in dict.fromkeys(numbers)]


def _check_paper(paper: str) -> None:
    if paper not in PAPERS:
        raise UnknownName(f"no paper {paper!r}.{did_you_mean(paper, PAPERS)} There is: {', '.join(PAPERS)}.")


def _check_known(paper: str, kind: str, number: str, known: Collection[str], reasons: str) -> None:
    """Say what we know of a table or figure that cannot be shown."""
    if number in known:
        return
    reasons_known: Mapping[str, str] = getattr(import_module(PAPERS[paper]), reasons, {})
    why = f" {reasons_known[number]}" if number in reasons_known else ""
    choice = f"choose from {', '.join(known)}" if known else "there is none"
    raise UnknownName(f"{paper} has no {kind} {number} here; {choice}.{why}")


def tables_from(study: str) -> list[PublishedTable]:
    """Return the tables of all papers that are made from a study.

    Example:
        >>> [table.number for table in tables_from("anomaly-gym-policies")]
        [5]
    """
    both = [tables_of(paper, images=images) for paper in PAPERS for images in (False, True)]
    return [table for tables in both for table in tables if table.study == study]
