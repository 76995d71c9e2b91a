"""Sockets and connections of servers."""

from __future__ import annotations

import asyncio
import logging
import socket

import uvicorn
from starlette.types import ASGIApp

from offnominal.core.errors import AddressInUse, InvalidParameter
from offnominal.web.access import Access
from offnominal.web.connections import BACKLOG, OpenFiles, bounded, most_connections


def quiet_logs() -> None:
    """Leave out messages of the server that say nothing new: requests that Ctrl-C cuts off, and a lack of files."""
    logging.getLogger("uvicorn.error").addFilter(_is_news)
    logging.getLogger("asyncio").addFilter(OpenFiles())


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a message of the server matters: requests that Ctrl-C cuts off do not."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, asyncio.CancelledError) and "timeout graceful shutdown" not in record.getMessage()


def config_of(app: ASGIApp, settings: Access, *, most: int | None = None) -> uvicorn.Config:
    """Return how an application is served.

    Args:
        app: The application.
        settings: Its settings.
        most: Largest number of connections; None is what the process can open.
    """
    return uvicorn.Config(
        app,
        log_level="warning",
        loop="asyncio",
        http=bounded(most_connections() if most is None else most),
        ws="websockets-sansio",
        ws_max_size=settings.max_body,
        server_header=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=2,
    )


def address_of(settings: Access) -> str:
    """Return the address to open in a browser, with the token.

    Example:
        >>> address_of(Access(port=8000, token="secret"))
        'http://127.0.0.1:8000/?token=secret'
    """
    name = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(settings.host, settings.host)
    host = f"[{name}]" if ":" in name else name
    return f"http://{host}:{settings.port}/" + (f"?token={settings.token}" if settings.token else "")


def bound_socket(settings: Access) -> socket.socket:
    """Return a socket that listens at the address of the settings.

    Raises:
        AddressInUse: Another program listens at the port.
        InvalidParameter: This machine does not have the address, or the port is reserved.
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        where = f"{settings.host}:{settings.port}"
        if isinstance(error, PermissionError):
            raise InvalidParameter(f"this user may not listen at {where}; choose a port from 1024 on.") from None
        if isinstance(error, socket.gaierror) or error.errno != 98:
            raise InvalidParameter(f"cannot listen at {where} ({error}); choose an address of this machine.") from None
        raise AddressInUse(
            f"another program listens at {where}; choose another port by `--port {settings.port + 1}`, or any free one "
            "by `--port 0`."
        ) from None
    return listener
