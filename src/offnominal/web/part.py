"""Parts of the server: each contributes its pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from starlette.routing import BaseRoute

from offnominal.web.library import Library


def nothing(library: Library) -> Iterable[str]:
    """Return no addresses."""
    return ()


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the server, with an entry in the navigation.

    Args:
        title: Text in the navigation.
        path: Address of its first page, without the leading slash.
        routes: Its routes.
        exported: Addresses, without the leading slash, of the pages and files of a static export. An address without
            an extension is a page, and becomes an HTML file.
        live: Whether it needs a running server, so that an export leaves it out.
    """

    title: str
    path: str
    routes: Sequence[BaseRoute]
    exported: Callable[[Library], Iterable[str]] = nothing
    live: bool = False
