"""Named strengths: the parameter at which a fault costs a given share of the return.

The normalised score of an episode is (its return - random) / (expert - random). A fault of strength *tiny*, *medium*,
*strong* or *extreme* that is on from the start leaves 99, 90, 75 or 50 % of it on average. The shipped table was
calibrated with the shipped experts (`offnominal calibrate`); a level that no parameter attains is marked as such. The
table that the authors of Anomaly-Gym published is included for comparison.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from offnominal.anomalies.catalogue import make_anomaly
from offnominal.anomalies.matched_strengths import DETECTABILITY, MatchedStrength, matched_strength
from offnominal.anomalies.plausibility import plausible_range
from offnominal.anomalies.strength_file import by_anomaly, read_lines, write_lines
from offnominal.core.checksum import read_checked_text
from offnominal.core.config import Config
from offnominal.core.errors import DamagedFile, InvalidParameter, UnknownName, did_you_mean
from offnominal.core.files import content_errors
from offnominal.core.rounding import fixed
from offnominal.worlds.catalogue import worlds

LEVELS = {"tiny": 0.99, "light": 0.95, "medium": 0.90, "strong": 0.75, "extreme": 0.50}
PUBLISHED = ("world", "anomaly", "level", "parameter", "score")
CALIBRATED = ("tiny", "medium", "strong", "extreme")


@dataclass(frozen=True)
class Strength(Config):
    """One line of a table of strengths.

    Args:
        world: Id of the world.
        anomaly: Id of the anomaly.
        direction: ``"up"`` or ``"down"`` for anomalies that can both grow and shrink something, else empty.
        level: Name of the level, or the share itself.
        target: Normalised score of the level.
        attainable: Whether some parameter has this score.
        parameter: That parameter; for an unattainable level, the one with the lowest score.
        score: Score at this parameter on fresh episodes, with the fault on from the start.
        low: Lower bound of its 95 % interval, for the policies of the calibration.
        high: Upper bound.
        deviation: Standard deviation of the score over these policies; NaN for a single one.
        population_low: Lower bound of the 95 % interval of the mean over all policies that such trainings give.
        population_high: Upper bound.
        dataset_score: Score at the same parameter with random onsets, as in the datasets.
        dataset_low: Lower bound of its 95 % interval.
        dataset_high: Upper bound.
        signal: Change that the fault makes, in standard deviations of a nominal channel: the median over the channels
            that it changes; see :class:`~offnominal.calibration.signal_ratio.SignalRatio`.
        largest_signal: The largest of these.
        limit: Largest plausible parameter in this direction; NaN if there is none, or if the line is older than limits.
        onset: Onset during the calibration, ``"start"`` or ``"random"``.
        episodes: Number of faulty episodes used to find the parameter, without the fresh ones.
        fresh: Number of fresh episodes of the score.
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
    score: float
    low: float
    high: float
    deviation: float = math.nan
    population_low: float = math.nan
    population_high: float = math.nan
    dataset_score: float = math.nan
    dataset_low: float = math.nan
    dataset_high: float = math.nan
    signal: float = math.nan
    largest_signal: float = math.nan
    limit: float = math.nan
    onset: str = "start"
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
        return f"it leaves {fixed(self.score, 3)} of the return, not {self.target:g}"

    @property
    def lost(self) -> float:
        """Share of the return that is lost."""
        return 1.0 - self.score


def read_strengths(path: Path) -> list[Strength]:
    """Read a table of strengths.

    Raises:
        DamagedFile: The file is not a table of strengths, or was changed.
        MissingFile: There is no such file.
    """
    return read_lines(path, Strength)


def write_strengths(path: Path, strengths: Iterable[Strength]) -> None:
    """Write a table of strengths with a checksum, atomically."""
    write_lines(path, Strength, strengths)


@cache
def calibrated_strengths() -> tuple[Strength, ...]:
    """Return the shipped table, unattainable levels included.

    Example:
        >>> line = calibrated_strengths()[0]
        >>> line.low <= line.score <= line.high
        True
    """
    with as_file(files("offnominal.anomalies") / "strengths.csv") as table:
        return tuple(read_strengths(table))


@cache
def published_strengths() -> dict[tuple[str, str, str], float]:
    """Return the parameters that Anomaly-Gym published by (world, anomaly, level)."""
    with as_file(files("offnominal.anomalies") / "published_strengths.csv") as table:
        return read_published_strengths(table)


def read_published_strengths(path: Path) -> dict[tuple[str, str, str], float]:
    """Read a table of published parameters.

    Raises:
        DamagedFile: The file is not such a table, or was changed.
    """

    def parse(text: str) -> dict[tuple[str, str, str], float]:
        rows = csv.DictReader(text.splitlines())
        if tuple(rows.fieldnames or ()) != PUBLISHED:
            raise DamagedFile(f"{path} is not a table of published strengths; its columns are {rows.fieldnames}.")
        return {(row["world"], row["anomaly"], row["level"]): float(row["parameter"]) for row in rows}

    with content_errors(path, "published strengths"):
        return read_checked_text(path, parse)


def strengths_table(world: str) -> tuple[Strength, ...]:
    """Return the table of one world, unattainable levels included: the shipped one, or the one its card names."""
    path = worlds.card(world).strengths if world in worlds else None
    table = calibrated_strengths() if path is None else _read_cached(path)
    return tuple(line for line in table if line.world == world)


@cache
def _read_cached(path: Path) -> tuple[Strength, ...]:
    return tuple(read_strengths(path))


@cache
def _by_anomaly(world: str) -> dict[str, dict[str, Strength]]:
    """Return the strengths of each anomaly by name."""
    return by_anomaly(strengths_table(world))


def calibration_policies(world: str) -> tuple[str, ...]:
    """Return the first digits of the SHA-256 of the policies that the strengths of a world were calibrated with.

    Example:
        >>> [len(digits) for digits in calibration_policies("SAP-Goal0-v0")][0]
        12
    """
    return tuple(dict.fromkeys(digits for line in strengths_table(world) for digits in line.policies.split()))


def beyond_limits(lines: Iterable[Strength]) -> list[str]:
    """Return what is wrong with the limits of a table: attainable levels beyond them, and limits that have changed.

    Lines from before there were limits are judged as others are.

    Example:
        >>> line = next(each for each in calibrated_strengths() if each.attainable)
        >>> beyond_limits([line.replace(parameter=1461.0)])[0].partition(":")[0]
        'CAR-LaneKeep-v0 action/drift medium'
    """
    problems = []
    for line in lines:
        if not line.attainable:
            continue
        name = f"{line.world} {line.anomaly} {line.name}"
        plausible = plausible_range(worlds.card(line.world), make_anomaly(line.anomaly))
        end = plausible.low if line.direction == "down" else plausible.high
        limits = (plausible.low, plausible.high)
        if not math.isnan(line.limit) and not any(math.isclose(line.limit, each, rel_tol=1e-5) for each in limits):
            problems.append(
                f"{name}: calibrated with the limit {line.limit:g}, which is {end:g} now; calibrate it again"
            )
        elif line.parameter not in plausible:
            problems.append(f"{name}: {line.parameter:g} is beyond {end:g}: {plausible.reason}")
    return problems


def strength(world: str, anomaly: str, level: str) -> Strength | None:
    """Return the row of a named strength, or None if there is none.

    Args:
        world: Id of the world.
        anomaly: Id of the anomaly.
        level: ``"medium"``; for scaling also ``"medium-up"`` and ``"medium-down"``. The bare name means the direction
            with more attainable levels.
    """
    return _by_anomaly(world).get(anomaly, {}).get(level)


def named_levels(world: str) -> dict[tuple[str, str], float]:
    """Return the parameters of the levels that the card of a world names, by (anomaly, level).

    Example:
        >>> named_levels("CRAFT-Pogo-v2")["dynamics/fence", "hard"]
        3.0
    """
    parameters = worlds.card(world).physics_parameters if world in worlds else ()
    return {(f"dynamics/{each.name}", name): value for each in parameters for name, value in each.levels}


def strengths_of(world: str) -> dict[tuple[str, str], float]:
    """Return the parameters of a world's attainable strengths by (anomaly, level), in their usual direction.

    The levels that the card of the world names come first.

    Example:
        >>> ("action/offset", "medium") in strengths_of("SAP-Goal0-v0")
        True
    """
    return named_levels(world) | {
        (anomaly, level): line.parameter
        for anomaly, named in _by_anomaly(world).items()
        for level, line in sorted(named.items(), key=lambda item: -item[1].target)
        if level in LEVELS and line.attainable
    }


def parameter_for(world: str | None, anomaly: str, level: str) -> float:
    """Return the parameter of a named strength, or raise an error that says why there is none.

    Example:
        >>> 0.1 < parameter_for("SAP-Goal0-v0", "action/offset", "medium") < 1.0
        True
    """
    named = {} if world is None else named_levels(world)
    if (anomaly, level) in named:
        return named[anomaly, level]
    usual = list(dict.fromkeys([*(name for each, name in named if each == anomaly), *LEVELS, *DETECTABILITY]))
    names = [*usual, *(f"{name}-{way}" for name in (*LEVELS, *DETECTABILITY) for way in ("up", "down"))]
    if level not in names:
        raise UnknownName(f"no strength named {level!r}.{did_you_mean(level, names)} Choose from {', '.join(usual)}.")
    if world is None:
        raise UnknownName(
            f"the strength {level!r} is only known for shipped worlds; give {anomaly} a number for this environment."
        )
    line: Strength | MatchedStrength | None = strength(world, anomaly, level) or matched_strength(world, anomaly, level)
    if line is not None and line.attainable:
        return line.parameter
    if line is not None:
        raise InvalidParameter(
            f"no plausible parameter of {anomaly} in {world} is {level!r}: at {line.parameter:.4g} {line.measured}; "
            f"{line.note}. Choose another level or give a number."
        )
    names = list(_by_anomaly(world).get(anomaly, {}))
    raise UnknownName(
        f"no strength {level!r} for {anomaly} in {world}; "
        + (f"calibrated: {', '.join(names)}." if names else "no level of it is calibrated yet; give a number.")
    )
