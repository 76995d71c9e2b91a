"""The tables of a study of novelty."""

from __future__ import annotations

from offnominal.evaluation.estimate import Estimate
from offnominal.papers.novelcraft.results import (
    ALARM,
    DISCOVERY,
    EPISODE_NOVELTIES,
    EPISODES,
    FRAME_CLASSES,
    FRAMES,
    VALIDATION,
    NoveltyResults,
)
from offnominal.papers.novelcraft.task_result import Row
from offnominal.reports.study_tables import StudyTable

LEADING = {FRAMES: "auroc", EPISODES: "auroc", DISCOVERY: "accuracy_all"}
"""Metric of the leaderboard of each task."""
FRAME_METRICS = {
    "auroc": "AUROC",
    "auprc": "average precision",
    "tnr_at_tpr": "TNR at TPR 95",
    "ppv_at_tpr": "PPV at TPR 95",
    "tpr_at_ppv": "TPR at PPV 80",
    f"{VALIDATION}tpr_at_tpr": "TPR, validation threshold",
    f"{VALIDATION}tnr_at_tpr": "TNR, validation threshold",
}
EPISODE_METRICS = {
    "auroc": "AUROC",
    "auprc": "average precision",
    "tnr_at_tpr": "TNR at TPR 95",
    "delay_at_tpr": "delay at TPR 95",
    "tpr_at_ppv": "TPR at PPV 95",
    "delay_at_ppv": "delay at PPV 95",
    f"{ALARM}false_alarm_rate": "false alarms",
    f"{ALARM}detection_rate": "detected",
}
DELAY_METRICS = {
    "episodes": "episodes",
    "detection_rate": "detected",
    "mean_delay": "delay",
    "median_delay": "median delay",
    f"{ALARM}detection_rate": "alarm: detected",
    f"{ALARM}delay": "alarm: delay",
}
DISCOVERY_METRICS = {
    "accuracy_all": "accuracy",
    "accuracy_labelled": "known classes",
    "accuracy_new": "new classes",
    "n_clusters": "clusters",
}
WITH_INTERVALS = ("auroc", "auprc", "accuracy_all", "accuracy_labelled", "accuracy_new")
"""Metrics whose intervals are shown; the files have those of all metrics."""
MISSING = "–"
Method = tuple[str, str]


def novelty_tables(found: NoveltyResults) -> list[StudyTable]:
    """Return every table of a run that has rows, the leaderboards first."""
    tables = [
        _leaderboard(found, FRAMES, "Novel frames, weighted 75/25", FRAME_METRICS),
        _leaderboard(found, EPISODES, "Novel episodes, weighted 15/85; delays in frames", EPISODE_METRICS),
        _by_row(found, EPISODE_NOVELTIES, "Which modality notices what: AUROC of the episodes of each novelty"),
        _leaderboard(found, DISCOVERY, "Category discovery: accuracy of frames without labels", DISCOVERY_METRICS),
        _delays(found),
        _by_row(found, FRAME_CLASSES, "AUROC of the frames of each novel class"),
    ]
    return [table for table in tables if table.rows]


def leaderboard_rows(found: NoveltyResults) -> list[Row]:
    """Return one row per method, task by task and best first."""
    return [
        {
            "task": task,
            "rank": rank,
            "method": name,
            "variant": variant,
            "AUROC or accuracy": str(found.estimate(task, name, variant, metric)),
        }
        for task, metric in LEADING.items()
        for rank, (name, variant) in enumerate(ordered(found, task), 1)
    ]


def ordered(found: NoveltyResults, task: str) -> list[Method]:
    """Return the methods of a task, best first."""
    values = {each: found.estimate(task, *each, LEADING[task]).value for each in found.methods(task)}
    return sorted(values, key=lambda each: -(values[each] or 0.0))


def shown(method: Method) -> str:
    """Return name and variant of a method in one text."""
    return " ".join(part for part in method if part)


def _leaderboard(found: NoveltyResults, task: str, title: str, metrics: dict[str, str]) -> StudyTable:
    rows: list[Row] = []
    numbers: list[Row] = []
    for rank, method in enumerate(ordered(found, task), 1):
        values = {metric: found.estimate(task, *method, metric) for metric in metrics}
        common = {"method": shown(method), "rank": rank}
        rows.append(common | {metrics[metric]: _text(metric, value) for metric, value in values.items()})
        numbers.append(common | _numbers(values))
    return StudyTable(task, title, _without_empty_columns(rows), numbers)


def _without_empty_columns(rows: list[Row]) -> list[Row]:
    """Return rows without the columns that are undefined in every row."""
    known = [name for name in (rows[0] if rows else ()) if any(row[name] != MISSING for row in rows)]
    return [{name: row[name] for name in known} for row in rows]


def _by_row(found: NoveltyResults, task: str, title: str) -> StudyTable:
    """Return a table with a row per class or novelty and a column per method; the last row is their mean."""
    methods = ordered(found, FRAMES if task == FRAME_CLASSES else EPISODES)
    rows: list[Row] = []
    numbers: list[Row] = []
    for name in found.row_names(task):
        values = {method: found.estimate(task, *method, "auroc", name) for method in methods}
        rows.append({"novelty": name} | {shown(method): _short(value) for method, value in values.items()})
        numbers += [{"novelty": name, "method": shown(each)} | value.columns("auroc") for each, value in values.items()]
    if rows:
        mean = {shown(method): _mean(found, task, method) for method in methods}
        rows.append({"novelty": "mean"} | {name: _short(Estimate(each)) for name, each in mean.items()})
    return StudyTable(task.replace(" ", "_"), title, rows, numbers)


def _mean(found: NoveltyResults, task: str, method: Method) -> float | None:
    values = [found.estimate(task, *method, "auroc", name).value for name in found.row_names(task)]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _delays(found: NoveltyResults) -> StudyTable:
    rows: list[Row] = []
    numbers: list[Row] = []
    for name in found.row_names(EPISODE_NOVELTIES):
        for method in ordered(found, EPISODES):
            values = {metric: found.estimate(EPISODE_NOVELTIES, *method, metric, name) for metric in DELAY_METRICS}
            common = {"novelty": name, "method": shown(method)}
            rows.append(common | {DELAY_METRICS[metric]: _text(metric, each) for metric, each in values.items()})
            numbers.append(common | _numbers(values))
    title = "Delays in frames by novelty: at TPR 95, and of an alarm with at most 25 % false alarms per episode"
    return StudyTable("delays", title, _without_empty_columns(rows), numbers)


def _text(metric: str, value: Estimate) -> str:
    if value.value is None:
        return MISSING
    if metric in ("n_clusters", "episodes"):
        return f"{value.value:.0f}"
    if "delay" in metric:
        return f"{value.value:.1f}"
    return str(value) if metric in WITH_INTERVALS else f"{value.value:.3f}"


def _short(value: Estimate) -> str | None:
    return None if value.value is None else f"{value.value:.3f}"


def _numbers(values: dict[str, Estimate]) -> Row:
    found: Row = {}
    for metric, value in values.items():
        found |= value.columns(metric)
    return found
