"""The live monitor: its page, and the websocket of its clients."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from offnominal.alarms.catalogue import alarms
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter, InvalidState, OffnominalError
from offnominal.web.broadcast import Client
from offnominal.web.live_messages import (
    ClearFault,
    Explain,
    Join,
    Pause,
    Reset,
    Resume,
    SetRate,
    Start,
    StartFault,
    parse_message,
)
from offnominal.web.live_run import LiveSettings, fallbacks_of
from offnominal.web.live_session import LiveRuns, LiveSession, error_message
from offnominal.web.monitor_choice import DEFAULT_WORLD, detector_choices, offered_worlds, policies_of
from offnominal.web.page import page
from offnominal.web.part import Part
from offnominal.worlds.catalogue import worlds

TITLE = "Live"
MESSAGES_PER_SECOND, BURST = 20.0, 40.0
TOO_MANY = 200
"""Messages above the rate after which a client is disconnected."""


def live_page(request: Request) -> Response:
    """Return the page of the live monitor."""
    return page(request, "live.html.j2", title="Live monitor", part=TITLE, script="live.js", data=choices())


def choices() -> dict[str, Any]:
    """Return what can be chosen before a run starts."""
    return {
        "worlds": [
            {
                "id": id,
                "summary": worlds.card(id).summary,
                "policies": policies_of(id),
                "fallbacks": fallbacks_of(id),
            }
            for id in offered_worlds()
        ],
        "detectors": detector_choices(),
        "alarms": [{"id": spec.id, "summary": spec.summary} for spec in alarms],
        "defaults": LiveSettings(DEFAULT_WORLD).to_dict(),
    }


def live_runs(app: Starlette) -> LiveRuns:
    """Return the live runs of a server."""
    if not hasattr(app.state, "live_runs"):
        app.state.live_runs = LiveRuns(app.state.settings.max_live_runs)
    found: LiveRuns = app.state.live_runs
    return found


class Allowance:
    """Number of messages that a client may send: some at once, then some per second.

    Example:
        >>> allowance = Allowance(rate=1.0, burst=2.0)
        >>> [allowance.take(now=0.0) for _ in range(3)], allowance.take(now=1.0)
        ([True, True, False], True)
    """

    def __init__(self, rate: float = MESSAGES_PER_SECOND, burst: float = BURST) -> None:
        self.rate, self.burst, self.left, self.refused = rate, burst, burst, 0
        self._then: float | None = None

    def take(self, now: float) -> bool:
        """Return whether one more message is allowed."""
        self.left = min(self.burst, self.left + self.rate * (now - (now if self._then is None else self._then)))
        self._then = now
        if self.left < 1.0:
            self.refused += 1
            return False
        self.left -= 1.0
        return True


class Connection:
    """One client: it watches at most one run, and sends orders to it.

    Args:
        socket: The websocket.
        runs: All live runs.
    """

    def __init__(self, socket: WebSocket, runs: LiveRuns) -> None:
        self.socket, self.runs = socket, runs
        self.session: LiveSession | None = None
        self.client: Client | None = None
        self._sender: asyncio.Task[None] | None = None

    async def serve(self) -> None:
        """Answer messages until the client disconnects."""
        await self.socket.accept()
        allowance = Allowance()
        try:
            while allowance.refused < TOO_MANY:
                received = await self.socket.receive()
                if received["type"] == "websocket.disconnect":
                    return
                try:
                    if not allowance.take(time.monotonic()):
                        raise InvalidState(f"more than {MESSAGES_PER_SECOND:g} messages per second; send fewer.")
                    text = received.get("text")
                    if text is None:
                        raise InvalidParameter("the message is binary; expected JSON text.")
                    await self._answer(parse_message(text))
                except OffnominalError as error:
                    await self.socket.send_text(error_message(error))
            await self.socket.close(1008, "too many messages")
        except (WebSocketDisconnect, RuntimeError):
            return
        finally:
            await self._leave()

    async def _answer(self, order: Config) -> None:
        if isinstance(order, Start | Join):
            session = self.runs.start(order.settings) if isinstance(order, Start) else self.runs.get(order.run)
            await self._leave()
            self.session, self.client = session, session.join()
            self._sender = asyncio.create_task(self._send(self.client))
            return
        session = self._running()
        match order:
            case StartFault():
                fault = order.order()
                await asyncio.wrap_future(session.order(lambda run: run.start_fault(fault)))
            case ClearFault():
                await asyncio.wrap_future(session.order(lambda run: run.stop_fault(order.id)))
            case Reset():
                await asyncio.wrap_future(session.order(lambda run: run.reset(order.seed)))
            case Explain():
                await asyncio.wrap_future(session.explain(order.detector))
            case SetRate():
                session.set_rate(order.rate)
            case Pause() | Resume():
                session.set_paused(isinstance(order, Pause))

    def _running(self) -> LiveSession:
        if self.session is None:
            raise InvalidState("no run is watched; start one or join one first.")
        return self.session

    async def _send(self, client: Client) -> None:
        with suppress(WebSocketDisconnect, RuntimeError, OSError):
            while True:
                for each in await client.next():
                    if isinstance(each, bytes):
                        await self.socket.send_bytes(each)
                    else:
                        await self.socket.send_text(each)

    async def _leave(self) -> None:
        if self._sender is not None:
            self._sender.cancel()
        if self.session is not None and self.client is not None:
            self.session.leave(self.client)
        self.session = self.client = self._sender = None


async def live_socket(socket: WebSocket) -> None:
    """Serve one client."""
    await Connection(socket, live_runs(socket.app)).serve()


LIVE = Part(TITLE, "live", [Route("/live", live_page), WebSocketRoute("/live/socket", live_socket)], live=True)
