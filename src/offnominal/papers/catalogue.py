"""The papers of the package, one line each; other packages add theirs by entry points in ``offnominal.papers``."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.core.registry import Registry, Spec
from offnominal.kinds import catalogue as kinds
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
    """Register the studies of the package itself and of all papers."""
    kinds.register_studies(registry)
    for id in papers.ids():
        for spec in paper(id).studies:
            registry.register(spec)


def register_study_kinds(registry: Registry[Any]) -> None:
    """Register the study kinds of the package itself and of all papers."""
    kinds.register_study_kinds(registry)
    for id in papers.ids():
        for spec in paper(id).study_kinds:
            registry.register(spec)


def register_recording_changes(registry: Registry[Any]) -> None:
    """Register the changes of recorded episodes of all papers."""
    for id in papers.ids():
        for spec in paper(id).recording_changes:
            registry.register(spec)


def register_page_sections(registry: Registry[Any]) -> None:
    """Register the page sections with schedules, parts of the variance and the comparison with published results."""
    registry.register(Spec("schedules", "offnominal.reports.schedule_table:schedule_section"))
    registry.register(Spec("variance", "offnominal.reports.variance_table:variance_section"))
    registry.register(Spec("published", "offnominal.papers.published_section:published_section"))


def tables_of(id: str, numbers: Sequence[int | str] | None = None, *, images: bool = False) -> list[PublishedTable]:
    """Return the tables of a paper.

    Args:
        id: Short name of the paper.
        numbers: Only these tables; ``E1``, ``e1`` and ``E.1`` are the same one. A table that is only about images, or
            only about vectors, is found in any case.
        images: Whether to return the tables about image detectors instead of those about vectors.

    Example:
        >>> [table.number for table in tables_of("anomaly-gym")]
        [1, 3, 4, 5, 6, 7, 9, 10, 11, 12]
        >>> [table.study for table in tables_of("anomaly-gym", [12, 13])]
        ['anomaly-gym', 'anomaly-gym-images']
    """
    published = paper(id).load_published()
    for number in numbers or ():
        _check_known(id, "table", number, [table.number for table in published.tables], published.unknown_tables)
    if not numbers:
        return [table for table in published.tables if table.images == images]
    return _numbered(published.tables, numbers, images=images)


def figures_of(id: str, numbers: Sequence[int | str], *, images: bool = False) -> list[PublishedFigure]:
    """Return figures of a paper that we draw too.

    Args:
        id: Short name of the paper.
        numbers: Their numbers.
        images: Whether to return the parts about image detectors instead of those about vectors; see :func:`tables_of`.

    Example:
        >>> [figure.file for figure in figures_of("comparison", [6])]
        ['pareto']
        >>> [figure.study for figure in figures_of("anomaly-gym", [3], images=True)]
        ['anomaly-gym-images']
    """
    published = paper(id).load_published()
    for number in numbers:
        _check_known(id, "figure", number, [figure.number for figure in published.figures], published.unknown_figures)
    return _numbered(published.figures, numbers, images=images)


Numbered = TypeVar("Numbered", PublishedTable, PublishedFigure)


def _numbered(items: Sequence[Numbered], numbers: Sequence[int | str], *, images: bool) -> list[Numbered]:
    """Return items by their numbers; of those with a part about images and one about vectors, the part asked for."""
    wanted = dict.fromkeys(_plain(number) for number in numbers)
    halves = [[item for item in items if _plain(item.number) == name] for name in wanted]
    return [
        item for half in halves for item in half if item.images == images or len({each.images for each in half}) == 1
    ]


def _plain(number: int | str) -> str:
    """Return the number of a table or figure in the spelling that numbers are compared in."""
    return str(number).replace(".", "").casefold()


def _check_known(
    id: str, kind: str, number: int | str, known: Collection[int | str], reasons: Mapping[str, str]
) -> None:
    """Raise an error for a table or figure that is not available."""
    if _plain(number) in map(_plain, known):
        return
    why = "".join(f" {reason}" for name, reason in reasons.items() if _plain(name) == _plain(number))
    choice = f"choose from {', '.join(dict.fromkeys(map(str, known)))}" if known else "there is none"
    raise UnknownName(f"{id} has no {kind} {number} here; {choice}.{why}")


def tables_from(study: str) -> list[PublishedTable]:
    """Return the tables of all papers that are compared with runs of a study.

    Example:
        >>> [table.number for table in tables_from("anomaly-gym-policies")]
        [5]
    """
    found = [tables_of(id, images=images) for id in papers.ids() for images in (False, True)]
    return [table for tables in found for table in tables if table.study == study]
