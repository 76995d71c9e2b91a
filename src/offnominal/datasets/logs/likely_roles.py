"""Observations that are probably the label or the time of a log, by name and content."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence

from offnominal.datasets.logs.boundary import QuestionableLog
from offnominal.datasets.logs.scan import ChannelSummary

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
SHOWN = 6
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def warn_of_roles(name: str, channels: Sequence[ChannelSummary]) -> None:
    """Warn of observations that are probably the label or the time, because no caller named the observations.

    A column looks like a label if its name has a word such as `fault` and its values are few whole numbers, and like a
    time if its name has a word such as `time` and its values never decrease within an episode. Only usual names are
    recognised.

    Args:
        name: Name of the log.
        channels: Summaries of the channels.
    """
    observed = [channel for channel in channels if channel.role == "observation"]
    found = {
        "label": [channel.column for channel in observed if looks_like_a_label(channel)],
        "time": [channel.column for channel in observed if looks_like_a_time(channel)],
    }
    said = [f"{_listed(columns)} may be the {role} (`{role}=`)" for role, columns in found.items() if columns]
    if said:
        warnings.warn(
            f"columns of {name} became observations: {', '.join(said)}. Name their roles, or the columns to use in "
            "`observations`.",
            QuestionableLog,
            stacklevel=3,
        )


def words_of(column: str) -> set[str]:
    """Return the words in the name of a column, in lower case.

    Example:
        >>> sorted(words_of("isFault_2.TimeStamp"))
        ['fault', 'is', 'stamp', 'time']
    """
    return {word.lower() for word in _WORD.findall(column)}


def looks_like_a_label(channel: ChannelSummary) -> bool:
    """Whether the name of a channel has a word for a label, and its values are few whole numbers."""
    few = channel.whole and 0.0 < channel.high - channel.low <= MOST_CLASSES
    return few and _has_word(channel, LABEL)


def looks_like_a_time(channel: ChannelSummary) -> bool:
    """Whether the name of a channel has a word for a time, and its values never decrease within an episode."""
    return channel.ordered and not channel.constant and _has_word(channel, TIME)


def _has_word(channel: ChannelSummary, words: re.Pattern[str]) -> bool:
    return any(words.fullmatch(word) for word in words_of(channel.column))


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(map(repr, columns[:SHOWN])) + ", …" * (len(columns) > SHOWN)
