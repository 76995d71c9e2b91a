"""Starts and stops the local server."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from threading import Thread, Timer

import uvicorn

from offnominal.web.app import make_app
from offnominal.web.listening import address_of, bound_socket, config_of, quiet_logs
from offnominal.web.run_data import prepare
from offnominal.web.settings import Settings

BROWSER_AFTER = 0.6
"""Seconds from the start to the browser."""


def serve(settings: Settings, *, announce: Callable[[str], object] = print, browser: bool = True) -> None:
    """Run the local server until Ctrl-C.

    Args:
        settings: Folders, address, token and limits.
        announce: Called with the address once the port is ours.
        browser: Whether to open a browser.

    Raises:
        AddressInUse: Another program listens at the port.
    """
    with closing(bound_socket(settings)) as listener:
        chosen = replace(settings, port=listener.getsockname()[1])
        app = make_app(chosen)
        config = config_of(app, chosen)
        announce(address_of(chosen))
        Thread(target=prepare, args=[app.state.library], daemon=True).start()
        if browser:
            timer = Timer(BROWSER_AFTER, webbrowser.open, [address_of(chosen)])
            timer.daemon = True
            timer.start()
        quiet_logs()
        uvicorn.Server(config).run([listener])
