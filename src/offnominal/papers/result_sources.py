"""Published tables beside the most powerful results: those of a store or, without any, those of the package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.papers.catalogue import paper
from offnominal.papers.paper import Published, PublishedFigure, PublishedTable
from offnominal.papers.shipped_results import ShippedRun, ShippedValue, filled_from, shipped_values
from offnominal.papers.value_places import ValuePlaces
from offnominal.studies.catalogue import load_study
from offnominal.studies.code import Sources
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults
from offnominal.studies.stored_runs import StoredRun, StoreIndex, stored_run


@dataclass(frozen=True, slots=True, eq=False)
class SourcedTable:
    """A published table beside our results, and where these come from.

    Args:
        lines: The comparison.
        runs: The stored runs with values of the table, the most powerful one first.
        shipped: The runs of values that travel with the package; none if a stored run has values.
        n_shipped: Number of these values.
    """

    lines: Sequence[PublishedComparison]
    runs: tuple[StoredRun, ...] = ()
    shipped: tuple[ShippedRun, ...] = ()
    n_shipped: int = 0


class ResultSources:
    """Where our results beside published values come from; the index of the store and each study are read once.

    Args:
        store: Store of the results of all runs.
        shipped: Whether values that travel with the package are taken where the store has none.
    """

    def __init__(self, store: Path, *, shipped: bool = True) -> None:
        self._shipped = shipped
        self._study = cache(load_study)
        self._index = cache(lambda: StoreIndex.read(store))
        self._sources = Sources()
        self.run = cache(self._run)

    def _run(self, study: str, scale: str, worlds: tuple[str, ...] | None = None) -> StoredRun:
        return stored_run(self._study(study), scale, store=self._index(), worlds=worlds, sources=self._sources)

    def table(
        self, id: str, table: PublishedTable, scales: Sequence[str], worlds: tuple[str, ...] | None = None
    ) -> SourcedTable:
        """Return a table in which every value is that of the most powerful run that has one. Nothing is computed.

        If a stored run has any value of the table, values of the package are not shown beside them.

        Args:
            id: Short name of the paper.
            table: The table.
            scales: Scales whose results count, from the least to the most powerful.
            worlds: Only these worlds; those of the scale if None.
        """
        found = table.lines(replace(RunResults.none(), name=table.study))
        published, used = list(found), list[StoredRun]()
        for run in (self.run(table.study, each, worlds) for each in reversed(self.scales(table.study, scales))):
            if run.results.cells and all(run.keys != each.keys for each in used):
                filled, added = _filled(found, table.lines(run.results), published)
                if added:
                    found, used = filled, [*used, run]
        values = [] if used else self._values(id, table, scales, worlds)
        if not values:
            return SourcedTable(found, tuple(used))
        lines, shipped, count = filled_from(found, values)
        return SourcedTable([_explained(table, line) for line in lines], (), tuple(shipped), count)

    def _values(
        self, id: str, table: PublishedTable, scales: Sequence[str], worlds: tuple[str, ...] | None
    ) -> list[ShippedValue]:
        """Return the values of the package; none for the table as the public code of the paper computes it."""
        if not self._shipped or table not in paper(id).load_published().tables:
            return []
        return shipped_values(id, str(table.number), table.study, scales=scales, worlds=worlds)

    def scales(self, study: str, scales: Iterable[str]) -> list[str]:
        """Return those of some scales that a study has."""
        return [each for each in scales if each in self._study(study).scales] if study else []

    def check_scale(self, scale: str, studies: Iterable[str]) -> None:
        """Raise an error if none of the studies has a scale."""
        known = sorted({each for study in studies for each in self._study(study).scales})
        if scale not in known:
            raise UnknownName(
                f"no study of these tables has a scale {scale!r}.{did_you_mean(scale, known)} "
                f"There are: {', '.join(known)}."
            )


def scales_of(published: Published, item: PublishedTable | PublishedFigure) -> tuple[str, ...]:
    """Return the scales whose results count, from the least to the most powerful; without a protocol, the default.

    The default scale of a figure counts, too, also if its results are not compared with any published value.
    """
    if published.protocol is None:
        return (item.scale,)
    own = (item.scale,) if isinstance(item, PublishedFigure) and item.scale not in published.protocol.scales else ()
    return (*own, *published.protocol.scales)


def _explained(table: PublishedTable, line: PublishedComparison) -> PublishedComparison:
    return line if table.explain is None else table.explain(line)


def _filled(
    before: Sequence[PublishedComparison],
    lines: Sequence[PublishedComparison],
    published: Sequence[PublishedComparison],
) -> tuple[list[PublishedComparison], bool]:
    """Return values with those of another run where there was none, and whether it has any.

    A run may leave out published values, and has values of ours alone.

    Args:
        before: Values of more powerful runs.
        lines: Values of the run.
        published: The published values without ours.
    """
    places = ValuePlaces([line.labels for line in published])
    found = {places.of(line.labels): line for line in before}
    added = False
    for line in (line for line in lines if line.ours.value is not None):
        place = places.of(line.labels)
        known = found.get(place)
        if known is None or known.ours.value is None:
            found[place], added = line, True
    return list(found.values()), added
