"""The figures of the page on what was learned, from the files with measured values.

The rule, fixed before the figures were drawn: every finding with measured values in a file of the repository has a
figure of that file, or is in the section of the figure that shows it. A figure has all rows of its table or experiment
that have a value of ours; where it has one level or one metric, that is the one its study page shows.
"""

import re
from collections.abc import Callable, Mapping

from published_values import (
    anomaly_gym_findings,
    comparison_findings,
    experiment_findings,
    other_findings,
)
from published_values.finding_points import MEASURED, SHARES, grouped, rows_of_file
from published_values.point_figure import Point, PointFigure

ESTIMATE = re.compile(r"(?P<value>-?[\d.]+) \[(?P<low>-?[\d.]+), (?P<high>-?[\d.]+)\]")
MATCHED = "Time-matched AUROC"


def elapsed_time() -> PointFigure:
    """Return local and time-matched AUROC of every detector of the leaderboard."""
    series = {
        "local AUROC": "steps before and after the onset, with the 95 % interval",
        "time-matched AUROC": "faulty and nominal steps at the same time, likewise",
    }
    rows = {
        row["detector"]: [_estimate("local AUROC", row["AUROC"]), _estimate("time-matched AUROC", row[MATCHED])]
        for row in rows_of_file(MEASURED / "leaderboard.csv")
    }
    return PointFigure("AUROC of each detector with and without control for time", "AUROC", SHARES, {"": rows}, series)


def nulls() -> PointFigure:
    """Return the local AUROC of every detector without a fault, in the worlds of the smallest run."""
    name = "no fault"
    found = {
        world.removesuffix("-v0"): {
            row["detector"]: [Point(name, *(float(row[column]) for column in ("null", "low", "high")))] for row in rows
        }
        for world, rows in grouped(rows_of_file(MEASURED / "nulls.csv"), "world").items()
    }
    series = {name: "steps of nominal episodes before and after an onset, 95 % interval"}
    return PointFigure("Local AUROC of nominal episodes", "local AUROC", SHARES, found, series, 0.5)


FIGURES: Mapping[str, Callable[[], PointFigure]] = {
    "elapsed-time": elapsed_time,
    "nulls": nulls,
    "anomaly-gym": anomaly_gym_findings.groups,
    "public-code": experiment_findings.public_code,
    "explained": experiment_findings.explained,
    "neutral": experiment_findings.neutral,
    "training": experiment_findings.training,
    "anomaly-gym-images": anomaly_gym_findings.image_groups,
    "image-experiments": experiment_findings.images,
    "returns": anomaly_gym_findings.returns,
    "strengths": anomaly_gym_findings.strengths,
    "heads": anomaly_gym_findings.heads,
    "thresholds": anomaly_gym_findings.thresholds,
    "policies": other_findings.policies,
    "deviations": other_findings.deviations,
    "scene-thresholds": other_findings.thresholds,
    "pairs": other_findings.pairs,
    "ties": comparison_findings.ties,
    "labels": comparison_findings.labels,
    "methods": comparison_findings.methods,
    "mean-ranks": comparison_findings.rank_means,
    "selection": comparison_findings.selection,
    "rules": other_findings.rules,
}
"""Figures by the name of their file."""


def _estimate(series: str, text: str) -> Point:
    found = ESTIMATE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no value with an interval")
    return Point(series, *(float(found[name]) for name in ("value", "low", "high")))
