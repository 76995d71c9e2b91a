"""Scripts and style sheets of the server."""

from __future__ import annotations

from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from offnominal.core.errors import UnknownName
from offnominal.reports.auroc_scale import auroc_css
from offnominal.reports.templates import asset
from offnominal.web.bundle import bundle, module
from offnominal.web.page import settings_of

STYLES = "site.css"


def style() -> str:
    """Return the style sheet: that of study pages with the colours of their heat maps, and what only the server has."""
    own = ((files("offnominal.web") / "static" / name).read_text(encoding="utf-8") for name in (STYLES, "live.css"))
    return "\n".join([asset("page.css"), auroc_css(), *own])


def static_file(request: Request) -> Response:
    """Return a script or a style sheet."""
    name = request.path_params["name"]
    if name == STYLES:
        return Response(style(), media_type="text/css", headers={"cache-control": "no-cache"})
    if not name.endswith(".js"):
        raise UnknownName(f"no file {name!r}.")
    source = bundle(name) if settings_of(request).static else module(name)
    return Response(source, media_type="text/javascript", headers={"cache-control": "no-cache"})


ROUTES = [Route("/static/{name}", static_file)]
