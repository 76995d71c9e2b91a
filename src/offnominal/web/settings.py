"""Settings of the local server."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from offnominal.core.errors import InvalidParameter
from offnominal.studies.runs import RUNS

MEGABYTE = 2**20
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the local server.

    Args:
        runs: Folder whose subfolders are runs.
        store: Result store of the runs; the one that each manifest names if None.
        cache: Folder of clips and other files that are made on demand; a temporary one of this process if None.
        host: Address to bind to. Any but a loopback address demands a token.
        port: Port to bind to; 0 for any free one.
        token: What a client must present; nothing if empty.
        allowed_hosts: Further names by which clients may address the server, such as that of a reverse proxy.
        max_body: Largest size of a request or websocket message in bytes.
        max_query: Largest length of the part of an address after the question mark.
        max_live_runs: Largest number of live runs at the same time.
        static: Whether pages link to each other as files, for the export.

    Example:
        >>> Settings(host="0.0.0.0")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: host is '0.0.0.0', which other machines can reach; give a token...
        >>> Settings(port=0).is_local
        True
    """

    runs: Path = RUNS
    store: Path | None = None
    cache: Path | None = None
    host: str = "127.0.0.1"
    port: int = 8000
    token: str = ""
    allowed_hosts: tuple[str, ...] = ()
    max_body: int = MEGABYTE
    max_query: int = 4096
    max_live_runs: int = 4
    static: bool = False

    def __post_init__(self) -> None:
        if not self.is_local and not self.token:
            raise InvalidParameter(
                f"host is {self.host!r}, which other machines can reach; give a token, such as "
                f"`--token {secrets.token_urlsafe(12)}`, or use 127.0.0.1."
            )

    @property
    def is_local(self) -> bool:
        """Whether only programs on this machine can connect."""
        return self.host == "localhost" or _is_loopback(self.host)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
