"""Who may use a server: address, names and token, and how much a request may send."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from ipaddress import ip_address

from offnominal.core.errors import InvalidParameter

MEGABYTE = 2**20
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, kw_only=True)
class Access:
    """Who may use a server, and how much a request may send.

    Args:
        host: Address to bind to. Any but a loopback address demands a token.
        port: Port to bind to; 0 for any free one.
        token: What a client must present; nothing if empty.
        allowed_hosts: Further names by which clients may address the server, such as that of a reverse proxy.
        max_body: Largest size of a request or websocket message in bytes.
        max_query: Largest length of the part of an address after the question mark.

    Example:
        >>> Access(host="0.0.0.0")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: host is '0.0.0.0', which other machines can reach; give a token...
        >>> Access(port=0).is_local
        True
    """

    host: str = "127.0.0.1"
    port: int = 8000
    token: str = ""
    allowed_hosts: tuple[str, ...] = ()
    max_body: int = MEGABYTE
    max_query: int = 4096

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
