"""Strengths of equal detectability: the parameter at which a simple detector has a given AUROC.

The named strengths *tiny* to *extreme* cost the same in all worlds, but some faults that cost much are hard to see, and
some that cost nothing are obvious. The strengths ``"auroc-60"``, ``"auroc-75"`` and ``"auroc-90"`` are equally hard to
detect instead: a Mahalanobis distance that was fitted on nominal episodes of the same policies has a time-matched AUROC
of 0.6, 0.75 or 0.9 (`offnominal match`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from offnominal.anomalies.strength_file import by_anomaly, read_lines, write_lines
from offnominal.core.config import Config
from offnominal.core.rounding import fixed

DETECTABILITY = {"auroc-60": 0.60, "auroc-75": 0.75, "auroc-90": 0.90}


@dataclass(frozen=True)
class MatchedStrength(Config):
    """One line of the table of equally detectable strengths.

    Args:
        world: Id of the world.
        anomaly: Id of the anomaly.
        direction: ``"up"`` or ``"down"`` for anomalies that can both grow and shrink something, else empty.
        level: Name of the level.
        target: AUROC of the level.
        attainable: Whether some plausible parameter has this AUROC.
        parameter: That parameter; for an unattainable level, the one with the highest AUROC.
        auroc: Time-matched AUROC at this parameter on fresh episodes, with random onsets as in the datasets.
        low: Lower bound of its 95 % interval.
        high: Upper bound.
        limit: Largest plausible parameter in this direction; NaN if there is none.
        episodes: Number of faulty episodes used to find the parameter, without the fresh ones.
        fresh: Number of fresh episodes.
        policies: First digits of the SHA-256 of each policy.
        note: Why a level is not attainable.
    """

    world: str
    anomaly: str
    direction: str
    level: str
    target: float
    attainable: bool
    parameter: float
    auroc: float
    low: float
    high: float
    limit: float = math.nan
    episodes: int = 0
    fresh: int = 0
    policies: str = ""
    note: str = ""

    @property
    def name(self) -> str:
        """Name of the strength: the level, with its direction if there are two."""
        return f"{self.level}-{self.direction}" if self.direction else self.level

    @property
    def measured(self) -> str:
        """What was measured at the parameter."""
        return f"Mahalanobis has an AUROC of {fixed(self.auroc, 3)}, not {self.target:g}"


def read_matched_strengths(path: Path) -> list[MatchedStrength]:
    """Read a table of equally detectable strengths.

    Raises:
        DamagedFile: The file is not such a table, or was changed.
        MissingFile: There is no such file.
    """
    return read_lines(path, MatchedStrength)


def write_matched_strengths(path: Path, lines: Iterable[MatchedStrength]) -> None:
    """Write a table of equally detectable strengths with a checksum, atomically."""
    write_lines(path, MatchedStrength, lines)


@cache
def matched_strengths() -> tuple[MatchedStrength, ...]:
    """Return the shipped table, unattainable levels included.

    Example:
        >>> all(0.5 < line.target < 1.0 for line in matched_strengths())
        True
    """
    with as_file(files("offnominal.anomalies") / "matched_strengths.csv") as table:
        return tuple(read_matched_strengths(table))


def matched_strength(world: str, anomaly: str, level: str) -> MatchedStrength | None:
    """Return the line of an equally detectable strength, or None if there is none.

    Args:
        world: Id of the world.
        anomaly: Id of the anomaly.
        level: ``"auroc-75"``; for scaling also ``"auroc-75-up"`` and ``"auroc-75-down"``. The bare name means the
            direction with more attainable levels.
    """
    return _by_anomaly(world).get(anomaly, {}).get(level)


def matched_strengths_of(world: str) -> dict[tuple[str, str], float]:
    """Return the parameters of a world's attainable strengths by (anomaly, level), in their usual direction.

    Example:
        >>> matched_strengths_of("OOD-CartPole-v0")
        {}
    """
    return {
        (anomaly, level): line.parameter
        for anomaly, named in _by_anomaly(world).items()
        for level, line in sorted(named.items(), key=lambda item: item[1].target)
        if level in DETECTABILITY and line.attainable
    }


@cache
def _by_anomaly(world: str) -> dict[str, dict[str, MatchedStrength]]:
    return by_anomaly(line for line in matched_strengths() if line.world == world)
