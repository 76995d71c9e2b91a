"""The role of each column of a log: observation, action, reward, label, episode or time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from offnominal.core.errors import InvalidLog, InvalidParameter
from offnominal.core.printable import shown
from offnominal.datasets.logs.row_source import RowSource


@dataclass(frozen=True, slots=True)
class Roles:
    """Columns by role.

    Args:
        observations: Columns of the observations, in order.
        actions: Columns of the actions, in order; may be empty.
        reward: Column of the rewards, or None.
        label: Column of the labels, or None.
        episode: Column of the episode, or None.
        time: Column of the time, or None.
    """

    observations: tuple[str, ...]
    actions: tuple[str, ...] = ()
    reward: str | None = None
    label: str | None = None
    episode: str | None = None
    time: str | None = None

    @classmethod
    def of(
        cls,
        source: RowSource,
        *,
        observations: Any = None,
        actions: Any = (),
        reward: Any = None,
        label: Any = None,
        episode: Any = None,
        time: Any = None,
    ) -> Roles:
        """Find the columns; without `observations`, all columns without another role are observations.

        Raises:
            UnknownName: There is no such column.
            InvalidLog: A column has two roles, or is text where numbers are expected.
        """
        single = {"reward": reward, "label": label, "episode": episode, "time": time}
        alone = {role: _one(role, column) for role, column in single.items()}
        acted = _several("actions", actions)
        acted = expanded(source, acted)
        used = {*acted, *(column for column in alone.values() if column is not None)}
        if observations is None:
            observed = tuple(column for column in source.columns if column not in used)
        else:
            observed = expanded(source, _several("observations", observations))
        if not observed:
            raise InvalidLog(f"{source.name} has no column for observations; name at least one.")
        roles = cls(observed, acted, **alone)
        _check_distinct(source, [*observed, *acted, *(column for column in alone.values() if column is not None)])
        for column in (*observed, *acted, *([alone["reward"]] if alone["reward"] else [])):
            require_numbers(source, str(column))
        return roles

    @property
    def numeric(self) -> tuple[str, ...]:
        """Columns of numbers: observations, actions and reward."""
        return (*self.observations, *self.actions, *([self.reward] if self.reward else []))

    @property
    def all(self) -> tuple[str, ...]:
        """All columns with a role."""
        return (*self.numeric, *(column for column in (self.label, self.episode, self.time) if column))


def _one(role: str, column: Any) -> str | None:
    """Return the name of one column."""
    if column is None:
        return None
    if isinstance(column, bool) or not isinstance(column, str | int):
        raise InvalidParameter(f"{role} is {shown(column)}; expected the name of one column.")
    return str(column)


def _several(role: str, columns: Any) -> tuple[str, ...]:
    """Return the names of some columns."""
    if isinstance(columns, str | int) and not isinstance(columns, bool):
        return (str(columns),)
    if columns is None:
        return ()
    if not isinstance(columns, Iterable):
        raise InvalidParameter(f"{role} is {shown(columns)}; expected the names of columns.")
    names = list(columns)
    for name in names:
        if isinstance(name, bool) or not isinstance(name, str | int):
            raise InvalidParameter(f"{role} has the entry {shown(name)}; expected the names of columns.")
    return tuple(map(str, names))


def expanded(source: RowSource, names: Iterable[str]) -> tuple[str, ...]:
    """Return columns, with the name of an array or a topic replaced by those of its channels.

    Args:
        source: The log.
        names: Names of columns, or their beginning up to a dot.

    Example:
        >>> from offnominal.datasets.logs.opening import open_log
        >>> expanded(open_log({"joints": [[0.0, 1.0], [2.0, 3.0]], "load": [0.5, 0.6]}), ["joints", "load"])
        ('joints.0', 'joints.1', 'load')
    """
    found: list[str] = []
    for name in names:
        parts = [] if name in source.columns else [each for each in source.columns if each.startswith(f"{name}.")]
        found += parts or [name]
    return tuple(found)


def _check_distinct(source: RowSource, columns: list[str]) -> None:
    for column in columns:
        source.kind(column)
    for column, count in Counter(columns).items():
        if count > 1:
            raise InvalidLog(f"column {column!r} of {source.name} is named twice; each column has one role.")


def require_numbers(source: RowSource, column: str) -> None:
    """Raise :class:`InvalidLog` with the first row that is no number, unless the column has numbers."""
    kind = source.kind(column)
    types = pa.types
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind):
        return
    if types.is_null(kind):
        raise InvalidLog(f"column {column!r} of {source.name} has no values.")
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_string(kind) or types.is_large_string(kind):
        row, text = first_text(source, column)
        if row is not None:
            raise InvalidLog(
                f"column {column!r} of {source.name} has the text {shown(text)} in row {row}; expected numbers. "
                "Correct the row, or name the numeric columns in `observations`."
            )
    raise InvalidLog(f"column {column!r} of {source.name} has type {kind}; expected numbers.")


def first_text(source: RowSource, column: str, *, numbers: bool = False) -> tuple[int | None, Any]:
    """Return the first row of a column of text that is no number, and its text.

    Args:
        source: The log.
        column: The column.
        numbers: Whether to return the first row that is a number instead, also one with a decimal comma; missing values
            are none.
    """
    first = 0
    for block in source.blocks([column]):
        for row, value in enumerate(block[column].to_pylist(), first):
            if (
                value is not None
                and (_is_number(value) or (numbers and _is_number(value.replace(",", ".")))) == numbers
            ):
                return row, value
        first += block.num_rows
    return None, None


def _is_number(text: Any) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def first_row(mask: Any) -> int | None:
    """Return the first row at which an Arrow mask holds, or None."""
    index = pc.index(mask, True).as_py()
    return None if index < 0 else int(index)
