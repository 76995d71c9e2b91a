"""KDD Cup 1999: half a million network connections, cached after parsing."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from offnominal.core.directories import find_data_home
from offnominal.core.errors import DamagedFile, InaccessibleFile
from offnominal.core.files import sha256_of, write_bytes
from offnominal.core.types import FloatArray
from offnominal.datasets.tables.table import Column, Table

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
