"""The tables of a study of novelty."""

from __future__ import annotations

from offnominal.core.rounding import fixed
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.novelcraft.published import BASIC, PLUS
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
from offnominal.reports.guarantees import NOTE, TITLE
from offnominal.reports.study_tables import StudyTable
from offnominal.reports.tables import MISSING

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
DELAY_METRICS = (
    "episodes",
    "detection_rate",
    "mean_delay",
    "median_delay",
    f"{ALARM}detection_rate",
    f"{ALARM}delay",
)
"""Metrics of the files of delays."""
DISCOVERY_METRICS = {
    "accuracy_all": "accuracy",
    "accuracy_labelled": "known classes",
    "accuracy_new": "new classes",
    "n_clusters": "clusters",
}
WITH_INTERVALS = ("auroc", "auprc", "accuracy_all", "accuracy_labelled", "accuracy_new")
"""Metrics whose intervals are shown; the files have those of all metrics."""
LABELS = {"tree_easy": "jungle trees"}
"""Classes whose name does not say what they are."""
Method = tuple[str, str]


def novelty_tables(found: NoveltyResults) -> list[StudyTable]:
    """Return every table of a run that has rows, the leaderboards first."""
    tables = [
        _leaderboard(found, FRAMES, "Novel frames, weighted 75/25", FRAME_METRICS),
        _leaderboard(found, EPISODES, "Novel episodes, weighted 15/85; delays in frames", EPISODE_METRICS),
        _leaderboard(found, DISCOVERY, "Category discovery: accuracy of frames without labels", DISCOVERY_METRICS),
        _by_novelty(found),
        _guarantees(found),
        _delays(found, "delays", "Delays in frames at TPR 95, and detected episodes", "mean_delay", "detection_rate"),
        _delays(
            found,
            "alarm_delays",
            "Delays in frames of an alarm with at most 25\N{NO-BREAK SPACE}% false alarms per episode",
            f"{ALARM}delay",
            f"{ALARM}detection_rate",
        ),
        _by_class(found),
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
    """Return name and variant of a method in one text; as published, a plus is for the training data NovelCraft+.

    Example:
        >>> [shown(method) for method in (("NDCC", "NovelCraft"), ("NDCC", "NovelCraft+"), ("Symbolic", "5"))]
        ['NDCC', 'NDCC+', 'Symbolic 5']
    """
    name, variant = method
    return {"": name, BASIC: name, PLUS: f"{name}+"}.get(variant, f"{name} {variant}")


def label_of(name: str) -> str:
    """Return a class in words.

    Example:
        >>> label_of("item_quartz_block"), label_of("tree_easy")
        ('quartz block', 'jungle trees')
    """
    return LABELS.get(name) or name.removeprefix("item_").replace("_", " ")


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


def _by_novelty(found: NoveltyResults) -> StudyTable:
    """Return the AUROC of the episodes of each novelty and their mean, with a row per method."""
    names = found.row_names(EPISODE_NOVELTIES)
    rows: list[Row] = []
    for method in ordered(found, EPISODES):
        values = {label_of(name): _auroc(found, EPISODE_NOVELTIES, method, name) for name in names}
        rows.append({"method": shown(method)} | values | {"mean": _mean(found, EPISODE_NOVELTIES, method)})
    title = "Which modality notices what: AUROC of the episodes of each novelty"
    return _table_by_row(found, EPISODE_NOVELTIES, title, rows if names else [])


def _by_class(found: NoveltyResults) -> StudyTable:
    """Return the AUROC of the frames of each novel class, with a column per method; the last row is their mean."""
    methods, names = ordered(found, FRAMES), found.row_names(FRAME_CLASSES)
    rows: list[Row] = [
        {"class": label_of(name)} | {shown(each): _auroc(found, FRAME_CLASSES, each, name) for each in methods}
        for name in names
    ]
    if rows:
        rows.append({"class": "mean"} | {shown(method): _mean(found, FRAME_CLASSES, method) for method in methods})
    return _table_by_row(found, FRAME_CLASSES, "AUROC of the frames of each novel class", rows)


def _table_by_row(found: NoveltyResults, task: str, title: str, rows: list[Row]) -> StudyTable:
    """Return a table whose file has one line per class or novelty and method."""
    methods = ordered(found, FRAMES if task == FRAME_CLASSES else EPISODES)
    numbers: list[Row] = [
        {"novelty": name, "method": shown(each)} | found.estimate(task, *each, "auroc", name).columns("auroc")
        for name in found.row_names(task)
        for each in methods
    ]
    return StudyTable(task.replace(" ", "_"), title, rows, numbers)


def _auroc(found: NoveltyResults, task: str, method: Method, name: str) -> str | None:
    return _short(found.estimate(task, *method, "auroc", name).value)


def _mean(found: NoveltyResults, task: str, method: Method) -> str | None:
    values = [found.estimate(task, *method, "auroc", name).value for name in found.row_names(task)]
    known = [value for value in values if value is not None]
    return _short(sum(known) / len(known) if known and len(known) == len(values) else None)


def _guarantees(found: NoveltyResults) -> StudyTable:
    checks = {method: found.guarantee(*method) for method in ordered(found, EPISODES)}
    known = {shown(method): check for method, check in checks.items() if check is not None}
    rows = [{"method": name, **check.shown()} for name, check in known.items()]
    numbers = [{"method": name, **check.row()} for name, check in known.items()]
    return StudyTable("guarantees", TITLE, rows, numbers, NOTE)


def _delays(found: NoveltyResults, table: str, title: str, delay: str, rate: str) -> StudyTable:
    """Return the mean delay and the share of detected episodes of each novelty, with a row per method.

    The file has one line per novelty and method, with all metrics of delays.
    """
    names, methods = found.row_names(EPISODE_NOVELTIES), ordered(found, EPISODES)
    rows: list[Row] = [
        {"method": shown(each)} | {label_of(name): _delay(found, each, name, delay, rate) for name in names}
        for each in methods
    ]
    numbers: list[Row] = []
    for name in names:
        for method in methods:
            values = {each: found.estimate(EPISODE_NOVELTIES, *method, each, name) for each in DELAY_METRICS}
            numbers.append({"novelty": name, "method": shown(method)} | _numbers(values))
    known = any(value != MISSING for row in rows for value in list(row.values())[1:])
    return StudyTable(table, title, rows if known else [], numbers)


def _delay(found: NoveltyResults, method: Method, name: str, delay: str, rate: str) -> str:
    mean, share = (found.estimate(EPISODE_NOVELTIES, *method, metric, name).value for metric in (delay, rate))
    return (
        MISSING if mean is None or share is None else f"{fixed(mean, 1)} ({fixed(100.0 * share, 0)}\N{NO-BREAK SPACE}%)"
    )


def _text(metric: str, value: Estimate) -> str:
    if value.value is None:
        return MISSING
    if metric == "n_clusters":
        return fixed(value.value, 0)
    if "delay" in metric:
        return fixed(value.value, 1)
    return str(value) if metric in WITH_INTERVALS else fixed(value.value, 3)


def _short(value: float | None) -> str | None:
    return None if value is None else fixed(value, 3)


def _numbers(values: dict[str, Estimate]) -> Row:
    found: Row = {}
    for metric, value in values.items():
        found |= value.columns(metric)
    return found
