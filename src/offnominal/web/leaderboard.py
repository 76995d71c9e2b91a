"""Leaderboards: all runs, and each of them with filters."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from offnominal.web.page import library_of, page
from offnominal.web.part import Part

TITLE = "Leaderboard"


def runs(request: Request) -> Response:
    """Return the page of all runs."""
    return page(request, "runs.html.j2", title=TITLE, part=TITLE, runs=library_of(request).runs())


LEADERBOARD = Part(TITLE, "", [Route("/", runs)])
