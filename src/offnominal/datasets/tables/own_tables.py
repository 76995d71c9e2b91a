"""Your own tables: a file and its column of labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from offnominal.core.errors import InvalidLog, MissingFile
from offnominal.core.files import file_errors, sha256_of
from offnominal.datasets.logs.opening import open_log
from offnominal.datasets.logs.roles import Roles
from offnominal.datasets.logs.row_source import as_numbers
from offnominal.datasets.logs.scan import row_labels
from offnominal.datasets.tables.table import Column, Table


def is_own_table(name: object) -> bool:
    """Whether a name is that of a file and its column of labels, such as ``"mine.csv:label"``."""
    return isinstance(name, str) and ":" in name


def own_table_file(name: str) -> Path:
    """Return the file of a table of your own.

    Raises:
        MissingFile: It does not exist.
    """
    path = Path(name.rpartition(":")[0])
    with file_errors(path):
        if not path.is_file():
            raise MissingFile(
                f"the table {name!r} needs the file {path}, which does not exist; paths begin in the working directory."
            )
    return path


def own_table_version(name: str) -> str:
    """Return the SHA-256 of the file of a table of your own; empty for a table of the catalogue."""
    return sha256_of(own_table_file(name)) if is_own_table(name) else ""


def load_own_table(name: str) -> Table:
    """Return the table in a CSV, Parquet, NPY or NPZ file.

    Args:
        name: Path and column of the labels, as ``"mine.csv:label"``: 1 or True in anomalous rows. For other labels,
            ``"mine.csv:class=normal"`` names the value of normal rows. All other columns are numbers.

    Raises:
        MissingFile: There is no such file.
        UnknownName: There is no such column.
        InvalidLog: A label or a number is invalid; the message names the row or the column.
        InvalidParameter: A value is missing.
    """
    label, _, normal = name.rpartition(":")[2].partition("=")
    source = open_log(own_table_file(name))
    roles = Roles.of(source, label=label)
    table = pa.concat_tables(source.blocks([*roles.observations, label]))
    try:
        anomalous = row_labels(table[label], f"column {label!r} of {source.name}", [normal] if normal else [], 0)
    except InvalidLog as error:
        raise InvalidLog(f"{str(error).partition(' Name the')[0]} Other labels: {name}=VALUE of normal rows.") from None
    rows = np.column_stack([as_numbers(table[column]) for column in roles.observations])
    columns = tuple(Column(column) for column in roles.observations)
    return Table(name, rows[~anomalous], rows[anomalous], columns=columns)
