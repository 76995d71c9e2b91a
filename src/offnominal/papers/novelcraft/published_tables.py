"""The published tables of NovelCraft: published, recomputed from the released scores, and ours."""

from __future__ import annotations

from functools import partial

from offnominal.papers.novelcraft.published import PublishedNumber, published_numbers
from offnominal.papers.novelcraft.recomputed import METRICS, Recomputed, recompute
from offnominal.papers.novelcraft.results import AS_PUBLISHED, TASKS, NoveltyResults
from offnominal.papers.paper import DEFAULT_SCALE, Published, PublishedTable
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

VARIANTS = {"3": "training data", "E1": "training data", "4": "context", "fig4": "features"}
ACCURACIES = {"All": "accuracy_all", "Labelled": "accuracy_labelled", "New": "accuracy_new"}
NOTES = {
    "ties": "most scores are tied",
    "sign": "inverted sign",
    "selection": "not the largest TPR",
    "zero": "4/5 of the mean",
}
"""What is wrong with a published number; the page of the study says more."""
WITH_PLUS = "paper"
"""The scale that has NovelCraft+."""
OTHER_FIT = "released matrix: another fit"


def compare(results: RunResults, *, table: str, as_published: bool = False) -> list[PublishedComparison]:
    """Return the lines of a table.

    Args:
        results: Results of a run; without rows, ours are undefined.
        table: ``"3"``, ``"4"``, ``"E1"`` or ``"fig4"``.
        as_published: Whether our results use the rules of the public code.
    """
    found = NoveltyResults.of(results.table)
    return [_line(found, table, number, as_published) for number in published_numbers(table)]


def _line(found: NoveltyResults, table: str, number: PublishedNumber, as_published: bool) -> PublishedComparison:
    metric = ACCURACIES.get(number.metric) or METRICS[number.metric]
    recomputed = recompute(number)
    labels = {
        "method": number.method,
        VARIANTS[table]: number.variant or "–",
        "metric": number.metric,
        "released scores": _shown(recomputed.as_published, number),
        "with our rules": _shown(recomputed.ours, number),
    }
    prefix = AS_PUBLISHED if as_published and metric not in ACCURACIES.values() else ""
    return PublishedComparison(
        labels,
        found.estimate(TASKS[table], number.method, number.variant, prefix + metric),
        number.value,
        note=_note(number, recomputed),
        flaw="artefact" if number.flaw else "",
    )


def _shown(value: float | None, number: PublishedNumber) -> str:
    """Return a recomputed number with as many digits as the published percentage has, or one more."""
    if value is None:
        return "–"
    return f"{value:.2f}" if number.is_delay else f"{value:.4f}"


def _note(number: PublishedNumber, recomputed: Recomputed) -> str:
    if number.table == "fig4" and recomputed.ours is not None:
        return OTHER_FIT
    return NOTES.get(number.flaw, "")


def _table(number: int | str, title: str, scale: str = DEFAULT_SCALE) -> PublishedTable:
    table = str(number)
    ours, rules = (partial(compare, table=table, as_published=each) for each in (False, True))
    return PublishedTable(number, title, "novelcraft", ours, scale=scale, compare_as_published=rules)


PUBLISHED = Published(
    (
        _table(3, "novelty of frames, methods trained on NovelCraft+", WITH_PLUS),
        _table(4, "novelty of episodes: visual, symbolic and multimodal"),
        _table("E1", "novelty of frames, with and without NovelCraft+"),
        _table("fig4", "category discovery: Hungarian accuracy"),
    ),
    unknown_tables={
        "C1": "It has training times of the authors' machines.",
        "D2": "It has results of other papers.",
    },
)
