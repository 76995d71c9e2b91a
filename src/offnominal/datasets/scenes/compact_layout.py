"""Compact layout: one Arrow stream per scene, to which every frame is appended."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from offnominal.core.files import content_errors, file_errors, sha256_of, write_json
from offnominal.core.types import Array
from offnominal.datasets.scenes import voxel_files
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
from offnominal.datasets.scenes.voxel_files import VoxelSettings
from offnominal.worlds.road.rigs import Rig
from offnominal.worlds.road.scenes import DrivingFrame
from offnominal.worlds.road.town.snapshot import Snapshot

STREAM = "frames.arrow"
SCENARIOS = "scenarios"
STATE = ("number", "tick", *(f"ego.{name}" for name in EGO), *(f"actors.{name}" for name in ACTORS), "lights")


def scene_folder(id: str) -> str:
    """Return the folder of a scene relative to its set."""
    return f"scenes/{id}"


class _Stream:
    """An Arrow stream to which messages are appended.

    Args:
        path: The file.
        header: Its beginning.
        last: Last message that is kept; None for a new file.
    """

    def __init__(self, path: Path, header: bytes, last: Part | None) -> None:
        self.path = path
        with file_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("wb" if last is None else "r+b")
            if last is None:
                self._file.write(header)
            else:
                self._file.seek(last.offset + last.size)
                self._file.truncate()

    def append(self, message: memoryview) -> Part:
        """Append a message, and return where it is."""
        with file_errors(self.path):
            part = Part(self.path.name, self._file.tell(), len(message), sha256_of(message))
            self._file.write(message)
            self._file.flush()
        return part

    def finish(self) -> str:
        """Write the end of the stream, and return the hash of the file."""
        with file_errors(self.path):
            self._file.write(END)
            self._file.flush()
            os.fsync(self._file.fileno())
        return sha256_of(self.path)

    def close(self) -> None:
        """Close the file."""
        with file_errors(self.path):
            self._file.close()


class CompactWriter:
    """Writer of the frames of a scene.

    Args:
        folder: Folder of the scene.
        rig: Its sensors.
        finished: Entries of the frames that are already written; anything after them is removed.
        voxels: How voxel truth is computed; None to write none.
    """

    def __init__(
        self, folder: Path, rig: Rig, finished: Sequence[FrameEntry] = (), voxels: VoxelSettings | None = None
    ) -> None:
        self._folder, self._rig, self._voxels = folder, rig, voxels
        self._schema = schema_of(rig)
        self._header = header_of(self._schema)
        last = finished[-1].parts if finished else (None, None)
        self._streams = [_Stream(folder / STREAM, self._header, last[0])]
        if voxels is not None:
            self._streams.append(_Stream(folder / voxel_files.STREAM, voxels.header, last[1]))

    def add(self, frame: DrivingFrame) -> tuple[Part, ...]:
        """Append a frame, and return where it is."""
        content = encode_frame(frame, self._schema, self._header)
        parts = [self._streams[0].append(content)]
        if self._voxels is not None:
            # Depths and distances are rounded, so the frame that is read has other points near the sides of voxels.
            found = self._voxels.truth(decode_frame(_row_of(content, self._schema, self._header), self._rig))
            parts.append(self._streams[1].append(voxel_files.encode_voxels(found, self._voxels)))
        return tuple(parts)

    def finish(self) -> dict[str, str]:
        """Write the ends of the files, and return the hashes of those that belong to all frames."""
        found = {stream.path.name: stream.finish() for stream in self._streams}
        if self._voxels is not None:
            path = self._folder / voxel_files.SETTINGS
            write_json(path, self._voxels.to_dict())
            found[path.name] = sha256_of(path)
        return found

    def close(self) -> None:
        """Close the files."""
        for stream in self._streams:
            stream.close()


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
        return _row_of(read_part(self.path.parent, entry.parts[0]), self._schema, self._header, names)


def _row_of(
    content: bytes | memoryview, schema: Any, header: bytes, names: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return the columns of a message; only some of them if they are named."""
    stream = pa.BufferReader(header + content + END)
    chosen = None if names is None else [schema.get_field_index(name) for name in names]
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
