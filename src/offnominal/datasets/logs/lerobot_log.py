"""LeRobot datasets: Parquet files with lists of numbers, and a description in ``meta/info.json``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from offnominal.core.errors import InvalidLog, MissingFile
from offnominal.core.files import read_json
from offnominal.datasets.logs.boundary import parsing
from offnominal.datasets.logs.lerobot_video import CameraFrames
from offnominal.datasets.logs.row_source import ParquetRows

INFO = "meta/info.json"
WIDEST = 4096
REWARD, EPISODE, TIME = "next.reward", "episode_index", "timestamp"


def is_lerobot(folder: Path) -> bool:
    """Whether a folder is a LeRobot dataset."""
    return (folder / INFO).is_file()


class LeRobotRows(ParquetRows):
    """The rows of a LeRobot dataset; lists of numbers become one column per channel. Videos are read by :meth:`frames`.

    Args:
        folder: Folder of the dataset.
    """

    def __init__(self, folder: Path) -> None:
        try:
            info = read_json(folder / INFO)
        except MissingFile:
            raise InvalidLog(f"{folder} has no {INFO}; expected a LeRobot dataset.") from None
        with parsing(folder, "a LeRobot dataset"):
            super().__init__(str(folder), sorted((folder / "data").rglob("*.parquet")))
            self.folder, self._info = folder, info
            self._find_channels(info.get("features", {}))

    def _find_channels(self, features: Any) -> None:
        """Find the channels of the stored columns."""
        folder = self.folder
        self._stored = self.schema
        self._parts: dict[str, tuple[str, int | None]] = {}
        kinds = []
        for field in self._stored:
            for name, index in _channels(field, features.get(field.name, {}), folder):
                self._parts[name] = (field.name, index)
                kinds.append(pa.field(name, field.type if index is None else field.type.value_type))
        self.schema = pa.schema(kinds)
        observed = [name for name, (column, _) in self._parts.items() if column.startswith("observation.")]
        if not observed:
            raise InvalidLog(f"{folder} has no column 'observation.…' of numbers; it has: {self._stored.names}.")
        self.suggested = {
            "observations": observed,
            "actions": [name for name, (column, _) in self._parts.items() if column == "action"],
            "reward": REWARD if REWARD in self._parts else None,
            "episode": EPISODE if EPISODE in self._parts else None,
            "time": TIME if TIME in self._parts else None,
        }

    def frames(self, camera: str, size: int | None = None) -> CameraFrames:
        """Return the frames of a camera; see :class:`~offnominal.datasets.logs.lerobot_video.CameraFrames`."""
        if EPISODE not in self._parts:
            raise InvalidLog(f"{self.name} has no column {EPISODE!r}; the videos cannot be found.")
        with parsing(self.folder, "a LeRobot dataset"):
            blocks = [block[EPISODE].to_numpy() for block in self.blocks([EPISODE])]
            return CameraFrames(self.folder, self._info, np.concatenate(blocks), camera, size)

    def read_blocks(self, columns: Sequence[str], start: int = 0) -> Iterator[Any]:
        """Yield the rows from a row on, with lists as channels."""
        stored = list(dict.fromkeys(self._parts[name][0] for name in columns))
        first = start
        for block in super().read_blocks(stored, start):
            matrices = {name: self._matrix(block[name], name, first) for name in stored if self._is_list(name)}
            flat = {}
            for name in columns:
                column, index = self._parts[name]
                flat[name] = block[column] if index is None else pa.array(matrices[column][:, index])
            yield pa.table(flat)
            first += block.num_rows

    def _is_list(self, column: str) -> bool:
        return _is_list(self._stored.field(column).type)

    def _matrix(self, column: Any, name: str, first: int) -> Any:
        """Return a column of lists as a matrix."""
        width = sum(1 for stored, _ in self._parts.values() if stored == name)
        lists = column.combine_chunks()
        values = np.asarray(lists.flatten().to_numpy(zero_copy_only=False))
        if lists.null_count or len(values) != width * len(lists):
            lengths = [0 if entry is None else len(entry) for entry in lists.to_pylist()]
            row = next(row for row, length in enumerate(lengths) if length != width)
            raise InvalidLog(
                f"column {name!r} of {self.name} has {lengths[row]} entries in row {first + row}; expected {width}."
            )
        return values.reshape(-1, width)


def _is_list(kind: Any) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind) or pa.types.is_large_list(kind))


def _channels(field: Any, feature: Any, folder: Path) -> list[tuple[str, int | None]]:
    """Return the names of the channels of a stored column, with their index in its lists."""
    if not _is_list(field.type):
        return [(field.name, None)]
    shape = feature.get("shape") if isinstance(feature, dict) else None
    if not shape or _is_list(field.type.value_type):
        return []
    width = math.prod(shape)
    if width > WIDEST:
        return []
    names = feature.get("names")
    if isinstance(names, dict):
        names = next((each for each in names.values() if isinstance(each, list)), None)
    if not isinstance(names, list) or len(set(map(str, names))) != width:
        names = list(range(width))
    return [(f"{field.name}.{name}", index) for index, name in enumerate(names)]
