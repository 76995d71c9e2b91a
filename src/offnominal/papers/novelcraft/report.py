"""The report of a study of novelty: tables, figures and one page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from offnominal.core.plot_style import pyplot
from offnominal.papers.novelcraft.figures import (
    BASELINE,
    curve_figure,
    discovery_figure,
    gallery_figure,
    modality_figure,
)
from offnominal.papers.novelcraft.results import DISCOVERY, EPISODES, FRAMES, NoveltyResults
from offnominal.papers.novelcraft.tables import Method, label_of, novelty_tables, ordered, shown
from offnominal.papers.novelcraft.task_result import Row
from offnominal.reports.save_figures import save_figures
from offnominal.reports.table_report import write_table_report
from offnominal.reports.verdicts import listed
from offnominal.studies.results import RunResults

MODALITIES = (
    "AUROC of the episodes of each novelty against all normal episodes, with 95\N{NO-BREAK SPACE}% intervals; 0.5 is "
    "random (dashed). Below it, novel episodes have lower scores than normal ones."
)
GALLERY = (
    "{method}: test frames with the highest and the lowest scores, at most one of each episode. Frames of novel "
    "classes have an orange border, frames of normal classes a blue one; the score is below."
)
CURVE = (
    "{novelty}: score of each frame of the episode of median length. Dotted lines are at the frames above. The dashed "
    "line is the threshold that detects 95\N{NO-BREAK SPACE}% of the novel episodes."
)
CONFUSION = "{method}: frames without labels by true class and matched cluster. Lines divide known from new classes."
HEADINGS = {
    "gallery-": "Most and least novel frames",
    "episode-": "Scores along an episode",
    "confusion": "Clusters of the best category discovery",
}
"""Headings above the first figure whose name begins so."""
DETAILS = ("delays", "alarm_delays", "frames_by_class")
"""Tables below the figures."""
GALLERIES = 4
"""Number of methods whose frames are shown."""
CURVES = 4
"""Number of methods whose scores along an episode are shown."""
Figure = tuple[str, str, Callable[[Any], Any]]
"""Name, caption and drawing."""


def write_novelty_report(results: RunResults, folder: Path) -> Path:
    """Write page, tables and figures of a run; return the page."""
    found = NoveltyResults.of(results.table)
    stored = results.examples.to_pylist() if results.examples.num_columns else []
    figures = list(_figures(found, stored))
    save_figures(pyplot(), {name: draw for name, _, draw in figures}, folder / "figures")
    methods = {task: len(found.methods(task)) for task in (FRAMES, EPISODES, DISCOVERY)}
    facts = {f"methods for {task}": count for task, count in methods.items() if count}
    captions = {name: caption for name, caption, _ in figures}
    tables = novelty_tables(found)
    leading = sum(table.name not in DETAILS for table in tables)
    firsts = {start: next((name for name in captions if name.startswith(start)), "") for start in HEADINGS}
    headings = {name: HEADINGS[start] for start, name in firsts.items()}
    return write_table_report(
        results, _headline(found), tables, captions, folder, facts=facts, leading=leading, headings=headings
    )


def _headline(found: NoveltyResults) -> str:
    """Return the best method of each task."""
    parts = [
        f"{shown(ordered(found, task)[0])} ({task})" for task in (FRAMES, EPISODES, DISCOVERY) if found.methods(task)
    ]
    return f"First in the tables: {listed(parts)}." if parts else "No method has finished."


def _figures(found: NoveltyResults, stored: Sequence[Row]) -> Iterator[Figure]:
    if found.methods(EPISODES):
        yield "modalities", MODALITIES, partial(modality_figure, found=found)
    for number, method in enumerate(
        _best_of_each([(method, method[0]) for method in ordered(found, FRAMES)], GALLERIES), 1
    ):
        examples = _examples(stored, FRAMES, method)
        if examples:
            caption = GALLERY.format(method=shown(method))
            yield f"gallery-{number}", caption, partial(gallery_figure, examples=examples)
    yield from _curves(found, stored)
    for method in ordered(found, DISCOVERY)[:1]:
        for example in _examples(stored, DISCOVERY, method)[:1]:
            yield "confusion", CONFUSION.format(method=shown(method)), partial(discovery_figure, example=example)


def _curves(found: NoveltyResults, stored: Sequence[Row]) -> Iterator[Figure]:
    """Yield a figure per novelty, with the scores of the best method of each modality, the first word of its name."""
    by_novelty: dict[str, dict[Method, Row]] = {}
    for method in _best_of_each([(method, method[0].split()[0]) for method in ordered(found, EPISODES)], CURVES):
        for each in _examples(stored, EPISODES, method):
            by_novelty.setdefault(each["label"].partition("|")[0], {})[method] = each
    for novelty in sorted(by_novelty, key=lambda name: name == "normal"):
        caption = CURVE.format(novelty=label_of(novelty).capitalize())
        yield f"episode-{novelty}", caption, partial(curve_figure, examples=by_novelty[novelty])


def _best_of_each(methods: Sequence[tuple[Method, str]], most: int) -> list[Method]:
    """Return the first method of each group, without the baseline, from methods with their groups."""
    best: dict[str, Method] = {}
    for method, group in methods:
        best.setdefault(group, method)
    return [method for group, method in best.items() if group != BASELINE][:most]


def _examples(stored: Sequence[Row], task: str, method: Method) -> list[Row]:
    """Return the examples of a method with its smallest seed."""
    rows = [row for row in stored if (row["task"], row["name"], row["variant"]) == (task, *method)]
    first = min((row["seed"] for row in rows), default=0)
    return [row for row in rows if row["seed"] == first]
