"""Serves the application in a thread beside the service."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Thread

import uvicorn

from offnominal.watch.http_app import WatchApp
from offnominal.watch.live_view import LiveView
from offnominal.watch.service import Service
from offnominal.web.access import Access
from offnominal.web.listening import address_of, bound_socket, config_of, quiet_logs


@contextmanager
def serving(service: Service, view: LiveView, access: Access) -> Iterator[str]:
    """Answer requests while the block runs.

    Args:
        service: The service.
        view: What is recent.
        access: Address and token.

    Yields:
        The address to open in a browser, with the token.

    Raises:
        AddressInUse: Another program listens at the port.
    """
    listener = bound_socket(access)
    chosen = replace(access, port=listener.getsockname()[1])
    quiet_logs()
    config = config_of(WatchApp(service, view).made(chosen), chosen)
    # Of a robot that waits for room nothing is read, its answer to a ping neither: it is no reason to cut it off.
    config.ws_ping_timeout = None
    server = uvicorn.Server(config)
    thread = Thread(target=lambda: asyncio.run(server.serve([listener])), name="http", daemon=True)
    thread.start()
    try:
        yield address_of(chosen)
    finally:
        server.should_exit = True
        thread.join(5.0)
        listener.close()
