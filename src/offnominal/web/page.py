"""Pages of the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from offnominal._version import __version__
from offnominal.reports.templates import embedded_json, render
from offnominal.web.jobs import Jobs
from offnominal.web.library import Library
from offnominal.web.links import Links
from offnominal.web.security import CONTENT_SECURITY_POLICY
from offnominal.web.settings import Settings

PACKAGE = "offnominal.web"


def settings_of(request: Request) -> Settings:
    """Return the settings of the server."""
    found: Settings = request.app.state.settings
    return found


def library_of(request: Request) -> Library:
    """Return the runs that the server shows."""
    found: Library = request.app.state.library
    return found


def jobs_of(request: Request) -> Jobs:
    """Return the queue of computations."""
    found: Jobs = request.app.state.jobs
    return found


def page(
    request: Request,
    template: str,
    *,
    title: str,
    part: str = "",
    script: str | None = None,
    data: Mapping[str, Any] | None = None,
    status: int = 200,
    **values: Any,
) -> HTMLResponse:
    """Return a page with the navigation.

    Args:
        request: The request.
        template: Name of a template in ``web/assets`` that extends ``base.html.j2``.
        title: Title of the page.
        part: Title of the part of the server that is marked in the navigation.
        script: Name of an ES module in ``web/static`` that the page starts.
        data: What the module reads by ``pageData()`` of ``page.js``; it must be ready for JSON.
        status: Status code.
        **values: Variables of the template. The template also has ``links``; see :class:`~offnominal.web.links.Links`.
    """
    settings = settings_of(request)
    links = Links(request.url.path.lstrip("/"), static=settings.static)
    content = render(
        template,
        package=PACKAGE,
        title=title,
        part=part,
        parts=[each for each in request.app.state.parts if not (settings.static and each.live)],
        script=script,
        data=Markup("{}") if data is None else embedded_json(data),
        links=links,
        policy=CONTENT_SECURITY_POLICY,
        version=__version__,
        **values,
    )
    return HTMLResponse(content, status)
