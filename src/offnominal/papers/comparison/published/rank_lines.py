"""Mean ranks: ours, and the published ones among the same methods on the same tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.comparison.published.comparison_lines import compared
from offnominal.papers.comparison.published.difference_intervals import of_paired_mean, place_ranges
from offnominal.papers.comparison.ranks import table_ranks
from offnominal.studies.published_comparison import PublishedComparison

PLACE = "place in the order of mean ranks, among the {} methods of the run; the values behind the ranks are not printed"
FEWEST_METHODS = 5
"""Of a comparison of ranks."""
FEWEST_TABLES = 5
"""Of a mean over tables that is compared with one over 40."""
DEFECTS = "with the errors of the originals ours is {:.3g}"
DEFECTS_ON_SOME = "with the errors of the originals, on the {} {} that have them, ours is {:.3g} instead of {:.3g}"
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
    return dict(zip(methods, ranks_on(cells, problems, methods).mean(axis=0).tolist(), strict=True))


def ranks_on(cells: Cells, problems: Sequence[Any], methods: Sequence[str]) -> FloatArray:
    """Return the ranks (problems, methods) as the paper computes them."""
    values = np.array([[cells[problem, method] for method in methods] for problem in problems])
    return table_ranks(values, ties="min", decimals=2)


def rank_differences(ours: Cells, published: Cells) -> dict[str, list[float]]:
    """Return our rank minus the published one on each problem, by method; see :func:`complete`.

    Args:
        ours: Our values.
        published: Published values.

    Example:
        >>> cells = {("iris", name): place / 10 for place, name in enumerate("vwxyz")}
        >>> rank_differences(cells, cells | {("iris", "v"): 0.9})
        {'v': [4.0], 'w': [-1.0], 'x': [-1.0], 'y': [-1.0], 'z': [-1.0]}
    """
    problems, methods = complete(ours, published)
    if not problems:
        return {}
    apart = ranks_on(ours, problems, methods) - ranks_on(published, problems, methods)
    return dict(zip(methods, apart.T.tolist(), strict=True))


def rank_lines(
    ours: Cells,
    published: Cells,
    labels: Mapping[str, str],
    unit: str,
    *,
    defective: Cells | None = None,
    fewest: int = 1,
) -> list[PublishedComparison]:
    """Compare our mean ranks with the published cells ranked among the same methods on the same problems.

    The interval is that of the mean difference of both ranks over the problems.

    Args:
        ours: Our values.
        published: Published values.
        labels: Labels of the rows, to which the method is added.
        unit: What is ranked on, such as ``"tables"``.
        defective: Our values of methods with errors of the originals.
        fewest: Number of problems below which nothing is compared.
    """
    problems, methods = complete(ours, published)
    if len(problems) < fewest:
        return []
    found, printed = paper_ranks(ours, problems, methods), paper_ranks(published, problems, methods)
    defects = _Defects.on(ours, defective or {}, problems, methods, fewest)
    differences = rank_differences(ours, published)
    note = f"both ranked among the {len(methods)} methods on the {len(problems)} {unit} of the run"
    lines = []
    for method in methods:
        half = of_paired_mean(differences[method])
        notes = "; ".join(filter(None, [note, defects.note(method, unit)]))
        ranks, named = (found[method], printed[method]), {**labels, "method": method}
        lines.append(compared(named, *ranks, "rank", half=half, note=notes, units=len(problems)))
    return lines


@dataclass(frozen=True, slots=True)
class _Defects:
    """Mean ranks on the problems on which every method with an error of the original has a value."""

    problems: int
    all_problems: int
    ours: Mapping[str, float]
    defective: Mapping[str, float]

    @classmethod
    def on(
        cls,
        ours: Cells,
        defective: Cells,
        problems: Sequence[Any],
        methods: Sequence[str],
        fewest: int,
    ) -> _Defects:
        """Rank with and without the errors; nothing with fewer problems than needed."""
        shown = with_errors(defective, problems, methods)
        if len(shown) < fewest:
            return cls(0, len(problems), {}, {})
        ranks = (paper_ranks(cells, shown, methods) for cells in (ours, {**ours, **defective}))
        return cls(len(shown), len(problems), *ranks)

    def note(self, method: str, unit: str) -> str:
        """Return our rank with the errors; empty if they were not run."""
        if not self.problems:
            return ""
        wrong = self.defective[method]
        if self.problems == self.all_problems:
            return DEFECTS.format(wrong)
        return DEFECTS_ON_SOME.format(self.problems, unit, wrong, self.ours[method])


def with_errors(defective: Cells, problems: Sequence[Any], methods: Sequence[str]) -> list[Any]:
    """Return the problems on which every method that has an error of the original was run with it.

    Args:
        defective: Values with the errors.
        problems: Problems to choose from.
        methods: Methods that count.

    Example:
        >>> with_errors({("iris", "dsvd"): 0.5}, ["iris", "wine"], ["dsvd", "vae"])
        ['iris']
        >>> with_errors({}, ["iris"], ["vae"])
        []
    """
    erring = {method for problem, method in defective if method in methods and problem in problems}
    return [problem for problem in problems if erring and all((problem, method) in defective for method in erring)]


def places(ranks: Mapping[str, float], methods: Sequence[str]) -> dict[str, float]:
    """Return the place of each method in the order of mean ranks; equal ones share the better place.

    Example:
        >>> places({"knn": 3.5, "osvm": 1.2, "lof": 3.5}, ["knn", "osvm", "lof"])
        {'knn': 2.0, 'osvm': 1.0, 'lof': 2.0}
    """
    return {method: 1.0 + sum(ranks[other] < ranks[method] for other in methods) for method in methods}


def place_lines(
    ours: Cells,
    published: Mapping[str, float],
    labels: Mapping[str, str],
    *,
    defective: Cells | None = None,
    units: Cells | None = None,
    fewest: int = 1,
) -> list[PublishedComparison]:
    """Compare the places of methods where the values behind the published ranks are not known.

    The interval has the places that the ranks on our problems allow for the mean over all published ones.

    Args:
        ours: Our values.
        published: Published mean ranks, also among other methods.
        labels: Labels of the rows, to which the method is added.
        defective: Our values of methods with errors of the originals.
        units: Our values on the parts of a problem, such as the classes of an image set; the problems if None.
        fewest: Number of problems below which nothing is compared.

    Returns:
        No lines without problems on which all methods have a value; see :func:`complete`.
    """
    ours = {place: value for place, value in ours.items() if place[1] in published}
    problems, methods = complete(ours, ours)
    if len(problems) < fewest:
        return []
    found, printed = _places_on(ours, problems, methods), places(published, methods)
    shown = with_errors(defective or {}, problems, methods)
    wrong = _places_on({**ours, **(defective or {})}, shown, methods) if len(shown) >= fewest and shown else {}
    ranges = _place_ranges(units or ours, methods)
    count = len({problem for problem, _ in units or ours})
    lines = []
    for method in methods:
        place = found[method], printed[method]
        defects = DEFECTS.format(wrong[method]) if wrong else ""
        note = "; ".join(filter(None, [PLACE.format(len(methods)), defects]))
        line = compared({**labels, "method": method}, *place, "place", note=note, units=count)
        lines.append(line if method not in ranges else replace(line, ours=_within(found[method], *ranges[method])))
    return lines


def _places_on(cells: Cells, problems: Sequence[Any], methods: Sequence[str]) -> dict[str, float]:
    return places(paper_ranks(cells, problems, methods), methods)


def _within(place: float, best: int, worst: int) -> Estimate:
    return Estimate(place, np.array([min(best, place), max(worst, place)]))


def _place_ranges(cells: Cells, methods: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return the places of each method that our ranks allow; empty with too few problems."""
    known = dict.fromkeys(problem for problem, _ in cells)
    whole = [each for each in known if all(not math.isnan(cells.get((each, name), math.nan)) for name in methods)]
    if not whole:
        return {}
    values = np.array([[cells[each, name] for name in methods] for each in whole])
    ranges = place_ranges(table_ranks(values, ties="min", decimals=2))
    return {} if ranges is None else dict(zip(methods, ranges, strict=True))
