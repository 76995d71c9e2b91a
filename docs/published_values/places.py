"""Which published value a row is about."""

from collections.abc import Sequence

from offnominal.papers.value_places import Place, ValuePlaces
from published_values.rows import Row, row_labels


def places_of(rows: Sequence[Row], published: Sequence[Row]) -> list[Place]:
    """Return what names each row: its labels as in the row of the published value alone, or all of them."""
    places = ValuePlaces(map(row_labels, published))
    return [places.of(row_labels(row)) for row in rows]
