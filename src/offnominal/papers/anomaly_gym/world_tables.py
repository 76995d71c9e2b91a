"""Tables 6 and 7: sizes of the worlds and numbers of the benchmark, from the package."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache, partial

from offnominal.agents.experts import expert_card
from offnominal.anomalies.strengths import LEVELS, Strength, strength, strengths_table
from offnominal.core.rounding import fixed
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.anomaly_gym.evidence import published_success_rates
from offnominal.papers.anomaly_gym.published_numbers import ADDED_FAULTS, PAPER, WORLDS, world_id
from offnominal.papers.printed_values import printed_values
from offnominal.papers.protocol import protocol
from offnominal.studies.published_comparison import Flaw, PublishedComparison
from offnominal.studies.results import RunResults
from offnominal.worlds import worlds
from offnominal.worlds.world import FRAME_SIZE

KINDS = ("action", "dynamics", "observation")
COLOURS = 3
SIZES = {"obs_vector_dim": "observation", "action_dim": "action"}
IMAGE_SIZES = {"image_channels": COLOURS, "image_height": FRAME_SIZE, "image_width": FRAME_SIZE}
IMAGE_NOTE = f"our images have {FRAME_SIZE} pixels per side in every world"
GRIPPER_NOTE = "the public code has a fourth action, for a gripper that is always closed; so have we"
IMPOSSIBLE = {
    ("table_6", "URM-PnP-v0", "obs_vector_dim"): "the listed parts have 21 numbers",
    ("table_7", "", "smallest action"): "Table 6 has a world with 1",
    **{
        ("table_6", world, "observation_anomaly"): "plain noise is not listed; Tables 7 and 9 have it"
        for world in WORLDS
    },
}
"""Published numbers that contradict other published numbers."""
COMMON_FAULTS = {"dynamics/force", "dynamics/mass"}
"""Our ids that stand for two published types each, of a robot and of an agent."""
SAME_FAULT = {"dynamics/robot_friction": "dynamics/friction"}
"""Our ids of one published type in two families of worlds."""
UNTESTED = ("URM-PnP-v0", "URM-Reach-v0", "URR-Reach-v0")
"""Worlds in which the public code records no success."""
EXTREME = "extreme"
NAMED_WITHOUT_EXTREME = ("dynamics/moving_goal", "dynamics/moving_objects")
"""Anomalies without a published parameter of this level."""


def table_6(_: RunResults) -> list[PublishedComparison]:
    """Compare sizes of observations, images and actions, and numbers of anomalies of each kind."""
    numbers: dict[tuple[str, str], float] = {}
    for row in printed_values(PAPER, "table_6"):
        place = world_id(row["env"]), row["field"]
        if row["field"].endswith("_anomaly"):
            numbers[place] = numbers.get(place, 0) + 1
        elif not row["field"].endswith("_component"):
            numbers[place] = float(row["value"])
    return [
        _line({"world": world, "number": field}, _size(world, field), value, IMPOSSIBLE.get(("table_6", world, field)))
        for (world, field), value in numbers.items()
    ]


def table_7(_: RunResults) -> list[PublishedComparison]:
    """Compare the numbers of the desiderata."""
    lines = []
    for row in printed_values(PAPER, "table_7"):
        labels = {"desideratum": row["desideratum"], "number": row["quantity"]}
        flaw = IMPOSSIBLE.get(("table_7", "", row["quantity"]))
        lines.append(_line(labels, DESIDERATA[row["quantity"]](), float(row["value"]), flaw))
    return lines


def _line(labels: dict[str, str], ours: float, published: float, impossible: str | None) -> PublishedComparison:
    flaw: Flaw = "" if impossible is None else "impossible"
    note = _note(labels) if impossible is None and ours != published else impossible or ""
    return PublishedComparison(labels, Estimate(ours), published, protocol(PAPER).rule("size"), note, flaw)


def _note(labels: dict[str, str]) -> str:
    """Return what is known about another size of ours."""
    if labels["number"].startswith("image"):
        return IMAGE_NOTE
    if labels["number"] == "action_dim":
        return GRIPPER_NOTE
    if labels["number"].startswith("success"):
        return _success_note()
    return _extreme_note() if labels["number"].startswith("anomaly types that cannot") else ""


def _size(world: str, field: str) -> float:
    if field in IMAGE_SIZES:
        return IMAGE_SIZES[field]
    if field in SIZES:
        return len(getattr(worlds.card(world), SIZES[field]))
    return _anomalies(world)[field.removesuffix("_anomaly")]


@cache
def _anomalies(world: str) -> Counter[str]:
    """Return the number of anomalies of each kind that the paper has too, noise on the robot included."""
    added = [id for id in ADDED_FAULTS.get(world, ()) if id.startswith("dynamics/")]
    ids = {line.anomaly for line in strengths_table(world)} - set(added)
    return Counter(id.partition("/")[0] for id in ids)


def _most_anomalies(kind: str) -> float:
    return max(_anomalies(world)[kind] for world in WORLDS)


def _sizes(field: str) -> list[float]:
    return [_size(world, field) for world in WORLDS]


def _types() -> set[tuple[str, str]]:
    """Return the published types: anomalies of all worlds, where a robot and an agent have types of their own."""
    found = {
        (SAME_FAULT.get(line.anomaly, line.anomaly), world.partition("-")[0] if line.anomaly in COMMON_FAULTS else "")
        for world in WORLDS
        for line in strengths_table(world)
    }
    return {(anomaly, family) for anomaly, family in found if anomaly not in _added()}


def _added() -> set[str]:
    return {id for ids in ADDED_FAULTS.values() for id in ids if id.startswith("dynamics/")}


def _success() -> float:
    """Return the smallest success rate of our policies, in percent."""
    return 100.0 * min(expert_card(world).success for world in WORLDS)


def _success_note() -> str:
    """Return the same with the tests of the public code."""
    rates = {world: expert_card(world).success for world in WORLDS if world not in UNTESTED}
    least = min((rates | published_success_rates()).values())
    return (
        f"with the tests of the public code at least {fixed(100.0 * least, 0)}%: it takes a hand 30 cm from the goal "
        "of MJC-Reacher3D for successful, and has no test for the arms"
    )


@cache
def _out_of_reach() -> dict[str, float]:
    """Return the anomalies that in some world leave more of the return than the level, with the least that is left."""
    found: dict[str, float] = {}
    for line in (line for world in WORLDS for line in strengths_table(world)):
        if line.level == EXTREME and line.anomaly not in _added() and not _reached(line):
            found[line.anomaly] = max(line.score, found.get(line.anomaly, 0.0))
    return found


def _reached(line: Strength) -> bool:
    """Return whether some parameter costs as much as the level of a line; another may cost more than a smaller one."""
    ways = [strength(line.world, line.anomaly, f"{line.level}{way}") for way in ("", "-up", "-down")]
    return any(way is not None and (way.attainable or way.score <= way.target) for way in ways)


def _extreme_note() -> str:
    """Return how much of the return the anomalies leave to our policies that the paper does not name."""
    others = sorted((left, id) for id, left in _out_of_reach().items() if id not in NAMED_WITHOUT_EXTREME)
    found = ", ".join(f"{id} leaves {fixed(left, 2)}" for left, id in others)
    return f"besides those of the paper, to our policies {found}"


DESIDERATA: dict[str, Callable[[], float]] = {
    "environments": lambda: len(WORLDS),
    "fields of application": lambda: len({world[:2] for world in WORLDS}),
    "smallest vector observation": lambda: min(_sizes("obs_vector_dim")),
    "largest vector observation": lambda: max(_sizes("obs_vector_dim")),
    "image channels": lambda: COLOURS,
    "image height": lambda: FRAME_SIZE,
    "image width": lambda: FRAME_SIZE,
    "smallest action": lambda: min(_sizes("action_dim")),
    "largest action": lambda: max(_sizes("action_dim")),
    "success rate of the trained policy, lower bound": _success,
    "anomalies per environment": lambda: max(sum(_anomalies(world).values()) for world in WORLDS),
    **{f"{kind} anomalies per environment": partial(_most_anomalies, kind) for kind in KINDS},
    "unique anomaly types": lambda: len(_types()),
    "anomaly types that cannot reach the extreme level": lambda: len(_out_of_reach()),
    "decrease of the normalized score reached by all others": lambda: 100.0 * (1.0 - LEVELS[EXTREME]),
}
"""How each number of Table 7 is computed from the package."""
