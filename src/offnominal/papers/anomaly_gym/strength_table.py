"""Table 9: parameters of faults beside our calibrated strengths."""

from __future__ import annotations

from offnominal.anomalies.catalogue import make_anomaly
from offnominal.anomalies.strengths import Strength, strength
from offnominal.core.rounding import fixed
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.anomaly_gym.evidence import published_strength_scores
from offnominal.papers.anomaly_gym.published_numbers import PAPER, world_id
from offnominal.papers.printed_values import Row, printed_values
from offnominal.papers.protocol import protocol
from offnominal.studies.published_comparison import PublishedComparison, Rule
from offnominal.studies.results import RunResults
from offnominal.worlds import worlds

SIGNALS = {
    f"{short}_{printed}": f"{on}/{name}"
    for short, on in (("action", "action"), ("obs", "observation"))
    for printed, name in (("factor", "scaling"), ("noise", "noise"), ("offset", "offset"))
}
DYNAMICS = {
    "MJC": {"robot_mass": "mass", "robot_force": "force", "robot_friction": "friction"},
    "SAP": {"mass_agent": "mass", "force_agent": "force"},
}
"""Our names of anomalies of the physics where they differ from the published ones."""


def table_9(_: RunResults) -> list[PublishedComparison]:
    """Compare the parameter of every anomaly and level, where our expert loses as much at some parameter.

    The margin is a share of the distance between the published parameter and the one without effect: a factor of 1.10
    is twice as strong as one of 1.05.
    """
    return [_line(row) for row in printed_values(PAPER, "table_9") if row["value"]]


def anomaly_of(row: Row) -> str:
    """Return our id of the anomaly of a row."""
    printed = row["anomaly"]
    return SIGNALS.get(printed) or f"dynamics/{DYNAMICS.get(row['env'].partition('-')[0], {}).get(printed, printed)}"


def exact_parameter(row: Row) -> float:
    """Return a published parameter with the digits of the public code, if that is the same number."""
    value, code = float(row["value"]), float(row["public_code"] or row["value"])
    return code if abs(code - value) <= _rounding(row) else value


def _rounding(row: Row) -> float:
    """Return half a unit of the last printed digit."""
    return 0.5 * 10.0 ** -len(row["value"].partition(".")[2]) + 1e-9


def _line(row: Row) -> PublishedComparison:
    world, anomaly, level, value = world_id(row["env"]), anomaly_of(row), row["strength"], float(row["value"])
    ours = _calibrated(world, anomaly, level, upwards=value > 1.0)
    rule = protocol(PAPER).rule("strength").scaled(value - _neutral(world, anomaly))
    return PublishedComparison(
        {"world": world, "anomaly": anomaly, "level": level},
        Estimate(None if ours is None else ours.parameter),
        value,
        Rule(rule.kind, rule.margin, rounding=_rounding(row)),
        _note(row, ours),
    )


def _calibrated(world: str, anomaly: str, level: str, *, upwards: bool) -> Strength | None:
    """Return our strength in the direction of the published one, or None if no parameter has this level."""
    way = "up" if upwards else "down"
    found = strength(world, anomaly, f"{level}-{way}") or strength(world, anomaly, level)
    return found if found is not None and found.attainable else None


def _neutral(world: str, anomaly: str) -> float:
    """Return the parameter without effect."""
    target, _, name = anomaly.partition("/")
    if target == "dynamics":
        return next(each.neutral for each in worlds.card(world).physics_parameters if each.name == name)
    return make_anomaly(anomaly).neutral


def _note(row: Row, ours: Strength | None) -> str:
    """Return another parameter of the public code, and how much our expert keeps with the published one."""
    world, anomaly, level = world_id(row["env"]), anomaly_of(row), row["strength"]
    if ours is None:
        return "no parameter has this level here"
    code, measured = row["public_code"], published_strength_scores().get((world, anomaly, level))
    other = bool(code) and abs(float(code) - float(row["value"])) > _rounding(row)
    notes = [f"the public code has {float(code):g}"] if other else []
    if measured is not None:
        ends = f"{fixed(measured.low, 3)} to {fixed(measured.high, 3)}"
        notes.append(f"with the published parameter, our earlier expert keeps {ends} of the return")
    return "; ".join(notes)
