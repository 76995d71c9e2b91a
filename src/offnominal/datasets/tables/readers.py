"""Readers of the table files, with the preparation of the paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np

from offnominal.core.directories import find_data_home
from offnominal.core.errors import DamagedFile, InaccessibleFile
from offnominal.core.files import read_text, sha256_of, write_bytes
from offnominal.core.types import BoolArray, FloatArray, IntArray
from offnominal.datasets.tables.table import DIFFICULTIES, Column, Table

WIDTH = 42
WORDS = (1, 2, 3)
LABEL = 41
NORMAL = "normal."
BLOCK = 2048


def read_kdd99(name: str, paths: Mapping[str, Path]) -> Table:
    """Read the connections; protocol, service and flag become one-hot, everything except ``normal.`` is anomalous."""
    import pyarrow as pa
    import pyarrow.compute as pc

    parsed = _parsed(paths["rows"])
    levels = {k: pa.array(sorted(parsed.column(k).unique().to_pylist())) for k in WORDS}
    columns = tuple(
        Column(f"column {k}={level}", WORDS.index(k) + 1) if k in WORDS else Column(f"column {k}")
        for k in range(LABEL)
        for level in levels.get(k, ("",))
    )
    is_normal = pc.equal(parsed.column(LABEL), NORMAL)
    normal, anomalous = (_rows(parsed.filter(mask), levels, len(columns)) for mask in (is_normal, pc.invert(is_normal)))
    return Table(name, normal, anomalous, columns=columns)


def _rows(parsed: Any, levels: Mapping[int, Any], width: int) -> FloatArray:
    """Return the connections as numbers."""
    import pyarrow.compute as pc

    columns = [
        pc.index_in(parsed.column(k), value_set=levels[k]).to_numpy() if k in levels else parsed.column(k).to_numpy()
        for k in range(LABEL)
    ]
    rows = np.zeros((len(parsed), width))
    # In blocks of rows that fit into the processor cache.
    for start in range(0, len(rows), BLOCK):
        block, at = rows[start : start + BLOCK], 0
        for k, column in enumerate(columns):
            if k in levels:
                block[np.arange(len(block)), at + column[start : start + BLOCK]] = 1.0
                at += len(levels[k])
            else:
                block[:, at] = column[start : start + BLOCK]
                at += 1
    rows.flags.writeable = False
    return rows


def _parsed(path: Path) -> Any:
    """Return the columns, from a Parquet cache if the file was parsed before."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    home = find_data_home()
    if home is None:
        return _parse(path)
    cached = home / "parsed" / f"{sha256_of(path)[:16]}.parquet"
    with suppress(OSError, ValueError):
        if cached.is_file():
            return pq.read_table(cached, page_checksum_verification=True)
    parsed = _parse(path)
    content = pa.BufferOutputStream()
    pq.write_table(parsed, content, write_page_checksum=True)
    with suppress(InaccessibleFile):
        write_bytes(cached, memoryview(content.getvalue()))
    return parsed


def _parse(path: Path) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    names = [f"f{k}" for k in range(WIDTH)]
    types = {name: pa.string() if k in (*WORDS, LABEL) else pa.float64() for k, name in enumerate(names)}
    try:
        parsed = csv.read_csv(
            path,
            read_options=csv.ReadOptions(column_names=names),
            convert_options=csv.ConvertOptions(column_types=types),
        )
    except (pa.ArrowInvalid, OSError) as error:
        raise DamagedFile(f"{path}: {error}; fetch it again.") from None
    return parsed


Paths = Mapping[str, Path]
Reader = Callable[[str, Paths], Table]
SEISMIC_LETTERS = (0, 1, 2, 7)
LYING = 6


def read_prepared(name: str, paths: Paths) -> Table:
    """Read a folder of whitespace text: normal rows, a file of anomalies per difficulty, and optional column types."""
    normal = read_numbers(paths["normal"])
    parts = [(each, read_numbers(paths[each])) for each in DIFFICULTIES if each in paths]
    for each, rows in parts:
        if rows.shape[1] != normal.shape[1]:
            raise DamagedFile(
                f"{paths[each]} has {rows.shape[1]} columns, normal.txt {normal.shape[1]}; fetch both again."
            )
    groups = read_numbers(paths["data_types"]).ravel().astype(int) if "data_types" in paths else None
    return Table(
        name,
        normal,
        np.concatenate([rows for _, rows in parts] or [normal[:0]]),
        np.repeat([each for each, _ in parts], [len(rows) for _, rows in parts]),
        () if groups is None else tuple(Column(f"column {k}", int(group)) for k, group in enumerate(groups)),
    )


def read_isolet(name: str, paths: Paths) -> Table:
    """Read the spoken letters from the file that both of their tables share: 0 normal, 1 easy, 2 medium."""
    with np.load(paths["packed"], allow_pickle=False) as packed:
        rows = packed["X_e4_int16"] / 1e4
        group = packed[f"group_{name.replace('-', '_')}"]
    parts = [rows[group == code] for code in (1, 2)]
    difficulty = np.repeat(DIFFICULTIES[:2], [len(part) for part in parts])
    return Table(name, rows[group == 0], np.concatenate(parts), difficulty)


def read_annthyroid(name: str, paths: Paths) -> Table:
    """Read the training and the test file; the last column is the class, 3 is normal."""
    lines = [line.rstrip(" ,") for role in ("train", "test") for line in read_text(paths[role]).splitlines()]
    rows = parse_numbers(lines, paths["train"], separator="," if "," in lines[0] else None)
    return _parted(name, rows[:, :-1], rows[:, -1] != 3)


def read_arrhythmia(name: str, paths: Paths) -> Table:
    """Read the heart records without the columns with missing values (11 to 14) and row 5, which also has one."""
    lines = read_text(paths["rows"]).splitlines()
    names, lines = _header(lines, "age")
    fields = [line.split(",") for line in lines if line.strip()]
    kept = [",".join(row[:10] + row[14:]) for k, row in enumerate(fields) if k != 4]
    rows = parse_numbers(kept, paths["rows"], separator=",")
    return _parted(name, rows[:, :-1], rows[:, -1] != 1, (names[:10] + names[14:])[:-1])


def read_har(name: str, paths: Paths) -> Table:
    """Read the archive of activities: test rows, then training rows; lying down is anomalous."""
    rows: list[FloatArray] = []
    labels: list[FloatArray] = []
    try:
        with ZipFile(paths["archive"]) as archive:
            for part in ("test", "train"):
                for kept, letter in ((rows, "X"), (labels, "y")):
                    text = archive.read(f"UCI HAR Dataset/{part}/{letter}_{part}.txt").decode()
                    kept.append(parse_numbers(text.splitlines(), paths["archive"]))
    except (BadZipFile, KeyError) as error:
        raise DamagedFile(f"{paths['archive']}: {error}; expected the archive of UCI. Fetch it again.") from None
    return _parted(name, np.concatenate(rows), np.concatenate(labels)[:, 0] == LYING)


def read_htru2(name: str, paths: Paths) -> Table:
    """Read the pulsar candidates; the last column is the class, 1 is anomalous."""
    names, lines = _header(read_text(paths["rows"]).splitlines(), "mean")
    rows = parse_numbers(lines, paths["rows"], separator=",")
    return _parted(name, rows[:, :-1], rows[:, -1] == 1, names[:-1])


def read_mammography(name: str, paths: Paths) -> Table:
    """Read the mammograms; the last column is the class, in quotes, '1' is anomalous."""
    text = read_text(paths["rows"]).replace("'", "").replace('"', "")
    names, lines = _header(text.splitlines(), "attr")
    rows = parse_numbers(lines, paths["rows"], separator=",")
    return _parted(name, rows[:, :-1], rows[:, -1] == 1, names[:-1])


def read_seismic(name: str, paths: Paths) -> Table:
    """Read the shifts of a coal mine; four attributes are letters and become one-hot over those that occur."""
    lines = read_text(paths["rows"]).splitlines()
    starts = [k for k, line in enumerate(lines) if line.strip().lower() == "@data"]
    if not starts:
        raise DamagedFile(f"{paths['rows']} has no line '@data'; fetch it again.")
    fields = [line.split(",") for line in lines[starts[0] + 1 :] if line.strip()]
    names = [line.split()[1] for line in lines[: starts[0]] if line.lower().startswith("@attribute")]
    plain = [",".join(each for k, each in enumerate(row) if k not in SEISMIC_LETTERS) for row in fields]
    numbers = iter(parse_numbers(plain, paths["rows"], separator=",").T)
    blocks: list[FloatArray] = []
    columns: list[Column] = []
    for k, label in enumerate(names):
        if k in SEISMIC_LETTERS:
            levels, codes = np.unique([row[k].strip() for row in fields], return_inverse=True)
            blocks.append(one_hot(codes, len(levels)))
            columns.extend(Column(f"{label}={level}", 1 + SEISMIC_LETTERS.index(k)) for level in levels)
        else:
            blocks.append(next(numbers)[:, None])
            columns.append(Column(label))
    rows = np.concatenate(blocks, axis=1)
    table = _parted(name, rows[:, :-1], rows[:, -1] == 1)
    return Table(name, table.normal, table.anomalous, columns=tuple(columns[:-1]))


def read_spambase(name: str, paths: Paths) -> Table:
    """Read the mails; the last column is the class, 1 is anomalous. Some copies have a header of column numbers."""
    lines = read_text(paths["rows"]).splitlines()
    rows = parse_numbers(lines[lines[0].startswith("1,2,3,4,5,6,") :], paths["rows"], separator=",")
    return _parted(name, rows[:, :-1], rows[:, -1] == 1)


def _header(lines: list[str], begins: str) -> tuple[list[str], list[str]]:
    """Return the lines without the header that some copies have."""
    if lines and lines[0].lower().startswith(begins):
        return lines[0].split(","), lines[1:]
    return [], lines


def _parted(name: str, rows: FloatArray, anomalous: BoolArray, names: Sequence[str] = ()) -> Table:
    return Table(name, rows[~anomalous], rows[anomalous], columns=tuple(Column(each) for each in names))


READERS: dict[str, Reader] = {
    "annthyroid": read_annthyroid,
    "arrhythmia": read_arrhythmia,
    "har": read_har,
    "htru2": read_htru2,
    "kdd99_small": read_kdd99,
    "mammography": read_mammography,
    "seismic": read_seismic,
    "spambase": read_spambase,
}


def reader_of(name: str, source: str) -> Reader:
    """Return the reader of a table for a source."""
    if source == "packed":
        return read_isolet
    return READERS.get(name, read_prepared)


def read_numbers(path: Path, *, separator: str | None = None, skip: int = 0) -> FloatArray:
    """Return the table of numbers in a text file.

    Args:
        path: Of the file.
        separator: Between the numbers of a line; any blanks if None.
        skip: Lines to leave out at the top.

    Raises:
        DamagedFile: A line holds text, or more or fewer numbers than the first, or there is no line at all.
    """
    return parse_numbers(read_text(path).splitlines()[skip:], path, separator=separator)


def parse_numbers(lines: Iterable[str], path: Path, *, separator: str | None = None) -> FloatArray:
    """Return the table of numbers in lines of text."""
    kept = [line for line in lines if line.strip()]
    if not kept:
        raise DamagedFile(f"{path} has no rows; fetch it again.")
    try:
        rows = np.loadtxt(kept, np.float64, delimiter=separator, ndmin=2, comments=None)
    except ValueError as error:
        raise DamagedFile(f"{path}: {str(error).rstrip('.')}; expected a number. Fetch it again.") from None
    if not np.isfinite(rows).all():
        row, column = np.argwhere(~np.isfinite(rows))[0]
        raise DamagedFile(f"{path}: row {row}, column {column} is {rows[row, column]}; expected finite numbers.")
    return rows


def one_hot(codes: IntArray, levels: int) -> FloatArray:
    """Return the one-hot encoding of a column.

    Example:
        >>> one_hot(np.array([0, 2]), 3)
        array([[1., 0., 0.],
               [0., 0., 1.]])
    """
    out = np.zeros((len(codes), levels))
    out[np.arange(len(codes)), codes] = 1.0
    return out
