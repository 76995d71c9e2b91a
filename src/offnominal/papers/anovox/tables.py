"""The tables of a study of driving scenes."""

from __future__ import annotations

from typing import Any

from offnominal.core.rounding import fixed
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.anovox.results import SceneResults
from offnominal.papers.anovox.scene_rows import AS_PUBLISHED, FRAME, NOTICED, OBJECT
from offnominal.reports.study_tables import StudyTable

Row = dict[str, Any]
METRICS = {
    "auroc": "AUROC",
    "average_precision": "AUPR",
    "fpr95": "FPR95",
    "f1": "F1",
    "ppv": "PPV",
    "f1_star": "F1*",
    "ppv_star": "PPV*",
}
OVER_TIME = {
    "auroc": "AUROC",
    "local_auroc": "AUROC within scenes",
    "median_delay": "delay",
    "miss_rate": "missed",
    "early_rate": "alarm before",
}
PUBLISHED_METRICS = ("fpr95", "f1", "ppv")


def scene_tables(found: SceneResults) -> list[StudyTable]:
    """Return every table of a run, the leaderboard first."""
    board = leaderboard_rows(found)
    return [
        StudyTable(
            "leaderboard",
            "Voxels of content anomalies; frames with temporal anomalies",
            board,
            board,
            label="Leaderboard",
            auroc=tuple(name for name in board[0] if name.endswith("AUROC")) if board else (),
        ),
        _table(found, "content", "Content anomalies", METRICS, lambda group: group != NOTICED),
        _table(found, "temporal", "Temporal anomalies; delays in frames", OVER_TIME, lambda group: group == NOTICED),
        _as_published(found),
    ]


def leaderboard_rows(found: SceneResults) -> list[Row]:
    """Return one row per detector, best on content anomalies first."""
    content = {name: found.estimate(name, "voxel", "default", "auroc") for name in found.names}
    ordered = sorted(found.names, key=lambda name: -(content[name].value or 0.0))
    return [
        {
            "rank": rank,
            "detector": name,
            "content AUROC": str(content[name]),
            **{
                f"{size} AUROC": str(found.estimate(name, "voxel", size, "auroc"))
                for size in ("small", "medium", "big")
            },
            "temporal AUROC": str(found.estimate(name, "voxel", FRAME, "auroc")),
            "object AUROC": str(found.estimate(name, "voxel", OBJECT, "auroc")),
            "delay": str(found.estimate(name, "voxel", FRAME, "median_delay")),
        }
        for rank, name in enumerate(ordered, 1)
    ]


def _table(found: SceneResults, name: str, title: str, metrics: dict[str, str], chosen: Any) -> StudyTable:
    rows: list[Row] = []
    numbers: list[Row] = []
    for unit, group, row in found.splits:
        for detector in found.names if chosen(group) else ():
            values = {metric: found.estimate(detector, unit, row, metric) for metric in metrics}
            common = {"unit": unit, "group": group, "row": row, "detector": detector}
            if any(value.value is not None for value in values.values()):
                rows.append(common | {metrics[metric]: str(value) for metric, value in values.items()})
                numbers.append(common | _numbers(values))
    return StudyTable(name, title, rows, numbers)


def _as_published(found: SceneResults) -> StudyTable:
    rows: list[Row] = []
    for unit, group, row in found.splits:
        for detector in found.names if group == "published" else ():
            shown: Row = {"unit": unit, "row": row, "detector": detector}
            for metric in PUBLISHED_METRICS:
                shown[METRICS[metric]] = found.estimate(detector, unit, row, metric).value
                shown[f"{METRICS[metric]} as published"] = found.estimate(
                    detector, unit, row, AS_PUBLISHED + metric
                ).value
            rows.append(
                {name: float(fixed(each, 3)) if isinstance(each, float) else each for name, each in shown.items()}
            )
    title = "Exact metrics beside those of the public threshold grid, for the same scores"
    return StudyTable("as_published", title, rows, rows)


def _numbers(values: dict[str, Estimate]) -> Row:
    found: Row = {}
    for metric, value in values.items():
        found |= value.columns(metric)
    return found
