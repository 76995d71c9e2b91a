"""Comparison of two detectors of a run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.evaluation.estimate import Estimate
from offnominal.reports.page_numbers import rounded
from offnominal.studies.paired_comparison import PairedComparison, PairedDifference, compare_pair
from offnominal.web.library import Library, Run, slug
from offnominal.web.links import Links
from offnominal.web.page import library_of, page, settings_of
from offnominal.web.part import Part
from offnominal.web.run_data import run_data

TITLE = "Compare"
EXPORTED = 10
"""Detectors of a run of which an export holds all pairs, the best ones."""


def comparable_runs(library: Library) -> list[Run]:
    """Return the runs with at least two detectors on the same faults."""
    return [run for run in library.runs() if len(_names(library, run)) > 1]


def _names(library: Library, run: Run) -> list[str]:
    """Return the detectors of a run, best first; none if it has no results or its kind no interactive pages."""
    try:
        data = run_data(library, run)
    except InvalidParameter:
        return []
    return [] if data is None else list(data["names"])


def first_pair(request: Request) -> Response:
    """Return the comparison of the two best detectors of a run, of the last one if none is named."""
    library = library_of(request)
    named = request.path_params.get("run")
    runs = [library.run(named)] if named else comparable_runs(library)
    for run in runs:
        names = _names(library, run)
        if len(names) > 1:
            return _page(request, run, names[0], names[1])
    return page(
        request,
        "error.html.j2",
        title="No two detectors to compare",
        part=TITLE,
        message="A run of a study on faults with two detectors is needed. `offnominal quickstart` makes one.",
    )


def pair(request: Request) -> Response:
    """Return the comparison of two detectors."""
    library = library_of(request)
    run = library.run(request.path_params["run"])
    found = {slug(name): name for name in _names(library, run)}
    wanted = [request.path_params[side] for side in ("first", "second")]
    for each in wanted:
        if each not in found:
            raise UnknownName(f"{run.id} has no detector {each!r}.")
    if wanted[0] == wanted[1]:
        return RedirectResponse(Links("").to(f"compare/{run.id}"), 303)
    return _page(request, run, *(found[each] for each in wanted))


def _page(request: Request, run: Run, first: str, second: str) -> Response:
    library = library_of(request)
    names = _names(library, run)
    shown = names[:EXPORTED] if settings_of(request).static else names
    return page(
        request,
        "compare.html.j2",
        title=f"{first} and {second}",
        part=TITLE,
        script="compare.js",
        data=pair_data(library, run, first, second) | {"names": shown},
        run=run,
        runs=comparable_runs(library),
        first=first,
        second=second,
    )


def pair_data(library: Library, run: Run, first: str, second: str) -> dict[str, Any]:
    """Return the comparison of two detectors by every metric that both have.

    Args:
        library: The runs.
        run: The run.
        first: Name of a detector.
        second: Name of another one.
    """

    def compute() -> dict[str, Any]:
        data = run_data(library, run)
        assert data is not None
        places = {(fault["world"], fault["split"]): number for number, fault in enumerate(data["faults"])}
        compared: dict[str, Any] = {}
        for metric in data["metrics"]:
            try:
                found = compare_pair(library.results(run).table, first, second, metric["name"])
            except InvalidParameter:
                continue
            compared[metric["name"]] = _plain(found, places)
        kept = ("id", "colours", "baselines", "faults", "cells", "addresses", "worlds", "kinds", "levels")
        metrics = [metric for metric in data["metrics"] if metric["name"] in compared]
        return {name: data[name] for name in kept} | {
            "pair": [first, second],
            "metrics": metrics,
            "compared": compared,
        }

    return library.computed(run, f"pair {slug(first)} {slug(second)}", compute, stored=True)


def _plain(found: PairedComparison, places: dict[tuple[str, str], int]) -> dict[str, Any]:
    return {
        "overall": _difference(found.overall),
        "groups": {
            column: {value: _difference(group) for value, group in groups.items()}
            for column, groups in found.groups.items()
        },
        "faults": [
            [
                places[each.world, each.split],
                _numbers(each.first),
                _numbers(each.second),
                _numbers(each.difference),
                each.outcome,
            ]
            for each in found.pairs
        ],
        "left_out": found.left_out,
    }


def _difference(found: PairedDifference) -> dict[str, Any]:
    return {
        "first": _numbers(found.first),
        "second": _numbers(found.second),
        "difference": _numbers(found.difference),
        "outcome": found.outcome,
        "counts": [found.wins, found.ties, found.losses],
    }


def _numbers(estimate: Estimate) -> list[float | None]:
    return [rounded(estimate.value), rounded(estimate.low), rounded(estimate.high)]


def exported(library: Library) -> Iterator[str]:
    """Return the addresses of the pairs of the best detectors of every run."""
    runs = comparable_runs(library)
    if runs:
        yield "compare"
    for run in runs:
        yield f"compare/{run.id}"
        for first, second in combinations(_names(library, run)[:EXPORTED], 2):
            yield f"compare/{run.id}/{slug(first)}/{slug(second)}"


COMPARE = Part(
    TITLE,
    "compare",
    [
        Route("/compare", first_pair),
        Route("/compare/{run}", first_pair),
        Route("/compare/{run}/{first}/{second}", pair),
    ],
    exported,
)
