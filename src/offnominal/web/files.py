"""Scripts and style sheets of the server."""

from __future__ import annotations

from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from offnominal.reports.auroc_scale import auroc_css
from offnominal.reports.modules import bundle, module
from offnominal.reports.templates import asset
from offnominal.web.page import PACKAGE

STYLES = "site.css"


def style() -> str:
    """Return the style sheet: that of study pages with the colours of their heat maps, and what only the server has."""
    own = ((files(PACKAGE) / "static" / name).read_text(encoding="utf-8") for name in (STYLES, "live.css"))
    return "\n".join([asset("page.css"), auroc_css(), *own])


def script(name: str) -> str:
    """Return an ES module of the server, or one that it shares with reports.

    Example:
        >>> "./elements.js" in script("live.js") and "document.createElement" in script("elements.js")
        True
    """
    return module(name, PACKAGE)


def static_file(request: Request) -> Response:
    """Return a script, with all that it imports, or the style sheet."""
    name = request.path_params["name"]
    if name == STYLES:
        return Response(style(), media_type="text/css", headers={"cache-control": "no-cache"})
    return Response(bundle(name, script), media_type="text/javascript", headers={"cache-control": "no-cache"})


ROUTES = [Route("/static/{name}", static_file)]
