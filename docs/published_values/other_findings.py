"""The figures of the findings on policies with uncertainty estimates, AnoVox and NovelCraft."""

from importlib.resources import files

from published_values.finding_points import (
    BESIDE,
    OURS,
    PUBLISHED,
    SHARES,
    beside,
    both,
    grouped,
    rows_of_text,
    table,
)
from published_values.pivots import CARTPOLE, PENDULUM, PONG
from published_values.point_figure import Point, PointFigure
from published_values.rows import Row

CHANGED = 0.02
"""Smallest difference between two rules of metrics that is shown."""


def policies() -> PointFigure:
    """Return ours and the published AUC of the uncertainty of policies, best of the trials."""
    found = {
        f"{world}, {method}": beside(rows, "setting")
        for world, number in (("CartPole", 3), ("Pendulum", 4))
        for method, rows in grouped(table(f"ood-rl-{number}"), "method").items()
    }
    series = {**BESIDE, OURS: "mean of the agents, with the 95 % interval of one more agent"}
    return PointFigure("AUC of policies with uncertainty estimates", "AUC", SHARES, found, series)


def deviations() -> PointFigure:
    """Return the deviations of the AUC over agents and over trials, and the published ones."""
    columns = {"± agents": "over agents", "± trials": "over trials of one agent", "± published": PUBLISHED}
    found: dict[str, dict[str, list[Point]]] = {}
    for world, numbers in (("CartPole", CARTPOLE), ("Pendulum", PENDULUM), ("Pong", PONG)):
        for row in (row for number in numbers for row in table(f"ood-rl-{number}")):
            points = [Point(series, float(row[name])) for name, series in columns.items() if row[name] != "–"]
            found.setdefault(f"{world}, {row['method']}", {})[row["setting"]] = points
    about = {
        "over agents": "four training seeds; one ensemble of Pong has none",
        "over trials of one agent": "ours, mean over the agents",
        PUBLISHED: "over trials of one agent, as printed",
    }
    ticks = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25)
    return PointFigure("Deviations of the AUC", "standard deviation of the AUC", ticks, found, about)


def pairs() -> PointFigure:
    """Return the AUROC of scene detectors with the right pairs of frames and with those of the public code."""
    wrong = "ours with their pairs"
    evidence = rows_of_text(files("offnominal.papers.anovox").joinpath("evidence.csv").read_text("utf-8"))
    changed = {(row["method"], row["frames"]): row for row in evidence if row["metric"] == "AUROC"}
    rows: dict[str, list[Point]] = {}
    for row in (row for row in table("anovox-4") if row["metric"] == "AUROC"):
        after = changed[row["method"], row["frames"]]
        ends = (float(after[name]) for name in ("after", "after_low", "after_high"))
        rows[f"{row['method']}, {row['frames']}"] = [*both(row), Point(wrong, *ends)]
    series = {**BESIDE, wrong: "scores beside the truth of other frames, 95 % interval"}
    return PointFigure("AUROC of voxels by pairs of frames", "AUROC", SHARES, {"": rows}, series, 0.5)


def thresholds() -> PointFigure:
    """Return FPR95, F1 and PPV of scene detectors with our thresholds and with those of the public code."""
    theirs = "ours with their thresholds"
    found: dict[str, dict[str, list[Point]]] = {"FPR95": {}, "F1": {}, "PPV": {}}
    for row in (row for row in table("anovox-4") if row["metric"] in found):
        points = [*both(row), Point(theirs, float(row["ours as published"]))]
        found[row["metric"]][f"{row['method']}, {row['frames']}"] = points
    series = {**BESIDE, theirs: "from 0 to 1, and from 0.25 to 0.70"}
    return PointFigure("Numbers of scene detectors by their thresholds", "share of voxels", SHARES, found, series)


def rules() -> PointFigure:
    """Return the shares of NovelCraft that change with the rules of the metrics, from the same released scores."""
    theirs, own = "published rules", "our rules"
    found: dict[str, dict[str, list[Point]]] = {}
    for row in recomputed():
        values = [float(row[name]) if row[name] else None for name in ("as_published", "ours")]
        if row["table"] == "3" or row["metric"].startswith("delay") or None in values:
            continue
        before, after = (value for value in values if value is not None)
        if abs(after - before) >= CHANGED:
            variant = row["variant"].removeprefix("NovelCraft")
            label = row["method"] + (f" {variant}" if variant.isdigit() else variant)
            found.setdefault(row["metric"], {})[label] = [Point(own, after), Point(theirs, before)]
    series = {own: "from the released scores", theirs: "from the same scores, which are exact: no intervals"}
    return PointFigure("Numbers of NovelCraft with two sets of rules", "share", SHARES, found, series)


def recomputed() -> list[Row]:
    """Return the numbers of NovelCraft that were recomputed from the released scores."""
    return rows_of_text(files("offnominal.papers.novelcraft").joinpath("recomputed.csv").read_text("utf-8"))
