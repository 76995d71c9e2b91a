"""Events to another program by HTTP, in the form of CloudEvents 1.0."""

from __future__ import annotations

import json
import logging
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from threading import Event as Flag
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.watch.event import Event
from offnominal.watch.outbox import Outbox

LOGGER = logging.getLogger("offnominal.watch")
TIMEOUT = 5.0
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0
CLOSING = 5.0
"""Seconds that are given to events under way when the service stops."""


class Webhook:
    """Posts every event that is not shelved, one after the other, until the receiver answers with a status of 2xx.

    After an error it waits, twice as long each time and at most a minute. An event may come more than once; `source`
    and `id` say so. A status of 4xx, other than 408 and 429, will not change: the event is dropped and told in the log.

    Args:
        url: Address, ``http://`` or ``https://``.
        outbox: Events that wait; it is part of the checkpoint, so that a restart loses none.
        source: Source of the CloudEvents.
        token: Sent as ``Authorization: Bearer``, if it is not empty.
    """

    def __init__(self, url: str, outbox: Outbox, *, source: str, token: str = "") -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise InvalidParameter(f"the webhook is {shown(url)}; expected an address that begins with https://.")
        self.failures = 0
        self._url, self._outbox, self._source, self._token = url, outbox, source, token
        self._stop = Flag()
        self._thread = Thread(target=self._run, name="webhook", daemon=True)
        self._thread.start()

    def events(self, events: Iterable[Event]) -> None:
        """Take events."""
        self._outbox.add(event.to_cloud_event(self._source) for event in events if not event.shelved)

    def scores(self, scores: Iterable[Mapping[str, Any]]) -> None:
        """Scores are not sent."""

    def close(self) -> None:
        """Send what waits within some seconds; the rest is in the checkpoint."""
        deadline = time.monotonic() + CLOSING
        while len(self._outbox) and time.monotonic() < deadline and not self.failures:
            time.sleep(0.02)
        self._stop.set()
        self._thread.join(CLOSING)

    def _run(self) -> None:
        pause = FIRST_PAUSE
        while not self._stop.is_set():
            event = self._outbox.first(timeout=0.2)
            if event is None:
                continue
            problem, final = self._post(event)
            if problem and not final:
                self.failures += 1
                LOGGER.warning("the webhook failed: %s; %d events wait", problem, len(self._outbox))
                self._stop.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                continue
            if problem:
                LOGGER.error("the webhook refused event %s: %s", event["id"], problem)
            self._outbox.confirm(event["id"])
            pause, self.failures = FIRST_PAUSE, 0

    def _post(self, event: Mapping[str, Any]) -> tuple[str, bool]:
        """Return what went wrong, and whether it will not change; an empty text if nothing did."""
        request = urllib.request.Request(self._url, json.dumps(event, allow_nan=False).encode(), method="POST")
        request.add_header("Content-Type", "application/cloudevents+json; charset=utf-8")
        if self._token:
            request.add_header("Authorization", f"Bearer {self._token}")
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT):
                return "", True
        except urllib.error.HTTPError as error:
            return f"status {error.code}", 400 <= error.code < 500 and error.code not in (408, 429)
        except (OSError, ValueError) as error:
            return str(error), False
