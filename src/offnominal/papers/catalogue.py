"""The papers of the package, one line each; other packages add theirs by entry points in ``offnominal.papers``."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.core.registry import Registry, Spec
from offnominal.papers.paper import Paper, PublishedFigure, PublishedTable

papers: Registry[Paper] = Registry("paper")
for _id, _target in (
    ("anomaly-gym", "offnominal.papers.anomaly_gym.paper:PAPER"),
    ("anovox", "offnominal.papers.anovox.paper:PAPER"),
    ("comparison", "offnominal.papers.comparison.paper:PAPER"),
    ("novelcraft", "offnominal.papers.novelcraft.paper:PAPER"),
    ("ood-rl", "offnominal.papers.ood_rl.paper:PAPER"),
):
    papers.register(Spec(_id, _target))


def paper(id: str) -> Paper:
    """Return a paper by its short name.

    Example:
        >>> [spec.id for spec in paper("ood-rl").studies]
        ['ood-rl']
    """
    if id not in papers:
        ids = papers.ids()
        raise UnknownName(f"no paper {id!r}.{did_you_mean(id, ids)} There are: {', '.join(ids)}.")
    found: Paper = papers.spec(id).load()
    return found


def register_studies(registry: Registry[Any]) -> None:
    """Register the studies of all papers."""
    for id in papers.ids():
        for spec in paper(id).studies:
            registry.register(spec)


def register_study_kinds(registry: Registry[Any]) -> None:
    """Register the study kinds of all papers."""
    for id in papers.ids():
        for spec in paper(id).study_kinds:
            registry.register(spec)


def register_page_sections(registry: Registry[Any]) -> None:
    """Register the page section with the comparison with published results."""
    registry.register(Spec("published", "offnominal.papers.published_section:published_section"))


def tables_of(id: str, numbers: Sequence[int | str] | None = None, *, images: bool = False) -> list[PublishedTable]:
    """Return the tables of a paper.

    Args:
        id: Short name of the paper.
        numbers: Only these tables. A table that is only about images, or only about vectors, is found in any case.
        images: Whether to return the tables about image detectors instead of those about vectors.

    Example:
        >>> [table.number for table in tables_of("anomaly-gym")]
        [3, 4, 5, 12]
        >>> [table.study for table in tables_of("anomaly-gym", [12, 13])]
        ['anomaly-gym', 'anomaly-gym-images']
    """
    published = paper(id).load_published()
    known = {str(table.number): table.number for table in published.tables}
    wanted = [str(number) for number in numbers or ()]
    for number in wanted:
        _check_known(id, "table", number, known, published.unknown_tables)
    if not wanted:
        return [table for table in published.tables if table.images == images]
    halves = {
        name: [table for table in published.tables if str(table.number) == name] for name in dict.fromkeys(wanted)
    }
    return [table for half in halves.values() for table in half if table.images == images or len(half) == 1]


def figures_of(id: str, numbers: Sequence[int | str]) -> list[PublishedFigure]:
    """Return figures of a paper that we draw too.

    Example:
        >>> [figure.file for figure in figures_of("comparison", [6])]
        ['pareto']
    """
    published = paper(id).load_published()
    known = {str(figure.number): figure for figure in published.figures}
    for number in numbers:
        _check_known(id, "figure", str(number), known, published.unknown_figures)
    return [known[str(number)] for number in dict.fromkeys(numbers)]


def _check_known(id: str, kind: str, number: str, known: Collection[str], reasons: Mapping[str, str]) -> None:
    """Raise an error for a table or figure that is not available."""
    if number in known:
        return
    why = f" {reasons[number]}" if number in reasons else ""
    choice = f"choose from {', '.join(known)}" if known else "there is none"
    raise UnknownName(f"{id} has no {kind} {number} here; {choice}.{why}")


def tables_from(study: str) -> list[PublishedTable]:
    """Return the tables of all papers that are compared with runs of a study.

    Example:
        >>> [table.number for table in tables_from("anomaly-gym-policies")]
        [5]
    """
    found = [tables_of(id, images=images) for id in papers.ids() for images in (False, True)]
    return [table for tables in found for table in tables if table.study == study]
