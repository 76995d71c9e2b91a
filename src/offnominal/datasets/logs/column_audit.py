"""Columns of a log that say nothing about the machine, or too much: they are named and left out of the observations."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from offnominal.core.rounding import fixed
from offnominal.datasets.logs.channel_summary import ChannelSummary
from offnominal.datasets.logs.roles import first_text
from offnominal.datasets.logs.row_source import RowSource

LABEL = re.compile(
    r"anomal(y|ies|ous)|attack|changepoint|class|fail(ed|ures?)?|fault(s|y)?|groundtruth|gt|labels?|malfunctions?"
    r"|nominal|normal|novel(ty)?|outliers?|target|truth"
)
TIME = re.compile(
    r"clock|date(time)?|day|elapsed|epoch|frame|hour|index|minute|ms|n?s(ecs?|econds?)|[nu]s|row|sample|stamp|t"
    r"|time(stamp|step)?|step|unnamed|unix|utc"
)
"""Words in the names of columns."""
MOST_CLASSES = 100
"""Range of whole numbers up to which a column with such a name looks like a label."""
CONSTANT_ROWS = 20
"""Rows from which a column with one value is constant."""
EVEN_STEPS = 50
"""Equal steps from which a column is a counter, whatever its name."""
MONOTONE_STEPS = 500
"""Steps from which a column that never falls, or never rises, is monotone."""
SATURATED = 0.25
SATURATED_ROWS = 20
"""Share and number of rows at one limit from which a column is saturated."""
ROWS_PER_VALUE = 5
"""Rows per distinct value from which a column can be leaking."""
RULES = {
    "time-like": "dates; a name with a word for time, and values that never fall; or 50 or more equal steps",
    "not numeric": "text, lists or other values that are no numbers",
    "empty": "no values",
    "constant": "one value in all rows, 20 or more",
    "label-like": "a name with a word for a label, and whole numbers within a range of 100, or text",
    "leaking": "at most 10 values, none of them in both labelled and other rows; or one value in all other rows and in "
    "no labelled one; with 5 or more rows per value",
    "duplicate": "equal to an earlier column in all rows",
    "monotone": "never falls, or never rises, within an episode, in 500 or more steps",
    "partial": "not in all files of the log",
    "saturated": "25 % or more of the rows, and 20 or more, at the smallest or the largest value, which is not 0; and "
    "more than 10 values",
}
"""Kinds of findings, in the order in which they are looked for, with their rules."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@dataclass(frozen=True, slots=True)
class ColumnFinding:
    """Why a column is not an observation.

    Args:
        column: Name of the column.
        kind: One of :data:`RULES`.
        reason: What was found in this column.
    """

    column: str
    kind: str
    reason: str

    def __str__(self) -> str:
        return f"{self.column!r} ({self.kind}: {self.reason})"


def audit_types(source: RowSource, columns: Iterable[str]) -> list[ColumnFinding]:
    """Return the columns whose type shows that they are no measurements.

    A column of text in which some rows are numbers is not among them: it is an error that names the first row.

    Args:
        source: The log.
        columns: Columns to look at.
    """
    found = []
    types = pa.types
    for column in columns:
        kind = source.kind(column)
        if types.is_dictionary(kind):
            kind = kind.value_type
        if types.is_null(kind):
            found.append(ColumnFinding(column, "empty", "no row has a value"))
        elif types.is_temporal(kind):
            found.append(ColumnFinding(column, "time-like", f"its type is {kind}"))
        elif types.is_string(kind) or types.is_large_string(kind):
            found += _text_finding(source, column)
        elif types.is_nested(kind) or types.is_binary(kind) or types.is_large_binary(kind):
            found.append(ColumnFinding(column, "not numeric", f"its type is {kind}"))
    return found


def _text_finding(source: RowSource, column: str) -> list[ColumnFinding]:
    """Return a finding if no row of a column of text is a number."""
    row, text = first_text(source, column, numbers=True)
    if row is not None:
        return []
    row, text = first_text(source, column)
    shown = f"text such as {str(text)[:20]!r}"
    kind = "label-like" if _has_word(column, LABEL) else "time-like" if _is_date(text) else "not numeric"
    return [ColumnFinding(column, kind, shown)]


def _is_date(text: Any) -> bool:
    try:
        pa.scalar(str(text)).cast(pa.timestamp("ns"))
    except pa.ArrowException:
        return False
    return True


def audit_channels(channels: Sequence[ChannelSummary], keep: Collection[str] = ()) -> list[ColumnFinding]:
    """Return the channels that say nothing about the machine, or too much, each with the first rule that it meets.

    Args:
        channels: Summaries of the channels.
        keep: Channels that are wanted whatever they contain.
    """
    found = []
    originals: dict[tuple[bytes, ...], str] = {}
    for channel in channels:
        original = originals.setdefault(tuple(channel.digests), channel.column)
        finding = None if channel.column in keep else _finding(channel, original)
        if finding is not None:
            kind, reason = finding
            found.append(ColumnFinding(channel.column, kind, reason))
    return found


def _finding(channel: ChannelSummary, original: str) -> tuple[str, str] | None:
    """Return kind and reason of a finding, or None."""
    if channel.low > channel.high:
        return "empty", "no row has a value"
    if channel.constant and channel.rows >= CONSTANT_ROWS:
        return "constant", f"always {channel.low:g}"
    if channel.ordered and not channel.constant and _has_word(channel.column, TIME):
        return "time-like", "its name, and it never falls"
    steps = channel.rises + channel.falls
    if channel.even and steps >= EVEN_STEPS:
        return "time-like", f"{steps} equal steps of {channel.step:g}"
    few = channel.whole and 0.0 < channel.high - channel.low <= MOST_CLASSES
    if few and _has_word(channel.column, LABEL):
        return "label-like", f"its name, and whole numbers from {channel.low:g} to {channel.high:g}"
    if _leaks(channel):
        return "leaking", "it tells labelled rows from others by itself"
    if original != channel.column:
        return "duplicate", f"equal to {original!r}"
    if min(channel.rises, channel.falls) == 0 and steps >= MONOTONE_STEPS:
        return "monotone", f"it never {'rises' if channel.falls else 'falls'} in {steps} steps"
    return _saturated(channel)


def _leaks(channel: ChannelSummary) -> bool:
    """Whether the values of labelled rows and of the others have nothing in common, and are few on one side."""
    nominal, faulty = channel.nominal.values, channel.faulty.values
    counts = channel.rows - channel.faulty_rows, channel.faulty_rows
    if nominal is None or min(counts) < ROWS_PER_VALUE or counts[0] < ROWS_PER_VALUE * len(nominal):
        return False
    if faulty is not None and counts[1] >= ROWS_PER_VALUE * len(faulty):
        return nominal.isdisjoint(faulty)
    return len(nominal) == 1 and not channel.faulty_at_rest and not channel.early


def _saturated(channel: ChannelSummary) -> tuple[str, str] | None:
    if channel.few.values is not None:
        return None
    for value, count in ((channel.low, channel.at_low), (channel.high, channel.at_high)):
        if value and count >= max(SATURATED_ROWS, SATURATED * channel.rows):
            return "saturated", f"{fixed(100 * count / channel.rows, 0)} % of the rows are at {value:g}"
    return None


def words_of(column: str) -> set[str]:
    """Return the words in the name of a column, in lower case.

    Example:
        >>> sorted(words_of("isFault_2.TimeStamp"))
        ['fault', 'is', 'stamp', 'time']
    """
    return {word.lower() for word in _WORD.findall(column)}


def has_label_word(column: str) -> bool:
    """Whether the name of a column has a word for a label.

    Args:
        column: Name of the column.

    Example:
        >>> has_label_word("is_faulty"), has_label_word("voltage")
        (True, False)
    """
    return _has_word(column, LABEL)


def _has_word(column: str, words: re.Pattern[str]) -> bool:
    return any(words.fullmatch(word) for word in words_of(column))
