"""Samples and events by MQTT."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from offnominal.core.errors import InvalidParameter, MissingDependency
from offnominal.core.printable import shown
from offnominal.watch.event import Event
from offnominal.watch.inbox import Arrived, Inbox

LOGGER = logging.getLogger("offnominal.watch")
PORTS = {"mqtt": 1883, "mqtts": 8883}
QUEUED = 100_000
"""Events that wait at most while there is no broker; they are in memory only."""
AT_LEAST_ONCE = 1
CLOSING = 3.0


class MqttLink:
    """Subscribes to samples, and publishes events.

    Samples are JSON lines on ``PREFIX/samples`` and below. The broker keeps them while this program is away, because
    its session stays. If too many wait here, the oldest are dropped and counted. Events are published on
    ``PREFIX/events/ROBOT/ALARM``, at least once; those of the service on ``PREFIX/events``. ``PREFIX/status`` is
    retained: ``online``, or ``offline`` also after a crash.

    Args:
        url: ``mqtt://user:password@host:port/prefix``, or ``mqtts://`` with TLS.
        inbox: Where samples go.
        name: Name of what is monitored; the prefix if the address has none.

    Raises:
        MissingDependency: paho-mqtt is not installed.
    """

    def __init__(self, url: str, inbox: Inbox, *, name: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in PORTS or not parts.hostname:
            raise InvalidParameter(f"the MQTT broker is {shown(url)}; expected an address such as mqtt://host/prefix.")
        try:
            from paho.mqtt import client, enums
        except ModuleNotFoundError:
            raise MissingDependency("MQTT needs paho-mqtt; install it with `pip install offnominal[mqtt]`.") from None
        self._inbox = inbox
        self._prefix = parts.path.strip("/") or quote(f"offnominal/{name}", safe="/")
        if "+" in self._prefix or parts.fragment or "#" in url or parts.query:
            raise InvalidParameter(f"the MQTT broker is {shown(url)}; the prefix of topics cannot have +, # or ?.")
        version = enums.CallbackAPIVersion.VERSION2
        self._client = client.Client(version, client_id=f"offnominal-{self._prefix}", clean_session=False)
        self._client.max_queued_messages_set(QUEUED)
        self._client.will_set(self._status, "offline", qos=AT_LEAST_ONCE, retain=True)
        if parts.username:
            self._client.username_pw_set(unquote(parts.username), unquote(parts.password or ""))
        if parts.scheme == "mqtts":
            self._client.tls_set()
        self._client.on_connect = self._connected
        self._client.on_disconnect = self._disconnected
        self._client.on_message = self._message
        self._client.reconnect_delay_set(min_delay=1, max_delay=30)
        # Not `connect`: without a broker the service starts, and connects when there is one.
        self._client.connect_async(parts.hostname, parts.port or PORTS[parts.scheme])
        self._client.loop_start()

    @property
    def _status(self) -> str:
        return f"{self._prefix}/status"

    def _connected(self, client: Any, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            LOGGER.error("the MQTT broker refused the connection: %s", reason)
            return
        client.subscribe(f"{self._prefix}/samples/#", qos=AT_LEAST_ONCE)
        client.publish(self._status, "online", qos=AT_LEAST_ONCE, retain=True)

    def _disconnected(self, client: Any, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            LOGGER.warning("the connection to the MQTT broker is lost: %s", reason)

    def _message(self, client: Any, data: Any, message: Any) -> None:
        now = time.time()
        self._inbox.push([Arrived(line, now) for line in message.payload.split(b"\n") if line.strip()])

    def events(self, events: Iterable[Event]) -> None:
        """Publish events."""
        for event in events:
            words = [self._prefix, "events", *(quote(word, safe="") for word in (event.robot, event.alarm) if word)]
            self._client.publish("/".join(words), json.dumps(event.to_dict(), allow_nan=False), qos=AT_LEAST_ONCE)

    def scores(self, scores: Iterable[Mapping[str, Any]]) -> None:
        """Scores are not published."""

    def close(self) -> None:
        """Publish what is under way within some seconds, and say that the service is offline."""
        last = self._client.publish(self._status, "offline", qos=AT_LEAST_ONCE, retain=True)
        if self._client.is_connected():
            last.wait_for_publish(CLOSING)
        self._client.disconnect()
        self._client.loop_stop()
