"""The sentence at the top of a page: the best detectors, and whether their differences are significant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from offnominal.core.printable import printable
from offnominal.core.rounding import fixed
from offnominal.studies.leaderboards import tied_with_best

WITHIN = "differences between them are within their intervals"
APART = "the interval of its difference to every other detector excludes 0"
NOT_COMPARED = "It is not compared with the others: they lack results for some faults, or it does"


def headline(data: Mapping[str, Any]) -> Markup:
    """Return the sentence as HTML.

    A detector is called best alone only if the interval of its paired difference to each other detector excludes 0.

    Args:
        data: Content of the page; see :func:`~offnominal.reports.payload.payload`.
    """
    if not data["metrics"]:
        return Markup("No cell has finished.")
    metric = data["metrics"][0]
    entries = data["leaderboards"][metric["name"]]["-1,-1,-1"]
    names = [printable(data["names"][row[0]]) for row in entries]
    label = metric["label"][0].lower() + metric["label"][1:]
    best, *others = entries
    number = Markup("<strong>{}</strong>{}").format(fixed(best[1], 3), "" if best[2] is None else f" {_interval(best)}")
    ranked = {name: row[5] for name, row in zip(names, entries, strict=True) if row[4] is not None}
    if not others or best[4] is None or len(ranked) < 2:
        alone = Markup("<strong>{}</strong> has a {} of {}.").format(names[0], label, number)
        return alone if not others else alone + f" {NOT_COMPARED}."
    if not best[5]:
        which = "No" if best[2] is None else "Not all"
        extreme = "highest" if metric["higher"] else "lowest"
        found = Markup("<strong>{}</strong> has the {} {}, {}.").format(names[0], extreme, label, number)
        return found + f" {which} intervals were computed, so no detector is called best."
    among = " among the detectors with results for every fault" if len(ranked) < len(entries) else ""
    group = tied_with_best(ranked)
    if len(group) == 1:
        return Markup("<strong>{}</strong> is best{}, with a {} of {}; {}.").format(
            names[0], among, label, number, APART
        )
    values = [row[1] for name, row in zip(names, entries, strict=True) if name in group]
    span = f"{fixed(min(values), 3)} to {fixed(max(values), 3)}"
    bold = [Markup("<strong>{}</strong>").format(name) for name in group]
    rest = f" are best{among}; {_tie(group, ranked)}. Their {label} is {span}."
    return Markup(listed(bold)) + escape(rest)


def best_sentence(letters: Mapping[str, str]) -> str:
    """Return which detectors are best, for the terminal; empty without intervals.

    Args:
        letters: Letters of ties by name, best first.

    Example:
        >>> best_sentence({"KNN": "a", "LOF": "a", "Random": "b"})
        'KNN and LOF are best; differences between them are within their intervals.'
        >>> best_sentence({"KNN": "a", "Random": "b"})
        'KNN is best; the interval of its difference to every other detector excludes 0.'
    """
    if len(letters) < 2 or not all(letters.values()):
        return ""
    group = tied_with_best(letters)
    if len(group) == 1:
        return f"{group[0]} is best; {APART}."
    return f"{listed(group)} are best; {_tie(group, letters)}."


def _tie(group: Sequence[str], letters: Mapping[str, str]) -> str:
    """Return what is known about the differences in the group of the best."""
    if set.intersection(*(set(letters[name]) for name in group)):
        return WITHIN
    return f"the difference of each to {group[0]} is within its interval"


def _interval(row: Sequence[Any]) -> str:
    return f"[{fixed(row[2], 3)}, {fixed(row[3], 3)}]"


def listed(names: Sequence[str]) -> str:
    """Return names in one text.

    Example:
        >>> listed(["KNN", "LOF", "ABOD"])
        'KNN, LOF and ABOD'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
