"""Episodes in Parquet files: plain columns for any reader, without loss.

Seeds, lengths and faults of the episodes are JSON in the file's metadata under ``offnominal``.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from offnominal.core.episode import Episode
from offnominal.core.errors import DamagedFile, InvalidParameter, UnsupportedFormat
from offnominal.core.files import content_errors, file_errors, parse_json
from offnominal.core.types import Array
from offnominal.datasets.layout import INDEX, MAIN, Channels, Signal, signals_of, stacked
from offnominal.datasets.split_metadata import SplitMetadata

KEY = "offnominal"
GROUP_ROWS = 2**16
ZSTD_LEVEL = 3


def write_episodes(path: Path, episodes: Iterable[Episode], channels: Channels | None = None) -> SplitMetadata:
    """Write episodes to a Parquet file, in row groups of whole episodes, and return their metadata.

    Args:
        path: File to write.
        episodes: At least one episode; all must have the same signals.
        channels: Channel names by signal; other channels are numbered.
    """
    groups = _grouped(episodes)
    first = next(groups, None)
    if first is None:
        raise InvalidParameter("a split without episodes cannot be written; give at least one.")
    with file_errors(path):
        writer = _Writer(path, signals_of(first[0]), channels or {})
    try:
        for group in chain([first], groups):
            with file_errors(path):
                writer.write(group)
        with file_errors(path):
            return writer.finish()
    finally:
        with file_errors(path):
            writer.close()


def _grouped(episodes: Iterable[Episode]) -> Iterator[list[Episode]]:
    """Yield groups of episodes of about GROUP_ROWS rows."""
    group: list[Episode] = []
    rows = 0
    for episode in episodes:
        group.append(episode)
        rows += len(episode) + 1
        if rows >= GROUP_ROWS:
            yield group
            group, rows = [], 0
    if group:
        yield group


class _Writer:
    def __init__(self, path: Path, signals: tuple[Signal, ...], channels: Channels) -> None:
        self.signals = signals
        self.columns = {signal.name: signal.columns(channels) for signal in signals}
        self.parts: list[SplitMetadata] = []
        fields = [pa.field(name, pa.int64() if name == "seed" else pa.int32(), nullable=False) for name in INDEX]
        encodings = {"step": "DELTA_BINARY_PACKED"}
        for signal in signals:
            kind, names = pa.from_numpy_dtype(np.dtype(signal.dtype)), self.columns[signal.name]
            fields += [pa.field(name, kind, nullable=not signal.closed) for name in names]
            if pa.types.is_floating(kind):
                encodings.update(dict.fromkeys(names, "BYTE_STREAM_SPLIT"))
        self.schema = pa.schema(fields)
        _check_distinct(self.schema.names)
        self.file = pq.ParquetWriter(
            path,
            self.schema,
            compression="zstd",
            compression_level=ZSTD_LEVEL,
            use_dictionary=["episode", "seed"],
            column_encoding=encodings,
            write_statistics=list(INDEX),
            store_schema=False,
        )

    def write(self, episodes: list[Episode]) -> None:
        """Write a row group."""
        for episode in episodes:
            self._check_alike(episode)
        first = sum(len(part.seeds) for part in self.parts)
        metadata = SplitMetadata.of(self.signals, episodes)
        rows = metadata.rows
        last, total = np.cumsum(rows) - 1, int(rows.sum())
        ended = np.zeros(total, np.bool_)
        ended[last] = True
        columns = [
            pa.array(np.repeat(np.arange(first, first + len(rows), dtype=np.int32), rows)),
            pa.array(np.repeat(metadata.seeds, rows)),
            pa.array((np.arange(total) - np.repeat(last + 1 - rows, rows)).astype(np.int32)),
        ]
        for signal in self.signals:
            channels = np.ascontiguousarray(stacked(signal, episodes).reshape(total, signal.width).T)
            columns += [pa.array(values, mask=None if signal.closed else ended) for values in channels]
        self.file.write_table(pa.table(columns, schema=self.schema), row_group_size=total)
        self.parts.append(metadata)

    def _check_alike(self, episode: Episode) -> None:
        found = signals_of(episode)
        if found != self.signals:
            different = next((signal for signal in found if signal not in self.signals), "their order or number")
            raise InvalidParameter(
                f"the episodes of a split must have the same signals; the episode of seed {episode.seed} differs in "
                f"{different}."
            )

    def finish(self) -> SplitMetadata:
        """Write the metadata of the episodes."""
        metadata = SplitMetadata.joined(self.parts)
        groups = [len(part.seeds) for part in self.parts]
        self.file.add_key_value_metadata({KEY: metadata.to_json(groups=groups)})
        return metadata

    def close(self) -> None:
        """Close the file."""
        self.file.close()


def _check_distinct(names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InvalidParameter(f"two columns would be called {name!r}; rename the signal.")


class ThreadSafeParquet:
    """Parquet file that several threads can read; pyarrow's reader is not thread-safe.

    Each thread has its own reader. The readers share the metadata, which is parsed once.

    Args:
        path: File to read.
        **options: Options of :class:`pyarrow.parquet.ParquetFile`.
    """

    def __init__(self, path: Path, **options: Any) -> None:
        self._path, self._options = path, options
        self._readers = threading.local()
        self._readers.file = pq.ParquetFile(path, **options)
        self.metadata: pq.FileMetaData = self._readers.file.metadata

    @property
    def current(self) -> pq.ParquetFile:
        """Reader of the current thread."""
        reader: pq.ParquetFile | None = getattr(self._readers, "file", None)
        if reader is None:
            reader = self._readers.file = pq.ParquetFile(self._path, metadata=self.metadata, **self._options)
        return reader


class EpisodeFile:
    """Reader of a file of episodes, one row group at a time; thread-safe.

    Args:
        path: File to read.

    Attributes:
        metadata: Metadata of its episodes.
        bounds: Index of the first episode of each row group, then the number of all episodes.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with name_damage(path):
            self._file = ThreadSafeParquet(path)
            data = parse_json((self._file.metadata.metadata or {})[KEY.encode()], path)
            self.metadata = SplitMetadata.from_data(data)
            self.bounds: list[int] = [0, *np.cumsum(data["groups"]).tolist()]
            self._names = self._file.current.schema_arrow.names[len(INDEX) :]
            self._check_metadata()

    def _check_metadata(self) -> None:
        """Raise if the metadata does not fit the columns and rows."""
        metadata, schema, stored = self.metadata, self._file.current.schema_arrow, self._file.metadata
        kinds = [pa.from_numpy_dtype(np.dtype(signal.dtype)) for signal in metadata.signals]
        widths = [signal.width for signal in metadata.signals]
        if sum(widths) != len(self._names) or min(widths, default=0) < 0:
            raise DamagedFile(f"{self.path} has {len(self._names)} columns; its metadata says {sum(widths)}.")
        expected = [kind for kind, width in zip(kinds, widths, strict=True) for _ in range(width)]
        if schema.types[len(INDEX) :] != expected or not {signal.name for signal in metadata.signals} >= set(MAIN):
            raise DamagedFile(f"{self.path} has columns of other types than its metadata says.")
        rows = [int(metadata.part(*pair).rows.sum()) for pair in pairwise(self.bounds)]
        found = [stored.row_group(index).num_rows for index in range(stored.num_row_groups)]
        counts = {
            len(metadata.seeds),
            len(metadata.lengths),
            len(metadata.terminated),
            len(metadata.events),
            self.bounds[-1],
        }
        if rows != found or len(counts) > 1 or (metadata.lengths < 0).any():
            raise DamagedFile(f"{self.path} has other rows than its metadata says.")

    def group(self, index: int) -> list[Episode]:
        """Return the episodes of a row group; their arrays are read-only views of shared arrays."""
        metadata = self.metadata.part(*self.bounds[index : index + 2])
        with name_damage(self.path):
            table = self._file.current.read_row_group(index, columns=self._names, use_threads=False)
            arrays = {signal.name: _gathered(table, names, signal) for signal, names in self.columns()}
        return _cut(metadata, arrays)

    def columns(self) -> list[tuple[Signal, list[str]]]:
        """Return each signal with the names of its columns."""
        names = iter(self._names)
        return [(signal, list(islice(names, signal.width))) for signal in self.metadata.signals]

    def table(self) -> Any:
        """Return the file as an Arrow table, index columns included."""
        with name_damage(self.path):
            return self._file.current.read().replace_schema_metadata(None)


def _gathered(table: Any, names: list[str], signal: Signal) -> Array:
    """Return the columns of a signal as one read-only array."""
    if not signal.shape:
        values = _buffered(table.column(names[0]), signal.dtype)
    else:
        values = np.empty((len(table), signal.width), signal.dtype)
        for index, name in enumerate(names):
            values[:, index] = _buffered(table.column(name), signal.dtype)
        values = values.reshape(len(table), *signal.shape)
    values.flags.writeable = False
    return values


def _buffered(column: Any, dtype: str) -> Array:
    """Return the buffer of a column; its values are undefined where the column is null."""
    chunk = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if dtype == "|b1":
        bits = np.unpackbits(np.frombuffer(chunk.buffers()[1], np.uint8), bitorder="little")
        return bits[chunk.offset : chunk.offset + len(chunk)].view(np.bool_)
    return np.frombuffer(chunk.buffers()[1], dtype, len(chunk), chunk.offset * np.dtype(dtype).itemsize)


def _cut(metadata: SplitMetadata, arrays: dict[str, Array]) -> list[Episode]:
    """Return the episodes of concatenated signals."""
    signals = [(signal.name, arrays[signal.name], signal.closed) for signal in metadata.signals]
    ends, rows = np.cumsum(metadata.rows).tolist(), metadata.rows.tolist()
    seeds, terminated = metadata.seeds.tolist(), metadata.terminated.tolist()
    episodes = []
    for i, end in enumerate(ends):
        parts = {name: values[end - rows[i] : end - 1 + closed] for name, values, closed in signals}
        main = {name: parts.pop(name) for name in MAIN}
        episodes.append(
            Episode(**main, events=metadata.events[i], seed=seeds[i], terminated=terminated[i], extras=parts)
        )
    return episodes


@contextmanager
def name_damage(path: Path, what: str = "episodes") -> Iterator[None]:
    """Turn errors of a reader into errors that name the file."""
    try:
        with content_errors(path, what, pa.ArrowException):
            yield
    except UnsupportedFormat as error:
        raise UnsupportedFormat(f"{path} cannot be read: {error}.") from None
