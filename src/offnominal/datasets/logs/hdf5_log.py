"""Demonstrations in HDF5 files: in groups per episode, as robomimic, or in flat arrays, as D4RL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from offnominal.core.errors import InvalidLog, MissingDependency, MissingFile, OffnominalError
from offnominal.core.files import content_errors, file_errors
from offnominal.core.types import Array
from offnominal.datasets.logs.row_source import TableRows

WIDEST = 4096
FLAT = ("observations", "actions")


def read_hdf5(path: Path | str) -> TableRows:
    """Return the rows of an HDF5 file of demonstrations.

    Two layouts are read. In robomimic's, each ``data/demo_0`` has ``obs/<name>``, ``actions`` and maybe ``rewards`` and
    ``next_obs``, whose last entry is the last observation. In D4RL's, ``observations``, ``actions``, ``rewards``,
    ``terminals`` and ``timeouts`` are arrays over all steps; an episode ends after a terminal or a timeout. Images are
    left out.

    Raises:
        MissingDependency: The package ``h5py`` is not installed.
        InvalidLog: The file has another layout.
    """
    try:
        import h5py
    except ImportError:
        raise MissingDependency("HDF5 files need h5py; install it with `pip install offnominal[hdf5]`.") from None
    file = Path(path)
    with file_errors(file):
        if not file.exists():
            raise MissingFile(f"{file} does not exist.")
    try:
        with content_errors(file, "an HDF5 file"), h5py.File(file, "r") as opened:
            if "data" in opened and isinstance(opened["data"], h5py.Group):
                columns = _demonstrations(opened["data"], file)
            elif all(name in opened for name in FLAT):
                columns = _flat(opened, file)
            else:
                raise InvalidLog(
                    f"{file} has {', '.join(map(str, opened)) or 'nothing'}; expected 'data/demo_0' and so on, or "
                    "'observations' and 'actions'."
                )
    except OffnominalError as error:
        raise error if isinstance(error, InvalidLog) else InvalidLog(str(error)) from None
    source = TableRows(str(file), pa.table(columns))
    source.suggested = {
        "observations": [name for name in columns if name.startswith("observation")],
        "actions": [name for name in columns if name.startswith("action.")],
        "reward": "reward" if "reward" in columns else None,
        "episode": "episode",
    }
    return source


def _flat(opened: Any, file: Path) -> dict[str, Any]:
    """Return the columns of arrays over all steps."""
    observations, actions = np.asarray(opened["observations"]), np.asarray(opened["actions"])
    ends = np.zeros(len(observations), np.bool_)
    for name in ("terminals", "timeouts"):
        if name in opened:
            ends |= _of_length(name, np.asarray(opened[name]), len(observations), file).reshape(-1).astype(np.bool_)
    columns = _columns("observation", observations) | _columns(
        "action", _of_length("actions", actions, len(observations), file)
    )
    if "rewards" in opened:
        columns["reward"] = _of_length("rewards", np.asarray(opened["rewards"]), len(observations), file).reshape(-1)
    columns["episode"] = np.concatenate([[0], np.cumsum(ends)[:-1]]) if len(ends) else ends
    return columns


def _demonstrations(group: Any, file: Path) -> dict[str, Any]:
    """Return the columns of one group per episode, joined."""
    parts: list[dict[str, Any]] = []
    for number, name in enumerate(sorted(group, key=_natural)):
        demo = group[name]
        if "obs" not in demo or "actions" not in demo:
            raise InvalidLog(f"{file}: 'data/{name}' has {', '.join(demo)}; expected 'obs' and 'actions'.")
        parts.append(_demonstration(demo, number, f"data/{name}", file))
    if not parts:
        raise InvalidLog(f"{file}: 'data' has no episodes; expected 'demo_0' and so on.")
    for part, name in zip(parts, sorted(group, key=_natural), strict=True):
        if part.keys() != parts[0].keys():
            raise InvalidLog(f"{file}: 'data/{name}' has other channels than the first episode.")
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _demonstration(demo: Any, number: int, where: str, file: Path) -> dict[str, Any]:
    """Return the columns of one episode; the last observation has the last action again, which no transition uses."""
    actions = np.asarray(demo["actions"])
    observed: Mapping[str, Array] = {key: np.asarray(demo["obs"][key]) for key in demo["obs"]}
    if "next_obs" in demo:
        last = {key: np.asarray(demo["next_obs"][key][-1:]) for key in observed if key in demo["next_obs"]}
        if last.keys() == observed.keys():
            observed = {key: np.concatenate([values, last[key]]) for key, values in observed.items()}
    columns: dict[str, Any] = {}
    rows = max((len(values) for values in observed.values()), default=0)
    for key, values in observed.items():
        columns |= _columns(f"observation.{key}", _of_length(f"{where}/obs/{key}", values, rows, file))
    if len(actions) not in (rows, rows - 1):
        raise InvalidLog(f"{file}: '{where}/actions' has {len(actions)} entries, and there are {rows} observations.")
    acted = _columns("action", actions)
    if "rewards" in demo:
        acted["reward"] = _of_length(f"{where}/rewards", np.asarray(demo["rewards"]), len(actions), file).reshape(-1)
    for key, values in acted.items():
        columns[key] = np.concatenate([values, values[-1:]])[:rows]
    columns["episode"] = np.full(rows, number)
    return columns


def _columns(name: str, values: Array) -> dict[str, Array]:
    """Return one column per channel; nothing for images."""
    wide = values.reshape(len(values), -1)
    if wide.shape[1] > WIDEST or values.ndim > 3:
        return {}
    return {f"{name}.{index}": wide[:, index] for index in range(wide.shape[1])}


def _of_length(name: str, values: Array, length: int, file: Path) -> Array:
    if len(values) != length:
        raise InvalidLog(f"{file}: '{name}' has {len(values)} entries; expected {length}, one per observation.")
    return values


def _natural(name: str) -> list[Any]:
    """Return a key that sorts ``demo_10`` after ``demo_9``."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
