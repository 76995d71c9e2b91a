"""The figures of the findings on Anomaly-Gym that need no experiment on differences."""

from importlib.resources import files

from offnominal.agents.experts import expert_cards
from offnominal.papers.printed_values import printed_values
from published_values.finding_points import (
    BESIDE,
    MEASURED,
    OURS,
    PUBLISHED,
    SHARES,
    beside,
    grouped,
    rows_of_file,
    rows_of_text,
    table,
)
from published_values.point_figure import Point, PointFigure

SEEDS = tuple(f"tqc-{seed}" for seed in range(5))
LEVELS = ("tiny", "medium", "strong", "extreme")


def groups() -> PointFigure:
    """Return ours and the published AUROC of PE-DM by group of worlds and kind of fault."""
    return _groups("anomaly-gym-3", "Local AUROC of PE-DM by group of worlds and kind of fault")


def image_groups() -> PointFigure:
    """Return the same of LRDM on images."""
    return _groups("anomaly-gym-3-images", "Local AUROC of LRDM by group of worlds and kind of fault")


def thresholds() -> PointFigure:
    """Return the share of episodes with an early alarm and without one, of every detector at each threshold."""
    found: dict[str, dict[str, list[Point]]] = {}
    for row in table("anomaly-gym-4"):
        name = {"EDR": "alarm before the fault", "MR": "fault missed"}.get(row["number"])
        if name and row["ours"]:
            points = found.setdefault(name, {}).setdefault(row["alarm"], [])
            points += [Point(OURS, float(row["ours"])), Point(PUBLISHED, float(row["published"]))]
    series = {OURS: "a mark per detector, without intervals", PUBLISHED: "a mark per detector"}
    return PointFigure("Early alarms and misses at three thresholds", "share of episodes", SHARES, found, series)


def returns() -> PointFigure:
    """Return how far the policies without demonstrations are from the published return, in its deviations."""
    name = "a training seed"
    published = {row["world"]: row for row in rows_of_file(MEASURED / "published_returns.csv")}
    rows: dict[str, list[Point]] = {world.removesuffix("-v0"): [] for world in published}
    for card in (each for each in expert_cards() if each.algorithm in SEEDS):
        mean, deviation = (float(published[card.world][key]) for key in ("mean", "deviation"))
        rows[card.world.removesuffix("-v0")].append(Point(name, (card.mean_return - mean) / deviation))
    series = {name: "mean return of 1,000 episodes; beyond the axis at its end"}
    axis = "(return − published mean) / published deviation"
    ticks = (-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0)
    return PointFigure("Returns of policies without demonstrations", axis, ticks, {"": rows}, series, -1.0)


def strengths() -> PointFigure:
    """Return how much of the return our expert keeps with the published strengths of faults of the arm's motion."""
    name = "ours"
    file = files("offnominal.papers.anomaly_gym").joinpath("published_strength_scores.csv")
    found: dict[str, dict[str, list[Point]]] = {}
    scored = {(row["world"], row["anomaly"], row["level"]): row for row in rows_of_text(file.read_text("utf-8"))}
    for world, anomaly in dict.fromkeys(key[:2] for key in scored if key[1] in ARM_MOTION):
        group = f"{world.removesuffix('-v0')}, {anomaly.removeprefix('dynamics/')}"
        for level in (level for level in LEVELS if (world, anomaly, level) in scored):
            row = scored[world, anomaly, level]
            numbers = (float(row[column]) for column in ("score", "low", "high"))
            found.setdefault(group, {})[level] = [Point(name, *numbers)]
    series = {name: "with the published parameter and its 95 % interval"}
    title = "Return that our expert keeps with published strengths"
    ticks = (-0.2, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    return PointFigure(title, "share of the nominal return", ticks, found, series, 1.0)


def heads() -> PointFigure:
    """Return how many numbers of Table 9 are those of the public code, by two readings of its heads."""
    as_read, as_printed = "read as tiny, medium, strong, extreme", "read by the printed heads"
    found: dict[str, list[Point]] = {}
    for world, rows in grouped(printed_values("anomaly-gym", "table_9"), "env").items():
        code = {(row["anomaly"], row["strength"]): row["public_code"] for row in rows}
        given = [row for row in rows if row["value"] and row["public_code"]]
        points = []
        for series, column in ((as_read, "strength"), (as_printed, "strength_printed")):
            same = sum(_rounds_to(code.get((row["anomaly"], row[column]), ""), row["value"]) for row in given)
            points.append(Point(series, same / len(given)))
        found[world] = points
    series = {as_read: "from the mildest to the worst", as_printed: "in the order of the printed table"}
    title = "Numbers of Table 9 that are those of the public code"
    return PointFigure(title, "share of the numbers", SHARES, {"": found}, series)


ARM_MOTION = ("dynamics/robot_speed", "dynamics/robot_friction")
"""Faults of the motion of the arm."""


def _rounds_to(exact: str, printed: str) -> bool:
    """Whether a number is the printed one at its digits."""
    places = len(printed.partition(".")[2])
    return bool(exact) and abs(float(exact) - float(printed)) <= 0.5 * 10**-places + 1e-9


def _groups(name: str, title: str) -> PointFigure:
    """Return the points of a table by level, group of worlds and kind of fault."""
    rows = [row | {"place": f"{row['worlds']}, {row['faults']}"} for row in table(name) if row["ours"]]
    found = {level: beside(listed, "place") for level, listed in grouped(rows, "level").items()}
    return PointFigure(title, "local AUROC", SHARES, found, BESIDE, 0.5)
