"""Mean ranks: ours, and the published ones among the same methods on the same tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from offnominal.papers.comparison.published.comparison_lines import PLACES, RANKS, compared
from offnominal.papers.comparison.selection.ranks import mean_ranks
from offnominal.studies.published_comparison import PublishedComparison

PLACE = "place in the order of mean ranks, among the {} methods of the run; the values behind the ranks are not printed"
FEWEST_METHODS = 5
"""Of a comparison of ranks."""
Cells = Mapping[tuple[Any, str], float]
"""Values by (problem, method)."""


def complete(cells: Cells, published: Cells) -> tuple[list[Any], list[str]]:
    """Return the problems on which all methods of the run have a value, and these methods.

    Methods with less than half as many values as others are left out. There are no problems if there are fewer than
    five methods: ranks among few of them agree by chance.

    Example:
        >>> ours = {("iris", name): 0.9 for name in ("abod", "hbos", "if", "knn", "lof")}
        >>> complete(ours | {("wine", "knn"): 0.9}, ours)
        (['iris'], ['abod', 'hbos', 'if', 'knn', 'lof'])
    """
    known = [place for place, value in cells.items() if place in published and not np.isnan(value)]
    counts = Counter(method for _, method in known)
    methods = [method for method, count in counts.items() if 2 * count >= max(counts.values())]
    if len(methods) < FEWEST_METHODS:
        return [], methods
    there = set(known)
    problems = dict.fromkeys(problem for problem, _ in known)
    return [problem for problem in problems if all((problem, method) in there for method in methods)], methods


def paper_ranks(cells: Cells, problems: Sequence[Any], methods: Sequence[str]) -> dict[str, float]:
    """Return the mean rank of each method as the paper computes it: values of two decimals, ties have the best rank.

    Example:
        >>> paper_ranks({("iris", "knn"): 0.914, ("iris", "lof"): 0.906}, ["iris"], ["knn", "lof"])
        {'knn': 1.0, 'lof': 1.0}
    """
    values = np.array([[cells[problem, method] for method in methods] for problem in problems])
    return dict(zip(methods, mean_ranks(values, ties="min", decimals=2).tolist(), strict=True))


def rank_lines(ours: Cells, published: Cells, labels: Mapping[str, str], unit: str) -> list[PublishedComparison]:
    """Compare our mean ranks with the published cells ranked among the same methods on the same problems.

    Args:
        ours: Our values.
        published: Published values.
        labels: Labels of the rows, to which the method is added.
        unit: What is ranked on, such as ``"tables"``.
    """
    problems, methods = complete(ours, published)
    if not problems:
        return []
    found, printed = paper_ranks(ours, problems, methods), paper_ranks(published, problems, methods)
    note = f"both ranked among the {len(methods)} methods on the {len(problems)} {unit} of the run"
    return [
        compared(
            {**labels, "method": method},
            found[method],
            printed[method],
            note=note,
            within=RANKS,
        )
        for method in methods
    ]


def places(ranks: Mapping[str, float], methods: Sequence[str]) -> dict[str, float]:
    """Return the place of each method in the order of mean ranks; equal ones share the better place.

    Example:
        >>> places({"knn": 3.5, "osvm": 1.2, "lof": 3.5}, ["knn", "osvm", "lof"])
        {'knn': 2.0, 'osvm': 1.0, 'lof': 2.0}
    """
    return {method: 1.0 + sum(ranks[other] < ranks[method] for other in methods) for method in methods}


def place_lines(
    ours: Mapping[str, float], published: Mapping[str, float], labels: Mapping[str, str]
) -> list[PublishedComparison]:
    """Compare the places of methods where the values behind the published ranks are not known.

    Args:
        ours: Our mean ranks, of the methods of the run.
        published: Published mean ranks, also among other methods.
        labels: Labels of the rows, to which the method is added.
    """
    methods = [method for method in ours if method in published]
    found, printed, note = places(ours, methods), places(published, methods), PLACE.format(len(methods))
    return [
        compared({**labels, "method": method}, found[method], printed[method], note=note, within=PLACES)
        for method in methods
    ]
