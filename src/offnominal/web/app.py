"""The application: all routes, behind the checks of `security`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from offnominal.core.errors import OffnominalError, UnknownName
from offnominal.web import files
from offnominal.web.compare import COMPARE
from offnominal.web.fault import FAULTS
from offnominal.web.jobs import Jobs
from offnominal.web.leaderboard import LEADERBOARD
from offnominal.web.library import Library
from offnominal.web.live import LIVE, live_runs
from offnominal.web.page import page
from offnominal.web.part import Part
from offnominal.web.replay import REPLAY
from offnominal.web.security import Guard
from offnominal.web.settings import Settings

PARTS: tuple[Part, ...] = (
    LEADERBOARD,
    COMPARE,
    FAULTS,
    REPLAY,
    LIVE,
)
"""Parts of the server, in the order of the navigation."""


def make_app(settings: Settings) -> Starlette:
    """Return the application of the local server.

    Args:
        settings: Folders, token and limits.

    Example:
        >>> [part.title for part in make_app(Settings()).state.parts]
        ['Leaderboard'...]
    """
    library = Library(settings)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        live_runs(app).close()
        library.close()

    app = Starlette(
        routes=[*files.ROUTES, *(route for part in PARTS for route in part.routes)],
        middleware=[Middleware(Guard, settings=settings)],
        exception_handlers={HTTPException: _refused, OffnominalError: _failed, 500: _failed},
        lifespan=lifespan,
    )
    app.state.settings, app.state.library, app.state.jobs, app.state.parts = settings, library, Jobs(), PARTS
    return app


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = "There is no such page." if error.status_code == 404 else error.detail
    return page(request, "error.html.j2", title=str(message), message=message, status=error.status_code)


def _failed(request: Request, error: Exception) -> Response:
    """Return the page of an error: its message if it is one of this package."""
    if isinstance(error, OffnominalError):
        status, message = 404 if isinstance(error, UnknownName) else 400, str(error)
    else:
        status, message = 500, "The server made an error. Its terminal shows the traceback."
    return page(request, "error.html.j2", title="Error", message=message, status=status)
