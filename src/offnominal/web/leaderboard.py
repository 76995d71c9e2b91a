"""Leaderboards: all runs, and each of them with filters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from offnominal.core.errors import UnknownName
from offnominal.reports.headline import headline
from offnominal.reports.provenance import complete, provenance
from offnominal.reports.tables import words_of
from offnominal.web import cells
from offnominal.web.library import Library, Run
from offnominal.web.page import library_of, page
from offnominal.web.part import Part
from offnominal.web.run_data import facts, findings, leaderboard_rows, leading, run_data, table_file, tables

TITLE = "Leaderboard"
REPORT = "page.html"
REPORT_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "sandbox allow-scripts allow-downloads allow-popups; frame-ancestors 'none'"
)
"""Reports are whole pages with scripts of their own: they run apart from the server's origin."""


def home(request: Request) -> Response:
    """Return the page of all runs."""
    library = library_of(request)
    entries = []
    for run in library.runs():
        rows = leading(library, run)
        entries.append({"run": run, "facts": facts(run), "rows": rows, "words": words_of(rows) if rows else []})
    folder = library.settings.runs
    return page(request, "home.html.j2", title="Leaderboards", part=TITLE, entries=entries, folder=folder)


def leaderboard(request: Request) -> Response:
    """Return the page of a run."""
    library = library_of(request)
    run = library.run(request.path_params["run"])
    data = run_data(library, run)
    shared: dict[str, Any] = {
        "title": run.title,
        "part": TITLE,
        "run": run,
        "runs": library.runs(),
        "facts": facts(run),
        "manifest": complete(run.manifest),
        "provenance": provenance(run.manifest),
        "has_report": (run.folder / REPORT).is_file(),
        "failures": library.results(run).failures,
    }
    if data is None:
        rows = leaderboard_rows(library, run)
        return page(
            request,
            "tables.html.j2",
            script="tables.js",
            rows=rows,
            words=words_of(rows) if rows else [],
            findings=findings(library, run),
            tables=tables(run),
            **shared,
        )
    return page(request, "leaderboard.html.j2", script="leaderboard.js", data=data, headline=headline(data), **shared)


def manifest(request: Request) -> Response:
    """Return the manifest of a run."""
    run = library_of(request).run(request.path_params["run"])
    return Response(json.dumps(run.manifest, indent=2), media_type="application/json")


def report(request: Request) -> Response:
    """Return the report of a run, which runs apart from the server's origin."""
    run = library_of(request).run(request.path_params["run"])
    path = run.folder / REPORT
    if not path.is_file():
        raise UnknownName(f"{run.id} has no report; `offnominal report {run.folder}` writes it.")
    return FileResponse(path, media_type="text/html", headers={"content-security-policy": REPORT_POLICY})


def table(request: Request) -> Response:
    """Return a table of a report as CSV."""
    run = library_of(request).run(request.path_params["run"])
    return Response(table_file(run, request.path_params["name"]), media_type="text/csv")


def exported(library: Library) -> Iterator[str]:
    """Return the addresses of all pages about runs and cells."""
    yield ""
    for run in library.runs():
        yield from _addresses(run)


def _addresses(run: Run) -> Iterator[str]:
    yield f"runs/{run.id}"
    yield f"runs/{run.id}/manifest.json"
    if (run.folder / REPORT).is_file():
        yield f"runs/{run.id}/report"
    for each in tables(run):
        yield f"runs/{run.id}/tables/{each['name']}.csv"
    for key in run.manifest["keys"]:
        if run.store.path(key).exists():
            yield f"cells/{key}"
            yield f"cells/{key}.csv"


LEADERBOARD = Part(
    TITLE,
    "",
    [
        Route("/", home),
        Route("/runs/{run}", leaderboard),
        Route("/runs/{run}/manifest.json", manifest),
        Route("/runs/{run}/report", report),
        Route("/runs/{run}/tables/{name}.csv", table),
        *cells.ROUTES,
    ],
    exported,
)
