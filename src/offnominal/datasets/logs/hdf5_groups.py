"""HDF5 files with arrays of any names: a group per episode, or one episode per file."""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from offnominal.core.checks import NUMERIC
from offnominal.core.errors import InvalidLog
from offnominal.core.types import Array
from offnominal.datasets.logs.boundary import QuestionableLog, require_fits
from offnominal.datasets.logs.file_order import natural

WIDEST = 4096
EPISODE = "episode"
DEEPEST = 8
MOST_ARRAYS = 10_000
_NUMBERED = re.compile(r".*\d$")
ACTIONS = ("action", "actions")
REWARDS = ("reward", "rewards")
"""Names of arrays that have a role, if they are there."""


class NamedArrays:
    """Arrays by their path in a group per episode, or in the file as one episode; a column per channel.

    The rows of an episode are those of most of its arrays. An array may have one entry less, such as actions; others
    are left out with a warning. Images and text are left out.

    Args:
        opened: The file.
        path: Its path.

    Attributes:
        kinds: Type of each column.
        parts: Number of rows, and number and name of each episode.
    """

    def __init__(self, opened: Any, path: Path) -> None:
        self.path = path
        self.kinds: dict[str, Any] = {}
        self.parts: list[tuple[int, Any]] = []
        self._used: dict[str, list[str]] = {}
        other: dict[str, str] = {}
        for number, name in enumerate(episode_groups(opened)):
            rows, found = self._shape(opened[name], other)
            if not found:
                raise InvalidLog(f"{path}: '{name}' has no arrays of numbers with a row per step.")
            kinds = {key: kind for values in found.values() for key, kind in values.items()}
            if self.kinds and kinds.keys() != self.kinds.keys():
                raise InvalidLog(f"{path}: '{name}' has other channels than the first episode.")
            self.kinds = {key: np.result_type(kind, self.kinds.get(key, kind)) for key, kind in kinds.items()}
            self.parts.append((rows, (number, name)))
            self._used[name] = list(found)
        self.kinds[EPISODE] = np.dtype(np.int64)
        if other:
            listed = ", ".join(f"{name!r} ({reason})" for name, reason in list(other.items())[:6])
            warnings.warn(f"arrays of {path} are left out: {listed}.", QuestionableLog, stacklevel=5)

    def suggested(self) -> dict[str, Any]:
        """Return the columns of arrays with usual names, by role."""
        actions, rewards = (
            [column for column in self.kinds if column.rpartition(".")[0] in names] for names in (ACTIONS, REWARDS)
        )
        return {"actions": actions or None, "reward": rewards[0] if len(rewards) == 1 else None}

    def _shape(self, group: Any, other: dict[str, str]) -> tuple[int, dict[str, dict[str, Any]]]:
        """Return the rows of an episode, and the columns of each array with their types."""
        arrays = dict(_arrays(group, self.path))
        if not arrays:
            return 0, {}
        lengths = Counter(len(values) for values in arrays.values())
        most = max(lengths.values())
        rows = max(length for length, count in lengths.items() if count == most)
        if rows + 1 in lengths:
            rows += 1
        found: dict[str, dict[str, Any]] = {}
        held = 0
        for name, values in arrays.items():
            if len(values) not in (rows, rows - 1):
                other[name] = f"{len(values)} entries; others have {rows}"
                continue
            wide = math.prod(values.shape[1:])
            found[name] = {f"{_plain(name)}.{index}": values.dtype.newbyteorder("=") for index in range(wide)}
            held += math.prod(values.shape) * values.dtype.itemsize
        require_fits(self.path, held, f"the episode '{group.name}'")
        return rows, found

    def read(self, opened: Any, part: Any, columns: Sequence[str]) -> dict[str, Array]:
        """Return the rows of an episode."""
        number, name = part
        rows = self.parts[number][0]
        found: dict[str, Array] = {EPISODE: np.full(rows, number)}
        wanted = {column.rpartition(".")[0] for column in columns}
        for key in self._used[name]:
            if _plain(key) not in wanted:
                continue
            values = np.asarray(opened[name][key])
            wide = values.reshape(len(values), math.prod(values.shape[1:]))
            wide = np.concatenate([wide, wide[-1:]])[:rows]
            found |= {f"{_plain(key)}.{index}": wide[:, index] for index in range(wide.shape[1])}
        return found


def episode_groups(opened: Any) -> list[str]:
    """Return the groups of the episodes: numbered ones in ``data`` or in the file; the file itself if there are none.

    Args:
        opened: The file.
    """
    for place in ("data", "/"):
        group = opened.get(place)
        names = [name for name in group if hasattr(group[name], "keys")] if hasattr(group, "keys") else []
        if names and all(_NUMBERED.fullmatch(name) for name in names):
            return [f"{place.rstrip('/')}/{name}" for name in sorted(names, key=natural)]
    return ["/"]


def _plain(name: str) -> str:
    return name.replace("/", ".")


def _arrays(group: Any, path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the arrays of numbers below a group by their path; a file can contain itself, so that there are limits."""
    waiting = [("", group, 0)]
    seen = 0
    while waiting:
        name, place, deep = waiting.pop(0)
        for key in place:
            seen += 1
            if deep > DEEPEST or seen > MOST_ARRAYS:
                raise InvalidLog(f"{path}: '{group.name}' has more than {DEEPEST} levels or {MOST_ARRAYS} members.")
            values, where = place.get(key), f"{name}/{key}" if name else str(key)
            if hasattr(values, "keys"):
                waiting.append((where, values, deep + 1))
            elif has_rows(values):
                if values.chunks:
                    require_fits(path, math.prod(values.chunks) * values.dtype.itemsize, f"a chunk of '{where}'")
                yield where, values


def has_rows(values: Any) -> bool:
    """Whether a member of a group is an array of numbers with rows that are no images.

    Args:
        values: An array or a group.
    """
    shape, kind = getattr(values, "shape", None), getattr(values, "dtype", None)
    if not shape or kind is None or kind.kind not in NUMERIC:
        return False
    return bool(shape[0]) and len(shape) <= 3 and math.prod(shape[1:]) <= WIDEST
