"""Compact layout: one Arrow stream per scene, to which every frame is appended."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from offnominal.core.files import content_errors, file_errors, sha256_of
from offnominal.core.types import Array
from offnominal.datasets.scenes.compact_frame import (
    ACTORS,
    EGO,
    END,
    decode_frame,
    decode_state,
    encode_frame,
    header_of,
    schema_of,
)
from offnominal.datasets.scenes.index import FrameEntry, Part, read_part
from offnominal.worlds.road.rigs import Rig
from offnominal.worlds.road.scenes import DrivingFrame
from offnominal.worlds.road.town.snapshot import Snapshot

STREAM = "frames.arrow"
SCENARIOS = "scenarios"
STATE = ("number", "tick", *(f"ego.{name}" for name in EGO), *(f"actors.{name}" for name in ACTORS), "lights")


def scene_folder(id: str) -> str:
    """Return the folder of a scene relative to its set."""
    return f"scenes/{id}"


class CompactWriter:
    """Writer of the frames of a scene.

    Args:
        folder: Folder of the scene.
        rig: Its sensors.
        finished: Entries of the frames that are already written; anything after them is removed.
    """

    def __init__(self, folder: Path, rig: Rig, finished: Sequence[FrameEntry] = ()) -> None:
        self.path = folder / STREAM
        self._schema = schema_of(rig)
        self._header = header_of(self._schema)
        with file_errors(self.path):
            folder.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("r+b" if finished else "wb")
            if finished:
                self._file.seek(finished[-1].parts[0].offset + finished[-1].parts[0].size)
                self._file.truncate()
            else:
                self._file.write(self._header)

    def add(self, frame: DrivingFrame) -> tuple[Part, ...]:
        """Append a frame, and return where it is."""
        message = encode_frame(frame, self._schema, self._header)
        with file_errors(self.path):
            part = Part(STREAM, self._file.tell(), len(message), sha256_of(message))
            self._file.write(message)
            self._file.flush()
        return (part,)

    def finish(self) -> dict[str, str]:
        """Write the end of the file, and return the hashes of the files that belong to all frames."""
        with file_errors(self.path):
            self._file.write(END)
            self._file.flush()
            os.fsync(self._file.fileno())
        return {STREAM: sha256_of(self.path)}

    def close(self) -> None:
        """Close the file."""
        with file_errors(self.path):
            self._file.close()


class CompactReader:
    """Reader of the frames of a scene; each frame is read and checked alone.

    Args:
        folder: Folder of the scene.
        rig: Its sensors.
    """

    def __init__(self, folder: Path, rig: Rig) -> None:
        self.path = folder / STREAM
        self.rig = rig
        self._schema = schema_of(rig)
        self._header = header_of(self._schema)

    def frame(self, entry: FrameEntry) -> DrivingFrame:
        """Return a frame.

        Raises:
            DamagedFile: The file was changed.
        """
        with content_errors(self.path, "driving frames", pa.ArrowException):
            return decode_frame(self._row(entry, None), self.rig)

    def state(self, entry: FrameEntry) -> Snapshot:
        """Return the state of all actors in a frame; the sensors are not decoded."""
        with content_errors(self.path, "driving frames", pa.ArrowException):
            return decode_state(self._row(entry, STATE))[2]

    def _row(self, entry: FrameEntry, names: Sequence[str] | None) -> dict[str, Any]:
        stream = pa.BufferReader(self._header + read_part(self.path.parent, entry.parts[0]) + END)
        chosen = None if names is None else [self._schema.get_field_index(name) for name in names]
        options = ipc.IpcReadOptions(included_fields=chosen, use_threads=False)
        batch = ipc.open_stream(stream, options=options).read_next_batch()
        return {name: _value(column) for name, column in zip(batch.schema.names, batch.columns, strict=True)}


def _value(column: Any) -> Any:
    """Return the only value of a column; numbers of a list as an array, bytes as a buffer."""
    if pa.types.is_binary(column.type):
        return column[0].as_buffer() if column[0].is_valid else None
    if pa.types.is_list(column.type) and not pa.types.is_string(column.type.value_type):
        values: Array = column.flatten().to_numpy(zero_copy_only=False)
        return values
    return column[0].as_py()
