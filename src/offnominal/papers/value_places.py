"""Which published value a row with one of ours is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

NO_VALUE = "–"
"""Label that was not measured, or does not exist."""
Labels = Mapping[str, str]
Place = tuple[tuple[str, str], ...]


class ValuePlaces:
    """The places of the published values of a table.

    Labels without a value beside a published value alone are measured, such as a deviation, and name no row.

    Args:
        published: Labels of the published values, without results of ours.

    Example:
        >>> places = ValuePlaces([{"detector": "KNN", "± ours": "–"}])
        >>> places.of({"detector": "KNN", "± ours": "0.1"})
        (('detector', 'KNN'),)
        >>> places.of({"detector": "LOF", "± ours": "0.1"})
        (('detector', 'LOF'), ('± ours', '0.1'))
    """

    def __init__(self, published: Iterable[Labels]) -> None:
        rows = list(published)
        naming = sorted({tuple(name for name, value in row.items() if value != NO_VALUE) for row in rows})
        self._columns = sorted(naming, key=len, reverse=True)
        self._known = {_chosen(row, names) for row in rows for names in self._columns}

    def of(self, labels: Labels) -> Place:
        """Return the place of a row: that of the published value that it is about, or all its labels."""
        places = (_chosen(labels, names) for names in self._columns)
        return next((place for place in places if place in self._known), tuple(labels.items()))


def _chosen(labels: Labels, names: Iterable[str]) -> Place:
    """Return some labels, without those that the row does not have."""
    return tuple((name, labels[name]) for name in names if name in labels)
