"""Demonstrations in HDF5 files: in groups per episode, as robomimic, in flat arrays, as D4RL, or by other names."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from offnominal.core.checks import NUMERIC
from offnominal.core.errors import InvalidLog
from offnominal.core.types import Array
from offnominal.datasets.hdf5_files import opened_hdf5, version_of
from offnominal.datasets.logs.boundary import require_fits
from offnominal.datasets.logs.file_order import natural
from offnominal.datasets.logs.hdf5_groups import NamedArrays, has_rows
from offnominal.datasets.logs.row_source import BLOCK_ROWS, RowSource

WIDEST = 4096
FLAT = ("observations", "actions")
ENDS = ("terminals", "timeouts")
REWARDS = "rewards"
EPISODE, REWARD = "episode", "reward"


def read_hdf5(path: Path | str) -> Hdf5Rows:
    """Return the rows of an HDF5 file of demonstrations; an episode or a block of rows is in memory at a time.

    Three layouts are read. In robomimic's, each ``data/demo_0`` has ``obs/<name>``, ``actions`` and maybe ``rewards``
    and ``next_obs``, whose last entry is the last observation. In D4RL's, ``observations``, ``actions``, ``rewards``,
    ``terminals`` and ``timeouts`` are arrays over all steps; an episode ends after a terminal or a timeout. In any
    other, each array has a row per step; groups with numbered names, such as ``traj_0``, are episodes, else the file is
    one. Images are left out.

    Raises:
        MissingDependency: The package ``h5py`` is not installed.
        InvalidLog: The file has no arrays of numbers, or reads other files: external links, external storage, virtual
            datasets.
    """
    return Hdf5Rows(Path(path))


class Hdf5Rows(RowSource):
    """The rows of an HDF5 file; see :func:`read_hdf5`.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._version = path, version_of(path)
        with opened_hdf5(path) as opened:
            self._layout = _layout(opened, path)
            kinds = self._layout.kinds
            super().__init__(str(path), pa.schema([(n, pa.from_numpy_dtype(k)) for n, k in kinds.items()]), self._rows)
        self.suggested = self._layout.suggested() | {"episode": EPISODE}

    @property
    def _rows(self) -> int:
        return sum(rows for rows, _ in self._layout.parts)

    def read_blocks(self, columns: Sequence[str], start: int = 0) -> Iterator[Any]:
        """Yield the rows from a row on; earlier parts of the file are skipped."""
        first = 0
        with opened_hdf5(self.path, checked=self._version) as opened:
            for rows, part in self._layout.parts:
                if first + rows > start:
                    read = self._layout.read(opened, part, columns)
                    arrays = {name: read[name].astype(self._layout.kinds[name], copy=False) for name in columns}
                    table = pa.table({name: pa.array(np.ascontiguousarray(each)) for name, each in arrays.items()})
                    yield table.slice(max(start - first, 0))
                first += rows


def _layout(opened: Any, path: Path) -> FlatArrays | Demonstrations | NamedArrays:
    """Return the layout of a file."""
    group = opened.get("data")
    if hasattr(group, "keys") and any("obs" in demo for demo in group.values() if hasattr(demo, "keys")):
        return Demonstrations(group, path)
    if all(name in opened for name in FLAT) and not hasattr(opened["observations"], "keys"):
        return FlatArrays(opened, path)
    return NamedArrays(opened, path)


def _suggested(kinds: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of observations, actions and rewards."""
    return {
        "observations": [name for name in kinds if name.startswith("observation")],
        "actions": [name for name in kinds if name.startswith("action.")],
        "reward": REWARD if REWARD in kinds else None,
    }


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
        arrays = {name: _numbers(opened, name, path) for name in (*FLAT, REWARDS, *ENDS) if name in opened}
        steps = len(arrays["observations"])
        for name, values in arrays.items():
            _of_length(name, values, steps, path)
        held = 9 * steps + sum(_n_bytes(arrays[name]) for name in ENDS if name in arrays)
        require_fits(path, held, f"the episodes of {steps} rows")
        rows = min(steps, BLOCK_ROWS)
        require_fits(path, rows * sum(_n_bytes(values) // max(steps, 1) for values in arrays.values()), "a block of it")
        ends = np.zeros(steps, np.bool_)
        for name in ENDS:
            if name in arrays:
                ends |= np.asarray(_single(name, arrays[name], path)).reshape(-1).astype(np.bool_)
        self.kinds: dict[str, Any] = _kinds("observation", arrays["observations"])
        self.kinds |= _kinds("action", arrays["actions"])
        if REWARDS in arrays:
            self.kinds[REWARD] = _native(_single(REWARDS, arrays[REWARDS], path))
        self.kinds[EPISODE] = np.dtype(np.int64)
        self._episodes = np.concatenate([[0], np.cumsum(ends)[:-1]]) if steps else np.zeros(0, np.int64)
        self.parts = [(min(BLOCK_ROWS, steps - first), first) for first in range(0, steps, BLOCK_ROWS)]

    def suggested(self) -> dict[str, Any]:
        """Return the columns of each role."""
        return _suggested(self.kinds)

    def read(self, opened: Any, part: Any, columns: Sequence[str]) -> dict[str, Array]:
        """Return the rows of a block."""
        block = slice(part, part + BLOCK_ROWS)
        found: dict[str, Array] = {EPISODE: self._episodes[block]}
        for name, stored in (("observation", "observations"), ("action", "actions")):
            if any(column.startswith(f"{name}.") for column in columns):
                found |= _columns(name, np.asarray(opened[stored][block]))
        if REWARD in columns:
            found[REWARD] = np.asarray(opened[REWARDS][block]).reshape(-1)
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
        self._more: dict[str, dict[str, Any]] = {}
        for number, name in enumerate(sorted(group, key=natural)):
            demo = group[name]
            if not hasattr(demo, "keys") or "obs" not in demo or "actions" not in demo:
                found = ", ".join(demo) if hasattr(demo, "keys") else "no members"
                raise InvalidLog(f"{path}: 'data/{name}' has {found}; expected 'obs' and 'actions'.")
            rows, kinds = _shape(demo, f"data/{name}", path)
            if self.kinds and kinds.keys() != self.kinds.keys():
                raise InvalidLog(f"{path}: 'data/{name}' has other channels than the first episode.")
            self.kinds = {key: np.result_type(kind, self.kinds.get(key, kind)) for key, kind in kinds.items()}
            self.parts.append((rows, (number, name)))
            more = _more(demo, rows)
            self._more = (
                more if number == 0 else {key: more[key] for key in self._more if more.get(key) == self._more[key]}
            )
        if not self.parts:
            raise InvalidLog(f"{path}: 'data' has no episodes; expected 'demo_0' and so on.")
        self.kinds |= {column: kind for kinds in self._more.values() for column, kind in kinds.items()}

    def suggested(self) -> dict[str, Any]:
        """Return the columns of each role."""
        return _suggested(self.kinds)

    def read(self, opened: Any, part: Any, columns: Sequence[str]) -> dict[str, Array]:
        """Return the rows of an episode."""
        number, name = part
        demo = opened["data"][name]
        found = _demonstration(demo, number)
        for key, kinds in self._more.items():
            if not kinds.keys().isdisjoint(columns):
                found |= _columns(key, np.asarray(demo[key]))
        rows = self.parts[number][0]
        return {key: np.concatenate([values, values[-1:]])[:rows] for key, values in found.items()}


def _more(demo: Any, rows: int) -> dict[str, dict[str, Any]]:
    """Return the columns of other arrays of an episode, such as ``states``, which are used only by their name."""
    found = {}
    for key in demo:
        values = demo[key]
        if key not in ("actions", REWARDS) and has_rows(values) and len(values) in (rows, rows - 1):
            found[str(key)] = _kinds(str(key), values)
    return found


def _shape(demo: Any, where: str, file: Path) -> tuple[int, dict[str, Any]]:
    """Return the number of rows of an episode and the types of its columns; check that it fits into the memory."""
    observed = {key: _numbers(demo["obs"], key, file) for key in demo["obs"]}
    last = {key: _numbers(demo["next_obs"], key, file) for key in _last(demo, observed)}
    rows = max((len(values) for values in observed.values()), default=0)
    kinds: dict[str, Any] = {}
    for key, values in observed.items():
        kinds |= _kinds(f"observation.{key}", _of_length(f"{where}/obs/{key}", values, rows, file))
    rows += bool(last)
    actions = _numbers(demo, "actions", file)
    if len(actions) not in (rows, rows - 1):
        raise InvalidLog(f"{file}: '{where}/actions' has {len(actions)} entries, and there are {rows} observations.")
    kinds |= _kinds("action", actions)
    held = [values for values in (*observed.values(), actions) if not _is_image(values)]
    if REWARDS in demo:
        rewards = _of_length(f"{where}/{REWARDS}", _numbers(demo, REWARDS, file), len(actions), file)
        kinds[REWARD] = _native(_single(f"{where}/{REWARDS}", rewards, file))
        held.append(rewards)
    require_fits(file, 8 * rows + sum(map(_n_bytes, held)), f"the episode '{where}'")
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
    if REWARDS in demo:
        acted[REWARD] = np.asarray(demo[REWARDS]).reshape(-1)
    for key, values in acted.items():
        columns[key] = np.concatenate([values, values[-1:]])[:rows]
    columns[EPISODE] = np.full(rows, number)
    return columns


def _numbers(group: Any, name: str, file: Path) -> Any:
    """Return a dataset of numbers with a row per step; raise :class:`InvalidLog` if it is anything else."""
    values = group[name]
    where = f"{group.name.rstrip('/')}/{name}".lstrip("/")
    kind, shape = getattr(values, "dtype", None), getattr(values, "shape", None)
    if kind is None or not shape or kind.kind not in NUMERIC:
        found = "a group" if kind is None else f"of type {kind} and shape {shape}"
        raise InvalidLog(f"{file}: '{where}' is {found}; expected numbers with a row per step.")
    if values.chunks:
        require_fits(file, math.prod(values.chunks) * kind.itemsize, f"a chunk of '{where}'")
    return values


def _n_bytes(values: Any) -> int:
    return int(math.prod(values.shape) * values.dtype.itemsize)


def _native(values: Any) -> Any:
    """Return the type of an array in the byte order of this machine."""
    return values.dtype.newbyteorder("=")


def _is_image(values: Any) -> bool:
    return len(values.shape) > 3 or math.prod(values.shape[1:]) > WIDEST


def _kinds(name: str, values: Any) -> dict[str, Any]:
    """Return the type of each channel of an array; nothing for images."""
    if _is_image(values):
        return {}
    return {f"{name}.{index}": _native(values) for index in range(math.prod(values.shape[1:]))}


def _columns(name: str, values: Array) -> dict[str, Array]:
    """Return one column per channel."""
    wide = values.reshape(len(values), math.prod(values.shape[1:]))
    return {f"{name}.{index}": wide[:, index] for index in range(wide.shape[1])}


def _single(name: str, values: Any, file: Path) -> Any:
    if math.prod(values.shape[1:]) != 1:
        raise InvalidLog(f"{file}: '{name}' has the shape {values.shape}; expected one number per step.")
    return values


def _of_length(name: str, values: Any, length: int, file: Path) -> Any:
    if len(values) != length:
        raise InvalidLog(f"{file}: '{name}' has {len(values)} entries; expected {length}, one per observation.")
    return values
