"""Read a table of the catalogue."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from zipfile import BadZipFile

from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.core.files import content_errors
from offnominal.datasets.sources import choose_source
from offnominal.datasets.tables.catalogue import USED, table_entry
from offnominal.datasets.tables.readers import reader_of
from offnominal.datasets.tables.table import DIFFICULTIES, Table


def load_table(name: str, *, drop_identifiers: bool = True, difficulties: Sequence[str] = USED) -> Table:
    """Return a table of the catalogue, prepared as in the paper.

    The files are looked for in the data home, downloaded if they can be, and their hashes are checked.

    Args:
        name: Of the table; ``table_names()`` lists all.
        drop_identifiers: Leave out columns that only number the rows (glass has one). The paper kept them.
        difficulties: Which anomalies of a prepared table to take. The paper took the easy and the medium ones.

    Raises:
        UnknownName: No table has that name.
        MissingFile: A file is not there and cannot be downloaded; the message says what to place where.
        DamagedFile: A file is not what it should be.

    Example:
        >>> load_table("iris")  # doctest: +SKIP
        Table('iris', normal 100 × 4, anomalous 46)
        >>> load_table("irs")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnknownName: no table named 'irs'. Did you mean 'iris'? `offnominal tables` lists all 40.
    """
    entry = table_entry(name)
    unknown = [each for each in difficulties if each not in DIFFICULTIES]
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
