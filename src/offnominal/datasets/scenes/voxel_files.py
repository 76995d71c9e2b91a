"""Voxel truth in files: an Arrow stream in the compact layout, arrays in the published one."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pyarrow as pa
from pyarrow import ipc

from offnominal.core.checks import one_of
from offnominal.core.config import Config
from offnominal.core.errors import DamagedFile, InvalidParameter, OffnominalError
from offnominal.core.files import content_errors, read_json
from offnominal.core.types import Array
from offnominal.sensing.voxel_grid import VoxelGrid
from offnominal.sensing.voxels import Voxels
from offnominal.worlds.road.scenes import DrivingFrame, voxel_truth
from offnominal.worlds.road.scenes.labelled_voxels import TruthRule

SETTINGS = "voxel_grid.json"
STREAM = "voxels.arrow"
FORMAT = b"1"
END = b"\xff\xff\xff\xff\x00\x00\x00\x00"
"""End of an Arrow stream."""
LABEL_SET_BYTES = 32
COLUMNS = {
    "x": pa.uint16(),
    "y": pa.uint16(),
    "z": pa.uint16(),
    "label": pa.uint8(),
    "instance": pa.int32(),
    "count": pa.int32(),
}
_OPTIONS = ipc.IpcWriteOptions(compression=pa.Codec("zstd", compression_level=1), use_threads=False)
LONGEST = 2**16
"""Most voxels along an axis that files can have."""


@dataclass(frozen=True)
class VoxelSettings(Config):
    """How the voxel truth of recorded scenes is computed; see :func:`~offnominal.worlds.road.scenes.voxel_truth`.

    Args:
        grid: The grid.
        rule: Which point decides the label of a voxel.
        label_sets: Whether the labels of all points of a voxel are stored; only in the compact layout.
    """

    grid: VoxelGrid = field(default_factory=VoxelGrid)
    rule: TruthRule = "centre"
    label_sets: bool = False

    def __post_init__(self) -> None:
        one_of("rule", self.rule, get_args(TruthRule))
        if max(self.grid.shape) > LONGEST:
            raise InvalidParameter(f"the grid has {max(self.grid.shape)} voxels along an axis; files have {LONGEST}.")

    def truth(self, frame: DrivingFrame) -> Voxels:
        """Return the voxels of a frame."""
        return voxel_truth(frame, grid=self.grid, rule=self.rule, label_sets=self.label_sets)

    @property
    def schema(self) -> Any:
        """Columns of the Arrow stream: one row per voxel."""
        fields = [pa.field(name, kind) for name, kind in COLUMNS.items()]
        if self.label_sets:
            fields.append(pa.field("labels", pa.binary(LABEL_SET_BYTES)))
        return pa.schema(fields, metadata={b"offnominal": FORMAT})

    @property
    def header(self) -> bytes:
        """Beginning of the Arrow stream, before its first batch."""
        return self.schema.serialize().to_pybytes()  # type: ignore[no-any-return]


def read_settings(path: Path) -> VoxelSettings:
    """Read the settings of voxels.

    Raises:
        MissingFile: There is no such file.
        DamagedFile: It has other content.
    """
    data = read_json(path)
    try:
        return VoxelSettings.from_dict(data)
    except (OffnominalError, TypeError, ValueError, OverflowError) as error:
        raise DamagedFile(f"{path} is not a description of voxels ({str(error).rstrip('.')}).") from None


def encode_voxels(voxels: Voxels, settings: VoxelSettings) -> memoryview:
    """Return voxels as a message of an Arrow stream."""
    assert voxels.instance is not None
    assert voxels.count is not None
    x, y, z = voxels.coordinates.T
    columns: list[Any] = [x, y, z, voxels.label, voxels.instance, voxels.count]
    kinds = [kind.to_pandas_dtype() for kind in COLUMNS.values()]
    arrays = [pa.array(each.astype(kind)) for each, kind in zip(columns, kinds, strict=True)]
    if voxels.label_sets is not None:
        content = pa.py_buffer(np.ascontiguousarray(voxels.label_sets, "<u8"))
        arrays.append(pa.Array.from_buffers(pa.binary(LABEL_SET_BYTES), len(voxels), [None, content]))
    sink = pa.BufferOutputStream()
    writer = ipc.new_stream(sink, settings.schema, options=_OPTIONS)
    writer.write_batch(pa.record_batch(arrays, schema=settings.schema))
    written = sink.tell()
    writer.close()
    return memoryview(sink.getvalue())[len(settings.header) : written]


def decode_voxels(content: bytes, settings: VoxelSettings, path: Path) -> Voxels:
    """Return the voxels of a message; raise :class:`DamagedFile` if it has other content."""
    with content_errors(path, "voxels", pa.ArrowException):
        stream = pa.BufferReader(settings.header + content + END)
        batch = ipc.open_stream(stream, options=ipc.IpcReadOptions(use_threads=False)).read_next_batch()
        values = {name: batch.column(name).to_numpy() for name in COLUMNS}
        places = np.stack([values["x"], values["y"], values["z"]], axis=1)
        sets = None
        if settings.label_sets:
            buffer = batch.column("labels").buffers()[1]
            sets = np.frombuffer(buffer, "<u8", 4 * len(places)).reshape(-1, 4).astype(np.uint64)
        return Voxels(
            settings.grid, settings.grid.numbers(places), values["label"], values["instance"], values["count"], sets
        )


def to_published(voxels: Voxels) -> Array:
    """Return voxels (n, 4) as published: position along x, y and z, and label."""
    return np.column_stack([voxels.coordinates, voxels.label]).astype(np.uint16)


def from_published(array: Array, grid: VoxelGrid, path: Path) -> Voxels:
    """Return the voxels of a published array, without instances and counts.

    Raises:
        DamagedFile: The array has another shape, or a voxel is outside the grid.
    """
    if array.ndim != 2 or array.shape[1] != 4 or array.dtype.kind not in "iuf":
        raise DamagedFile(f"{path} is an array of {array.dtype} with shape {array.shape}; expected voxels (n, 4).")
    try:
        index = grid.numbers(array[:, :3])
    except InvalidParameter as error:
        raise DamagedFile(f"{path}: {error}") from None
    order = np.argsort(index, kind="stable")
    return Voxels(grid, index[order], array[order, 3].astype(np.uint8))
