"""Orders of an operator to a monitor that runs, by HTTP."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from offnominal.core.errors import InvalidParameter, InvalidState
from offnominal.core.printable import shown

TIMEOUT = 60.0
"""Seconds for an answer; to fit an alarm again can take some."""
ORDERS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "acknowledge": ("alarms/acknowledge", {}),
    "shelve": ("alarms/shelve", {}),
    "unshelve": ("alarms/unshelve", {}),
    "nominal": ("confirm", {"nominal": True}),
    "faulty": ("confirm", {"nominal": False}),
    "begin-recalibration": ("recalibration/begin", {}),
    "recalibrate": ("recalibration/use", {}),
    "undo-recalibration": ("recalibration/undo", {}),
}
"""Path of each order, and what is sent with it besides the robot."""


def give_order(address: str, order: str, data: Mapping[str, Any], *, token: str = "") -> list[dict[str, Any]]:
    """Give an order to a monitor, and return the events that it caused.

    Args:
        address: Address of the monitor, such as ``http://127.0.0.1:8080``.
        order: One of :data:`ORDERS`.
        data: The robot, and what else the order needs.
        token: What the monitor demands of its clients.

    Raises:
        InvalidState: The monitor refused it, or did not answer; the message says why.
    """
    try:
        parts = urlsplit(address)
    except ValueError as error:
        raise InvalidParameter(f"the monitor is {shown(address)}, which is no address ({error}).") from None
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise InvalidParameter(f"the monitor is {shown(address)}; expected an address such as http://127.0.0.1:8080.")
    path, also = ORDERS[order]
    content = json.dumps({**data, **also}).encode()
    request = urllib.request.Request(f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/{path}", content)
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        # No proxy of the environment: it would get the token.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=TIMEOUT) as answer:
            events: list[dict[str, Any]] = json.loads(answer.read())["events"]
            return events
    except urllib.error.HTTPError as error:
        raise InvalidState(f"the monitor refused it: {_reason(error)}") from None
    except (http.client.HTTPException, OSError, ValueError, LookupError, TypeError) as error:
        raise InvalidState(f"the monitor at {parts.netloc} did not answer ({error}).") from None


def _reason(error: urllib.error.HTTPError) -> str:
    try:
        content = error.read().decode(errors="replace")
    except (http.client.HTTPException, OSError):
        return f"status {error.code}, whose reason was cut"
    try:
        return str(json.loads(content)["error"])
    except (ValueError, LookupError, TypeError):
        return f"status {error.code}, {shown(content.strip())}"
