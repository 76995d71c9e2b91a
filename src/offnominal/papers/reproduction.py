"""Which run each table or figure of a paper is made from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from offnominal.papers.paper import PublishedFigure, PublishedTable
from offnominal.studies.catalogue import load_study
from offnominal.studies.world_selection import select_worlds, study_worlds

Item = PublishedTable | PublishedFigure


@dataclass(frozen=True, slots=True)
class StudyRun:
    """A run of a study.

    Args:
        study: Name of the study.
        scale: Name of the scale.
        worlds: Ids of the worlds; None for those of the scale.
    """

    study: str
    scale: str
    worlds: tuple[str, ...] | None = None


class Reproduction(NamedTuple):
    """A table or a figure, and the run that it is made from; None if there is no study for it."""

    item: Item
    run: StudyRun | None


def reproductions(
    items: Sequence[Item], *, scale: str | None = None, worlds: Iterable[str] | None = None
) -> list[Reproduction]:
    """Return the run of each table and figure. If worlds are given, those without one of them are left out.

    Args:
        items: Tables and figures.
        scale: Scale of the study; that of each table or figure if None.
        worlds: Patterns of worlds; all worlds of the scale if None.

    Raises:
        UnknownName: A pattern matches no world of the tables and figures.
        InvalidParameter: There are patterns, but a study has no worlds.

    Example:
        >>> from offnominal.papers.catalogue import tables_of
        >>> for found in reproductions(tables_of("anomaly-gym"), worlds=["SAP-Goal2-*"]):
        ...     print(found.item.number, found.run.scale, found.run.worlds)
        3 laptop ('SAP-Goal2-v0',)
        4 laptop ('SAP-Goal2-v0',)
        12 laptop ('SAP-Goal2-v0',)
    """
    if worlds is None:
        return [Reproduction(item, StudyRun(item.study, scale or item.scale) if item.study else None) for item in items]
    items = [item for item in items if item.study]
    item_worlds = [item.worlds or study_worlds(load_study(item.study)) for item in items]
    known = list(dict.fromkeys(world for listed in item_worlds for world in listed))
    chosen = select_worlds(known, worlds, "these tables and figures")
    runs = [
        StudyRun(item.study, scale or item.scale, tuple(world for world in listed if world in chosen))
        for item, listed in zip(items, item_worlds, strict=True)
    ]
    return [Reproduction(item, run) for item, run in zip(items, runs, strict=True) if run.worlds]
