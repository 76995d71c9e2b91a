"""Which published value a row is about."""

from collections.abc import Iterable, Sequence

from offnominal.papers.scoreboard import NO_VALUE
from published_values.rows import Row, labels_of

Place = tuple[tuple[str, str], ...]


def places_of(rows: Sequence[Row], published: Sequence[Row]) -> list[Place]:
    """Return what names each row: its labels as in the row of the published value alone, or all of them.

    Labels without a value in the latter are measured, and name no row.
    """
    naming = {tuple(name for name in labels_of([row]) if row[name] != NO_VALUE) for row in published}
    known = {_place(row, names) for row in published for names in naming}
    most_first = sorted(naming, key=len, reverse=True)
    places = ([*(_place(row, names) for names in most_first), _place(row, labels_of([row]))] for row in rows)
    return [next((place for place in some if place in known), some[-1]) for some in places]


def _place(row: Row, columns: Iterable[str]) -> Place:
    """Return the labels of a row in some columns, without those that it does not have."""
    return tuple((name, row[name]) for name in columns if name in row)
