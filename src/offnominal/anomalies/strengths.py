"""Named strengths: the parameter at which a fault costs a given share of the return.

The shipped table holds the values that the authors of Anomaly-Gym published with their code for the worlds we share:
tiny, light, medium, strong and extreme leave 99, 95, 90, 75 and 50 % of the normalised return. Levels their search
could not reach within 0.02 are absent rather than aliased to another level.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

from offnominal.core.errors import UnknownName, did_you_mean

LEVELS = {"tiny": 0.99, "light": 0.95, "medium": 0.90, "strong": 0.75, "extreme": 0.50}


@cache
def published() -> dict[tuple[str, str, str], float]:
    """Return the published parameters by (world, anomaly, level)."""
    table = files("offnominal.anomalies") / "published_strengths.csv"
    rows = csv.DictReader(table.read_text(encoding="utf-8").splitlines())
    return {(row["world"], row["anomaly"], row["level"]): float(row["parameter"]) for row in rows}


def parameter_for(world: str | None, anomaly: str, level: str) -> float:
    """Return the parameter of a named strength.

    Example:
        >>> parameter_for("SAP-Goal0-v0", "action/offset", "medium")
        0.689980
    """
    if level not in LEVELS:
        raise UnknownName(f"no strength named {level!r}.{did_you_mean(level, LEVELS)} Choose from {', '.join(LEVELS)}.")
    if world is None:
        raise UnknownName(
            f"the strength {level!r} is only known for shipped worlds; give {anomaly} a number for this environment."
        )
    table = published()
    if (world, anomaly, level) in table:
        return table[world, anomaly, level]
    known = sorted({key[2] for key in table if key[:2] == (world, anomaly)}, key=list(LEVELS).index)
    raise UnknownName(
        f"no strength {level!r} for {anomaly} in {world}; "
        + (f"known: {', '.join(known)}." if known else "no level of it is calibrated yet; give a number.")
    )
