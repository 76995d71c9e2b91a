"""The published tables of NovelCraft: published, recomputed from the released scores, and ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from offnominal.core.rounding import fixed
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.novelcraft.published import BASIC, PAPER, PublishedNumber, published_numbers
from offnominal.papers.novelcraft.published_sets import table_1, table_2, table_a2, table_d1
from offnominal.papers.novelcraft.recomputed import METRICS, Recomputed, recompute
from offnominal.papers.novelcraft.results import AS_PUBLISHED, FRAMES, TASKS, NoveltyResults
from offnominal.papers.novelcraft.study import NoveltyStudy
from offnominal.papers.paper import DEFAULT_SCALE, Published, PublishedTable
from offnominal.papers.printed_values import erratum_about, printed_values
from offnominal.papers.protocol import protocol
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

STUDY = "novelcraft"
VARIANTS = {"3": "training data", "E1": "training data", "4": "context", "fig4": "features"}
ACCURACIES = {"All": "accuracy_all", "Labelled": "accuracy_labelled", "New": "accuracy_new"}
WITH_PLUS = "paper"
"""The scale that has NovelCraft+."""
OTHER_FIT = "released matrix: another fit"
SHORT_NAMES = {"OCSVM": "One-Class SVM"}
OTHERS_TIMES = "It has the hours that training took on the machines of the authors."


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
    erratum = number.erratum
    return PublishedComparison(
        labels,
        found.estimate(TASKS[table], number.method, number.variant, prefix + metric),
        number.value,
        protocol(PAPER).rule(_metric_of(number)),
        _note(number, recomputed),
        "" if erratum is None else "artefact",
    )


def _metric_of(number: PublishedNumber) -> str:
    """Return the name of the metric in the protocol."""
    if number.is_delay:
        return "delay"
    return "short_share" if number.table == "fig4" else "share"


def _shown(value: float | None, number: PublishedNumber) -> str:
    """Return a recomputed number with as many digits as the published percentage has, or one more."""
    if value is None:
        return "–"
    return fixed(value, 2 if number.is_delay else 4)


def _note(number: PublishedNumber, recomputed: Recomputed) -> str:
    if number.table == "fig4" and recomputed.ours is not None:
        return OTHER_FIT
    return "" if number.erratum is None else number.erratum.problem


def table_c1(results: RunResults) -> list[PublishedComparison]:
    """Return the published times of training, in seconds."""
    return [
        PublishedComparison(
            {"method": row["method"], "training data": row["training_data"]},
            Estimate(None),
            seconds,
            protocol(PAPER).rule("training").scaled(seconds),
        )
        for row in printed_values(PAPER, "table_C1")
        for seconds in [float(row["seconds"])]
    ]


def table_d2(results: RunResults) -> list[PublishedComparison]:
    """Compare the AUROC of frames without NovelCraft+; the other rows are results of other papers."""
    found = NoveltyResults.of(results.table)
    lines = []
    for row in (row for row in printed_values(PAPER, "table_D2") if row["in_dataset"] == BASIC):
        method = SHORT_NAMES.get(row["method"], row["method"])
        sign = erratum_about(PAPER, "table_E1", [method], "AUROC")
        ours = found.estimate(FRAMES, method, BASIC, METRICS["AUROC"])
        rule = protocol(PAPER).rule("short_share")
        line = PublishedComparison({"method": method}, ours, float(row["value"]) / 100.0, rule)
        lines.append(line if sign is None else replace(line, flaw="artefact", note=sign.problem))
    return lines


def without_plus(study: NoveltyStudy) -> str:
    """Return why a run of a study has no number for Table 3; empty if its set is NovelCraft+."""
    return "" if study.data.plus else "its methods are trained on NovelCraft+, which the run leaves out"


def _table(
    number: int | str, title: str, scale: str = DEFAULT_SCALE, unfilled: Callable[[Any], str] | None = None
) -> PublishedTable:
    table = str(number)
    ours, rules = (partial(compare, table=table, as_published=each) for each in (False, True))
    return PublishedTable(number, title, STUDY, ours, scale=scale, compare_as_published=rules, unfilled=unfilled)


PUBLISHED = Published(
    (
        PublishedTable(1, "number of novel classes; the other rows are other sets", "", table_1),
        PublishedTable(2, "sizes of the splits", "", table_2, needs_data=True),
        _table(3, "novelty of frames, methods trained on NovelCraft+", WITH_PLUS, without_plus),
        _table(4, "novelty of episodes: visual, symbolic and multimodal"),
        PublishedTable("A2", "modifications: episodes and images after the filter", "", table_a2, needs_data=True),
        PublishedTable("C1", "seconds of training", "", table_c1, not_computed=OTHERS_TIMES),
        PublishedTable("D1", "sizes of the set; the other rows are other sets", "", table_d1, needs_data=True),
        PublishedTable("D2", "AUROC of frames; the other rows are results of other papers", STUDY, table_d2),
        _table("E1", "novelty of frames, with and without NovelCraft+"),
        _table("fig4", "category discovery: Hungarian accuracy"),
    ),
    protocol=protocol(PAPER),
)
