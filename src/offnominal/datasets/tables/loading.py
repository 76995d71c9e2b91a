"""Loading of public tables."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from zipfile import BadZipFile

from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.core.files import content_errors
from offnominal.datasets.sources import choose_source
from offnominal.datasets.tables.catalogue import USED, table_entry
from offnominal.datasets.tables.own_tables import is_own_table, load_own_table
from offnominal.datasets.tables.readers import reader_of
from offnominal.datasets.tables.table import DIFFICULTIES, Table


def load_table(name: str, *, drop_identifiers: bool = True, difficulties: Sequence[str] = USED) -> Table:
    """Return a table of the catalogue, prepared as in the paper, or one of your own.

    Files that are missing in the data home are downloaded if possible. Their hashes are checked.

    Args:
        name: Name of the table; ``table_names()`` lists all. ``"mine.csv:label"`` is your own, with its column of
            labels; see :func:`~offnominal.datasets.tables.own_tables.load_own_table`.
        drop_identifiers: Whether to drop columns that only number the rows (glass has one). The paper kept them.
        difficulties: Difficulties of the anomalies of a prepared table. The paper used easy and medium.

    Raises:
        UnknownName: No table has that name.
        MissingFile: A file is missing and cannot be downloaded; the message says where to place it.
        DamagedFile: A file is invalid or has another hash.

    Example:
        >>> load_table("iris")  # doctest: +SKIP
        Table('iris', normal 100 × 4, anomalous 46)
        >>> load_table("irs")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnknownName: no table named 'irs'. Did you mean 'iris'? `offnominal tables` lists all 40.
    """
    if is_own_table(name):
        return load_own_table(name)
    entry = table_entry(name)
    unknown = [difficulty for difficulty in difficulties if difficulty not in DIFFICULTIES]
    if unknown or not difficulties:
        raise InvalidParameter(f"difficulties are {list(difficulties)}; expected some of {', '.join(DIFFICULTIES)}.")
    source, paths = choose_source(entry.needed(difficulties))
    with content_errors(f"the files of {name}", "a table", BadZipFile, zlib.error):
        table = reader_of(name, source)(name, paths)
    if table.dim != entry.dim:
        raise DamagedFile(f"{name} has {table.dim} columns; expected {entry.dim}. Fetch its files again.")
    if source == "packed":
        table = table.with_difficulties(*difficulties)
    return table.without_columns(entry.identifiers) if drop_identifiers and entry.identifiers else table
