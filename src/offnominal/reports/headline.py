"""The sentence at the top of a page: the best detector, its lead, and the detectors tied with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from offnominal.core.printable import printable


def headline(data: Mapping[str, Any]) -> Markup:
    """Return the sentence as HTML.

    Args:
        data: Content of the page; see :func:`~offnominal.reports.payload.payload`.
    """
    if not data["metrics"]:
        return Markup("No cell has finished.")
    metric = data["metrics"][0]
    entries = data["leaderboards"][metric["name"]]["-1,-1,-1"]
    best = entries[0]
    interval = "" if best[2] is None else f" [{best[2]:.3f}, {best[3]:.3f}]"
    label = metric["label"][0].lower() + metric["label"][1:]
    sentence = Markup("<strong>{}</strong> leads with a {} of <strong>{:.3f}</strong>").format(
        printable(data["names"][best[0]]), label, best[1]
    )
    return sentence + interval + escape(printable(_lead(entries, data["names"]))) + "."


def _lead(entries: Sequence[Sequence[Any]], names: Sequence[str]) -> str:
    """Return whether the lead is significant; without letters for ties nothing was compared."""
    best, *others = entries
    ranked = [row for row in others if row[4] is not None]
    if not others:
        return ""
    if best[4] is None or not ranked:
        return ". It is not compared with the others: they lack results for some faults, or it does"
    if not best[5]:
        which = "No" if best[2] is None else "Not all"
        return f". {which} intervals were computed, so the lead has no confidence statement"
    if tied := [names[row[0]] for row in ranked if set(row[5]) & set(best[5])]:
        return f", without a significant difference to {_listed(tied)}"
    return ", ahead of all others" + (" with results for every fault" if len(ranked) < len(others) else "")


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
