"""Which run each table or figure of a paper is made from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from offnominal.papers.paper import PublishedFigure, PublishedTable
from offnominal.studies.base import BaseStudy
from offnominal.studies.catalogue import load_study
from offnominal.studies.world_selection import at_worlds, select_worlds, study_worlds

Item = PublishedTable | PublishedFigure


@dataclass(frozen=True, slots=True)
class StudyRun:
    """A run of a study.

    Args:
        study: Name of the study.
        scale: Name of the scale.
        worlds: Ids of the worlds; None for those of the scale.
        on: Name of the data if they are not those of the study, such as ``"released"``; empty for its own.
    """

    study: str
    scale: str
    worlds: tuple[str, ...] | None = None
    on: str = ""

    def load(self) -> BaseStudy:
        """Return the study.

        Raises:
            InvalidParameter: It has no other data than its own.
        """
        study = load_study(self.study)
        return study.on(self.on) if self.on else study


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


def on_data(found: Iterable[Reproduction], data: str) -> list[Reproduction]:
    """Return tables and figures with runs on other data, such as ``"released"``.

    Raises:
        InvalidParameter: A study has no such data.
    """
    runs = [each._replace(run=each.run and replace(each.run, on=data)) for each in found]
    for each in runs:
        if each.run is not None:
            each.run.load()
    return runs


def why_unfilled(found: Reproduction) -> str:
    """Return why the run of a table gives no number of ours for any of its rows, and which scales do; empty if it does.

    Nothing is computed.

    Args:
        found: The table or figure, and its run.

    Example:
        >>> from offnominal.papers.catalogue import tables_of
        >>> (table_3,) = reproductions(tables_of("anomaly-gym", ["3"]), scale="smoke")
        >>> print(why_unfilled(table_3))  # doctest: +ELLIPSIS
        Scale smoke of anomaly-gym has no number for Table 3: its numbers are means over groups of worlds, and ...
    """
    item, run = found
    if run is None or item.unfilled is None:
        return ""
    study, unfilled = load_study(run.study), item.unfilled

    def reason(scale: str) -> str:
        return unfilled(at_worlds(study, scale, run.worlds))

    why = reason(run.scale)
    others = [scale for scale in study.scales if why and not reason(scale)]
    remedy = f"scale {' or '.join(others)} has one" if others else "no scale of the study has one"
    return f"Scale {run.scale} of {run.study} has no number for {item.name}: {why}; {remedy}." if why else ""


def fillable_runs(found: Iterable[Reproduction]) -> tuple[list[StudyRun], list[str]]:
    """Return the runs that give numbers for some table or figure, and why others do not; see :func:`why_unfilled`.

    Args:
        found: Tables and figures with their runs.
    """
    listed = [(each.run, why_unfilled(each)) for each in found if each.run is not None]
    return list(dict.fromkeys(run for run, why in listed if not why)), [why for _, why in listed if why]
