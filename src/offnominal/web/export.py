"""Static export: the pages as files that work from disk and on any static host."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.types import Message

from offnominal.core.errors import AlreadyExists
from offnominal.core.files import write_bytes
from offnominal.web.app import make_app
from offnominal.web.links import file_of
from offnominal.web.settings import Settings

INDEX = "index.html"
_SCRIPT = re.compile(r'<script src="[^"]*?(static/[a-z_]+\.js)"')
OK = 200


@dataclass(frozen=True, slots=True)
class Export:
    """What an export has written.

    Args:
        folder: Folder of the pages.
        pages: Number of files.
        bytes: Their size.
        left_out: Addresses that could not be written, with the status, such as clips of worlds that cannot be drawn.
    """

    folder: Path
    pages: int
    bytes: int
    left_out: dict[str, int] = field(default_factory=dict)


def export_pages(settings: Settings, folder: Path, *, tick: Callable[[str], object] | None = None) -> Export:
    """Write all pages that need no running server into a folder.

    The pages are those of the server, with relative links and classic scripts: browsers load no modules from disk.

    Args:
        settings: Folders of the runs.
        folder: Folder of the pages; new, empty, or that of an earlier export.
        tick: Called with the address of each file before it is written; nothing if None.

    Raises:
        AlreadyExists: The folder holds something else.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / INDEX).is_file():
        raise AlreadyExists(f"{folder} is not empty and no earlier export; name a new folder.")
    app = make_app(replace(settings, static=True, host="127.0.0.1", token=""))
    try:
        with ThreadPoolExecutor(1) as alone:  # a notebook has a running event loop already
            return alone.submit(asyncio.run, _export(app, folder, tick or (lambda path: None))).result()
    finally:
        app.state.library.close()


async def _export(app: Starlette, folder: Path, tick: Callable[[str], object]) -> Export:
    scripts: set[str] = {"static/site.css"}
    left_out: dict[str, int] = {}
    pages = size = 0
    for path in dict.fromkeys(_addresses(app)):
        tick(path)
        status, content = await _get(app, path)
        if status != OK:
            left_out[path] = status
            continue
        write_bytes(folder / file_of(path), content)
        pages, size = pages + 1, size + len(content)
        scripts |= (
            set(_SCRIPT.findall(content.decode("utf-8", "replace"))) if file_of(path).endswith(".html") else set()
        )
    for path in sorted(scripts):
        _, content = await _get(app, path)
        write_bytes(folder / path, content)
        pages, size = pages + 1, size + len(content)
    return Export(folder, pages, size, left_out)


def _addresses(app: Starlette) -> Iterable[str]:
    for part in app.state.parts:
        if not part.live:
            yield from part.exported(app.state.library)


async def _get(app: Starlette, path: str) -> tuple[int, bytes]:
    """Return the status and the body of a page, without a network."""
    address, _, query = path.partition("?")
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": f"/{address}",
        "raw_path": f"/{address}".encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(b"host", b"localhost")],
        "client": ("127.0.0.1", 0),
        "server": ("localhost", 80),
    }
    status, body, requests = 500, b"", [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        if not requests:
            await asyncio.Event().wait()
        return requests.pop()

    async def send(message: Message) -> None:
        nonlocal status, body
        if message["type"] == "http.response.start":
            status = message["status"]
        elif message["type"] == "http.response.body":
            body += message.get("body", b"")

    await app(scope, receive, send)
    return status, body
