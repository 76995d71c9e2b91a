"""Demonstrations in HDF5 files: in groups per episode, as robomimic, or in flat arrays, as D4RL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from offnominal.core.errors import InvalidLog, MissingDependency, MissingFile, OffnominalError
from offnominal.core.files import content_errors, file_errors
from offnominal.core.types import Array
from offnominal.datasets.logs.row_source import BLOCK_ROWS, RowSource

WIDEST = 4096
FLAT = ("observations", "actions")
ENDS = ("terminals", "timeouts")
EPISODE, REWARD = "episode", "reward"


def read_hdf5(path: Path | str) -> Hdf5Rows:
    """Return the rows of an HDF5 file of demonstrations; an episode or a block of rows is in memory at a time.

    Two layouts are read. In robomimic's, each ``data/demo_0`` has ``obs/<name>``, ``actions`` and maybe ``rewards`` and
    ``next_obs``, whose last entry is the last observation. In D4RL's, ``observations``, ``actions``, ``rewards``,
    ``terminals`` and ``timeouts`` are arrays over all steps; an episode ends after a terminal or a timeout. Images are
    left out.

    Raises:
        MissingDependency: The package ``h5py`` is not installed.
        InvalidLog: The file has another layout.
    """
    return Hdf5Rows(Path(path))


class Hdf5Rows(RowSource):
    """The rows of an HDF5 file; see :func:`read_hdf5`.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with _opened(path) as opened:
            if "data" in opened and hasattr(opened["data"], "keys"):
                self._layout: FlatArrays | Demonstrations = Demonstrations(opened["data"], path)
            elif all(name in opened for name in FLAT):
                self._layout = FlatArrays(opened, path)
            else:
                raise InvalidLog(
                    f"{path} has {', '.join(map(str, opened)) or 'nothing'}; expected 'data/demo_0' and so on, or "
                    "'observations' and 'actions'."
                )
        kinds = self._layout.kinds
        super().__init__(str(path), pa.schema([(n, pa.from_numpy_dtype(k)) for n, k in kinds.items()]), self._rows)
        self.suggested = {
            "observations": [name for name in kinds if name.startswith("observation")],
            "actions": [name for name in kinds if name.startswith("action.")],
            "reward": REWARD if REWARD in kinds else None,
            "episode": EPISODE,
        }

    @property
    def _rows(self) -> int:
        return sum(rows for rows, _ in self._layout.parts)

    def blocks(self, columns: Sequence[str], start: int = 0) -> Iterator[Any]:
        """Yield the rows from a row on; earlier parts of the file are skipped."""
        first = 0
        with _opened(self.path) as opened:
            for rows, part in self._layout.parts:
                if first + rows > start:
                    read = self._layout.read(opened, part, columns)
                    arrays = {name: read[name].astype(self._layout.kinds[name], copy=False) for name in columns}
                    table = pa.table({name: pa.array(np.ascontiguousarray(each)) for name, each in arrays.items()})
                    yield table.slice(max(start - first, 0))
                first += rows


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a file; damage is :class:`InvalidLog`."""
    try:
        import h5py
    except ImportError:
        raise MissingDependency("HDF5 files need h5py; install it with `pip install offnominal[hdf5]`.") from None
    with file_errors(path):
        if not path.exists():
            raise MissingFile(f"{path} does not exist.")
    try:
        with content_errors(path, "an HDF5 file"), h5py.File(path, "r") as file:
            yield file
    except OffnominalError as error:
        raise error if isinstance(error, InvalidLog) else InvalidLog(str(error)) from None


class FlatArrays:
    """Arrays over all steps, as in D4RL.

    Args:
        opened: The file.
        path: Its path.

    Attributes:
        kinds: Type of each column.
        parts: Number of rows and first row of each block.
    """

    def __init__(self, opened: Any, path: Path) -> None:
        observations = opened["observations"]
        steps = len(observations)
        ends = np.zeros(steps, np.bool_)
        for name in ENDS:
            if name in opened:
                ends |= np.asarray(_of_length(name, opened[name], steps, path)).reshape(-1).astype(np.bool_)
        self.kinds: dict[str, Any] = _kinds("observation", observations)
        self.kinds |= _kinds("action", _of_length("actions", opened["actions"], steps, path))
        if "rewards" in opened:
            self.kinds[REWARD] = _of_length("rewards", opened["rewards"], steps, path).dtype
        self.kinds[EPISODE] = np.dtype(np.int64)
        self._episodes = np.concatenate([[0], np.cumsum(ends)[:-1]]) if steps else np.zeros(0, np.int64)
        self.parts = [(min(BLOCK_ROWS, steps - first), first) for first in range(0, steps, BLOCK_ROWS)]

    def read(self, opened: Any, part: Any, columns: Sequence[str]) -> dict[str, Array]:
        """Return the rows of a block."""
        block = slice(part, part + BLOCK_ROWS)
        found: dict[str, Array] = {EPISODE: self._episodes[block]}
        for name, stored in (("observation", "observations"), ("action", "actions")):
            if any(column.startswith(f"{name}.") for column in columns):
                found |= _columns(name, np.asarray(opened[stored][block]))
        if REWARD in columns:
            found[REWARD] = np.asarray(opened["rewards"][block]).reshape(-1)
        return found


class Demonstrations:
    """One group per episode, as in robomimic.

    Args:
        group: The group of the episodes.
        path: Path of the file.

    Attributes:
        kinds: Type of each column.
        parts: Number of rows, and number and name of each episode.
    """

    def __init__(self, group: Any, path: Path) -> None:
        self.path = path
        self.kinds: dict[str, Any] = {}
        self.parts: list[tuple[int, Any]] = []
        for number, name in enumerate(sorted(group, key=_natural)):
            demo = group[name]
            if "obs" not in demo or "actions" not in demo:
                raise InvalidLog(f"{path}: 'data/{name}' has {', '.join(demo)}; expected 'obs' and 'actions'.")
            rows, kinds = _shape(demo, f"data/{name}", path)
            if self.kinds and kinds.keys() != self.kinds.keys():
                raise InvalidLog(f"{path}: 'data/{name}' has other channels than the first episode.")
            self.kinds = {key: np.result_type(kind, self.kinds.get(key, kind)) for key, kind in kinds.items()}
            self.parts.append((rows, (number, name)))
        if not self.parts:
            raise InvalidLog(f"{path}: 'data' has no episodes; expected 'demo_0' and so on.")

    def read(self, opened: Any, part: Any, columns: Sequence[str]) -> dict[str, Array]:
        """Return the rows of an episode."""
        number, name = part
        return _demonstration(opened["data"][name], number)


def _shape(demo: Any, where: str, file: Path) -> tuple[int, dict[str, Any]]:
    """Return the number of rows of an episode and the types of its columns."""
    observed = {key: demo["obs"][key] for key in demo["obs"]}
    last = _last(demo, observed)
    rows = max((len(values) for values in observed.values()), default=0)
    kinds: dict[str, Any] = {}
    for key, values in observed.items():
        kinds |= _kinds(f"observation.{key}", _of_length(f"{where}/obs/{key}", values, rows, file))
    rows += bool(last)
    actions = demo["actions"]
    if len(actions) not in (rows, rows - 1):
        raise InvalidLog(f"{file}: '{where}/actions' has {len(actions)} entries, and there are {rows} observations.")
    kinds |= _kinds("action", actions)
    if "rewards" in demo:
        kinds[REWARD] = _of_length(f"{where}/rewards", demo["rewards"], len(actions), file).dtype
    return rows, kinds | {EPISODE: np.dtype(np.int64)}


def _last(demo: Any, observed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arrays whose last entry is the last observation; empty if some are missing."""
    if "next_obs" not in demo or not all(key in demo["next_obs"] for key in observed):
        return {}
    return {key: demo["next_obs"][key] for key in observed}


def _demonstration(demo: Any, number: int) -> dict[str, Array]:
    """Return the columns of one episode; the last observation has the last action again, which no transition uses."""
    observed = {key: demo["obs"][key] for key in demo["obs"]}
    last = _last(demo, observed)
    columns: dict[str, Array] = {}
    rows = 0
    for key, stored in observed.items():
        if not _is_image(stored):
            values = np.asarray(stored)
            values = np.concatenate([values, last[key][-1:]]) if last else values
            columns |= _columns(f"observation.{key}", values)
        rows = max(rows, len(stored) + bool(last))
    acted = _columns("action", np.asarray(demo["actions"]))
    if "rewards" in demo:
        acted[REWARD] = np.asarray(demo["rewards"]).reshape(-1)
    for key, values in acted.items():
        columns[key] = np.concatenate([values, values[-1:]])[:rows]
    columns[EPISODE] = np.full(rows, number)
    return columns


def _is_image(values: Any) -> bool:
    return len(values.shape) > 3 or int(np.prod(values.shape[1:])) > WIDEST


def _kinds(name: str, values: Any) -> dict[str, Any]:
    """Return the type of each channel of an array; nothing for images."""
    if _is_image(values):
        return {}
    return {f"{name}.{index}": values.dtype for index in range(int(np.prod(values.shape[1:])))}


def _columns(name: str, values: Array) -> dict[str, Array]:
    """Return one column per channel."""
    wide = values.reshape(len(values), -1) if len(values) else values.reshape(0, int(np.prod(values.shape[1:])))
    return {f"{name}.{index}": wide[:, index] for index in range(wide.shape[1])}


def _of_length(name: str, values: Any, length: int, file: Path) -> Any:
    if len(values) != length:
        raise InvalidLog(f"{file}: '{name}' has {len(values)} entries; expected {length}, one per observation.")
    return values


def _natural(name: str) -> list[Any]:
    """Return a key that sorts ``demo_10`` after ``demo_9``."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
