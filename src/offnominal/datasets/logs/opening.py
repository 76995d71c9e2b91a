"""Opens logs: data frames, Arrow tables, arrays, and files of these."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from offnominal.core.checks import NUMERIC
from offnominal.core.errors import InvalidLog, MissingFile, UnsupportedFormat, did_you_mean
from offnominal.core.files import file_errors
from offnominal.core.printable import shown
from offnominal.datasets.logs.bags import MESSAGE_READERS, is_bag, read_bag
from offnominal.datasets.logs.boundary import QuestionableLog, parsing
from offnominal.datasets.logs.csv_log import read_csv
from offnominal.datasets.logs.file_order import natural
from offnominal.datasets.logs.hdf5_log import read_hdf5
from offnominal.datasets.logs.lerobot_log import LeRobotRows, is_lerobot
from offnominal.datasets.logs.numpy_files import read_arrays
from offnominal.datasets.logs.row_source import ParquetRows, RowSource, TableRows
from offnominal.datasets.logs.text_blocks import read_blocks

ARROW_ERRORS = (pa.ArrowException, TypeError, ValueError)


def open_log(source: Any) -> RowSource:
    """Return the rows of a log.

    Args:
        source: pandas data frame, Arrow table, mapping from names to columns, structured or two-dimensional array, or
            the path of a CSV, Parquet, NPY, NPZ, MCAP, SQLite (``.db3``), ROS 1 (``.bag``) or HDF5 file, of labelled
            blocks of text (``.data``), of a folder of Parquet files, of a LeRobot dataset, or of a ROS 2 bag.

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


def open_logs(source: Any) -> list[RowSource]:
    """Return the logs of a source: several of those of :func:`open_log`, or a folder of them.

    Args:
        source: A log, a list of logs and folders, or the path of a folder of logs. Folders are searched; their files
            are in the order of their names, with ``run_9`` before ``run_10``.

    Raises:
        InvalidLog: There is no log.

    Example:
        >>> len(open_logs([{"speed": [0.1, 0.2]}, {"speed": [0.3, 0.1]}]))
        2
    """
    if isinstance(source, list | tuple) and source:
        found = [log for each in source for log in open_logs(each)]
    elif isinstance(source, str | Path) and _is_folder_of_logs(Path(source)):
        found = [open_log(each) for each in _logs_below(Path(source))]
    else:
        found = [open_log(source)]
    if len(found) > 1:
        for number, log in enumerate(found):
            log.name = log.name if not log.name.startswith("the ") else f"log {number}"
    return found


def _is_folder_of_logs(path: Path) -> bool:
    """Whether a folder has logs that are read one by one, and is none itself."""
    with file_errors(path):
        if not path.is_dir() or is_lerobot(path) or is_bag(path):
            return False
        return not any(path.rglob("*.parquet"))


def _logs_below(folder: Path) -> list[Path]:
    """Return the logs in a folder and in the folders in it; name files that are none by a warning."""
    found: list[Path] = []
    other: list[Path] = []
    with file_errors(folder):
        for path, is_one in _walk(folder):
            (found if is_one else other).append(path)
    if not found:
        raise InvalidLog(f"{folder} has no logs; expected a file with one of the suffixes {', '.join(READERS)}.")
    if other:
        listed = ", ".join(each.name for each in other[:6]) + ", …" * (len(other) > 6)
        warnings.warn(f"files of {folder} are no logs and are left out: {listed}.", QuestionableLog, stacklevel=5)
    return found


def _walk(folder: Path) -> Iterator[tuple[Path, bool]]:
    """Yield files and folders that are logs, and files that are none."""
    for path in sorted(folder.iterdir(), key=lambda each: natural(each.name)):
        if path.name.startswith("."):
            continue
        if path.is_dir() and not path.is_symlink():
            if is_lerobot(path) or is_bag(path):
                yield path, True
            else:
                yield from _walk(path)
        elif path.is_file():
            yield path, _kind(path) in READERS


def _kind(path: Path) -> str:
    """Return the suffix of a file that tells its format."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    return suffixes[-2] if suffixes[-1:] == [".gz"] and len(suffixes) > 1 else "".join(suffixes[-1:])


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
    kind = _kind(path)
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
    if is_bag(path):
        return read_bag(path)
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
    **dict.fromkeys(MESSAGE_READERS, read_bag),
    ".hdf5": read_hdf5,
    ".h5": read_hdf5,
}
