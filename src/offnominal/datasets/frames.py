"""Frames of a split: a separate Parquet file with a row per frame and a row group per episode.

A frame is stored as raw bytes in row-major order with RGB per pixel. Each episode is compressed as a whole with zstd,
so any Parquet reader can read it. Other encodings are larger: a frame of half cheetah takes 3.0 kB raw, 5.2 kB with
separate colour planes, 5.9 kB with prediction from neighbours, and 8.6 kB as difference to the previous frame, because
they break the repetitions that zstd finds. Differences help only with a fixed camera and a slow scene (Reacher 3D: 1.3
instead of 1.6 kB).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from offnominal.core.episode import FRAMES, Episode
from offnominal.core.errors import DamagedFile, InvalidParameter, UnsupportedFormat
from offnominal.core.files import file_errors, parse_json
from offnominal.core.types import Array, Frames
from offnominal.datasets.parquet import KEY, ZSTD_LEVEL, ThreadSafeParquet, name_damage

FORMAT = 1
PAGE = 2**30
LAYOUT = "bytes; rows from the top, pixels from the left, red green blue"


def has_frames(episode: Episode) -> bool:
    """Whether an episode has camera frames, which are stored outside the table; no frame is decoded.

    Example:
        >>> has_frames(Episode(np.zeros((4, 2)), np.zeros((3, 1)), np.zeros(3), np.zeros(3, bool)))
        False
    """
    if FRAMES not in episode.extras:
        return False
    return isinstance(episode.extras, LazyFrames) or episode.extras[FRAMES].ndim == 4


def without_frames(episode: Episode) -> Episode:
    """Return the episode without its frames."""
    if not has_frames(episode):
        return episode
    return replace(episode, extras={name: episode.extras[name] for name in episode.extras if name != FRAMES})


class FramesWriter:
    """Writes the frames of episodes; writes no file if the first episode has none.

    Args:
        path: File to write.

    Attributes:
        count: Number of frames so far.
        shape: Shape of a frame.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        self.shape: tuple[int, ...] = ()
        self._episodes = 0
        self._file: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._file is None:
            return
        with file_errors(self.path):
            about = {"format": FORMAT, "episodes": self._episodes, "shape": self.shape, "layout": LAYOUT}
            self._file.add_key_value_metadata({KEY: json.dumps(about)})
            self._file.close()

    def add(self, episode: Episode) -> None:
        """Write the frames of an episode."""
        self._episodes += 1
        present = has_frames(episode)
        if self._episodes > 1 and present != (self.count > 0):
            raise InvalidParameter(
                f"either all or no episodes of a split must have frames; the episode of seed {episode.seed} differs."
            )
        if present:
            self._write(episode)

    def _write(self, episode: Episode) -> None:
        frames = self._checked(episode)
        rows, width = len(frames), int(np.prod(self.shape))
        kind = pa.binary(width)
        columns = [
            pa.array(np.full(rows, self._episodes - 1, np.int32)),
            pa.array(np.full(rows, episode.seed, np.int64)),
            pa.array(np.arange(rows, dtype=np.int32)),
            pa.FixedSizeBinaryArray.from_buffers(kind, rows, [None, pa.py_buffer(frames)]),
        ]
        types = {"episode": pa.int32(), "seed": pa.int64(), "step": pa.int32(), "frame": kind}
        schema = pa.schema([pa.field(name, type_, nullable=False) for name, type_ in types.items()])
        with file_errors(self.path):
            if self._file is None:
                self._file = self._opened(schema)
            self._file.write_table(pa.table(columns, schema=schema), row_group_size=rows)
        self.count += rows

    def _checked(self, episode: Episode) -> Frames:
        """Return the frames as a contiguous array; raise if they are invalid."""
        frames = episode.extras[FRAMES]
        if frames.dtype != np.uint8 or len(frames) != len(episode) + 1 or frames.shape[3] != 3:
            raise InvalidParameter(
                f"the frames of the episode of seed {episode.seed} are {frames.dtype} of shape {frames.shape}; "
                f"expected uint8 of ({len(episode) + 1}, height, width, 3)."
            )
        self.shape = self.shape or frames.shape[1:]
        if frames.shape[1:] != self.shape:
            raise InvalidParameter(
                f"the frames of the episode of seed {episode.seed} have shape {frames.shape[1:]}, those before it "
                f"{self.shape}; all frames of a split must have the same."
            )
        return np.ascontiguousarray(frames)

    def _opened(self, schema: Any) -> Any:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        return pq.ParquetWriter(
            self.path,
            schema,
            compression="zstd",
            compression_level=ZSTD_LEVEL,
            use_dictionary=["episode", "seed"],
            column_encoding={"step": "DELTA_BINARY_PACKED", "frame": "PLAIN"},
            write_statistics=["episode", "seed", "step"],
            # An episode is one page, so that zstd finds repetitions across frames; the page has a checksum.
            data_page_size=PAGE,
            write_page_checksum=True,
            store_schema=False,
        )


class FramesFile:
    """Reader of frames, one episode at a time; thread-safe. The latest episode is cached.

    Args:
        path: File to read.
        episodes: Expected number of episodes.
    """

    def __init__(self, path: Path, episodes: int) -> None:
        self.path = path
        self._held: tuple[int, Frames] | None = None
        with name_damage(path, "frames"):
            self._file = ThreadSafeParquet(path, page_checksum_verification=True)
            about = parse_json((self._file.metadata.metadata or {})[KEY.encode()], path)
            if about["format"] != FORMAT:
                raise UnsupportedFormat(f"it has format {about['format']}; this version reads format {FORMAT}")
            self.shape: tuple[int, ...] = tuple(about["shape"])
        if not episodes == about["episodes"] == self._file.metadata.num_row_groups:
            raise DamagedFile(f"{path} holds the frames of {about['episodes']} episodes; expected {episodes}.")

    def episode(self, number: int, count: int) -> Frames:
        """Return the frames of an episode as a read-only array; raise if their number is not `count`."""
        held = self._held
        if held is None or held[0] != number:
            held = self._held = number, self._read(number)
        frames = held[1]
        if len(frames) != count:
            raise DamagedFile(f"{self.path} holds {len(frames)} frames of episode {number}; expected {count}.")
        return frames

    def _read(self, number: int) -> Frames:
        with name_damage(self.path, "frames"):
            column = self._file.current.read_row_group(number, columns=["frame"], use_threads=False).column(0)
            chunk = column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
            frames = np.frombuffer(chunk.buffers()[1], np.uint8).reshape(len(chunk), *self.shape)
        frames.flags.writeable = False
        return frames


class LazyFrames(Mapping[str, Array]):
    """Extras of a stored episode, whose frames are read on access.

    A pickled copy is a dictionary with the frames.

    Args:
        held: Extras other than the frames.
        read: Function that reads the frames, given the index of the episode and the number of its frames.
        number: Index of the episode.
        count: Number of its frames.
    """

    def __init__(self, held: Mapping[str, Array], read: Callable[[int, int], Frames], number: int, count: int) -> None:
        self._held = held
        self._read = partial(read, number, count)

    def __getitem__(self, name: str) -> Array:
        return self._read() if name == FRAMES else self._held[name]

    def __contains__(self, name: object) -> bool:
        return name == FRAMES or name in self._held

    def __iter__(self) -> Iterator[str]:
        yield from self._held
        yield FRAMES

    def __len__(self) -> int:
        return len(self._held) + 1

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)
