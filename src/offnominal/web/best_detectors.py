"""The best detectors of a fault: more than one if their differences are not significant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from offnominal.core.rounding import fixed
from offnominal.evaluation.verdicts import LEAST_DETECTED
from offnominal.reports.pairs import TIE
from offnominal.reports.verdicts import NET, listed

NAMED = 2
"""Detectors that are named if more than one is best."""


def best_detectors(data: Mapping[str, Any]) -> list[list[int]]:
    """Return the best detectors of each fault by the first metric, best first; no detector without results.

    Args:
        data: See :func:`~offnominal.reports.payload.payload`.

    Returns:
        A list per fault: the detector with the best number, and those whose paired difference to it is a tie. Detectors
        with a net detection of less than 10 % are left out.
    """
    metric = data["metrics"][0]
    sign = -1.0 if metric["higher"] else 1.0
    place = {pair: number for number, pair in enumerate(combinations(range(len(data["names"])), 2))}
    outcomes = data["pairs"][metric["name"]]["outcomes"]
    found = []
    for fault, cells in enumerate(data["numbers"][metric["name"]]):
        known = [
            index
            for _, index in sorted((sign * cell[0], index) for index, cell in enumerate(cells) if cell)
            if _detects(data, fault, index)
        ]
        first = known[0] if known else 0
        tied = [each for each in known[1:] if outcomes[place[min(first, each), max(first, each)]][fault] == TIE]
        found.append([*known[:1], *tied])
    return found


def _detects(data: Mapping[str, Any], fault: int, detector: int) -> bool:
    """Whether the net detection of a fault is at least a tenth, as far as this is known."""
    cell = data["numbers"][NET][fault][detector] if NET in data["numbers"] else None
    return cell is None or cell[0] >= LEAST_DETECTED


def best_text(names: Sequence[str], values: Sequence[float]) -> dict[str, str]:
    """Return the names of the best detectors and the range of their numbers, for a card.

    Args:
        names: Names, best first.
        values: Their numbers.

    Example:
        >>> best_text(["KNN"], [0.91]), best_text(["KNN", "LOF", "LODA", "ABOD"], [1.0, 1.0, 1.0, 0.9996])
        ({'name': 'KNN', 'value': '0.910'}, {'name': 'KNN, LOF and 2 more', 'value': '1.000'})
    """
    more = len(names) - NAMED
    shown = listed(list(names)) if more <= 0 else f"{', '.join(names[:NAMED])} and {more} more"
    ends = list(dict.fromkeys(fixed(value, 3) for value in (min(values), max(values))))
    return {"name": shown, "value": " to ".join(ends)}
