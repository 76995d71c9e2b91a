"""The figures of the page on what was learned, from the files with measured values."""

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from statistics import quantiles

from published_values.point_figure import Point, PointFigure
from published_values.rows import Row

MEASURED = Path(__file__).parents[1] / "measured"
ESTIMATE = re.compile(r"(?P<value>-?[\d.]+) \[(?P<low>-?[\d.]+), (?P<high>-?[\d.]+)\]")
SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
OURS, PUBLISHED = "ours", "published"
BESIDE = {OURS: "with its 95 % interval", PUBLISHED: "as printed"}
CHANGED = 0.02
"""Smallest difference between two rules of metrics that is shown."""


def elapsed_time() -> PointFigure:
    """Return local and time-matched AUROC of every detector of the leaderboard."""
    series = {
        "local AUROC": "steps before and after the onset, with the 95 % interval",
        "time-matched AUROC": "faulty and nominal steps at the same time, likewise",
    }
    rows = {
        row["detector"]: [_estimate("local AUROC", row["AUROC"]), _estimate("time-matched AUROC", row[MATCHED])]
        for row in _rows(MEASURED / "leaderboard.csv")
    }
    return PointFigure("AUROC of each detector with and without control for time", "AUROC", SHARES, {"": rows}, series)


def anomaly_gym() -> PointFigure:
    """Return ours and the published AUROC of PE-DM by group of worlds and kind of fault."""
    return _groups("anomaly-gym-3", "Local AUROC of PE-DM by group of worlds and kind of fault")


def anomaly_gym_images() -> PointFigure:
    """Return the same of LRDM on images."""
    return _groups("anomaly-gym-3-images", "Local AUROC of LRDM by group of worlds and kind of fault")


def thresholds() -> PointFigure:
    """Return the share of episodes with an early alarm and without one, of every detector at each threshold."""
    found: dict[str, dict[str, list[Point]]] = {}
    for row in _published("anomaly-gym-4"):
        name = {"EDR": "alarm before the fault", "MR": "fault missed"}.get(row["number"])
        if name and row["ours"]:
            points = found.setdefault(name, {}).setdefault(row["alarm"], [])
            points += [Point(OURS, float(row["ours"])), Point(PUBLISHED, float(row["published"]))]
    series = {OURS: "a mark per detector, without intervals", PUBLISHED: "a mark per detector"}
    return PointFigure("Early alarms and misses at three thresholds", "share of episodes", SHARES, found, series)


def policies() -> PointFigure:
    """Return ours and the published AUC of the uncertainty of policies, best of the trials."""
    found = {
        f"{world}, {method}": _beside(rows, "setting")
        for world, table in (("CartPole", 3), ("Pendulum", 4))
        for method, rows in _grouped(_published(f"ood-rl-{table}"), "method").items()
    }
    series = {**BESIDE, OURS: "mean of the agents, with the 95 % interval of one more agent"}
    return PointFigure("AUC of policies with uncertainty estimates", "AUC", SHARES, found, series)


def pairs() -> PointFigure:
    """Return the AUROC of scene detectors with the right pairs of frames and with those of the public code."""
    wrong = "ours with their pairs"
    evidence = files("offnominal.papers.anovox").joinpath("evidence.csv").read_text(encoding="utf-8")
    changed = {(row["method"], row["frames"]): row for row in csv.DictReader(evidence.splitlines()) if _auroc(row)}
    rows: dict[str, list[Point]] = {}
    for row in filter(_auroc, _published("anovox-4")):
        after = changed[row["method"], row["frames"]]
        ends = (float(after[name]) for name in ("after", "after_low", "after_high"))
        rows[f"{row['method']}, {row['frames']}"] = [*_both(row), Point(wrong, *ends)]
    series = {**BESIDE, wrong: "scores beside the truth of other frames, 95 % interval"}
    return PointFigure("AUROC of voxels by pairs of frames", "AUROC", SHARES, {"": rows}, series, 0.5)


def methods() -> PointFigure:
    """Return the differences of test AUC between ours and published ones, over the tables of each method."""
    name = "ours − published"
    found: dict[str, dict[str, list[Point]]] = {}
    for part, file in (("classical", "comparison-IV"), ("deep", "comparison-IV-deep")):
        of_tables = [row for row in _published(file) if row["ours"] and row["published"] and not row["units"]]
        for method, rows in _grouped(of_tables, "method").items():
            low, middle, high = quantiles([float(row["ours"]) - float(row["published"]) for row in rows], n=4)
            found.setdefault(part, {})[f"{method} ({len(rows)} tables)"] = [Point(name, middle, low, high)]
    series = {name: "median over tables; the line is their middle half (not an interval)"}
    ticks = (-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3)
    return PointFigure("Differences of test AUC by method", "difference of test AUC", ticks, found, series, 0.0)


def rules() -> PointFigure:
    """Return the shares of NovelCraft that change with the rules of the metrics, from the same released scores."""
    published, ours = "published rules", "our rules"
    text = files("offnominal.papers.novelcraft").joinpath("recomputed.csv").read_text(encoding="utf-8")
    found: dict[str, dict[str, list[Point]]] = {}
    for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")):
        values = [float(row[name]) if row[name] else None for name in ("as_published", "ours")]
        if row["table"] == "3" or row["metric"].startswith("delay") or None in values:
            continue
        before, after = (value for value in values if value is not None)
        if abs(after - before) >= CHANGED:
            variant = row["variant"].removeprefix("NovelCraft")
            label = row["method"] + (f" {variant}" if variant.isdigit() else variant)
            found.setdefault(row["metric"], {})[label] = [Point(ours, after), Point(published, before)]
    series = {ours: "from the released scores", published: "from the same scores, which are exact: no intervals"}
    return PointFigure("Numbers of NovelCraft with two sets of rules", "share", SHARES, found, series)


MATCHED = "Time-matched AUROC"
FIGURES: Mapping[str, Callable[[], PointFigure]] = {
    "elapsed-time": elapsed_time,
    "anomaly-gym": anomaly_gym,
    "anomaly-gym-images": anomaly_gym_images,
    "thresholds": thresholds,
    "policies": policies,
    "pairs": pairs,
    "methods": methods,
    "rules": rules,
}
"""Figures by the name of their file."""


def _groups(table: str, title: str) -> PointFigure:
    """Return the points of a table by level, group of worlds and kind of fault."""
    rows = [row | {"place": f"{row['worlds']}, {row['faults']}"} for row in _published(table) if row["ours"]]
    found = {level: _beside(listed, "place") for level, listed in _grouped(rows, "level").items()}
    return PointFigure(title, "local AUROC", SHARES, found, BESIDE, 0.5)


def _beside(rows: Iterable[Row], label: str) -> dict[str, Sequence[Point]]:
    return {row[label]: _both(row) for row in rows if row["ours"]}


def _both(row: Row) -> list[Point]:
    """Return ours with its interval and the published value."""
    ends = (float(row[name]) if row[name] else None for name in ("low", "high"))
    return [Point(OURS, float(row["ours"]), *ends), Point(PUBLISHED, float(row["published"]))]


def _estimate(series: str, text: str) -> Point:
    found = ESTIMATE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no value with an interval")
    return Point(series, *(float(found[name]) for name in ("value", "low", "high")))


def _grouped(rows: Iterable[Row], column: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row[column], []).append(row)
    return found


def _auroc(row: Row) -> bool:
    return row["metric"] == "AUROC"


def _published(table: str) -> list[Row]:
    return _rows(MEASURED / "published" / f"{table}.csv")


def _rows(file: Path) -> list[Row]:
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
