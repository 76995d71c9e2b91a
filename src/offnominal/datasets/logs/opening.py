"""Opens logs: data frames, Arrow tables, arrays, and files of these."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from offnominal.core.checks import NUMERIC
from offnominal.core.errors import InvalidLog, MissingFile, UnsupportedFormat, did_you_mean
from offnominal.core.files import file_errors
from offnominal.core.printable import shown
from offnominal.datasets.logs.boundary import parsing
from offnominal.datasets.logs.csv_log import read_csv
from offnominal.datasets.logs.hdf5_log import read_hdf5
from offnominal.datasets.logs.lerobot_log import LeRobotRows, is_lerobot
from offnominal.datasets.logs.mcap_log import read_mcap
from offnominal.datasets.logs.numpy_files import read_arrays
from offnominal.datasets.logs.row_source import ParquetRows, RowSource, TableRows
from offnominal.datasets.logs.text_blocks import read_blocks

ARROW_ERRORS = (pa.ArrowException, TypeError, ValueError)


def open_log(source: Any) -> RowSource:
    """Return the rows of a log.

    Args:
        source: pandas data frame, Arrow table, mapping from names to columns, structured or two-dimensional array, or
            the path of a CSV, Parquet, NPY, NPZ, MCAP or HDF5 file, of labelled blocks of text (``.data``), of a folder
            of Parquet files, of a LeRobot dataset, or of a ROS 2 bag.

    Raises:
        InvalidLog: The content is no table.
        MissingFile: There is no such file.
        UnsupportedFormat: The file has another format.

    Example:
        >>> open_log({"speed": [0.1, 0.2, 0.4]}).columns
        ['speed']
    """
    if isinstance(source, RowSource):
        return source
    if isinstance(source, str | Path):
        return _opened(Path(source))
    if isinstance(source, pa.Table | pa.RecordBatch):
        table = pa.Table.from_batches([source]) if isinstance(source, pa.RecordBatch) else source
        return TableRows("the table", table)
    if hasattr(source, "to_arrow") and not hasattr(source, "iloc"):
        return TableRows("the table", source.to_arrow())
    if hasattr(source, "iloc") and hasattr(source, "columns"):
        return _frame(source)
    if isinstance(source, np.ndarray):
        return _array("the array", source)
    if isinstance(source, Mapping):
        return _columns("the log", source)
    raise InvalidLog(
        f"the log is {shown(source)}; expected a path, a data frame, an Arrow table, an array, or a mapping from names "
        "to columns."
    )


def _frame(frame: Any) -> RowSource:
    """Return the rows of a pandas data frame; an index of dates is a column and the time."""
    dates = None
    if getattr(frame.index, "dtype", np.dtype(object)).kind == "M":
        dates = str(frame.index.name or "time")
        frame = frame.rename_axis(dates).reset_index()
    names = [str(name) for name in frame.columns]
    for name in names:
        if names.count(name) > 1:
            raise InvalidLog(f"the data frame has two columns {name!r}; rename one of them.")
    columns = {}
    for name, (_, values) in zip(names, frame.items(), strict=True):
        try:
            columns[name] = pa.Array.from_pandas(values)
        except ARROW_ERRORS as error:
            raise InvalidLog(
                f"column {name!r} of the data frame has values of different types ({str(error).splitlines()[0]}); "
                "convert it to numbers first, for example with `pandas.to_numeric`."
            ) from None
    source = TableRows("the data frame", pa.table(columns))
    source.suggested = {} if dates is None else {"time": dates}
    return source


def _array(name: str, values: Any) -> RowSource:
    """Return the rows of a structured array, or of a matrix whose columns are numbered."""
    if values.dtype.names:
        return _columns(name, {field: values[field] for field in values.dtype.names})
    if values.dtype.kind not in NUMERIC or values.ndim not in (1, 2):
        raise InvalidLog(
            f"{name} has type {values.dtype} and shape {values.shape}; expected numbers with a row per observation and "
            "a column per channel."
        )
    matrix = values.reshape(len(values), math.prod(values.shape[1:]))
    return _columns(name, {str(index): matrix[:, index] for index in range(matrix.shape[1])})


def _columns(name: str, columns: Mapping[Any, Any]) -> RowSource:
    """Return the rows of named columns; a matrix becomes one column per channel."""
    flat: dict[str, Any] = {}
    for key, values in columns.items():
        try:
            array = values if isinstance(values, pa.Array | pa.ChunkedArray) else np.asarray(values)
        except ValueError:
            raise InvalidLog(f"column {key!r} of {name} has rows of different lengths; expected numbers.") from None
        if isinstance(array, np.ndarray) and array.ndim > 1:
            wide = array.reshape(len(array), math.prod(array.shape[1:]))
            flat.update({f"{key}.{index}": wide[:, index] for index in range(wide.shape[1])})
        else:
            flat[str(key)] = array
    if not flat:
        raise InvalidLog(f"{name} has no columns; expected at least one.")
    sizes = {key: np.size(values) if isinstance(values, np.ndarray) else len(values) for key, values in flat.items()}
    first = next(iter(sizes))
    for key, size in sizes.items():
        if size != sizes[first]:
            raise InvalidLog(f"column {key!r} of {name} has {size} rows, column {first!r} {sizes[first]}.")
    try:
        return TableRows(name, pa.table({key: _arrow(values) for key, values in flat.items()}))
    except ARROW_ERRORS as error:
        raise InvalidLog(f"{name} cannot be read as a table ({str(error).splitlines()[0]}).") from None


def _arrow(values: Any) -> Any:
    if isinstance(values, np.ndarray):
        return pa.array(np.ascontiguousarray(values.astype(values.dtype.newbyteorder("="), copy=False)))
    return values


def _opened(path: Path) -> RowSource:
    """Return the rows of a file, by its suffix."""
    with file_errors(path):
        if not path.exists():
            raise MissingFile(f"{path} does not exist.")
        if path.is_dir():
            with parsing(path, "a log"):
                return _folder(path)
        if not path.stat().st_size:
            raise InvalidLog(f"{path} is empty.")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    kind = suffixes[-2] if suffixes[-1:] == [".gz"] and len(suffixes) > 1 else "".join(suffixes[-1:])
    if kind not in READERS:
        raise UnsupportedFormat(
            f"{path} has the suffix {kind!r}; expected one of {', '.join(READERS)}.{did_you_mean(kind, READERS)}"
        )
    with parsing(path, "a log"):
        return READERS[kind](path)


def _folder(path: Path) -> RowSource:
    """Return the rows of a LeRobot dataset, a ROS 2 bag or a folder of Parquet files."""
    if is_lerobot(path):
        return LeRobotRows(path)
    if any(path.glob("*.mcap")):
        return read_mcap(path)
    return ParquetRows(str(path), sorted(path.rglob("*.parquet")))


def _numpy(path: Path) -> RowSource:
    """Return the rows of an NPY or NPZ file."""
    arrays = read_arrays(path)
    return _columns(str(path), arrays) if isinstance(arrays, dict) else _array(str(path), arrays)


READERS: dict[str, Callable[[Path], RowSource]] = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".txt": read_csv,
    ".parquet": lambda path: ParquetRows(str(path), [path]),
    ".npy": _numpy,
    ".npz": _numpy,
    ".data": read_blocks,
    ".mcap": read_mcap,
    ".hdf5": read_hdf5,
    ".h5": read_hdf5,
}
