"""The protocol of a paper: how its published values are compared with ours, fixed before the values it judges."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.papers.printed_values import FOLDERS
from offnominal.studies.published_comparison import Rule

FILE = "protocol.toml"


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the protocol.

    Args:
        day: When it was made.
        change: What was changed.
        reason: Why.
    """

    day: date
    change: str
    reason: str


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause of differences that was named before the values that it may explain were computed.

    Args:
        name: Name of the experiment that shows it.
        statement: What differs, and what follows from it.
        registered: When it was named. Our values of earlier runs are not explained by it.
        table: The published table that it is about.
        held_out: Values of labels of the published values that it may explain: those that were not used to find it.
    """

    name: str
    statement: str
    registered: date
    table: str
    held_out: Mapping[str, tuple[str, ...]]

    def may_explain(self, table: str, labels: Mapping[str, str]) -> bool:
        """Return whether a published value is one that the cause was not found with."""
        return table == self.table and all(labels.get(name) in values for name, values in self.held_out.items())


@dataclass(frozen=True, slots=True)
class Protocol:
    """How the published values of a paper are compared with ours.

    Args:
        paper: Short name of the paper.
        metrics: Rule of comparison by the name of a metric.
        about: What each metric is.
        scales: Scales whose results count, from the least to the most powerful.
        intervals: What the intervals of our measured results cover.
        causes: Causes that differences may have.
        exchanged: Label whose published values the control of causes exchanges; empty if there are no experiments.
        log: Changes of the protocol, the first one first.
    """

    paper: str
    metrics: Mapping[str, Rule]
    about: Mapping[str, str]
    scales: tuple[str, ...]
    intervals: str
    causes: tuple[Cause, ...]
    exchanged: str
    log: tuple[Change, ...]

    def rule(self, metric: str) -> Rule:
        """Return the rule of a metric.

        Raises:
            UnknownName: The protocol has no such metric.
        """
        if metric not in self.metrics:
            hint = did_you_mean(metric, self.metrics)
            raise UnknownName(
                f"the protocol of {self.paper} has no metric {metric!r}.{hint} It has: {', '.join(self.metrics)}."
            )
        return self.metrics[metric]


@cache
def protocol(paper: str) -> Protocol:
    """Return the protocol of a paper, which is the file ``protocol.toml`` of its folder.

    Args:
        paper: Such as ``"anomaly-gym"``.

    Example:
        >>> protocol("anomaly-gym").rule("share")
        Rule(kind='measured', margin=0.05, close=0.02, rounding=0.005)
    """
    if paper not in FOLDERS:
        raise UnknownName(f"there is no paper {paper!r}; expected one of {', '.join(FOLDERS)}.")
    file = files("offnominal.papers").joinpath(FOLDERS[paper], FILE)
    found: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    metrics = {name: dict(entry) for name, entry in found["metrics"].items()}
    about = {name: entry.pop("about") for name, entry in metrics.items()}
    return Protocol(
        paper,
        {name: Rule(**entry) for name, entry in metrics.items()},
        about,
        tuple(found["runs"]["scales"]),
        found["runs"]["intervals"],
        tuple(_cause(entry) for entry in found.get("causes", ())),
        found["control"]["exchanged"],
        tuple(Change(**entry) for entry in found["log"]),
    )


def _cause(entry: Mapping[str, Any]) -> Cause:
    held_out = {name: tuple(values) for name, values in entry["held_out"].items()}
    return Cause(**{**entry, "held_out": held_out})
