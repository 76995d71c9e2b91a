"""Settings of the local server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from offnominal.studies.runs import RUNS
from offnominal.web.access import Access


@dataclass(frozen=True, kw_only=True)
class Settings(Access):
    """Settings of the local server.

    Args:
        host: Address to bind to. Any but a loopback address demands a token.
        port: Port to bind to; 0 for any free one.
        token: What a client must present; nothing if empty.
        allowed_hosts: Further names by which clients may address the server, such as that of a reverse proxy.
        max_body: Largest size of a request or websocket message in bytes.
        max_query: Largest length of the part of an address after the question mark.
        runs: Folder whose subfolders are runs.
        store: Result store of the runs; the one that each manifest names if None.
        cache: Folder of clips and other files that are made on demand; a temporary one of this process if None.
        max_live_runs: Largest number of live runs at the same time.
        static: Whether pages link to each other as files, for the export.
    """

    runs: Path = RUNS
    store: Path | None = None
    cache: Path | None = None
    max_live_runs: int = 4
    static: bool = False
