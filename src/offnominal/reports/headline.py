"""The sentences at the top of a page and in the terminal: the three verdicts, or the leader by a metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from offnominal.core.printable import printable
from offnominal.core.rounding import fixed
from offnominal.evaluation.metrics import METRICS
from offnominal.reports.budget_text import budget_sentence
from offnominal.reports.leaderboard import metrics_of
from offnominal.reports.verdicts import NET, listed, run_verdicts, shortened
from offnominal.studies.leaderboards import leaderboard, tied_with_best
from offnominal.studies.results import RunResults

WITHIN = "the differences between them are within their intervals"
APART = "the interval of its difference to every other detector excludes 0"
NOT_CONTROLLED = "Elapsed time counts in these numbers: compare detectors by net detection and net delay."
"""Beside delays and detected shares of alarms and thresholds, of which nominal alarms at the same time are a part."""
NOT_COMPARED = "It is not compared with the others: they lack results for some faults, or it does"


def headline(data: Mapping[str, Any]) -> Markup:
    """Return the sentences as HTML: the verdicts, or the leader by the first metric where no verdict is possible.

    Args:
        data: Content of the page; see :func:`~offnominal.reports.payload.payload`.
    """
    if not data["metrics"]:
        return Markup("No cell has finished.")
    first = data["metrics"][0]
    lead = [] if data["judged"] else [_leaders(data)]
    lead += [escape(line) for line in _other_order(first["name"], first["label"])]
    verdicts = [
        Markup("{} {}").format(listed_in_bold([printable(name) for name in names]), rest)
        for names, rest in data["verdicts"]
    ]
    return Markup(" ").join([*lead, *verdicts, *([escape(data["budget"])] if data["budget"] else [])])


def _leaders(data: Mapping[str, Any]) -> Markup:
    """Return the leader by the first metric. It is not called best: what it detects is not known."""
    metric = data["metrics"][0]
    entries = data["leaderboards"][metric["name"]]["-1,-1,-1"]
    names = [printable(data["names"][row[0]]) for row in entries]
    label = _in_sentence(metric["label"])
    best, *others = entries
    interval = "" if best[2] is None else f" [{fixed(best[2], 3)}, {fixed(best[3], 3)}]"
    number = Markup("<strong>{}</strong>{}").format(fixed(best[1], 3), interval)
    ranked = {name: row[5] for name, row in zip(names, entries, strict=True) if row[4] is not None}
    if not others or best[4] is None or len(ranked) < 2:
        alone = Markup("<strong>{}</strong> has a {} of {}.").format(names[0], label, number)
        return alone if not others else alone + f" {NOT_COMPARED}."
    extreme = "highest" if metric["higher"] else "lowest"
    among = " among the detectors with results for every fault" if len(ranked) < len(entries) else ""
    group = tied_with_best(ranked) if best[5] else names[:1]
    if len(group) == 1:
        known = APART if best[5] else f"{'no' if best[2] is None else 'not all'} intervals were computed"
        return Markup("<strong>{}</strong> has the {} {}{}, {}; {}.").format(
            names[0], extreme, label, among, number, known
        )
    values = [row[1] for name, row in zip(names, entries, strict=True) if name in group]
    span = f"{fixed(min(values), 3)} to {fixed(max(values), 3)}"
    rest = f" have the {extreme} {label}{among}, {span}; {_tie(group, ranked)}."
    return listed_in_bold(group) + escape(rest)


def listed_in_bold(names: Sequence[str]) -> Markup:
    """Return names in one text, as HTML."""
    return Markup(listed([Markup("<strong>{}</strong>").format(name) for name in shortened(names)]))


def leader_sentence(letters: Mapping[str, str], label: str, *, higher: bool) -> str:
    """Return the leader by a metric, for the terminal; empty without intervals.

    Args:
        letters: Letters of ties by name, best first.
        label: Label of the metric.
        higher: Whether more is better.

    Example:
        >>> leader_sentence({"KNN": "a", "LOF": "a", "Random": "b"}, "AUROC", higher=True)
        'KNN and LOF have the highest AUROC; the differences between them are within their intervals.'
        >>> leader_sentence({"KNN": "a", "Random": "b"}, "AUROC", higher=True)
        'KNN has the highest AUROC; the interval of its difference to every other detector excludes 0.'
    """
    if len(letters) < 2 or not all(letters.values()):
        return ""
    group = tied_with_best(letters)
    extreme = "highest" if higher else "lowest"
    known = APART if len(group) == 1 else _tie(group, letters)
    return f"{listed(shortened(group))} {'has' if len(group) == 1 else 'have'} the {extreme} {label}; {known}."


def run_sentences(results: RunResults) -> list[str]:
    """Return the verdicts about a run, or the leader by its first metric where no verdict is possible."""
    metrics = metrics_of(results)
    if not metrics:
        return []
    metric, found = METRICS[metrics[0]], run_verdicts(results.table)
    sentences = _other_order(metric.name, metric.label) + ([] if found is None else found.sentences())
    sentences.append(budget_sentence(results.table))
    if found is not None and found.judged:
        return [line for line in sentences if line]
    letters = {each.name: each.tie for each in leaderboard(results.table, metric.name) if each.rank is not None}
    return [
        line
        for line in (leader_sentence(letters, _in_sentence(metric.label), higher=metric.higher), *sentences)
        if line
    ]


def _other_order(metric: str, label: str) -> list[str]:
    """Return by which metric a run is ordered, if not by the net detection, which older runs lack."""
    order = f"This run is ordered by {_in_sentence(label)}: it has no net detection with intervals."
    return [] if metric == NET else [order]


def _in_sentence(label: str) -> str:
    """Return a label as it is within a sentence: AUROC stays as it is."""
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]


def _tie(group: Sequence[str], letters: Mapping[str, str]) -> str:
    """Return what is known about the differences in the group of the best."""
    if set.intersection(*(set(letters[name]) for name in group)):
        return WITHIN
    return f"the difference of each to {group[0]} is within its interval"
